/**
 * Provenance, lineage, promotion, inspection and redaction over the whole write path in this process.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Dispatch } from "../../services/gateway/Dispatch.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import {
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRollback } from "../../src/memory/NamespaceReviewVerbs.ts"
import { MemoryPromote } from "../../src/memory/PromoteVerbs.ts"
import { MemoryInspect, MemoryLineage, MemoryProvenance } from "../../src/memory/ProvenanceVerbs.ts"
import { MemoryRedact } from "../../src/memory/RedactVerbs.ts"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import * as NamespaceStore from "../../src/namespace/NamespaceStore.ts"
import { ask, layer } from "../support/ActorHouse.ts"

const ada = { ...localCaller, actor: "human:ada", role: "write", boundUser: "ada" } as const
const bob = { ...localCaller, actor: "human:bob", role: "write", boundUser: "bob" } as const
const narrow = { ...localCaller, namespaces: ["local"] } as const

const refusedAs = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), (error) => "code" in error ? error.code : error._tag)

const window = { memory_key: "deploy/window", value: "Deploys of the billing service happen on Tuesdays" }

describe("memory.provenance", () => {
  it.live("tells who wrote, restated and changed a row, and where it says it came from", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, { ...window, source_trace: "wiki", run_id: "r1" })
      yield* ask(MemorySet, window, { ...localCaller, actor: "process:bot" })
      yield* ask(MemoryUpdate, { memory_key: window.memory_key, tags: ["a"] })
      const { found, provenance } = yield* ask(MemoryProvenance, { memory_key: window.memory_key })
      assert.isTrue(found)
      assert.deepInclude(provenance, {
        created_by: "human:local",
        source_class: "asserted",
        verification: "none",
        versions: 3,
        restated: 1,
        merged: 0,
        reinforcement_count: 2,
        retired_by: null,
        retired: [],
        sources: []
      })
      assert.deepStrictEqual(
        provenance?.contributors.map(({ actor, changes, versions }) => [actor, versions, changes]),
        [["human:local", 2, ["create", "label"]], ["process:bot", 1, ["restate"]]]
      )
    }).pipe(Effect.provide(layer())))

  it.live("names what retired a row and what it retired, but no row of another user", () =>
    Effect.gen(function*() {
      const namespaces = yield* NamespaceStore.NamespaceStore
      yield* namespaces.put({
        org: "dev",
        namespace: "local",
        default_conflict_policy: "newest_wins",
        settings: noSettings,
        description: "",
        created_at: 0,
        updated_at: 0,
        actor: "human:local",
        version: 1n
      })
      const first = yield* ask(MemorySet, window, ada)
      const second = yield* ask(MemorySet, { ...window, value: "Deploys wait for the release train" }, bob)
      const retired = yield* ask(MemoryProvenance, { memory_id: first.memory_id })
      assert.deepInclude(retired.provenance?.retired_by, {
        memory_id: second.memory_id,
        change: "retire",
        rule: "newest_wins.key"
      })
      const retirer = yield* ask(MemoryProvenance, { memory_id: second.memory_id })
      assert.deepStrictEqual(retirer.provenance?.retired.map(({ memory_id }) => memory_id), [first.memory_id])
      const own = yield* ask(MemoryProvenance, { memory_id: first.memory_id }, ada)
      assert.deepInclude(own.provenance?.retired_by, {
        memory_id: null,
        memory_key: null,
        evidence: null,
        rule: "newest_wins.key"
      })
      const other = yield* ask(MemoryProvenance, { memory_id: second.memory_id }, bob)
      assert.deepStrictEqual(other.provenance?.retired, [])
      const inspected = yield* ask(MemoryInspect, { memory_id: first.memory_id }, ada)
      assert.notInclude(JSON.stringify(inspected), second.memory_id)
      const dispatch = yield* Dispatch
      for (const verb of ["memory.provenance", "memory.lineage", "memory.inspect"]) {
        const there = yield* dispatch.call(verb, { memory_id: second.memory_id }, ada)
        assert.deepStrictEqual(there, yield* dispatch.call(verb, { memory_id: "mem_none" }, ada))
      }
    }).pipe(Effect.provide(layer())))
})

describe("memory.promote", () => {
  it.live("gives its first answer under its key, whatever became of the source", () =>
    Effect.gen(function*() {
      const request = {
        memory_key: window.memory_key,
        target_namespace: "team",
        target_key: "x/y/z",
        reversible_for_days: 3,
        idempotency_key: "PM"
      }
      const early = yield* ask(MemoryPromote, { ...request, idempotency_key: "P0" })
      assert.isFalse(early.found)
      yield* ask(MemorySet, window)
      assert.deepStrictEqual(yield* ask(MemoryPromote, { ...request, idempotency_key: "P0" }), early)
      assert.isFalse((yield* ask(MemoryGet, { namespace: "team", memory_key: "x/y/z" })).found)

      assert.isFalse((yield* ask(MemoryPromote, { ...request, dry_run: true })).promoted)
      const first = yield* ask(MemoryPromote, request)
      assert.deepInclude(first, { promoted: true, reinforcement_count: 1 })
      assert.deepStrictEqual(yield* ask(MemoryPromote, request), first)
      yield* ask(MemoryDelete, { memory_key: window.memory_key })
      assert.deepStrictEqual(yield* ask(MemoryPromote, request), first)
      assert.strictEqual(
        yield* refusedAs(ask(MemoryPromote, { ...request, target_key: "x/y" })),
        "IDEMPOTENCY_CONFLICT"
      )
      assert.isFalse((yield* ask(MemoryPromote, { ...request, idempotency_key: "P1" })).found)
    }).pipe(Effect.provide(layer())))

  it.live("makes a judged copy with lineage both ways; again it restates; a delete undoes it", () =>
    Effect.gen(function*() {
      const source = yield* ask(MemorySet, { ...window, tags: ["kind:rule"], namespace: "private" })
      const request = {
        namespace: "private",
        memory_key: window.memory_key,
        target_namespace: "team",
        target_key: "team/deploy-window",
        rationale: "all of us deploy",
        approver: "human:grace",
        reversible_for_days: 30,
        approved_sha256: source.content_sha256
      }
      const dry = yield* ask(MemoryPromote, { ...request, dry_run: true })
      assert.deepStrictEqual([dry.promoted, dry.lineage_id, dry.conflict_verdict], [false, null, "clear"])
      const copy = yield* ask(MemoryPromote, request)
      assert.deepInclude(copy, {
        promoted: true,
        namespace: "team",
        memory_key: "team/deploy-window",
        status: "active"
      })
      assert.match(copy.lineage_id ?? "", /^lin_[0-9a-f]{32}$/)
      assert.isNotNull(copy.reversible_until)
      const got = yield* ask(MemoryGet, { namespace: "team", memory_key: "team/deploy-window" })
      assert.deepInclude(got, { value: window.value, source_class: "derived", tags: ["kind:rule"] })

      const up = yield* ask(MemoryLineage, { namespace: "team", memory_key: "team/deploy-window" })
      assert.deepStrictEqual(up.nodes.map(({ distance, memory_id }) => [distance, memory_id]), [
        [0, copy.memory_id],
        [-1, source.memory_id]
      ])
      assert.deepInclude(up.edges[0], {
        supports: copy.memory_id ?? "",
        source: source.memory_id,
        support_type: "promoted_from",
        rationale: "all of us deploy",
        approver: "human:grace",
        current: true
      })
      const down = yield* ask(MemoryLineage, { namespace: "private", memory_id: source.memory_id })
      assert.deepStrictEqual(down.nodes.map(({ distance, memory_id }) => [distance, memory_id]), [
        [0, source.memory_id],
        [1, copy.memory_id]
      ])
      const { provenance } = yield* ask(MemoryProvenance, { namespace: "team", memory_id: copy.memory_id })
      assert.deepStrictEqual(provenance?.sources.map(({ memory_id }) => memory_id), [source.memory_id])
      // Whoever does not open the source's namespace does not hear of it.
      const team = { ...localCaller, namespaces: ["team"] }
      const closed = yield* ask(MemoryLineage, { namespace: "team", memory_id: copy.memory_id }, team)
      assert.deepStrictEqual([closed.nodes.length, closed.edges], [1, []])

      const again = yield* ask(MemoryPromote, request)
      assert.deepInclude(again, { memory_id: copy.memory_id, lineage_id: copy.lineage_id, reinforcement_count: 2 })
      yield* ask(MemoryUpdate, { namespace: "private", memory_key: window.memory_key, value: "Deploys stopped" })
      const stale = yield* ask(MemoryLineage, { namespace: "team", memory_id: copy.memory_id })
      assert.isFalse(stale.edges[0]?.current)
      assert.strictEqual(yield* refusedAs(ask(MemoryPromote, request)), "PRECONDITION_FAILED")
      yield* ask(MemoryDelete, { namespace: "team", memory_id: copy.memory_id })
      assert.isFalse((yield* ask(MemoryGet, { namespace: "team", memory_key: "team/deploy-window" })).found)
    }).pipe(Effect.provide(layer())))

  it.live("walks a chain, and a circle once", () =>
    Effect.gen(function*() {
      const a = yield* ask(MemorySet, { ...window, namespace: "a" })
      const hop = (from: string, to: string) =>
        ask(MemoryPromote, { namespace: from, memory_key: window.memory_key, target_namespace: to })
      const b = yield* hop("a", "b")
      const c = yield* hop("b", "c")
      yield* hop("c", "a")
      const { edges, nodes } = yield* ask(MemoryLineage, { namespace: "a", memory_id: a.memory_id })
      assert.sameMembers(nodes.map(({ memory_id }) => memory_id), [a.memory_id, b.memory_id ?? "", c.memory_id ?? ""])
      assert.strictEqual(edges.length, 3)
      const near = yield* ask(MemoryLineage, { namespace: "c", memory_key: window.memory_key, depth: 1 })
      assert.isTrue(near.truncated)
    }).pipe(Effect.provide(layer())))

  it.live("refuses what may not be shared, and where the token may not write", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, window)
      yield* ask(MemorySet, { memory_key: "u/pin", value: "the pin is 1234", sensitivity: "high" })
      yield* ask(MemorySet, { memory_key: "web/page", value: "What the page said", source_class: "external" })
      const promote = (request: object, caller = localCaller) => ask(MemoryPromote, request, caller)
      assert.strictEqual(
        yield* refusedAs(promote({ memory_key: "u/pin", target_namespace: "team" })),
        "INVALID_ARGUMENT"
      )
      assert.strictEqual(yield* refusedAs(promote({ memory_key: window.memory_key })), "INVALID_ARGUMENT")
      const closed = { memory_key: window.memory_key, target_namespace: "team" }
      assert.strictEqual(yield* refusedAs(ask(MemoryPromote, closed, narrow)), "FORBIDDEN")
      assert.strictEqual(
        yield* refusedAs(ask(MemoryPromote, { ...closed, memory_key: "no/such" }, narrow)),
        "FORBIDDEN"
      )
      assert.strictEqual(yield* refusedAs(ask(MemoryPromote, closed, { ...localCaller, role: "read" })), "FORBIDDEN")
      assert.isFalse((yield* promote({ memory_key: "no/such", target_namespace: "team" })).found)
      // A bound token neither reads another user's row nor writes for another user.
      assert.isFalse((yield* ask(MemoryPromote, closed, ada)).found)
      yield* ask(MemorySet, { ...window, memory_key: "ada/window" }, ada)
      const foreign = { memory_key: "ada/window", target_user_id: "bob" }
      assert.strictEqual(yield* refusedAs(ask(MemoryPromote, foreign, ada)), "FORBIDDEN")
      // Outside content does not become knowledge by being carried.
      yield* promote({ memory_key: "web/page", target_namespace: "team" })
      assert.strictEqual(
        (yield* ask(MemoryGet, { namespace: "team", memory_key: "web/page" })).source_class,
        "external"
      )
    }).pipe(Effect.provide(layer())))
})

describe("memory.inspect", () => {
  it.live("shows columns, derived rows, links and an audit link that verifies; a high value stays withheld", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, { ...window, entities: ["Billing Services"] })
      const a = yield* ask(MemoryInspect, { memory_key: window.memory_key })
      assert.deepInclude(a.derived, { has_vector: true, vectors: 1, chunks: 0, entities: ["billing service"] })
      assert.deepInclude(a.audit, { verifies: true, logged: true })
      assert.deepInclude(a, { found: true, served: true, versions: 1, lock: null })
      assert.deepInclude(a.columns, { value_kind: "string", change: "create", cause: null })
      yield* ask(MemorySet, { memory_key: "u/pin", value: "the pin is 1234", sensitivity: "high" })
      const high = yield* ask(MemoryInspect, { memory_key: "u/pin" })
      assert.deepInclude(high.memory, { value: null, value_withheld: true })
      assert.isFalse(high.derived?.has_vector)
      assert.notInclude(JSON.stringify(high), "1234")
      const gone = yield* ask(MemoryInspect, { memory_key: "no/such" })
      assert.isFalse(gone.found)
    }).pipe(Effect.provide(layer())))
})

describe("memory.redact", () => {
  it.live("scrubs a value that is past, not one that stands", () =>
    Effect.gen(function*() {
      const key = { memory_key: "ops/door" }
      const first = yield* ask(MemorySet, { ...key, value: "The door code is SENTINEL" })
      const redact = (request: object) => ask(MemoryRedact, { ...key, ...request })
      const { content_sha256 } = first
      assert.strictEqual(yield* refusedAs(redact({ content_sha256 })), "INVALID_ARGUMENT")
      assert.strictEqual(yield* refusedAs(redact({})), "INVALID_ARGUMENT")
      assert.strictEqual(yield* refusedAs(ask(MemoryRedact, { ...key, content_sha256 }, ada)), "FORBIDDEN")
      yield* ask(MemoryUpdate, { ...key, tags: ["door"] })
      yield* ask(MemoryUpdate, { ...key, value: "The door has no code" })
      const missing = yield* redact({ content_sha256: "0".repeat(64) })
      assert.deepInclude(missing, { found: true, redacted: false, reason: "no_such_value" })
      const done = yield* redact({ version_text: first.version_text })
      assert.deepInclude(done, { redacted: true, versions: 2, vectors: 1, head: false, remaining: 0, content_sha256 })
      const { versions } = yield* ask(MemoryHistory, key)
      assert.deepStrictEqual(versions.map(({ redacted, value }) => [value, redacted ?? false]), [
        ["The door has no code", false],
        [null, true],
        [null, true]
      ])
      assert.strictEqual(versions[2]?.content_sha256, content_sha256)
      assert.strictEqual((yield* redact({ content_sha256 })).versions, 0)
      assert.isFalse((yield* ask(MemoryRedact, { memory_key: "no/such", content_sha256 })).found)
      // What is gone cannot serve again.
      const back = yield* ask(NamespaceRollback, { to: first.version_text, dry_run: false })
      assert.deepInclude(back, { redacted: 1, changed: 0 })
      assert.strictEqual((yield* ask(MemoryGet, key)).value, "The door has no code")
    }).pipe(Effect.provide(layer())))

  it.live("scrubs a deleted head as a new version, which nothing restores", () =>
    Effect.gen(function*() {
      const key = { memory_key: "ops/door" }
      const { content_sha256 } = yield* ask(MemorySet, { ...key, value: "The door code is SENTINEL" })
      yield* ask(MemoryDelete, key)
      const done = yield* ask(MemoryRedact, { ...key, content_sha256 })
      assert.deepInclude(done, { redacted: true, head: true, remaining: 0 })
      const history = yield* ask(MemoryHistory, key)
      assert.deepStrictEqual(history.versions.map(({ change, value }) => [change, value]), [
        ["label", null],
        ["delete", null],
        ["create", null]
      ])
      assert.notInclude(JSON.stringify(history), "SENTINEL")
      assert.strictEqual(yield* refusedAs(ask(MemoryRestore, key)), "INVALID_ARGUMENT")
      assert.strictEqual((yield* ask(MemoryList, { include_tombstoned: true })).memories[0]?.value, null)
      // The key can be used again.
      yield* ask(MemorySet, { ...key, value: "The door has no code" })
      assert.strictEqual((yield* ask(MemoryGet, key)).value, "The door has no code")
    }).pipe(Effect.provide(layer())))
})
