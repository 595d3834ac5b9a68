import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { failingText } from "../../src/platform/EmbedderTest.ts"
import { DEFAULT_FLOOR } from "../../src/retrieval/Gate.ts"
import * as Suppressed from "../../src/retrieval/Suppressed.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"
import { change, find, layerSearch, type Memory, remember } from "./SearchFixture.ts"

const relevances = (...asked: Parameters<typeof find>) =>
  Effect.map(
    find(...asked),
    ({ hits }) => new Map(hits.map(({ candidate, relevance }) => [candidate.head.memory_key, relevance]))
  )

const tea: Memory = { memory_key: "tea", value: "Green tea is served at nine in the garden" }

for (const [name, smallScope] of [["a small scope", 10_000], ["a large scope", 0]] as const) {
  layer(layerSearch({ smallScope }), { timeout: "2 minutes" })(`The gate in ${name}`, (it) => {
    describe("relevance", () => {
      it.effect("stays what it is, to the last digit, while rows come, change and go", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const asked = "when is green tea served to Mira?"
          yield* remember(scope, [{ ...tea, entities: ["mira"] }])
          const alone = (yield* relevances(scope, asked)).get("tea")
          assert.isAbove(alone ?? 0, DEFAULT_FLOOR)
          const others = yield* remember(scope, [
            { memory_key: "better", value: "When green tea is served to Mira", entities: ["mira"] },
            { memory_key: "worse", value: "Otto mends a boat" },
            { memory_key: "long", value: "Mira and Otto talk of boats and masts and harbours. ".repeat(20) },
            ...Array.from({ length: 40 }, (_, at) => ({ memory_key: `t/${at}`, value: `Tea number ${at}` }))
          ])
          const among = yield* relevances(scope, asked)
          assert.strictEqual(among.get("tea"), alone)
          assert.isAbove(among.get("better") ?? 0, alone ?? 1)
          yield* Effect.forEach(others, (row) => change(row, { status: "tombstoned" }))
          assert.strictEqual((yield* relevances(scope, asked)).get("tea"), alone)
        }))

      it.effect("a question about nothing stored abstains, one about something does not", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const empty = yield* find(scope, "green tea")
          assert.deepStrictEqual([empty.hits, empty.verdict.abstain?.code], [[], "NO_MATCH"])
          yield* remember(scope, [tea])
          const foreign = yield* find(scope, "volcanic glass prices")
          assert.strictEqual(foreign.verdict.abstain?.code, "BELOW_THRESHOLD")
          assert.isTrue(foreign.hits.every(({ belowThreshold }) => belowThreshold))
          const known = yield* find(scope, "when is tea served?")
          assert.isNull(known.verdict.abstain)
          assert.strictEqual(known.verdict.confidence, known.hits[0]?.relevance)
          assert.isFalse(known.hits[0]?.belowThreshold)
          // What the failed leg would have said is not known, so its silence does not make the memory unknown.
          assert.isNull((yield* find(scope, `green tea served in the garden ${failingText}`)).verdict.abstain)
        }))
    })

    describe("what is hidden", () => {
      it.effect("is counted by its state, when it would have been a hit, and never what is secret or deleted", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const states = {
            superseded: { status: "superseded", valid_to: noon - 1 },
            duplicate: { status: "duplicate" },
            proposed: { status: "proposed" },
            rejected: { status: "rejected" },
            expired: { expires_at: noon - 1 },
            over: { valid_to: noon },
            deleted: { status: "tombstoned" },
            void: { status: "void" },
            secret: { sensitivity: "high" },
            "secret/old": { sensitivity: "high", status: "superseded" },
            reflection: { memory_type: "reflection" }
          } as const
          const rows = yield* remember(scope, [
            ...Object.keys(states).map((memory_key) => ({ ...tea, memory_key, tags: ["t"] })),
            { memory_key: "unlike", value: "Nothing else" },
            { memory_key: "revised", value: "Green tea is served" },
            tea
          ])
          yield* remember(scope, [{ memory_key: "revised", value: "Nothing more" }])
          const hide: Readonly<Record<string, Parameters<typeof change>[1]>> = {
            ...states,
            unlike: { status: "superseded" }
          }
          yield* Effect.forEach(rows, (row) => {
            const changed = hide[row.memory_key]
            return changed === undefined ? Effect.void : change(row, changed)
          })
          const asked = "green tea served"
          const all = { superseded: 1, duplicate: 1, proposed: 1, rejected: 1, expired: 2 }
          const counts = (...more: [filter?: object, request?: object]) =>
            Effect.map(find(scope, asked, ...more), ({ suppressed }) => suppressed)
          assert.deepStrictEqual(yield* counts(), all)
          assert.deepStrictEqual(yield* counts({ statuses: ["active", "superseded"] }), { ...all, superseded: 0 })
          assert.deepStrictEqual(yield* counts({ user_id: "somebody" }), Suppressed.none)
          assert.deepStrictEqual(yield* counts({ now: noon - 2 }), { ...all, expired: 0 })
          assert.isNull(yield* counts({ asOf: { axis: "valid", at: noon, known: null } }))
          if (smallScope > 0) {
            assert.deepStrictEqual(yield* counts({ tags: ["t"] }), all)
            assert.deepStrictEqual(yield* counts({ tags: ["u"] }), Suppressed.none)
          }
        }))

      it.effect("what ranks below all that is answered is not counted", () =>
        Effect.gen(function*() {
          const scope = freshScope()
          const [old] = yield* remember(scope, [{ memory_key: "old", value: "Green tea was moved" }])
          yield* remember(scope, [tea, { memory_key: "twin", value: "Green tea is served at nine" }])
          if (old !== undefined) yield* change(old, { status: "superseded" })
          const asked = ["when is green tea served", {}] as const
          assert.strictEqual((yield* find(scope, ...asked)).suppressed?.superseded, 1)
          assert.strictEqual((yield* find(scope, ...asked, { limit: 2 })).suppressed?.superseded, 0)
        }))
    })

    it.effect("equal claims are one hit with a count and leave room for others; asked for, each is one", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* remember(scope, [
          ...[1, 2, 3].map((at) => ({ memory_key: `tea/${at}`, value: "Green tea at nine" })),
          { memory_key: "other", value: "Green tea at ten" }
        ])
        const hits = (request: object) =>
          Effect.map(
            find(scope, "green tea at nine", {}, { limit: 2, ...request }),
            ({ hits }) => hits.map(({ candidate, siblings }) => [candidate.head.memory_key, siblings])
          )
        assert.deepStrictEqual(yield* hits({ collapse: true }), [["tea/3", 2], ["other", 0]])
        assert.deepStrictEqual(yield* hits({}), [["tea/3", 0], ["tea/2", 0]])
      }))
  })
}
