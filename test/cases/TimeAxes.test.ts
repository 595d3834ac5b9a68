/**
 * Questions about another time over HTTP: "Where did they live in April?" on both axes (one fact over time), T05 (two
 * employers), T14 (corrected and replaced values), T35 b (times with and without an offset, on every verb that takes one).
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryTimeline } from "../../src/memory/MemoryTimeVerbs.ts"
import {
  MemoryDelete,
  MemoryGet,
  MemoryGetById,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const march = "2026-03-01T09:00:00Z"
const april = "2026-04-15T00:00:00Z"
const june = "2026-06-01T00:00:00Z"
const july = "2026-07-01T00:00:00Z"

/** The time of a row's last version, once the clock has gone past it: what is written now is learned later. */
const learnedAt = (key: { readonly namespace: string; readonly memory_key: string }) =>
  Effect.gen(function*() {
    const { versions } = yield* ok(MemoryHistory, key)
    const at = versions[0]?.updated_at ?? ""
    yield* Effect.iterate(0, { while: () => Date.now() <= Date.parse(at), body: () => Effect.as(Effect.yieldNow(), 0) })
    return at
  })

const valueAt = (key: object, asked: object) =>
  Effect.map(ok(MemoryGet, { ...key, ...asked }), ({ found, value }) => found ? value : undefined)

