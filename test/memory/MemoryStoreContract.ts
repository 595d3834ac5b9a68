/**
 * What every store of memory promises, whatever keeps it: the same tests run over each adapter. Each test has a scope of
 * its own, so that they share one store.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import { entryOf } from "../../src/memory/HeadIndex.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import { MemoryStore, noProbes } from "../../src/memory/MemoryStore.ts"
import type { Probes } from "../../src/memory/MemoryStore.ts"
import { asOfSuite } from "./MemoryAsOfContract.ts"
import { commitSuite } from "./MemoryCommitContract.ts"
import type { Authority } from "./MemoryCommitContract.ts"
import { disownSuite } from "./MemoryDisownContract.ts"
import {
  commitOf,
  derivedOf,
  embedderId,
  everything,
  firstPage,
  freshScope,
  keysOf,
  noon,
  revised,
  rowOf,
  versionAt
} from "./MemoryFixture.ts"
import { readerSuite } from "./MemoryReaderContract.ts"

// Every column away from its default, and texts that a careless codec or query would change.
const full = (scope: { org: string; namespace: string }): MemoryRow =>
  rowOf(scope, {
    agent: "agent 'a' \\ \"b\"",
    user_id: "user\u00e9",
    session_id: "session/1",
    memory_key: "project/100%_done/it's",
    run_id: "run",
    value: "{\"a\":\"line\\nbreak \u{1f9f5} \\u0000\",\"n\":[0.1,1e21]}",
    value_kind: "json",
    tags: ["Case:1", "tab\tquote'", ""],
    entities: ["ada", "grace"],
    relations: "[[\"a\",\"knows\",\"b\"]]",
    files: ["src/a b.ts"],
    confidence: 0.1 + 0.2,
    status: "conflicted",
    pinned: true,
    conflict_with: ["mem_1", "mem_2"],
    duplicate_of: "mem_3",
    superseded_by: "mem_4",
    version: 18_446_744_073_709_551_615n,
    created_at: Date.UTC(1900, 0, 1),
    updated_at: noon + 999,
    valid_at: -1,
    valid_to: Date.UTC(2299, 11, 31, 23, 59, 59, 999),
    temporal_anchor: 0,
    temporal_confidence: 0.5,
    invalid_at: 1,
    tombstoned_at: 2,
    expires_at: 3,
    on_expire: "tombstone",
    expire_reason: "why",
    source_class: "derived",
    source_trace: "trace",
    source_resource_id: "resource",
    verified_by: "human:grace",
    verified_kind: "human",
    verified_sha256: "hash",
    verified_at: 4,
    lock_mode: "no_delete",
    lock_until: 5,
    lock_reason: "legal",
    locked_by: "human:grace",
    sensitivity: "medium",
    char_limit: 4_294_967_295,
    retyped_from: "note",
    reinforcement_count: 7,
    idem_hash: "idem",
    payload_hash: "payload",
    answer: "{\"ok\":true}",
    change: "create",
    cause: "wr_0 newest_wins",
    epoch: 2n ** 53n + 1n,
    seq: 9n,
    audit_prev: "before"
  })

export const suite = <E>(
  name: string,
  layer: Layer.Layer<MemoryStore | MemoryReader, E>,
  authority: Authority = "rows"
): void => {
  testLayer(layer)(`MemoryStore: ${name}`, (it) => {
    it.effect("gives every column back as it was written", () =>
      Effect.gen(function*() {
        const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
        const scope = freshScope()
        const row = full(scope)
        yield* store.commit(commitOf([row]))
        assert.deepStrictEqual(yield* store.rows(scope, [row]), [row])
        assert.deepStrictEqual(yield* reader.byKey(scope, row.memory_key, row), [row])
        assert.deepStrictEqual(yield* reader.byId(scope, row.memory_id, anyWriter), [row])
        assert.deepStrictEqual(yield* reader.history(scope, [row], { before: null, limit: 9 }), [row])
      }))

    it.effect("keeps every version and answers the newest as the head, in whatever order they came", () =>
      Effect.gen(function*() {
        const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
        const scope = freshScope()
        const first = rowOf(scope)
        const second = revised(first, 1, { value: "Deploys happen on Fridays" })
        const third = revised(first, 2, { status: "tombstoned", tombstoned_at: noon })
        yield* store.commit(commitOf([third]))
        yield* store.commit(commitOf([first]))
        yield* store.commit(commitOf([second]))
        assert.deepStrictEqual(yield* reader.byKey(scope, first.memory_key, anyWriter), [third])
        assert.deepStrictEqual(yield* reader.history(scope, [first], { before: null, limit: 9 }), [
          third,
          second,
          first
        ])
        const older = yield* reader.history(scope, [first], { before: third.version, limit: 1 })
        assert.deepStrictEqual(older, [second])
      }))

    it.effect("keeps two versions of one memory that came in one commit", () =>
      Effect.gen(function*() {
        const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
        const scope = freshScope()
        const first = rowOf(scope)
        const second = revised(first, 1, { value: "Never on Fridays" })
        yield* store.commit(commitOf([first, second]))
        assert.deepStrictEqual(yield* store.rows(scope, [first]), [second])
        assert.deepStrictEqual(yield* reader.history(scope, [first], { before: null, limit: 9 }), [second, first])
        assert.isTrue(yield* store.committed(scope, [first.version, second.version]))
      }))

    it.effect("writes several namespaces in one commit and keeps them apart", () =>
      Effect.gen(function*() {
        const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
        const here = freshScope()
        const scopes = [here, { ...here, org: "globex" }, freshScope()]
        const rows = scopes.flatMap((scope) =>
          ["ada", "grace"].map((user_id, index) =>
            rowOf(scope, {
              user_id,
              value: `${scope.org} ${scope.namespace} ${user_id}`,
              version: versionAt(noon + index)
            })
          )
        )
        yield* store.commit(commitOf(rows, { ceilings: scopes.map((scope) => ({ scope, ceiling: 1n })) }))
        for (const scope of scopes) {
          const mine = rows.filter(({ namespace, org }) => org === scope.org && namespace === scope.namespace)
          const [ada, grace] = mine
          assert.isDefined(ada)
          assert.isDefined(grace)
          if (ada === undefined || grace === undefined) return
          assert.deepStrictEqual(yield* reader.byKey(scope, ada.memory_key, anyWriter), [grace, ada])
          assert.deepStrictEqual(yield* reader.byKey(scope, ada.memory_key, { ...anyWriter, user_id: "ada" }), [ada])
          assert.deepStrictEqual(yield* store.rows(scope, [grace]), [grace])
          assert.deepStrictEqual(
            yield* reader.list(scope, everything, { ...firstPage, limit: 9 }),
            [ada, grace].sort(
              (left, right) => left.memory_id < right.memory_id ? 1 : -1
            )
          )
          assert.deepStrictEqual(yield* reader.byId(scope, ada.memory_id, { ...anyWriter, user_id: "grace" }), [])
          assert.deepStrictEqual(yield* reader.history(scope, [ada], { before: null, limit: 9 }), [ada])
          assert.strictEqual((yield* store.entries(scope)).length, 2)
          assert.strictEqual((yield* store.position(scope)).rows, 2)
        }
        assert.deepStrictEqual(yield* reader.byId(freshScope(), rows[0]?.memory_id ?? "", anyWriter), [])
        const known = yield* store.scopes
        scopes.forEach((scope) => assert.deepInclude(known, scope))
      }))

    it.effect("finds heads by full identity, many at once with the longest keys, and only those", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        // Three bytes a character: a list of them is larger than what a query text or a URL may be.
        const stem = "\u4e2d".repeat(500)
        const rows = Array.from({ length: 1_100 }, (_, index) =>
          rowOf(scope, {
            agent: `a${index % 3}`,
            memory_key: `${stem}/${index}`,
            version: versionAt(noon) + BigInt(index)
          }))
        yield* store.commit(commitOf(rows))
        const strangers = rows.map((row) => ({ ...row, session_id: "another" }))
        const found = yield* store.rows(scope, [...rows, ...strangers])
        assert.deepStrictEqual(keysOf(found), keysOf(rows))
        assert.deepStrictEqual(yield* store.rows(scope, []), [])
        const probed = yield* store.probe(scope, { ...noProbes, keys: keysOf(rows.slice(0, 500)) })
        assert.strictEqual(probed.length, 500)
      }))

    it.effect("gives entries of all heads, whatever their status, without the value", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const first = rowOf(scope, { expires_at: noon + 5 })
        const gone = revised(rowOf(scope, { memory_key: "b" }), 1, { status: "tombstoned" })
        yield* store.commit(commitOf([first, gone]))
        const entries = [...(yield* store.entries(scope))].sort((left, right) =>
          left.memory_key < right.memory_key ? -1 : 1
        )
        assert.deepStrictEqual(entries.map(({ memory_key, status }) => [memory_key, status]), [
          ["b", "tombstoned"],
          [first.memory_key, "active"]
        ])
        const [, entry] = entries
        assert.isDefined(entry)
        assert.deepStrictEqual(entry, entryOf(first))
      }))

    it.effect("probes by key, id, canonical form and content, each with its own bounds", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const at = (memory_key: string, changed: Partial<MemoryRow> = {}) =>
          rowOf(scope, {
            memory_key,
            value: memory_key,
            version: versionAt(noon + memory_key.charCodeAt(0)),
            ...changed
          })
        const gone = at("a", { status: "tombstoned" })
        const old = at("b", { canonical_sha256: "c1", content_sha256: "t1" })
        const moved = revised(old, 500, { canonical_sha256: "c2", content_sha256: "t2" })
        const served = at("d", { canonical_sha256: "c1", content_sha256: "t1", status: "conflicted" })
        const copy = at("e", { canonical_sha256: "c1", content_sha256: "t1", status: "duplicate" })
        const foreign = at("f", { canonical_sha256: "c1", content_sha256: "t1", user_id: "grace" })
        const typed = at("g", { canonical_sha256: "c1", content_sha256: "t9", memory_type: "preference" })
        const elsewhere = at("h", { canonical_sha256: "c1", content_sha256: "t1", agent: "other" })
        yield* store.commit(commitOf([gone, old, served, copy, foreign, typed, elsewhere]))
        yield* store.commit(commitOf([moved]))
        const probe = (probes: Partial<Probes>) => Effect.map(store.probe(scope, { ...noProbes, ...probes }), keysOf)
        assert.deepStrictEqual(yield* probe({}), [])
        assert.deepStrictEqual(yield* probe({ keys: ["a", "zzz"] }), ["a"])
        assert.deepStrictEqual(yield* probe({ ids: [gone.memory_id, "mem_none"] }), ["a"])
        const canonical = [{ memory_type: "semantic", user_id: "-", sha256: "c1" }]
        assert.deepStrictEqual(yield* probe({ canonical }), ["d", "e", "h"])
        const content = [{ user_id: "-", sha256: "t1" }]
        assert.deepStrictEqual(yield* probe({ content }), ["d", "e", "h"])
        assert.deepStrictEqual(
          yield* probe({ keys: ["b"], ids: [gone.memory_id], canonical, content }),
          ["a", "b", "d", "e", "h"]
        )
        const linking = at("i", { status: "duplicate", duplicate_of: served.memory_id })
        const opposed = at("j", { status: "conflicted", conflict_with: ["mem_x", served.memory_id] })
        const formerly = at("k", { status: "conflicted", conflict_with: [served.memory_id] })
        yield* store.commit(commitOf([linking, opposed, formerly, revised(formerly, 1, { conflict_with: [] })]))
        assert.deepStrictEqual(yield* probe({ linked: [served.memory_id] }), ["i", "j"])
        assert.deepStrictEqual(yield* store.probe(freshScope(), { ...noProbes, keys: ["a"] }), [])
      }))

    it.effect("knows the last word on a claim, under whatever key and whether or not a head says it", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const said = rowOf(scope, { memory_key: "a", canonical_sha256: "c1" })
        const gone = revised(said, 1, { status: "tombstoned", change: "delete" })
        const other = revised(said, 2, { canonical_sha256: "c2", value: "something else" })
        const foreign = rowOf(scope, { memory_key: "b", user_id: "grace", canonical_sha256: "c1" })
        yield* store.commit(commitOf([said, gone, other, foreign]))
        const words = (sha256: string) =>
          Effect.map(
            store.lastWords(scope, [{ memory_type: "semantic", user_id: "-", sha256 }]),
            (found) => found.map((word) => [word.memory_key, word.status, word.change, word.version - said.version])
          )
        assert.deepStrictEqual(yield* words("c1"), [["a", "tombstoned", "delete", gone.version - said.version]])
        assert.deepStrictEqual(yield* words("c2"), [["a", "active", "revise", other.version - said.version]])
        assert.deepStrictEqual(yield* words("c3"), [])
        assert.deepStrictEqual(
          yield* store.lastWords(freshScope(), [
            { memory_type: "semantic", user_id: "-", sha256: "c1" }
          ]),
          []
        )
      }))

    it.effect("finds the served rows closest to a vector, of one user and type, by the value they hold now", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const at = (memory_key: string, value_vector: ReadonlyArray<number>, changed: Partial<MemoryRow> = {}) => {
          const row = rowOf(scope, { memory_key, value: memory_key, ...changed })
          return { row, derived: derivedOf(row, { value_vector: Float32Array.from(value_vector) }) }
        }
        const close = at("close", [0.8, 0.6])
        const closer = at("closer", [1, 0], { version: versionAt(noon + 1) })
        const far = at("far", [0, 1])
        const gone = at("gone", [1, 0], { status: "tombstoned" })
        const foreign = at("foreign", [1, 0], { user_id: "grace" })
        const typed = at("typed", [1, 0], { memory_type: "preference" })
        const bare = at("bare", [1, 0], { canonical_sha256: "" })
        const old = at("moved", [1, 0])
        const moved = revised(old.row, 5, { value: "elsewhere" })
        const all = [close, closer, far, gone, foreign, typed, bare, old]
        yield* store.commit(commitOf(all.map(({ row }) => row), { derived: all.map(({ derived }) => derived) }))
        const away = derivedOf(moved, { value_vector: Float32Array.from([-1, 0]) })
        yield* store.commit(commitOf([moved], { derived: [away] }))
        const query = {
          memory_type: "semantic",
          user_id: "-",
          vector: Float32Array.from([1, 0]),
          threshold: 0.5
        }
        const near = (threshold: number, limit: number) =>
          Effect.map(
            store.near(scope, embedderId, [{ ...query, threshold }], limit),
            (found) =>
              found.map((nominees) => nominees.map((one) => [one.memory_key, Math.round(one.similarity * 1e4) / 1e4]))
          )
        assert.deepStrictEqual(yield* near(0.5, 9), [[["closer", 1], ["close", 0.8]]])
        assert.deepStrictEqual(yield* near(0.5, 1), [[["closer", 1]]])
        assert.deepStrictEqual(yield* near(0.9, 9), [[["closer", 1]]])
        assert.deepStrictEqual(yield* store.near(scope, "another/1", [query], 9), [[]])
        assert.deepStrictEqual(yield* store.near(freshScope(), embedderId, [query], 9), [[]])

        const keys = ["close", "closer", "far", "foreign", "moved", "typed"]
        const first = yield* store.vectors(scope, embedderId, { after: null, limit: 4 })
        const last = first[first.length - 1]
        assert.isDefined(last)
        const second = yield* store.vectors(scope, embedderId, { after: last, limit: 4 })
        const paged = [...first, ...second]
        assert.deepStrictEqual(keysOf(paged), keys)
        assert.strictEqual(first.length, 4)
        assert.deepStrictEqual(
          paged.filter(({ memory_key }) => memory_key === "moved").map(({ vector }) => Array.from(vector)),
          [[-1, 0]]
        )
        const some = yield* store.vectorsOf(scope, embedderId, [closer.row, gone.row, moved])
        assert.deepStrictEqual(keysOf(some), ["closer", "gone", "moved"])
      }))

    it.effect("gives full heads page by page, each once and as it is last, long values left out", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const keys = ["a", "b", "c", "d", "e"]
        const rows = keys.map((memory_key) => rowOf(scope, { memory_key, value: memory_key }))
        const long = rowOf(scope, { memory_key: "c2", value: "é".repeat(6) })
        yield* store.commit(commitOf([...rows, long, rowOf(freshScope())]))
        const changed = revised(rows[1]!, 3, { value: "b again" })
        const gone = revised(rows[3]!, 4, { status: "tombstoned" })
        yield* store.commit(commitOf([changed, gone]))
        const all: Array<MemoryRow> = []
        for (let after: MemoryRow | null = null;;) {
          const page: ReadonlyArray<MemoryRow> = yield* store.heads(scope, { after, limit: 2, longest: 11 })
          all.push(...page)
          after = page[page.length - 1] ?? null
          if (after === null || page.length < 2) break
        }
        // The order is fixed, and each store has its own.
        all.sort((left, right) => left.memory_key < right.memory_key ? -1 : 1)
        assert.deepStrictEqual(all.map(({ memory_key, value }) => [memory_key, value]), [
          ["a", "a"],
          ["b", "b again"],
          ["c", "c"],
          ["d", "d"],
          ["e", "e"]
        ])
        assert.deepStrictEqual(all[1], changed)
        assert.strictEqual((yield* store.heads(scope, { after: null, limit: 9, longest: 12 })).length, 6)
      }))

    it.effect("knows a whole batch from one that is not there", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const first = rowOf(scope)
        yield* store.commit(commitOf([first]))
        assert.isTrue(yield* store.committed(scope, [first.version, first.version]))
        assert.isTrue(yield* store.committed(scope, []))
        assert.isFalse(yield* store.committed(scope, [first.version, first.version + 1n]))
        assert.isFalse(yield* store.committed(freshScope(), [first.version]))
      }))

    it.effect("never lets the version fall below what was promised or written", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        assert.deepStrictEqual(yield* store.position(scope), { version: 0n, audit_hash: "", rows: 0 })
        yield* store.commit(commitOf([], { ceilings: [{ scope, ceiling: 50n }] }))
        yield* store.commit(commitOf([], { ceilings: [{ scope, ceiling: 40n }] }))
        assert.strictEqual((yield* store.position(scope)).version, 50n)
        const row = rowOf(scope, { version: 60n, audit_hash: "last" })
        yield* store.commit(commitOf([row, rowOf(scope, { memory_key: "b", version: 55n, audit_hash: "before" })]))
        assert.deepStrictEqual(yield* store.position(scope), { version: 60n, audit_hash: "last", rows: 2 })
      }))

    it.effect("gives the first answer kept under an idempotency key, of rows and of writes without one", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const first = rowOf(scope, { idem_hash: "i1", payload_hash: "p1", write_id: "w1", answer: "a1" })
        const second = revised(first, 1, { idem_hash: "i1", payload_hash: "p1", write_id: "w1", answer: "" })
        const later = revised(first, 10, { idem_hash: "i1", payload_hash: "p3", write_id: "w3", answer: "a3" })
        const answers = [{
          scope,
          idem_hash: "i2",
          payload_hash: "p2",
          write_id: "w2",
          answer: "a2",
          at: noon + 5,
          version: versionAt(noon + 5)
        }]
        yield* store.commit(commitOf([first, second], { answers }))
        yield* store.commit(commitOf([later]))
        assert.deepStrictEqual(
          yield* store.keptAnswer(scope, "i1"),
          Option.some({ payload_hash: "p1", write_id: "w1", answer: "a1", at: noon })
        )
        assert.deepStrictEqual(
          yield* store.keptAnswer(scope, "i1", noon + 10),
          Option.some({ payload_hash: "p3", write_id: "w3", answer: "a3", at: noon + 10 })
        )
        assert.deepStrictEqual(
          yield* store.keptAnswer(scope, "i2"),
          Option.some({ payload_hash: "p2", write_id: "w2", answer: "a2", at: noon + 5 })
        )
        assert.deepStrictEqual(yield* store.keptAnswer(scope, "i2", noon + 6), Option.none())
        assert.deepStrictEqual(yield* store.keptAnswer(freshScope(), "i1"), Option.none())
        assert.deepStrictEqual([...(yield* store.idempotencyKeys(scope, noon, noon))].sort(Order.string), ["i1", "i2"])
        assert.deepStrictEqual(yield* store.idempotencyKeys(scope, noon + 6, noon + 6), ["i1"])
        assert.deepStrictEqual(yield* store.idempotencyKeys(freshScope(), 0, 0), [])
        // Writes remembered by their ids have a time of their own.
        yield* store.commit(commitOf([revised(later, 20, { idem_hash: "write:w9", answer: "a9" })]))
        assert.deepStrictEqual(yield* store.idempotencyKeys(scope, noon + 31, noon + 30), ["write:w9"])
        assert.deepStrictEqual(yield* store.idempotencyKeys(scope, noon + 10, noon + 31), ["i1"])
      }))

    commitSuite(it, authority)
    // Where a transaction decides, nothing is ever voided.
    if (authority === "rows") disownSuite(it)
    readerSuite(it)
    asOfSuite(it)
  })
}
