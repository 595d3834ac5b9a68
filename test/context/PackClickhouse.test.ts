/**
 * The memories of a block as ClickHouse keeps them: what each section lists, for whom, and never what is not served.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PackClickhouse from "../../src/context/PackClickhouse.ts"
import { MOST_LISTED, PackStore, READ_TEXT } from "../../src/context/PackStore.ts"
import type { ListedSection } from "../../src/context/PackStore.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { SERVED_STATUSES } from "../../src/memory/MemoryModel.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { commitOf, freshScope, noon, revised, rowOf } from "../memory/MemoryFixture.ts"

const layerStores = Layer.mergeAll(PackClickhouse.layer, MemoryStoreClickhouse.layer).pipe(Layer.provide(layerEngine))

const anyone = { agent: null, user_id: null, session_id: null, run_id: null }
const served = { statuses: SERVED_STATUSES, now: noon }

const commit = (rows: ReadonlyArray<MemoryRow>) => Effect.flatMap(MemoryStore, (store) => store.commit(commitOf(rows)))

const listed = (scope: Scope, section: ListedSection, writer = {}) =>
  Effect.flatMap(PackStore, (store) => store.listed(scope, section, { ...anyone, ...writer }, served))

const keysOf = (scope: Scope, section: ListedSection, writer = {}) =>
  Effect.map(listed(scope, section, writer), ({ places }) => places.map(({ memory_key }) => memory_key))

layer(layerStores, { timeout: "2 minutes" })("PackStore: ClickHouse in process", (it) => {
  it.effect("lists a section's kinds, latest first, of the writers asked for", () =>
    Effect.gen(function*() {
      const [scope, other] = [freshScope(), freshScope()]
      const row = (memory_key: string, given: Partial<MemoryRow>) => rowOf(scope, { memory_key, ...given })
      yield* commit([
        row("d/type", { memory_type: "decision", updated_at: noon - 3 }),
        row("d/tag", { tags: ["x", "constraint"], updated_at: noon - 1, agent: "a" }),
        row("d/kind", { tags: ["kind:decision"], updated_at: noon - 2, run_id: "r1" }),
        row("d/other", { tags: ["decisions", "kind:gotcha"] }),
        row("p/profile", { memory_type: "profile", user_id: "ada" }),
        row("p/preference", { memory_type: "preference", user_id: "bob" }),
        row("s/one", { memory_type: "episodic", session_id: "s1" }),
        row("s/two", { memory_type: "episodic", session_id: "s2" }),
        rowOf(other, { memory_key: "d/else", memory_type: "decision" })
      ])
      assert.deepStrictEqual(yield* keysOf(scope, "decisions"), ["d/tag", "d/kind", "d/type"])
      assert.deepStrictEqual(yield* keysOf(scope, "decisions", { agent: "a" }), ["d/tag"])
      assert.deepStrictEqual(yield* keysOf(scope, "decisions", { run_id: "r1" }), ["d/kind"])
      assert.deepStrictEqual(yield* keysOf(scope, "profile", { user_id: "ada" }), ["p/profile"])
      assert.deepStrictEqual(yield* keysOf(scope, "profile", { user_id: "bob" }), ["p/preference"])
      assert.deepStrictEqual(yield* keysOf(scope, "session", { session_id: "s2" }), ["s/two"])
      assert.strictEqual((yield* listed(scope, "decisions")).total, 3)
    }))

  it.effect("neither lists nor reads what is not served", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const rule = (memory_key: string, given: Partial<MemoryRow> = {}) =>
        rowOf(scope, { memory_key, memory_type: "decision", ...given })
      const gone = rule("gone")
      yield* commit([
        rule("here"),
        rule("disputed", { status: "conflicted" }),
        rule("high", { sensitivity: "high" }),
        rule("redacted", { value: "", value_kind: "redacted" }),
        rule("duplicate", { status: "duplicate" }),
        rule("superseded", { status: "superseded" }),
        rule("proposed", { status: "proposed" }),
        rule("expired", { expires_at: noon }),
        rule("over", { valid_to: noon }),
        rule("lasting", { expires_at: noon + 1, valid_to: noon + 1 }),
        gone
      ])
      yield* commit([revised(gone, 1, { status: "tombstoned" })])
      const standing = ["disputed", "here", "lasting"]
      assert.deepStrictEqual([...yield* keysOf(scope, "decisions")].sort(), standing)
      const store = yield* PackStore
      const every = [...standing, "high", "redacted", "duplicate", "superseded", "proposed", "expired", "over", "gone"]
        .map((memory_key) => ({ agent: "", user_id: "-", session_id: "", memory_key }))
      const read = yield* store.at(scope, every, served)
      assert.deepStrictEqual(read.map(({ memory_key }) => memory_key).sort(), standing)
      // A run is served what another run had said before it.
      const ofRun = yield* store.at(scope, every, { ...served, statuses: [...SERVED_STATUSES, "duplicate"] })
      assert.include(ofRun.map(({ memory_key }) => memory_key), "duplicate")
      assert.deepStrictEqual(yield* store.at(freshScope(), every, served), [])
      assert.deepStrictEqual(yield* store.at(scope, [], served), [])
    }))

  it.effect("reads the beginning of a long value, and says so, and counts past what it lists", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const store = yield* PackStore
      const long = "🙂".repeat(READ_TEXT)
      const rows = Array.from(
        { length: MOST_LISTED + 5 },
        (_, at) =>
          rowOf(scope, { memory_key: `d/${at}`, memory_type: "decision", updated_at: noon - at, value: `${at}` })
      )
      yield* commit([
        ...rows,
        rowOf(scope, { memory_key: "long", value: long }),
        rowOf(scope, { memory_key: "longer", value: `${long}x` })
      ])
      const { places, total } = yield* listed(scope, "decisions")
      assert.deepStrictEqual([places.length, total], [MOST_LISTED, MOST_LISTED + 5])
      assert.strictEqual(places[0]?.memory_key, "d/0")
      const at = (memory_key: string) => ({ agent: "", user_id: "-", session_id: "", memory_key })
      const read = new Map(
        (yield* store.at(scope, [at("long"), at("longer")], served)).map((row) => [row.memory_key, row])
      )
      assert.deepInclude(read.get("long"), { text: long, isCut: false })
      assert.deepInclude(read.get("longer"), { text: long, isCut: true })
      assert.lengthOf(
        yield* store.at(scope, [...places, ...rows.map(({ memory_key }) => at(memory_key))], served),
        MOST_LISTED + 5
      )
    }))
})
