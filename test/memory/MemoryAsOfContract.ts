/**
 * What every `MemoryReader` promises of another time: lists of what was true or served then, whole in filter, count and
 * pages; versions without their values; and which memories may not show an earlier value.
 */
import { assert, describe } from "@effect/vitest"
import type { Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Scope } from "../../src/kernel/Identity.ts"
import { lastVersionAt } from "../../src/memory/InstantModel.ts"
import type { Instant } from "../../src/memory/InstantModel.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import type { Keyset, ListFilter } from "../../src/memory/MemoryReader.ts"
import { answersAt } from "../../src/memory/MemoryReplay.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { commitOf, everything, firstPage, freshScope, noon, revised, rowOf, versionAt } from "./MemoryFixture.ts"

const valid = (at: number, known: number | null = null): Instant => ({
  axis: "valid",
  at,
  known: known === null ? null : lastVersionAt(known)
})
const knowledge = (at: number): Instant => ({ axis: "knowledge", at, known: lastVersionAt(at) })
const statuses = ["active", "conflicted", "superseded", "tombstoned"] as const

const listed = (scope: Scope, filter: Partial<ListFilter>) =>
  Effect.gen(function*() {
    const reader = yield* MemoryReader
    const asked = { ...everything, statuses, ...filter }
    const rows = yield* reader.list(scope, asked, { ...firstPage, sort_by: "memory_key" })
    assert.strictEqual(yield* reader.count(scope, asked), rows.length)
    return rows.map(({ value }) => value)
  })

const put = (rows: ReadonlyArray<MemoryRow>) => Effect.flatMap(MemoryStore, (store) => store.commit(commitOf(rows)))

/** Mira in Delhi since -90, in Berlin since -30 (told at +10); Otto's Alder since -80, replaced by Ada's Birch of -20. */
const story = (scope: Scope) => {
  const delhi = rowOf(scope, { memory_key: "city", value: "Delhi", valid_at: noon - 90, tags: ["home"] })
  const berlin = revised(delhi, 10, { value: "Berlin", valid_at: noon - 30, tags: ["home", "new"] })
  const alder = rowOf(scope, {
    memory_key: "employer",
    user_id: "otto",
    value: "Alder",
    valid_at: noon - 80,
    version: versionAt(noon + 1)
  })
  const birch = rowOf(scope, {
    memory_key: "employer",
    user_id: "ada",
    value: "Birch",
    valid_at: noon - 20,
    version: versionAt(noon + 20),
    updated_at: noon + 20,
    write_id: "wr_2"
  })
  const retired = revised(alder, 20, {
    change: "retire",
    status: "superseded",
    superseded_by: birch.memory_id,
    invalid_at: noon + 20,
    write_id: "wr_2"
  })
  return { delhi, berlin, alder, birch, retired, all: [delhi, berlin, alder, birch, retired] }
}

