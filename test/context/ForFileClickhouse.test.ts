/**
 * The memories about a file as ClickHouse keeps them: by whatever way a path was written, only what is served, with the
 * one who stated it.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as ForFileClickhouse from "../../src/context/ForFileClickhouse.ts"
import { repositoryPath } from "../../src/context/ForFileModel.ts"
import { ForFileStore, READ_LINE, READ_WHOLE } from "../../src/context/ForFileStore.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { commitOf, freshScope, noon, revised, rowOf } from "../memory/MemoryFixture.ts"

const layerStores = Layer.mergeAll(ForFileClickhouse.layer, MemoryStoreClickhouse.layer).pipe(
  Layer.provide(layerEngine)
)

const anyone = { agent: null, user_id: null, session_id: null }

const commit = (rows: ReadonlyArray<MemoryRow>) => Effect.flatMap(MemoryStore, (store) => store.commit(commitOf(rows)))

const headsOf = (scope: Scope, path: string, writer = {}, now = noon) =>
  Effect.flatMap(ForFileStore, (store) => store.heads(scope, { ...anyone, ...writer }, path, now))

const keysOf = (scope: Scope, path: string, writer = {}, now = noon) =>
  Effect.map(headsOf(scope, path, writer, now), ({ heads }) => heads.map(({ memory_key }) => memory_key).sort())

layer(layerStores, { timeout: "2 minutes" })("ForFileStore: ClickHouse in process", (it) => {
  it.effect("compares stored paths as requests are", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const segment = FastCheck.constantFrom(
        "src",
        "a.ts",
        ".",
        "",
        "..",
        ".hidden",
        "b c",
        "cafe\u0301",
        "it's",
        "{x}"
      )
      const drawn = FastCheck.tuple(
        FastCheck.constantFrom("", "./", "/", ".\\", "\\"),
        FastCheck.array(segment, { minLength: 1, maxLength: 4 }),
        FastCheck.constantFrom("/", "\\")
      ).map(([start, segments, separator]) => `${start}${segments.join(separator)}`)
      const paths = [...new Set(FastCheck.sample(drawn, { numRuns: 60, seed: 7 }))]
      yield* commit(paths.map((path, at) => rowOf(scope, { memory_key: `p/${at}`, files: ["other.md", path] })))
      const wanted = [...new Set(paths.map(repositoryPath))].filter((path) => path !== "")
      assert.isAbove(wanted.length, 20)
      for (const path of wanted) {
        const expected = paths.flatMap((one, at) => repositoryPath(one) === path ? [`p/${at}`] : []).sort()
        assert.deepStrictEqual(yield* keysOf(scope, path), expected, path)
      }
      assert.strictEqual((yield* headsOf(scope, "other.md")).total, paths.length)
    }))

  it.effect("tells only what is served, in its scope and of its writer", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const files = ["src/a.ts"]
      const row = (memory_key: string, changed: Partial<MemoryRow> = {}) =>
        rowOf(scope, { memory_key, files, ...changed })
      yield* commit([
        row("active"),
        row("conflicted", { status: "conflicted" }),
        row("medium", { sensitivity: "medium" }),
        row("ada", { user_id: "ada", agent: "bot", session_id: "s1" }),
        row("soon", { expires_at: noon + 1 }),
        row("none", { files: [] }),
        row("folder", { files: ["src"] }),
        row("longer", { files: ["src/a.tsx", "lib/src/a.ts"] }),
        row("high", { sensitivity: "high" }),
        row("redacted", { value: "", value_kind: "redacted" }),
        row("expired", { expires_at: noon }),
        row("over", { valid_to: noon }),
        ...(["duplicate", "superseded", "proposed", "rejected", "tombstoned", "void"] as const).map((status) =>
          row(status, { status })
        ),
        rowOf(freshScope(), { memory_key: "elsewhere", files }),
        rowOf({ ...scope, org: "globex" }, { memory_key: "foreign", files })
      ])
      assert.deepStrictEqual(yield* keysOf(scope, "src/a.ts"), ["active", "ada", "conflicted", "medium", "soon"])
      assert.deepStrictEqual(yield* keysOf(scope, "src/a.ts", { user_id: "ada" }), ["ada"])
      assert.deepStrictEqual(yield* keysOf(scope, "src/a.ts", { agent: "bot", session_id: "s1" }), ["ada"])
      assert.deepStrictEqual(yield* keysOf(scope, "src/a.ts", { agent: "x" }), [])
      assert.notInclude(yield* keysOf(scope, "src/a.ts", {}, noon + 1), "soon")
      const gone = rowOf(scope, { memory_key: "active", files })
      yield* commit([revised(gone, 5, { sensitivity: "high" })])
      assert.notInclude(yield* keysOf(scope, "src/a.ts"), "active")
    }))

  it.effect("names who first stated what a row says now, whoever flagged, pinned or restated it since", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const first = rowOf(scope, {
        memory_key: "k",
        files: ["a"],
        value: "one",
        content_sha256: "h1",
        actor: "human:ada"
      })
      const second = revised(first, 10, { value: "two", content_sha256: "h2", actor: "human:bob" })
      const back = revised(second, 10, { value: "one", content_sha256: "h1", actor: "process:ci" })
      const pinned = revised(back, 10, { pinned: true, change: "pin", actor: "human:eve" })
      const stated: Array<readonly [string, number]> = []
      for (const row of [first, second, back, pinned]) {
        yield* commit([row])
        const [head] = (yield* headsOf(scope, "a")).heads
        stated.push([head?.statedBy ?? "", (head?.statedAt ?? 0) - noon])
      }
      assert.deepStrictEqual(stated, [["human:ada", 0], ["human:bob", 10], ["process:ci", 20], ["process:ci", 20]])
    }))

  it.effect("reads as much of a value as may be printed, and says when there is more", () =>
    Effect.gen(function*() {
      const scope = freshScope()
      const files = ["a"]
      yield* commit([
        rowOf(scope, { memory_key: "plain", files, value: "ß".repeat(READ_LINE) }),
        rowOf(scope, { memory_key: "plain-cut", files, value: "ß".repeat(READ_LINE + 1) }),
        rowOf(scope, { memory_key: "whole", files, tags: ["kind:constraint"], value: "ß".repeat(READ_WHOLE) }),
        rowOf(scope, { memory_key: "whole-cut", files, memory_type: "decision", value: "ß".repeat(READ_WHOLE + 1) }),
        rowOf(scope, { memory_key: "json", files, value: "{\"a\":1}", value_kind: "json" })
      ])
      const { heads } = yield* headsOf(scope, "a")
      const texts = yield* Effect.flatMap(ForFileStore, (store) => store.texts(scope, heads))
      const told = heads.map((head): readonly [string, number, boolean] => {
        const found = texts.get(head.memory_id)
        return [head.memory_key, found?.text.length ?? -1, found?.isCut ?? false]
      })
      assert.deepStrictEqual(told.sort(([left], [right]) => left < right ? -1 : 1), [
        ["json", 7, false],
        ["plain", READ_LINE, false],
        ["plain-cut", READ_LINE, true],
        ["whole", READ_WHOLE, false],
        ["whole-cut", READ_WHOLE, true]
      ])
    }))
})
