/**
 * The care of a namespace over the whole write path in this process: rollback there and back, findings, validation.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { localCaller } from "../../src/kernel/Caller.ts"
import { isHashKey, isListValue, originalOf } from "../../src/memory/Hygiene.ts"
import { MemoryReview } from "../../src/memory/MemoryReview.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceAudit, NamespaceRollback, NamespaceValidate } from "../../src/memory/NamespaceReviewVerbs.ts"
import { ask, layer } from "../support/ActorHouse.ts"
import { commitOf, revised, rowOf, versionAt } from "./MemoryFixture.ts"

const scope = { org: "dev", namespace: "local" }

/** How every head stands, without what a version is stamped with. */
const standing = Effect.gen(function*() {
  const review = yield* MemoryReview
  const heads = yield* review.heads(scope, null, { after: null, limit: 2_000 })
  return heads.map((row) => [
    row.memory_key,
    row.content_sha256,
    row.status,
    row.pinned,
    row.tags,
    row.conflict_with,
    row.reinforcement_count,
    row.lock_mode
  ])
})

const dates = ["15", "16"].map((day) =>
  `The Orion release of the payments team ships to every customer on ${day} October`
)

describe("namespace.rollback", () => {
  it.live("goes back to a point, links and pins included, and back again", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, { memory_key: "orion/a", value: dates[0], tags: ["t"] })
      yield* ask(MemorySet, { memory_key: "plan/pinned", value: "The plan is fixed for the year", pinned: true })
      const before = yield* standing
      const point = yield* ask(MemorySet, { memory_key: "orion/b", value: dates[1] })
      assert.strictEqual(point.conflict_verdict, "conflict")
      const linked = yield* standing
      yield* ask(MemoryDelete, { memory_key: "orion/a" })
      yield* ask(MemoryUpdate, { memory_key: "plan/pinned", value: "The plan may change" })
      yield* ask(MemorySet, { memory_key: "late/one", value: "Something that came later" })
      const after = yield* standing

      const dry = yield* ask(NamespaceRollback, { to: point.version_text })
      assert.deepInclude(dry, {
        dry_run: true,
        rows: 4,
        changed: 4,
        unchanged: 0,
        revalued: 1,
        back_in_service: 1,
        out_of_service: 1,
        not_there_yet: 1,
        contended: 0
      })
      assert.strictEqual(dry.samples.length, 4)
      assert.deepStrictEqual(yield* standing, after)

      const done = yield* ask(NamespaceRollback, { to: point.version_text, dry_run: false })
      assert.deepInclude(done, { dry_run: false, changed: 4, contended: 0, undo_to: dry.undo_to })
      // The flag that the write at the point put on the other row belongs to it.
      assert.deepStrictEqual((yield* standing).filter(([key]) => key !== "late/one"), linked)
      assert.isFalse((yield* ask(MemoryGet, { memory_key: "late/one" })).found)
      assert.strictEqual((yield* ask(MemoryHistory, { memory_key: "late/one" })).versions[0]?.change, "rollback")
      const again = yield* ask(NamespaceRollback, { to: point.version_text, dry_run: false })
      assert.deepInclude(again, { changed: 0, unchanged: 4 })
      const audit = yield* ask(NamespaceAudit, {})
      assert.notInclude(audit.findings.map(({ name }) => name), "dangling_links")

      const undone = yield* ask(NamespaceRollback, { to: done.undo_to, dry_run: false })
      assert.strictEqual(undone.changed, 4)
      assert.deepStrictEqual(yield* standing, after)
      // By time, to before everything but the first two.
      const first = yield* ask(MemoryHistory, { memory_key: "plan/pinned" })
      const created = first.versions[first.versions.length - 1]
      yield* ask(NamespaceRollback, { to: created?.version_text ?? "", dry_run: false })
      assert.deepStrictEqual((yield* standing).filter(([key]) => key !== "late/one" && key !== "orion/b"), before)
    }).pipe(Effect.provide(layer())))

  it.live(
    "walks several pages in commands of their own, and rows that come back are found as peers again",
    () =>
      Effect.gen(function*() {
        const items = (from: number, count: number, version: string) =>
          Array.from({ length: count }, (_, index) => ({
            memory_key: `import/${from + index}`,
            // Words of its own each, so that no row is another's peer.
            value: ["a", "b", "c", "d"].map((word) => `${word}${from + index}${version}`).join(" ")
          }))
        for (const from of [0, 260]) {
          yield* ask(MemoryBulkSet, { items: items(from, 260, "first") })
        }
        const before = yield* standing
        const { memory_key } = items(0, 1, "first")[0] ?? { memory_key: "" }
        const kept = yield* ask(MemoryGet, { memory_key: "import/519" })
        for (const from of [0, 260]) {
          yield* ask(MemoryBulkSet, { items: items(from, 260, "second") })
        }
        const review = yield* MemoryReview
        const point = yield* review.point(scope, { version: BigInt(kept.version_text ?? "0") })
        const done = yield* ask(NamespaceRollback, { to: point.toString(), dry_run: false, sample_limit: 0 })
        assert.deepInclude(done, { rows: 520, changed: 520, contended: 0 })
        assert.deepStrictEqual(yield* standing, before)
        const merged = yield* ask(MemorySet, { memory_key: "other", value: "A0first b0first, c0first d0first." })
        assert.strictEqual(merged.merged_into_key, memory_key)
        const close = yield* ask(NamespaceValidate, { embed_grace_seconds: 0 })
        assert.notInclude(close.findings.map(({ name }) => name), "not_embedded")
      }).pipe(Effect.provide(layer())),
    60_000
  )

  it.live("derives again what comes back without a vector, before the actor looks for it", () =>
    Effect.gen(function*() {
      const [store, review] = [yield* MemoryStore, yield* MemoryReview]
      const row = rowOf(scope, { memory_key: "deploy/window", canonical_sha256: "canonical" })
      yield* store.commit(
        commitOf([row, revised(row, 1, { status: "tombstoned", change: "delete", write_id: "wr_2" })])
      )
      const done = yield* ask(NamespaceRollback, { to: row.version.toString(), dry_run: false })
      assert.deepInclude(done, { changed: 1, back_in_service: 1 })
      assert.deepStrictEqual((yield* review.derived(scope, row)).vectors.length, 1)
      const close = yield* ask(MemorySet, { memory_key: "other", value: "Deploys happen on Tuesdays now" })
      assert.deepStrictEqual(close.peers.map(({ memory_key }) => memory_key), ["deploy/window"])
    }).pipe(Effect.provide(layer())))

  it.live("gives its first answer under its key and leaves alone what was written since", () =>
    Effect.gen(function*() {
      const point = yield* ask(MemorySet, { memory_key: "a/b/1", value: "Herons wade" })
      const still = { to: point.version_text, dry_run: false, idempotency_key: "R1" }
      const first = yield* ask(NamespaceRollback, still)
      assert.strictEqual(first.changed, 0)
      yield* ask(MemorySet, { memory_key: "a/b/2", value: "Storks nest high" })
      assert.deepStrictEqual(yield* ask(NamespaceRollback, still), first)
      assert.isTrue((yield* ask(MemoryGet, { memory_key: "a/b/2" })).found)
      // A dry run is no retry.
      assert.strictEqual((yield* ask(NamespaceRollback, { ...still, dry_run: true, idempotency_key: "R2" })).changed, 1)

      const moving = { ...still, idempotency_key: "R2" }
      const moved = yield* ask(NamespaceRollback, moving)
      assert.strictEqual(moved.changed, 1)
      yield* ask(MemorySet, { memory_key: "a/b/3", value: "Cranes dance" })
      assert.deepStrictEqual(yield* ask(NamespaceRollback, moving), moved)
      assert.isTrue((yield* ask(MemoryGet, { memory_key: "a/b/3" })).found)
      // The key is one of all verbs.
      const others = [
        Effect.asVoid(ask(NamespaceRollback, { ...moving, to: moved.undo_to })),
        Effect.asVoid(ask(MemorySet, { memory_key: "a/b/4", value: "Ibises probe", idempotency_key: "R1" }))
      ]
      for (const other of others) {
        assert.propertyVal(yield* Effect.flip(other), "code", "IDEMPOTENCY_CONFLICT")
      }
    }).pipe(Effect.provide(layer())))

  it.live("is for admins, and refuses what is no point", () =>
    Effect.gen(function*() {
      const writer = { ...localCaller, role: "write" } as const
      const failed = yield* Effect.flip(ask(NamespaceRollback, { to: "2026-01-01" }, writer))
      assert.strictEqual("code" in failed ? failed.code : "", "FORBIDDEN")
      for (const to of ["yesterday", "2026-02-30", "99999999999999999999"]) {
        const failed = yield* Effect.flip(ask(NamespaceRollback, { to }))
        assert.strictEqual("code" in failed ? failed.code : "", "INVALID_ARGUMENT", to)
      }
      const empty = yield* ask(NamespaceRollback, { to: "2020-01-01" })
      assert.deepInclude(empty, { rows: 0, to_version: "0" })
      assert.include(empty.advisories.join(), "UTC")
    }).pipe(Effect.provide(layer())))
})

