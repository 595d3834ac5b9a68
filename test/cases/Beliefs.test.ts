/**
 * One key over time and under doubt, over HTTP: what an earlier date, a restatement, a label, an end or a decision makes of a
 * memory, and that get, list, timeline, the review queue and the hints in the answers all tell the same of it.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConflictsList, ConflictsResolve } from "../../src/memory/ConflictVerbs.ts"
import { MemoryLock, MemoryPin } from "../../src/memory/LifecycleVerbs.ts"
import { MemoryTimeline } from "../../src/memory/MemoryTimeVerbs.ts"
import type { Belief } from "../../src/memory/MemoryTimeVerbs.ts"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRollback, NamespaceValidate } from "../../src/memory/NamespaceReviewVerbs.ts"
import { MemoryProposalDecide } from "../../src/memory/ProposalVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { ships } from "../support/Facts.ts"
import { freshNamespace, ok, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 90_000 })("Beliefs", (it) => {
  const registered = (default_conflict_policy: string) =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      yield* ok(NamespaceRegister, { namespace, default_conflict_policy })
      return namespace
    })

  const bonn = { value: "Lea lives in Bonn", valid_at: "2026-06-01" }
  const oslo = { value: "Lea lives in Oslo", valid_at: "2026-01-01" }
  const told = (beliefs: ReadonlyArray<Belief>) =>
    beliefs.map(({ status, valid_until, value }) => [value, status, valid_until])

  it.effect("an earlier date stated later takes its place in the past under newest_wins, and every read agrees on now", () =>
    Effect.gen(function*() {
      const key = { namespace: yield* registered("newest_wins"), memory_key: "u/town" }
      yield* ok(MemorySet, { ...key, ...bonn })
      for (const dry_run of [true, false]) {
        const stored = yield* ok(MemorySet, { ...key, ...oslo, dry_run })
        assert.deepInclude(stored, { conflict_verdict: "conflict", status: "superseded" })
        assert.include(stored.next ?? "", "memory.update")
      }
      const agrees = Effect.gen(function*() {
        assert.deepInclude(yield* ok(MemoryGet, key), { value: bonn.value, status: "active" })
        for (const as_of of ["2026-07-01", "2199-01-01"]) {
          assert.strictEqual((yield* ok(MemoryGet, { ...key, as_of })).value, bonn.value)
        }
        assert.strictEqual((yield* ok(MemoryGet, { ...key, as_of: "2026-02-01" })).value, oslo.value)
        const { beliefs } = yield* ok(MemoryTimeline, key)
        assert.deepStrictEqual(told(beliefs), [
          [oslo.value, "superseded", "2026-06-01T00:00:00.000Z"],
          [bonn.value, "active", null]
        ])
        assert.deepInclude(beliefs[1], { retired_at: null, superseded_by: null })
      })
      yield* agrees
      yield* ok(MemorySet, { ...key, value: bonn.value })
      yield* agrees
      yield* ok(MemoryDelete, key)
      yield* ok(MemoryRestore, key)
      yield* agrees
    }))

  it.effect("under the other policies it is served, and the answer tells what reads of a time say", () =>
    Effect.gen(function*() {
      for (const policy of ["auto_reinforce", "manual_review", "append_only"]) {
        const key = { namespace: yield* registered(policy), memory_key: "u/town" }
        assert.notInclude(String((yield* ok(MemorySet, { ...key, ...bonn })).advisories), "as_of")
        const stored = yield* ok(MemorySet, { ...key, ...oslo })
        assert.deepInclude(stored, { status: "active" }, policy)
        assert.match(String(stored.advisories), /became true later \(2026-06-01T00:00:00\.000Z\).*as_of/)
        assert.deepInclude(yield* ok(MemoryGet, key), { value: oslo.value, status: "active" })
        const { beliefs } = yield* ok(MemoryTimeline, key)
        assert.deepStrictEqual(told(beliefs).map(([value, status]) => [value, status]), [
          [oslo.value, "active"],
          [bonn.value, "superseded"]
        ])
        // As it advises: dated after what it replaced, it answers for now on both ways.
        yield* ok(MemoryUpdate, { ...key, valid_at: "2026-06-02" })
        for (const read of [key, { ...key, as_of: "2199-01-01" }]) {
          assert.strictEqual((yield* ok(MemoryGet, read)).value, oslo.value)
        }
      }
    }))

  it.effect("whoever follows the hint of a changed fact keeps the old belief for its time", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const key = { namespace, memory_key: "u/ida" }
      yield* ok(MemorySet, { ...key, value: ships(15), valid_at: "2026-03-01" })
      const probe = yield* ok(MemorySet, { namespace, memory_key: "u/other", value: ships(16), dry_run: true })
      assert.strictEqual(probe.conflict_verdict, "conflict")
      const [changed = "", ...others] = (probe.next ?? "").split(";")
      assert.match(changed, /If the fact changed, memory\.set `u\/ida` with the new value and its valid_at/)
      assert.match(others.join(), /memory\.update `u\/ida`/)
      yield* ok(MemorySet, { ...key, value: ships(16), valid_at: "2026-06-01" })
      assert.strictEqual((yield* ok(MemoryGet, { ...key, as_of: "2026-04-01" })).value, ships(15))
      assert.strictEqual((yield* ok(MemoryGet, key)).value, ships(16))
      // Another writer's key is named with its writer, a pinned one with the verb that may replace it.
      const pinned = { namespace: freshNamespace(), memory_key: "u/pinned" }
      yield* ok(MemoryPin, { ...pinned, agent: "ann", value: ships(16) })
      const pinning = {
        namespace: pinned.namespace,
        memory_key: "u/third",
        value: ships(17),
        pinned: true,
        dry_run: true
      }
      assert.include((yield* ok(MemorySet, pinning)).next ?? "", "memory.pin `u/pinned` (agent `ann`)")
    }))

  const contradiction = (namespace: string, second: object = {}) =>
    Effect.gen(function*() {
      const a = yield* ok(MemorySet, { namespace, memory_key: "orion/a", value: ships(15), ...second })
      const b = yield* ok(MemorySet, { namespace, memory_key: "orion/b", value: ships(16) })
      assert.strictEqual(b.conflict_verdict, "conflict")
      return { a, b }
    })

  it.effect("a decision answers with the rows as the next read finds them", () =>
    Effect.gen(function*() {
      for (const action of ["allow", "revise", "contract"] as const) {
        const namespace = freshNamespace()
        const { a, b } = yield* contradiction(namespace)
        const request = { namespace, action, memory_id: a.memory_id }
        const tried = yield* ok(ConflictsResolve, { ...request, dry_run: true })
        const done = yield* ok(ConflictsResolve, request)
        assert.strictEqual(done.results.length, 2)
        for (const { answer, memory_id, memory_key, outcome, status_before } of done.results) {
          assert.deepInclude({ outcome, status_before }, { outcome: "changed", status_before: "conflicted" })
          const got = yield* ok(MemoryGet, { namespace, memory_key: memory_key ?? "" })
          assert.strictEqual(answer?.status, got.status, `${action} ${memory_key}`)
          assert.deepStrictEqual(answer?.conflict_with, [])
          const { versions } = yield* ok(MemoryHistory, { namespace, memory_id })
          assert.strictEqual(answer?.version_text, versions[0]?.version_text)
          const before = tried.results.find((one) => one.memory_id === memory_id)
          assert.deepStrictEqual([before?.answer?.status, before?.answer?.conflict_with], [
            got.status ?? "tombstoned",
            []
          ])
        }
        assert.strictEqual(b.status, "conflicted")
      }
    }))

  it.effect("a contradiction whose other side ran out is listed until somebody decides it", () =>
    Effect.gen(function*() {
      for (const action of ["allow", "contract"] as const) {
        const namespace = freshNamespace()
        const { a, b } = yield* contradiction(namespace, { ttl_seconds: 3 })
        yield* Effect.repeat(ok(MemoryGet, { namespace, memory_key: "orion/a" }), { while: ({ found }) => found })
        assert.deepInclude(yield* ok(MemoryGet, { namespace, memory_key: "orion/b" }), { status: "conflicted" })
        const listed = yield* ok(ConflictsList, { namespace })
        assert.deepStrictEqual(
          [listed.total, listed.conflicts[0]?.sides.map(({ memory_id }) => memory_id)],
          [1, [a.memory_id, b.memory_id]]
        )
        const valid = yield* ok(NamespaceValidate, { namespace, conflict_age_seconds: 0 })
        assert.deepInclude(valid.findings.find(({ name }) => name === "stale_conflicts"), { count: 1 })
        const revised = yield* ok(ConflictsResolve, { namespace, action: "revise", memory_id: a.memory_id })
        assert.deepInclude(revised, { resolved: false, reason: "not_found" })
        const memory_id = action === "allow" ? b.memory_id : a.memory_id
        assert.isTrue((yield* ok(ConflictsResolve, { namespace, action, memory_id })).resolved)
        assert.deepInclude(yield* ok(MemoryGet, { namespace, memory_key: "orion/b" }), { status: "active" })
        assert.strictEqual((yield* ok(ConflictsList, { namespace })).total, 0)
      }
    }))

  it.effect("pairs that a rollback brought back are listed with what brought them", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const { b } = yield* contradiction(namespace)
      const { versions: [flagged] } = yield* ok(MemoryHistory, { namespace, memory_key: "orion/a" })
      yield* ok(ConflictsResolve, { namespace, action: "allow", memory_id: b.memory_id })
      yield* ok(NamespaceRollback, { namespace, to: flagged?.version_text ?? "", dry_run: false })
      const { conflicts } = yield* ok(ConflictsList, { namespace })
      assert.deepInclude(conflicts[0], { rule: "namespace.rollback", reason: "as it was" })
    }))

  it.effect("what was not judged answers as it stands", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const { a, b } = yield* contradiction(namespace)
      const key = { namespace, memory_key: "orion/b" }
      for (
        const answer of [
          yield* ok(MemorySet, { ...key, value: ships(16) }),
          yield* ok(MemoryUpdate, { ...key, tags: ["x"] }),
          yield* ok(MemoryUpdate, { ...key, value: ships(16) }),
          yield* ok(MemoryPin, key)
        ]
      ) {
        assert.deepInclude(answer, { conflict_verdict: "conflict", status: "conflicted" })
        assert.deepStrictEqual(answer.conflict_with, [a.memory_id])
        assert.include(answer.next ?? "", "`orion/a` says otherwise")
      }
      assert.strictEqual(b.reinforcement_count, 1)
      yield* ok(MemorySet, { namespace, memory_key: "owner/1", value: "Ines owns the payments team", run_id: "r1" })
      const twin = { namespace, memory_key: "owner/2", value: "Ines owns the payments team", run_id: "r2" }
      assert.strictEqual((yield* ok(MemorySet, twin)).conflict_verdict, "duplicate")
      assert.deepInclude(yield* ok(MemorySet, twin), { conflict_verdict: "duplicate", status: "duplicate" })
    }))

  it.effect("a restatement that says nothing of the end is told of the one that stands", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const item = { memory_key: "k", value: "The staging cluster is frozen" }
      const { advisories } = yield* ok(MemorySet, { namespace, ...item, ttl_seconds: 3600 })
      assert.notInclude(String(advisories), "still ends")
      assert.include(String((yield* ok(MemorySet, { namespace, ...item })).advisories), "still ends")
      const bulk = yield* ok(MemoryBulkSet, { namespace, items: [item] })
      assert.include(String(bulk.results[0]?.answer?.advisories), "still ends")
      yield* ok(MemorySet, { namespace, ...item, clear_expiry: true })
      assert.isNull((yield* ok(MemoryGet, { namespace, memory_key: "k" })).expires_at)
    }))

  it.effect("a proposal stands beside a pinned memory that says otherwise", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const pinned = yield* ok(MemoryPin, { namespace, memory_key: "orion/a", value: ships(15) })
      const proposal = { namespace, memory_key: "orion/b", value: ships(16) }
      assert.strictEqual((yield* refusal("memory.set", proposal)).code, "PINNED_CONFLICT")
      const proposed = yield* ok(MemorySet, { ...proposal, proposed: true })
      assert.deepInclude(proposed, { status: "proposed", conflict_verdict: "conflict" })
      assert.deepStrictEqual(proposed.conflict_with, [pinned.memory_id ?? ""])
      assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key: "orion/a" })).status, "active")
      yield* ok(MemoryProposalDecide, { namespace, memory_key: "orion/b", decision: "accept" })
      for (const memory_key of ["orion/a", "orion/b"]) {
        assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key })).status, "conflicted")
      }
    }))

  it.effect("an update that changes nothing writes nothing; a hash is expected of a row that is there", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const key = { namespace, memory_key: "k" }
      const stored = yield* ok(MemorySet, { ...key, value: "The staging cluster is frozen", tags: ["ops"] })
      for (const body of [{}, { tags: ["ops"] }, { pinned: false }]) {
        const answer = yield* ok(MemoryUpdate, { ...key, ...body })
        assert.deepInclude(answer, { updated: false, reason: "unchanged", noop: true })
        assert.strictEqual(answer.version_text, stored.version_text)
      }
      yield* ok(MemoryLock, { ...key, reason: "audit" })
      assert.deepInclude(yield* ok(MemoryUpdate, { ...key, tags: ["ops"] }), { reason: "unchanged" })
      const absent = { namespace, memory_key: "absent", if_match_sha256: stored.content_sha256, value: "Anything else" }
      for (const verb of ["memory.set", "memory.update"]) {
        assert.deepInclude(yield* refusal(verb, absent), { status: 409, code: "PRECONDITION_FAILED" }, verb)
      }
      assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 1)
    }))
})