export const asOfSuite = (it: Vitest.MethodsNonLive<MemoryStore | MemoryReader>): void => {
  describe("MemoryReader at another time", () => {
    it.effect("lists what was true at a time, of each memory the claim of that time", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(story(scope).all)
        assert.deepStrictEqual(yield* listed(scope, { asOf: valid(noon - 91) }), [])
        assert.deepStrictEqual(yield* listed(scope, { asOf: valid(noon - 85) }), ["Delhi"])
        assert.deepStrictEqual(yield* listed(scope, { asOf: valid(noon - 40) }), ["Delhi", "Alder"])
        assert.deepStrictEqual(yield* listed(scope, { asOf: valid(noon - 25) }), ["Berlin", "Alder"])
        assert.deepStrictEqual(yield* listed(scope, { asOf: valid(noon) }), ["Berlin", "Birch"])
        assert.deepStrictEqual(yield* listed(freshScope(), { asOf: valid(noon) }), [])
      }))

    it.effect("lists what was served at a time by that time's clock, and both axes at once", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(story(scope).all)
        const served = (at: number) =>
          listed(scope, { asOf: knowledge(at), statuses: ["active", "conflicted"], endedBefore: at })
        assert.deepStrictEqual(yield* served(noon - 1), [])
        assert.deepStrictEqual(yield* served(noon), ["Delhi"])
        assert.deepStrictEqual(yield* served(noon + 9), ["Delhi", "Alder"])
        assert.deepStrictEqual(yield* served(noon + 10), ["Berlin", "Alder"])
        assert.deepStrictEqual(yield* served(noon + 21), ["Berlin", "Birch"])
        assert.deepStrictEqual(yield* listed(scope, { asOf: valid(noon, noon + 9) }), ["Delhi", "Alder"])
        assert.deepStrictEqual(yield* listed(scope, { asOf: valid(noon - 40, noon - 1) }), [])
      }))

    it.effect("filters the rows that answer, within the writer asked for; a successor elsewhere still ends them", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(story(scope).all)
        assert.deepStrictEqual(yield* listed(scope, { user_id: "otto", asOf: valid(noon - 40) }), ["Alder"])
        assert.deepStrictEqual(yield* listed(scope, { user_id: "otto", asOf: valid(noon) }), [])
        assert.deepStrictEqual(yield* listed(scope, { tags: ["new"], asOf: valid(noon - 40) }), [])
        assert.deepStrictEqual(yield* listed(scope, { tags: ["NEW"], asOf: valid(noon) }), ["Berlin"])
        assert.deepStrictEqual(yield* listed(scope, { prefix: "em", asOf: valid(noon) }), ["Birch"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "del", asOf: valid(noon - 40) }), ["Delhi"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "del", asOf: valid(noon) }), [])
        assert.deepStrictEqual(yield* listed(scope, { statuses: ["superseded"], asOf: valid(noon - 40) }), ["Alder"])
      }))

    it.effect("pages of another time neither repeat nor skip a row", () =>
      Effect.gen(function*() {
        const reader = yield* MemoryReader
        const scope = freshScope()
        const olds = Array.from({ length: 12 }, (_, index) =>
          rowOf(scope, { memory_key: `k${index}`, value: `old ${index}`, version: versionAt(noon + index) }))
        yield* put([
          ...olds,
          ...olds.map((row) =>
            revised(row, 100, { value: "new" })
          )
        ])
        const seen: Array<string> = []
        let after: Keyset | null = null
        for (let page = 0; page < 4; page++) {
          const asked: ListFilter = { ...everything, asOf: valid(noon + 99) }
          const rows: ReadonlyArray<MemoryRow> = yield* reader.list(scope, asked, {
            sort_by: "created_at",
            after,
            limit: 5,
            offset: 0
          })
          seen.push(...rows.map(({ value }) => value))
          const last = rows.at(-1)
          if (last !== undefined) after = { value: String(last.created_at), memory_id: last.memory_id }
        }
        assert.sameMembers(seen, olds.map(({ value }) => value))
      }))

    it.effect("gives versions without values, as far as they are known, and whole ones by number", () =>
      Effect.gen(function*() {
        const reader = yield* MemoryReader
        const scope = freshScope()
        const { all, berlin, delhi } = story(scope)
        yield* put(all)
        const marks = yield* reader.marks(scope, [delhi], null)
        assert.deepStrictEqual(marks.map(({ version }) => version), [delhi.version, berlin.version])
        assert.deepInclude(marks[1], {
          memory_id: berlin.memory_id,
          content_sha256: berlin.content_sha256,
          valid_at: berlin.valid_at,
          change: "revise",
          write_id: "wr_1"
        })
        assert.lengthOf(yield* reader.marks(scope, [delhi], delhi.version), 1)
        assert.deepStrictEqual(yield* reader.marks(scope, [], null), [])
        assert.deepStrictEqual(yield* reader.versions(scope, [delhi], [delhi.version]), [delhi])
        assert.deepStrictEqual(yield* reader.versions(scope, [{ ...delhi, user_id: "ada" }], [delhi.version]), [])
      }))

    it.effect("the rows under one key answer with the latest date first, or with the newest version", () =>
      Effect.gen(function*() {
        const reader = yield* MemoryReader
        const scope = freshScope()
        const { all, alder, birch } = story(scope)
        const tagged = revised(birch, 5, { change: "label", tags: ["x"] })
        const late = rowOf(scope, {
          ...alder,
          user_id: "eve",
          memory_id: "mem_eve",
          value: "Cedar",
          valid_at: noon - 60
        })
        yield* put([...all, tagged, { ...late, version: versionAt(noon + 2) }])
        const at = (instant: Instant) =>
          Effect.map(answersAt(reader, scope, [alder, birch, late], instant), (rows) => rows.map(({ value }) => value))
        assert.deepStrictEqual(yield* at(valid(noon - 40)), ["Cedar", "Alder"])
        assert.deepStrictEqual(yield* at(valid(noon)), ["Birch", "Cedar"])
        assert.deepStrictEqual(yield* at(knowledge(noon + 3)), ["Cedar", "Alder"])
        assert.deepStrictEqual(yield* at(knowledge(noon + 90)), ["Birch", "Cedar"])
      }))

    it.effect("a memory that is secret by now keeps its earlier words from being guessed", () =>
      Effect.gen(function*() {
        const reader = yield* MemoryReader
        const scope = freshScope()
        const plain = rowOf(scope, { memory_key: "a", value: "blue safe", valid_at: noon - 90 })
        const secret = revised(plain, 10, { value: "hidden", valid_at: noon - 10, sensitivity: "high" })
        const other = rowOf(scope, {
          memory_key: "b",
          value: "blue door",
          valid_at: noon - 90,
          version: versionAt(noon + 1)
        })
        yield* put([plain, secret, other])
        assert.deepStrictEqual(yield* listed(scope, { contains: "blue", asOf: valid(noon - 50) }), ["blue door"])
        assert.deepStrictEqual(yield* listed(scope, { contains: "blue", asOf: knowledge(noon + 5) }), ["blue door"])
        const high = yield* reader.withheld(scope, [plain, other])
        assert.deepStrictEqual(high.map(({ memory_key }) => memory_key), ["a"])
      }))

    it.effect("what a poll compares grows with every version and with every end that comes", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const reader = yield* MemoryReader
        const scope = freshScope()
        assert.strictEqual(yield* reader.latest(scope, anyWriter, noon), 0n)
        const row = rowOf(scope, { user_id: "ada", expires_at: noon + 50, valid_to: noon + 70 })
        yield* store.commit(commitOf([row]))
        assert.strictEqual(yield* reader.latest(scope, anyWriter, noon + 49), row.version)
        assert.strictEqual(yield* reader.latest(scope, anyWriter, noon + 50), versionAt(noon + 50))
        assert.strictEqual(yield* reader.latest(scope, anyWriter, noon + 90), versionAt(noon + 70))
        assert.strictEqual(yield* reader.latest(scope, { ...anyWriter, user_id: "grace" }, noon + 90), 0n)
        const later = revised(row, 100, { expires_at: null })
        yield* store.commit(commitOf([later]))
        assert.strictEqual(yield* reader.latest(scope, anyWriter, noon + 200), later.version)
      }))

    it.effect("rows that were replaced or withdrawn are listed whatever their dates, when asked for", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const rows = (["active", "superseded", "tombstoned"] as const).map((status, index) =>
          rowOf(scope, { memory_key: status, value: status, status, valid_to: noon, version: versionAt(noon + index) })
        )
        yield* put(rows)
        assert.deepStrictEqual(yield* listed(scope, { endedBefore: noon + 1 }), ["superseded", "tombstoned"])
        assert.deepStrictEqual(yield* listed(scope, { endedBefore: null }), ["active", "superseded", "tombstoned"])
      }))
  })
}