describe("namespace.audit", () => {
  it.live("finds each habit once and says what to do", () =>
    Effect.gen(function*() {
      const values: Record<string, string | ReadonlyArray<string>> = {
        "doc/3f2a9c81d04be7": "Made from a hash",
        "doc/5b8f7c1e-2d3a-4e5f-8a9b-0c1d2e3f4a5b": "Made from a uuid",
        "plan/roadmap": "The roadmap as it is",
        "plan/roadmap-v2": "Another roadmap entirely",
        "plan/roadmap-final": "The last of the roadmaps",
        "sprint/log-1": "We planned the first sprint",
        "sprint/log-2": "We did the second sprint",
        "team/rules": "- test first\n- review always\n- deploy on Tuesdays",
        "team/names": ["Ada", "Grace", "Linus"],
        "editor": "vim"
      }
      for (const [memory_key, value] of Object.entries(values)) yield* ask(MemorySet, { memory_key, value })
      yield* ask(MemorySet, { memory_key: "web/page", value: "What a page said", source_class: "external" })
      const { clean, findings, ok, rows } = yield* ask(NamespaceAudit, {})
      assert.deepStrictEqual([ok, rows], [true, 11])
      const keys = (name: string) =>
        findings.find((one) => one.name === name)?.examples.map(({ memory_key }) => memory_key).sort() ?? []
      assert.deepStrictEqual(keys("hash_keys"), ["doc/3f2a9c81d04be7", "doc/5b8f7c1e-2d3a-4e5f-8a9b-0c1d2e3f4a5b"])
      assert.deepStrictEqual(keys("numbered_copies"), ["plan/roadmap-final", "plan/roadmap-v2"])
      assert.deepStrictEqual(keys("list_values"), ["team/names", "team/rules"])
      assert.deepStrictEqual(keys("near_empty_keys"), ["editor"])
      assert.deepStrictEqual(keys("unverified_external"), ["web/page"])
      assert.includeMembers([...clean], ["stale_conflicts", "dangling_links", "expired_rows", "duplicates_waiting"])
      assert.isTrue(findings.every(({ next }) => next.length > 0))
      const few = yield* ask(NamespaceAudit, { sample_limit: 1 })
      assert.deepInclude(few.findings.find(({ name }) => name === "hash_keys"), { count: 2 })
      assert.strictEqual(few.findings.find(({ name }) => name === "hash_keys")?.examples.length, 1)
    }).pipe(Effect.provide(layer())))

  it.live("finds links to nowhere and stale conflicts; a bound token sees its own rows alone", () =>
    Effect.gen(function*() {
      const store = yield* MemoryStore
      const now = Date.now()
      const at = (index: number) => ({ version: versionAt(now) + BigInt(index), created_at: now, updated_at: now })
      const a = rowOf(scope, { memory_key: "x/a", ...at(1) })
      yield* store.commit(commitOf([
        { ...a, conflict_with: ["mem_lost"], status: "conflicted" },
        rowOf(scope, { memory_key: "x/b", status: "conflicted", conflict_with: [a.memory_id], ...at(2) }),
        rowOf(scope, { memory_key: "x/c", status: "duplicate", duplicate_of: "mem_gone", ...at(3) }),
        rowOf(scope, { memory_key: "x/d", status: "superseded", superseded_by: "mem_gone", ...at(4) }),
        rowOf(scope, { memory_key: "x/e", status: "tombstoned", superseded_by: "mem_gone", ...at(5) })
      ]))
      yield* ask(MemorySet, { memory_key: "orion/a", value: dates[0] })
      yield* ask(MemorySet, { memory_key: "orion/b", value: dates[1] })
      const { findings, ok } = yield* ask(NamespaceAudit, { conflict_age_seconds: 0 })
      const dangling = findings.find(({ name }) => name === "dangling_links")
      assert.deepStrictEqual(dangling?.examples.map(({ memory_key }) => memory_key), ["x/a", "x/b", "x/c", "x/d"])
      assert.isFalse(ok)
      assert.deepInclude(findings.find(({ name }) => name === "stale_conflicts"), { count: 1 })
      const own = yield* ask(NamespaceAudit, {}, { ...localCaller, boundUser: "ada" })
      assert.deepStrictEqual([own.rows, own.findings], [0, []])
    }).pipe(Effect.provide(layer())))
})

