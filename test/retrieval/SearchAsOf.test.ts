/**
 * A search of another time runs over the contents that answered then, in every leg: old wordings are found though later
 * ones took their place, later ones are not, and nothing of a memory that is secret by now.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Scope } from "../../src/kernel/Identity.ts"
import { sha256 } from "../../src/kernel/Json.ts"
import { lastVersionAt } from "../../src/memory/InstantModel.ts"
import type { Instant } from "../../src/memory/InstantModel.ts"
import { canonical } from "../../src/platform/Analyzer.ts"
import type { LegName } from "../../src/retrieval/SearchModel.ts"
import { freshScope, noon, revised, versionAt } from "../memory/MemoryFixture.ts"
import { change, commit, find, layerSearch, memory, remember } from "./SearchFixture.ts"

const valid = (at: number): Instant => ({ axis: "valid", at, known: null })
const knowledge = (at: number): Instant => ({ axis: "knowledge", at, known: lastVersionAt(at) })

const excerptsOf =
  (scope: Scope, text: string, asOf: Instant | undefined, filter: Parameters<typeof find>[2] = {}) =>
  (legs: ReadonlyArray<LegName>) =>
    Effect.map(
      find(scope, text, { ...filter, asOf, now: noon + 1_000 }, { legs, limit: 50 }),
      ({ degraded, hits }) => {
        assert.deepStrictEqual(degraded, [])
        return hits.map(({ excerpt }) => excerpt).sort()
      }
    )

// Long enough for passages beside the excerpt, so that the leg over passages has something to find.
const long = (opening: string) =>
  `${opening}. ${"Then follows a paragraph about gardens and their keepers. ".repeat(60)}`

for (const [name, smallScope] of [["a small scope", 10_000], ["a large scope", 0]] as const) {
  layer(layerSearch({ smallScope }), { timeout: "2 minutes" })(`memory.search at another time, in ${name}`, (it) => {
    const seeded = Effect.gen(function*() {
      const scope = freshScope()
      const at = { version: versionAt(noon) }
      const tea = memory(scope, { memory_key: "tea", value: "Green tea is served at nine", valid_at: noon - 90, ...at })
      const other = memory(scope, { memory_key: "b", value: "Green tea is grown in Uji", valid_at: noon - 50, ...at })
      const value = "Green tea is served at ten"
      const later = revised(tea, 10, {
        value,
        canonical_sha256: sha256(canonical(value)),
        valid_at: noon - 30,
        tags: ["x"]
      })
      yield* commit([tea, { ...other, version: versionAt(noon) + 1n }, later])
      return { scope, tea, later }
    })

    describe("as of", () => {
      it.effect(
        "finds what was true, or served, at the time and nothing else, in every leg",
        () =>
          Effect.gen(function*() {
            const { scope } = yield* seeded
            const nine = "Green tea is served at nine"
            const ten = "Green tea is served at ten"
            const uji = "Green tea is grown in Uji"
            const table: ReadonlyArray<readonly [Instant | undefined, ReadonlyArray<string>]> = [
              [undefined, [ten, uji]],
              [valid(noon - 91), []],
              [valid(noon - 60), [nine]],
              [valid(noon - 40), [nine, uji]],
              [valid(noon), [ten, uji]],
              [{ ...valid(noon), known: lastVersionAt(noon) }, [nine, uji]],
              [knowledge(noon - 1), []],
              [knowledge(noon + 9), [nine, uji]],
              [knowledge(noon + 10), [ten, uji]]
            ]
            for (const [asOf, expected] of table) {
              for (const legs of [["vector"], ["lexical"], []] as const) {
                const found = yield* excerptsOf(scope, "green tea", asOf)(legs)
                assert.deepStrictEqual(
                  found,
                  [...expected].sort(),
                  JSON.stringify({ at: asOf?.at, axis: asOf?.axis, legs })
                )
              }
            }
          }),
        60_000
      )

      it.effect("filters by what the row was then", () =>
        Effect.gen(function*() {
          const { scope } = yield* seeded
          const tagged = (asOf: Instant) => excerptsOf(scope, "green tea", asOf, { tags: ["x"] })(["lexical"])
          assert.deepStrictEqual(yield* tagged(valid(noon - 40)), [])
          assert.deepStrictEqual(yield* tagged(valid(noon)), ["Green tea is served at ten"])
          assert.deepStrictEqual(yield* excerptsOf(scope, "green tea", valid(noon), { agent: "none" })([]), [])
        }))

      it.effect("finds passages of a long value that was replaced", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const [row] = yield* remember(scope, [{
            memory_key: "k",
            value: long("The zeppelin lands at noon"),
            valid_at: noon - 90
          }])
          assert.isDefined(row)
          const value = long("The ferry leaves at dusk")
          yield* commit([revised(row, 10, { value, valid_at: noon - 30 })])
          const legs: ReadonlyArray<LegName> = ["chunks"]
          const then = yield* find(scope, "zeppelin", { asOf: valid(noon - 60) }, { legs })
          assert.deepStrictEqual(then.hits.map(({ candidate }) => candidate.head.version), [row.version])
          assert.lengthOf((yield* find(scope, "zeppelin", { asOf: valid(noon) }, { legs })).hits, 0)
          assert.lengthOf((yield* find(scope, "ferry", { asOf: valid(noon - 60) }, { legs })).hits, 0)
        }))

      it.effect("finds a row that was retired since, until its successor took over", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const rows = yield* remember(scope, [
            {
              memory_key: "k",
              agent: "a",
              value: "The depot is in Alder street",
              valid_at: noon - 90,
              write_id: "wr_1"
            },
            {
              memory_key: "k",
              agent: "b",
              value: "The depot is in Birch street",
              valid_at: noon - 30,
              write_id: "wr_2"
            }
          ])
          const [old, next] = rows
          assert.isDefined(old)
          assert.isDefined(next)
          yield* change(old, {
            change: "retire",
            status: "superseded",
            superseded_by: next.memory_id,
            write_id: "wr_2"
          })
          const depot = (asOf: Instant | undefined) => excerptsOf(scope, "depot street", asOf)([])
          assert.deepStrictEqual(yield* depot(undefined), ["The depot is in Birch street"])
          assert.deepStrictEqual(yield* depot(valid(noon - 40)), ["The depot is in Alder street"])
          assert.deepStrictEqual(yield* depot(valid(noon - 30)), ["The depot is in Birch street"])
        }))

      it.effect("never finds an earlier value of a memory that is secret by now", () =>
        Effect.gen(function*() {
          const { later, scope } = yield* seeded
          yield* change(later, { sensitivity: "high", change: "label" })
          for (const asOf of [valid(noon - 60), valid(noon), knowledge(noon + 9)]) {
            const found = yield* excerptsOf(scope, "green tea is served", asOf)([])
            assert.notInclude(found.join(), "served", `${asOf.axis} ${asOf.at - noon}`)
          }
        }))
    })
  })
}