const moved = Effect.gen(function*() {
  const key = { namespace: freshNamespace(), memory_key: "user/mira/city" }
  yield* ok(MemorySet, { ...key, value: "Mira lives in Delhi", valid_at: march })
  const known = yield* learnedAt(key)
  yield* ok(MemorySet, { ...key, value: "Mira moved to Berlin", valid_at: june })
  return { key, known }
})

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Time axes", (it) => {
  describe("where they lived in April", () => {
    it.effect("a fact of March replaced in June answers for April, in every read", () =>
      Effect.gen(function*() {
        const { key } = yield* moved
        const { namespace } = key
        assert.strictEqual(yield* valueAt(key, {}), "Mira moved to Berlin")
        assert.strictEqual(yield* valueAt(key, { as_of: april }), "Mira lives in Delhi")
        assert.strictEqual(yield* valueAt(key, { as_of: march }), "Mira lives in Delhi")
        assert.strictEqual(yield* valueAt(key, { as_of: june }), "Mira moved to Berlin")
        assert.isUndefined(yield* valueAt(key, { as_of: "2026-02-01" }))
        const answer = yield* ok(MemoryGet, { ...key, as_of: april, as_of_basis: "valid_time" })
        assert.deepInclude(answer, {
          as_of_basis: "valid_time",
          as_of_valid: "2026-04-15T00:00:00.000Z",
          as_of_known: null
        })
        const byId = yield* ok(MemoryGetById, { namespace, memory_id: answer.memory_id ?? "", as_of: april })
        assert.strictEqual(byId.value, "Mira lives in Delhi")
        const list = yield* ok(MemoryList, { namespace, as_of: april })
        assert.deepStrictEqual(list.memories.map(({ value }) => value), ["Mira lives in Delhi"])
        assert.deepInclude(list, { total: 1, as_of_basis: "valid_time" })
        assert.strictEqual((yield* ok(MemoryList, { namespace, as_of: "2026-02-01" })).total, 0)
        for (const query of ["Where does Mira live?", "Delhi", "Berlin"]) {
          const found = yield* ok(MemorySearch, { namespace, query, as_of: april })
          assert.deepStrictEqual(found.results.map(({ content_excerpt }) => content_excerpt), ["Mira lives in Delhi"])
          const now = yield* ok(MemorySearch, { namespace, query })
          assert.deepStrictEqual(now.results.map(({ content_excerpt }) => content_excerpt), ["Mira moved to Berlin"])
        }
      }), 60_000)

    it.effect("by what was known then, nothing was known in April, and Delhi until Berlin was told", () =>
      Effect.gen(function*() {
        const { key, known } = yield* moved
        const { namespace } = key
        const knowledge = { as_of_basis: "knowledge_time" }
        assert.isUndefined(yield* valueAt(key, { as_of: april, ...knowledge }))
        assert.strictEqual(yield* valueAt(key, { as_of: known, ...knowledge }), "Mira lives in Delhi")
        assert.strictEqual(yield* valueAt(key, { as_of: "2299-01-01", ...knowledge }), "Mira moved to Berlin")
        const list = yield* ok(MemoryList, { namespace, as_of: known, ...knowledge })
        assert.deepStrictEqual(list.memories.map(({ value }) => value), ["Mira lives in Delhi"])
        const found = yield* ok(MemorySearch, { namespace, query: "Mira Berlin", as_of: known, ...knowledge })
        assert.deepStrictEqual(found.results.map(({ content_excerpt }) => content_excerpt), ["Mira lives in Delhi"])
        assert.deepInclude(found, { as_of_basis: "knowledge_time", as_of_valid: null })
        // Both axes: in July, by what was known before Berlin was told, they still lived in Delhi.
        const both = { as_of_valid: july, as_of_known: known }
        assert.strictEqual(yield* valueAt(key, both), "Mira lives in Delhi")
        assert.strictEqual(yield* valueAt(key, { as_of: july }), "Mira moved to Berlin")
        assert.deepInclude(yield* ok(MemoryGet, { ...key, ...both }), { as_of_basis: "both", as_of_known: known })
        // What was served then stays as it was, whatever happens since.
        yield* ok(MemoryUpdate, { ...key, value: "Mira moved to Bern" })
        yield* ok(MemoryDelete, key)
        assert.strictEqual(yield* valueAt(key, { as_of: known, ...knowledge }), "Mira lives in Delhi")
        assert.strictEqual(yield* valueAt(key, both), "Mira lives in Delhi")
      }))

    it.effect("a correction replaces what it corrects, for all of its time", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "user/mira/city" }
        yield* ok(MemorySet, { ...key, value: "Mira lives in Dehli", valid_at: march })
        const known = yield* learnedAt(key)
        yield* ok(MemoryUpdate, { ...key, value: "Mira lives in Delhi" })
        assert.strictEqual(yield* valueAt(key, { as_of: april }), "Mira lives in Delhi")
        assert.strictEqual(yield* valueAt(key, { as_of: known, as_of_basis: "knowledge_time" }), "Mira lives in Dehli")
        yield* ok(MemoryUpdate, { ...key, value: "Mira lives in New Delhi", valid_at: "2026-05-01" })
        assert.isUndefined(yield* valueAt(key, { as_of: april }))
        assert.strictEqual(yield* valueAt(key, { as_of: june }), "Mira lives in New Delhi")
        yield* ok(MemoryUpdate, { ...key, valid_to: june })
        assert.isUndefined(yield* valueAt(key, { as_of: june }))
        assert.strictEqual(yield* valueAt(key, { as_of: "2026-05-31T23:59:59.999Z" }), "Mira lives in New Delhi")
      }))

    it.effect("without a stated date a fact is true from when it was learned", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "user/mira/city" }
        yield* ok(MemorySet, { ...key, value: "Mira lives in Delhi" })
        const first = yield* learnedAt(key)
        yield* ok(MemorySet, { ...key, value: "Mira moved to Berlin" })
        const second = yield* learnedAt(key)
        assert.isUndefined(yield* valueAt(key, { as_of: april }))
        assert.strictEqual(yield* valueAt(key, { as_of: first }), "Mira lives in Delhi")
        assert.strictEqual(yield* valueAt(key, { as_of: second }), "Mira moved to Berlin")
      }))

    it.effect("pins, tags and restatements move no answer; a delete takes it away and a restore gives it back", () =>
      Effect.gen(function*() {
        const { key } = yield* moved
        yield* ok(MemoryUpdate, { ...key, tags: ["home"], pinned: true })
        yield* ok(MemorySet, { ...key, value: "Mira moved to Berlin", valid_at: "2026-01-01", pinned: true })
        for (const [as_of, value] of [[april, "Mira lives in Delhi"], [july, "Mira moved to Berlin"]] as const) {
          assert.strictEqual(yield* valueAt(key, { as_of }), value)
        }
        yield* ok(MemoryDelete, key)
        assert.isUndefined(yield* valueAt(key, { as_of: april }))
        assert.strictEqual((yield* ok(MemoryList, { namespace: key.namespace, as_of: april })).total, 0)
        yield* ok(MemoryRestore, key)
        assert.strictEqual(yield* valueAt(key, { as_of: april }), "Mira lives in Delhi")
      }))
  })

  describe("T05 an old and a new employer", () => {
    it.effect("under newest_wins the old one answers for its time, whoever wrote it and in whatever order", () =>
      Effect.gen(function*() {
        for (const backfill of [false, true]) {
          const namespace = freshNamespace()
          yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" })
          const key = { namespace, memory_key: "u/employer" }
          const alder = { ...key, agent: "a", value: "Ada works at Alder", valid_at: march }
          const birch = { ...key, agent: "b", value: "Ada works at Birch", valid_at: june }
          for (const write of backfill ? [birch, alder] : [alder, birch]) yield* ok(MemorySet, write)
          assert.strictEqual(yield* valueAt(key, {}), birch.value)
          assert.strictEqual(yield* valueAt(key, { as_of: april }), alder.value)
          assert.strictEqual(yield* valueAt(key, { as_of: july }), birch.value)
          const { memories } = yield* ok(MemoryList, { namespace, as_of: april })
          assert.deepStrictEqual(memories.map(({ status, value }) => [value, status]), [[alder.value, "superseded"]])
          const { beliefs } = yield* ok(MemoryTimeline, key)
          assert.deepStrictEqual(
            beliefs.map(({ status, until_derived, valid_from, valid_until, value }) => ({
              value,
              status,
              valid_from,
              valid_until,
              until_derived
            })),
            [
              {
                value: alder.value,
                status: "superseded",
                valid_from: "2026-03-01T09:00:00.000Z",
                valid_until: "2026-06-01T00:00:00.000Z",
                until_derived: true
              },
              {
                value: birch.value,
                status: "active",
                valid_from: "2026-06-01T00:00:00.000Z",
                valid_until: null,
                until_derived: false
              }
            ]
          )
          assert.strictEqual(beliefs[0]?.superseded_by, beliefs[1]?.memory_id)
          const gone = yield* ok(MemoryGet, { ...key, agent: "a" })
          assert.deepInclude(gone, { found: false, canonical_key: "u/employer" })
          const followed = yield* ok(MemoryGet, { ...key, agent: "a", follow: true })
          assert.deepInclude(followed, { found: true, value: birch.value, resolved_from: "u/employer" })
        }
      }))

    it.effect("a backfill under one's own key answers for its time and not after", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "newest_wins" })
        const key = { namespace, memory_key: "u/employer" }
        yield* ok(MemorySet, { ...key, value: "Ada works at Birch", valid_at: june })
        yield* ok(MemorySet, { ...key, value: "Ada works at Alder", valid_at: march })
        for (const at of [{}, { as_of: july }]) assert.strictEqual(yield* valueAt(key, at), "Ada works at Birch")
        assert.strictEqual(yield* valueAt(key, { as_of: april }), "Ada works at Alder")
        const list = yield* ok(MemoryList, { namespace, as_of: april })
        assert.deepStrictEqual(list.memories.map(({ value }) => value), ["Ada works at Alder"])
      }))
  })

  describe("T14 replaced values", () => {
    it.effect("a row whose validity has ended is listed when asked for, and a poll is told when nothing changed", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(MemorySet, { namespace, memory_key: "a", value: "The fair is open", valid_at: march, valid_to: june })
        yield* ok(MemorySet, { namespace, memory_key: "b", value: "The pool is closed" })
        const keys = (asked: object) =>
          Effect.map(
            ok(MemoryList, { namespace, sort_by: "memory_key", ...asked }),
            ({ memories }) => memories.map(({ memory_key }) => memory_key)
          )
        assert.deepStrictEqual(yield* keys({}), ["b"])
        assert.deepStrictEqual(yield* keys({ include_expired: true }), ["a", "b"])
        assert.deepStrictEqual(yield* keys({ as_of: april }), ["a"])
        assert.strictEqual(yield* valueAt({ namespace, memory_key: "a" }, { as_of: june }), undefined)
        const { version_text } = yield* ok(MemoryList, { namespace })
        const again = yield* ok(MemoryList, { namespace, known_version: version_text ?? "" })
        assert.deepInclude(again, { unchanged: true, memories: [], version_text })
        yield* ok(MemoryUpdate, { namespace, memory_key: "b", tags: ["x"] })
        const changed = yield* ok(MemoryList, { namespace, known_version: version_text ?? "" })
        assert.deepInclude(changed, { unchanged: false })
        assert.strictEqual(changed.memories.length, 1)
      }))

    it.effect("an earlier value of a row that became secret is shown by its key alone", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "db/password" }
        yield* ok(MemorySet, { ...key, value: "the password is kept in the blue safe", valid_at: march })
        const known = yield* learnedAt(key)
        yield* ok(MemorySet, { ...key, value: "correct horse battery", valid_at: june, sensitivity: "high" })
        const { namespace } = key
        for (const asked of [{ as_of: april }, { as_of: known, as_of_basis: "knowledge_time" }]) {
          assert.strictEqual(yield* valueAt(key, asked), "the password is kept in the blue safe")
          const list = yield* ok(MemoryList, { namespace, ...asked })
          assert.deepStrictEqual(list.memories.map(({ value, value_withheld }) => [value, value_withheld]), [[
            null,
            true
          ]])
          assert.strictEqual((yield* ok(MemoryList, { namespace, contains: "safe", ...asked })).total, 0)
          const found = yield* ok(MemorySearch, { namespace, query: "the password is kept in the blue safe", ...asked })
          assert.deepStrictEqual(found.results, [])
        }
        const { versions } = yield* ok(MemoryHistory, key)
        const { beliefs } = yield* ok(MemoryTimeline, key)
        for (const { value, value_withheld } of [...versions, ...beliefs]) {
          assert.deepStrictEqual([value, value_withheld], [null, true])
        }
        assert.lengthOf(beliefs, 2)
      }))
  })

  describe("T35 b times on every verb", () => {
    const taking = (namespace: string): ReadonlyArray<readonly [verb: string, field: string, body: object]> => {
      const key = { namespace, memory_key: "k/a" }
      const both = { as_of_valid: april, as_of_known: july }
      return [
        ["memory.set", "valid_at", { ...key, value: "v" }],
        ["memory.set", "valid_to", { ...key, value: "v" }],
        ["memory.update", "valid_at", key],
        ["memory.update", "valid_to", key],
        ["memory.get", "as_of", key],
        ["memory.get", "as_of_valid", { ...key, ...both }],
        ["memory.get", "as_of_known", { ...key, ...both }],
        ["memory.get_by_id", "as_of", { namespace, memory_id: "mem_1" }],
        ["memory.list", "as_of", { namespace }],
        ["memory.list", "as_of_known", { namespace, ...both }],
        ["memory.search", "as_of", { namespace, query: "tea" }],
        ["memory.search", "created_after", { namespace, query: "tea" }],
        ["memory.timeline", "as_of_known", key]
      ]
    }

    it.effect(
      "a date that does not exist is refused, one without an offset is read as UTC and the answer says so",
      () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          yield* ok(MemorySet, { namespace, memory_key: "k/a", value: "A first value" })
          for (const [verb, field, body] of taking(namespace)) {
            for (const time of ["2026-02-30", "2026-13-01T00:00:00Z", "2026-03-01T25:00:00", "soon", "", 5]) {
              const { code, detail, status } = yield* refusal(verb, { ...body, [field]: time })
              assert.deepStrictEqual(
                [status, code, detail["field"]],
                [422, "INVALID_ARGUMENT", field],
                `${verb} ${time}`
              )
            }
            // Far ahead, so that no row ends by it.
            const times = ["2290-03-01T09:00:00", "2290-03-01", "2290-03-01T09:00:00+05:30", "2290-03-01T09:00:00Z"]
            for (const time of times) {
              const reply = yield* post(verb, { ...body, [field]: time })
              assert.strictEqual(reply.status, 200, `${verb} ${field} ${time}: ${reply.text}`)
              const naive = !time.endsWith("Z") && !time.includes("+")
              assert.strictEqual(reply.text.includes(`${field} named no offset and was read as UTC`), naive, reply.text)
            }
          }
        }),
      60_000
    )

    it.effect("an offset counts: 09:00 without one is 5.5 hours after 09:00+05:30", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "k/a" }
        yield* ok(MemorySet, { ...key, value: "The shop is open", valid_at: "2026-03-01T09:00:00+05:30" })
        assert.strictEqual(yield* valueAt(key, { as_of: "2026-03-01T03:30:00" }), "The shop is open")
        assert.isUndefined(yield* valueAt(key, { as_of: "2026-03-01T03:29:59.999" }))
        assert.isUndefined(yield* valueAt(key, { as_of: "2026-03-01T08:59:59.999+05:30" }))
      }))

    it.effect("times that ask for nothing clear are refused with the field", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "k/a" }
        const { namespace } = key
        const wrong: ReadonlyArray<readonly [verb: string, field: string, body: object]> = [
          ["memory.get", "as_of_basis", { ...key, as_of_basis: "knowledge_time" }],
          ["memory.get", "as_of", { ...key, as_of: april, as_of_valid: april, as_of_known: july }],
          ["memory.get", "as_of_known", { ...key, as_of_valid: april }],
          ["memory.search", "as_of_valid", { namespace, query: "tea", as_of_known: april }],
          ["memory.get", "follow", { ...key, as_of: april, follow: true }],
          ["memory.list", "known_version", { namespace, as_of: april, known_version: "1" }],
          ["memory.list", "include_expired", { namespace, as_of: april, include_expired: true }],
          ["memory.get", "as_of_basis", { ...key, as_of: april, as_of_basis: "both" }]
        ]
        for (const [verb, field, body] of wrong) {
          const { code, detail, status } = yield* refusal(verb, body)
          assert.deepStrictEqual([status, code, detail["field"]], [422, "INVALID_ARGUMENT", field], verb)
        }
      }))
  })
})