describe("namespace.validate", () => {
  it.live("answers by severity, and by everything when strict", () =>
    Effect.gen(function*() {
      const store = yield* MemoryStore
      yield* ask(MemorySet, { memory_key: "a/sure", value: "A fact that is certain" })
      assert.deepInclude(yield* ask(NamespaceValidate, { strict: true }), { ok: true, rows: 1, findings: [] })
      yield* ask(MemorySet, { memory_key: "a/doubt", value: "A rumour from the corridor", confidence: 0.1 })
      assert.isTrue((yield* ask(NamespaceValidate, {})).ok)
      const strict = yield* ask(NamespaceValidate, { strict: true })
      assert.deepStrictEqual([strict.ok, strict.findings.map(({ name }) => name)], [false, ["low_confidence"]])
      assert.isTrue((yield* ask(NamespaceValidate, { strict: true, confidence_floor: 0.05 })).ok)
      const bare = rowOf(scope, { memory_key: "a/bare", version: versionAt(Date.now()), updated_at: Date.now() })
      yield* store.commit(commitOf([bare]))
      const found = yield* ask(NamespaceValidate, { embed_grace_seconds: 0 })
      assert.deepStrictEqual(found.findings.filter(({ severity }) => severity === "error").map(({ name }) => name), [
        "not_embedded"
      ])
      assert.isFalse(found.ok)
      assert.isTrue((yield* ask(NamespaceValidate, { embed_grace_seconds: 3600 })).ok)
      const keys = yield* ask(NamespaceValidate, { keys: ["a/sure", "a/none"] })
      assert.deepStrictEqual(keys.findings.map(({ examples, name }) => [name, examples[0]?.memory_key]), [
        ["unknown_keys", "a/none"]
      ])
      assert.isTrue((yield* ask(NamespaceValidate, { keys: ["a/sure"], strict: true })).ok)
    }).pipe(Effect.provide(layer())))
})

describe("Hygiene", () => {
  it("tells hash-made keys from names, dates and numbers", () => {
    const made = [
      "a/9f86d081884c7d659a2feaa0c55ad015",
      "k-3f2a9c81d04be7",
      "mem/0190a5b4-7e1c-7b7f-9315-6249a82db593",
      "x/Zm9vYmFyMTIzNDU2Nzg5MGFi"
    ]
    const named = [
      "project/loom/deploy-window",
      "sre/case/1234",
      "daily/2026-11-29",
      "user/preferences/editor",
      "phone/4915112345678",
      "feature/deadbeef",
      "adr/0003",
      "de/abgabefrist"
    ]
    assert.deepStrictEqual(made.filter((key) => !isHashKey(key)), [])
    assert.deepStrictEqual(named.filter(isHashKey), [])
  })

  it("names the original of a copy", () => {
    const copies: ReadonlyArray<readonly [string, string | undefined]> = [
      ["plan/roadmap-v2", "plan/roadmap"],
      ["plan/roadmap_2", "plan/roadmap"],
      ["plan/roadmap (3)", "plan/roadmap"],
      ["plan/roadmap-final-v2", "plan/roadmap"],
      ["plan/roadmap copy", "plan/roadmap"],
      ["plan/roadmap", undefined],
      ["chapter/12", undefined],
      ["api/v2", undefined],
      ["team/new", undefined]
    ]
    for (const [key, original] of copies) assert.strictEqual(originalOf(key), original, key)
  })

  it("knows a list of facts", () => {
    const said = (value: string) => isListValue({ value, value_kind: "string" })
    assert.isTrue(said("1. buy milk\n2. call Ada\n3. ship it"))
    assert.isTrue(said("Ada owns billing; Grace owns search; Linus owns the build"))
    assert.isFalse(said("Deploys happen on Tuesdays; never on Fridays"))
    assert.isFalse(said("a; b; c"))
    assert.isTrue(isListValue({ value: "[1,2,3]", value_kind: "json" }))
    assert.isFalse(isListValue({ value: "{\"a\":1,\"b\":2,\"c\":3}", value_kind: "json" }))
  })
})
