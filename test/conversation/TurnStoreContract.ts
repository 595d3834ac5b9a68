/** What every adapter of `TurnStore` promises. */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Turn } from "../../src/conversation/TurnModel.ts"
import { anyTurn, placeOf, TurnStore } from "../../src/conversation/TurnStore.ts"
import type { SessionFacts, SessionPlace, TurnFilter, TurnPage, TurnPlace } from "../../src/conversation/TurnStore.ts"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"
import { groupsOf, indexed, indexedAll, questionOf, turnOf } from "./TurnFixture.ts"

const firstPage: TurnPage = { by: "session", backwards: false, after: null, limit: 100 }
const deletion = { actor: "human:ada", reason: "she asked", at: noon + 60_000 }

const idsOf = (turns: ReadonlyArray<{ readonly turn_id: string }>): ReadonlyArray<string> =>
  turns.map(({ turn_id }) => turn_id)

/** The ids in an order of their own, for what comes in none. */
const sorted = (turns: ReadonlyArray<{ readonly turn_id: string }>): ReadonlyArray<string> => [...idsOf(turns)].sort()

/** Every turn that a walk in pages of two shows, in its order. */
const walked = (scope: Scope, filter: TurnFilter, by: TurnPage["by"], backwards: boolean) =>
  Effect.gen(function*() {
    const store = yield* TurnStore
    const seen: Array<Turn> = []
    let after: TurnPlace | null = null
    for (;;) {
      const page: ReadonlyArray<Turn> = yield* store.page(scope, filter, { by, backwards, after, limit: 2 })
      seen.push(...page)
      const last = page[1]
      if (last === undefined) return seen
      after = placeOf(last)
    }
  })

export const suite = <E>(name: string, layer: Layer.Layer<TurnStore, E>): void => {
  testLayer(layer)(`TurnStore, ${name}`, (it) => {
    it.effect("gives turns back as they were, in the order of their ids", () =>
      Effect.gen(function*() {
        const store = yield* TurnStore
        const scope = freshScope()
        const plain = turnOf(scope)
        const full = turnOf(scope, {
          agent: "bot",
          user_id: "ada",
          session_id: "it's \\ a `session` {p1: String}",
          role: "tool",
          speaker: "Mira Ōe",
          content: "'; DROP TABLE\u0000 \u{1f468}\u200d\u{1f469} \n\t\\N 混合",
          at: Date.UTC(1999, 11, 31) + 7,
          sensitivity: "medium",
          run_id: "r1",
          source_resource_id: "mail:7"
        })
        const secret = turnOf(scope, { sensitivity: "high" })
        const turns = [plain, full, secret]
        yield* store.append(yield* indexedAll(turns))
        const ids = [secret.turn_id, "turn_of_nobody", full.turn_id, plain.turn_id, full.turn_id]
        assert.deepStrictEqual(yield* store.byIds(scope, null, ids), [secret, full, plain])
        assert.deepStrictEqual(yield* store.byIds(scope, "ada", ids), [full])
        assert.deepStrictEqual(yield* store.byIds({ ...scope, org: "globex" }, null, ids), [])
        assert.deepStrictEqual(yield* store.byIds(freshScope(), null, ids), [])
        assert.deepStrictEqual(yield* store.byIds(scope, null, []), [])
        const elsewhere = { ...plain, namespace: freshScope().namespace }
        yield* store.append(yield* indexedAll([elsewhere]))
        const asked = [
          { writer: full, ids: [plain.turn_id, full.turn_id, full.turn_id] },
          { writer: elsewhere, ids },
          { writer: { ...plain, user_id: "nobody" }, ids },
          { writer: plain, ids: [] }
        ]
        assert.deepStrictEqual(yield* store.ofWriters(asked), [[full], [elsewhere], [], []])
        assert.deepStrictEqual(yield* store.ofWriters([]), [])
      }))

    it.effect("stores a turn once, at its first place, and says what is known of an id", () =>
      Effect.gen(function*() {
        const store = yield* TurnStore
        const scope = freshScope()
        const turn = turnOf(scope)
        const later = { ...turn, position: turn.position + 5n, recorded_at: turn.recorded_at + 5 }
        assert.strictEqual((yield* store.known(turn, [turn.turn_id])).size, 0)
        for (const one of [later, turn, later]) yield* store.append([yield* indexed(one)])
        yield* store.append([])
        assert.deepStrictEqual(yield* store.page(scope, anyTurn, firstPage), [turn])
        assert.strictEqual(yield* store.count(scope, anyTurn), 1)
        const { turns } = yield* store.search(scope, anyTurn, yield* questionOf("deploys"), 10)
        assert.deepStrictEqual(idsOf(turns), [turn.turn_id])
        const known = yield* store.known(turn, [turn.turn_id, "turn_of_nobody"])
        const { content_sha256, role, speaker } = turn
        assert.deepStrictEqual([...known], [[turn.turn_id, { deleted: false, content_sha256, role, speaker }]])
        assert.strictEqual((yield* store.known({ ...turn, session_id: "s2" }, [turn.turn_id])).size, 0)
        assert.strictEqual((yield* store.known(turn, [])).size, 0)
      }))

    it.effect("walks in pages by session or by time, both ways, each turn once", () =>
      Effect.gen(function*() {
        const store = yield* TurnStore
        const scope = freshScope()
        const turns = [
          turnOf(scope, { session_id: "b", at: noon + 3 }),
          turnOf(scope, { session_id: "a", at: noon + 9 }),
          turnOf(scope, { session_id: "a" }),
          turnOf(scope, { session_id: "b", at: noon - 4_000 }),
          turnOf(scope, { session_id: "a", at: noon + 3 })
        ]
        yield* store.append(yield* indexedAll(turns))
        const [b1 = "", a1 = "", a2 = "", b2 = "", a3 = ""] = idsOf(turns)
        const bySession = [a1, a2, a3, b1, b2]
        const byTime = [b2, a2, b1, a3, a1]
        assert.deepStrictEqual(idsOf(yield* walked(scope, anyTurn, "session", false)), bySession)
        assert.deepStrictEqual(idsOf(yield* walked(scope, anyTurn, "session", true)), bySession.toReversed())
        assert.deepStrictEqual(idsOf(yield* walked(scope, anyTurn, "time", false)), byTime)
        assert.deepStrictEqual(idsOf(yield* walked(scope, anyTurn, "time", true)), byTime.toReversed())
      }))

    it.effect("selects exactly by every filter, alike in pages, counts and searches", () =>
      Effect.gen(function*() {
        const store = yield* TurnStore
        const scope = freshScope()
        const turns = [
          turnOf(scope, { content: "the quick fox", user_id: "ada", agent: "bot", role: "assistant" }),
          turnOf(scope, { content: "the slow fox", session_id: "' OR '1'='1", run_id: "r1", at: noon + 10 }),
          turnOf(scope, { content: "a fox is quick to run", speaker: "Mira", at: noon + 20 }),
          turnOf(scope, { content: "fox", sensitivity: "high", speaker: "Mira" })
        ]
        const elsewhere = [
          turnOf({ ...scope, org: "globex" }, { content: "the quick fox" }),
          turnOf(freshScope(), { content: "the quick fox" })
        ]
        yield* store.append(yield* indexedAll([...turns, ...elsewhere]))
        const question = yield* questionOf("quick fox")
        const cases: ReadonlyArray<readonly [Partial<TurnFilter>, ReadonlyArray<number>]> = [
          [{}, [0, 1, 2, 3]],
          [{ user_id: "ada" }, [0]],
          [{ user_id: "-" }, [1, 2, 3]],
          [{ user_id: "') OR true OR ('" }, []],
          [{ agent: "bot" }, [0]],
          [{ agent: "" }, [1, 2, 3]],
          [{ session_ids: ["' OR '1'='1"] }, [1]],
          [{ session_ids: ["s1", "s2"] }, [0, 2, 3]],
          [{ session_ids: ["%"] }, []],
          [{ run_id: "r1" }, [1]],
          [{ run_id: "" }, [0, 2, 3]],
          [{ role: "assistant" }, [0]],
          [{ speaker: "Mira" }, [2, 3]],
          [{ since: noon + 10 }, [1, 2]],
          [{ until: noon + 20 }, [0, 1, 3]],
          [{ since: noon + 10, until: noon + 11 }, [1]],
          [{ words: { match: "any", groups: groupsOf("quick slow") } }, [0, 1, 2]],
          [{ words: { match: "all", groups: groupsOf("quick fox") } }, [0, 2]],
          [{ words: { match: "all", groups: groupsOf("quick fox") }, speaker: "Mira" }, [2]],
          [{ words: { match: "phrase", stems: ["quick", "fox"] } }, [0]],
          [{ words: { match: "phrase", stems: ["fox", "quick"] } }, []],
          [{ words: { match: "any", groups: [] } }, []]
        ]
        for (const [changed, meant] of cases) {
          const filter = { ...anyTurn, ...changed }
          const expected = sorted(meant.flatMap((index) => turns[index] ?? []))
          const said = JSON.stringify(changed, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
          assert.deepStrictEqual(sorted(yield* store.page(scope, filter, firstPage)), expected, said)
          assert.strictEqual(yield* store.count(scope, filter), expected.length, said)
          const inSessions = yield* store.sessions(scope, filter, { after: null, limit: 100 })
          assert.strictEqual(inSessions.reduce((sum, { turns }) => sum + turns, 0), expected.length, said)
          const { turns: found } = yield* store.search(scope, filter, question, 10)
          // What is not indexed is found by no search.
          assert.deepStrictEqual(
            sorted(found),
            sorted(meant.flatMap((index) => index === 3 ? [] : turns[index] ?? [])),
            said
          )
        }
      }))

    it.effect("lists sessions, the one with the latest turn first, in pages", () =>
      Effect.gen(function*() {
        const store = yield* TurnStore
        const scope = freshScope()
        const turns = [
          turnOf(scope, { session_id: "a", at: noon + 1 }),
          turnOf(scope, { session_id: "a", at: noon + 5, role: "assistant" }),
          turnOf(scope, { session_id: "a", at: noon + 3, speaker: "Mira" }),
          turnOf(scope, { session_id: "b", at: noon + 9 }),
          turnOf(scope, { session_id: "c", at: noon + 5 }),
          turnOf(scope, { session_id: "c", at: noon + 5, user_id: "ada" })
        ]
        yield* store.append(yield* indexedAll(turns))
        const seen: Array<string> = []
        let after: SessionPlace | null = null
        do {
          const page: ReadonlyArray<SessionFacts> = yield* store.sessions(scope, anyTurn, { after, limit: 1 })
          const [facts] = page
          if (facts !== undefined) seen.push(`${facts.session_id} ${facts.user_id} ${facts.turns}`)
          after = facts ?? null
        } while (after !== null)
        assert.deepStrictEqual(seen, ["b - 1", "a - 3", "c - 1", "c ada 1"])
        const [, a] = yield* store.sessions(scope, anyTurn, { after: null, limit: 2 })
        assert.deepStrictEqual(a, {
          agent: "",
          user_id: "-",
          session_id: "a",
          turns: 3,
          speakers: ["Mira", "assistant", "user"],
          first_at: noon + 1,
          last_at: noon + 5
        })
      }))

    it.effect("finds the part of a long turn that speaks to the question, each turn once", () =>
      Effect.gen(function*() {
        const store = yield* TurnStore
        const scope = freshScope()
        const filler = "We talked about the weather and had some tea. ".repeat(4)
        const long = turnOf(scope, { content: `${filler}The heron landed at noon. ${filler}A heron again. ` })
        const short = turnOf(scope, { content: "No bird was seen today" })
        yield* store.append(yield* indexedAll([long, short], 60))
        const { corpus, turns } = yield* store.search(scope, anyTurn, yield* questionOf("heron landed"), 10)
        const found = turns.find(({ turn_id }) => turn_id === long.turn_id)
        assert.include(long.content.slice(found?.start, found?.end), "heron landed")
        assert.deepStrictEqual(found?.terms.counts, [1, 1])
        assert.isAbove(found?.cosine ?? 0, 0.3)
        assert.isAbove(corpus.rows, 4)
        assert.deepStrictEqual(corpus.holding, [2, 1])
        assert.strictEqual(turns.length, new Set(idsOf(turns)).size)
        // Either way alone: one turn closest, one by words.
        const { groups, vector } = yield* questionOf("heron landed")
        const near = yield* store.search(scope, anyTurn, { vector, groups: [] }, 1)
        assert.deepStrictEqual(idsOf(near.turns), [long.turn_id])
        const worded = yield* store.search(scope, anyTurn, { vector: null, groups }, 10)
        assert.deepStrictEqual(idsOf(worded.turns), [long.turn_id])
        assert.isNull(worded.turns[0]?.cosine)
        // One by its vector and one by its words: how close it is is known of both.
        const both = yield* store.search(
          scope,
          anyTurn,
          { vector: (yield* questionOf(short.content)).vector, groups },
          1
        )
        assert.deepStrictEqual(sorted(both.turns), sorted([long, short]))
        const cosineOf = (turn: Turn) => both.turns.find(({ turn_id }) => turn_id === turn.turn_id)?.cosine ?? NaN
        assert.approximately(cosineOf(short), 1, 0.01)
        assert.isBelow(cosineOf(long), 0.7)
        // Vectors of another embedder are not compared.
        const other = { embedderId: "other", numbers: new Float32Array(3) }
        const unlike = yield* store.search(scope, anyTurn, { vector: other, groups }, 10)
        assert.deepStrictEqual(unlike.turns.map(({ cosine }) => cosine), [null])
      }))

    it.effect("takes turns out with all their copies, for good, and nobody else's", () =>
      Effect.gen(function*() {
        const store = yield* TurnStore
        const scope = freshScope()
        const gone = [turnOf(scope, { content: "a heron" }), turnOf(scope, { content: "two herons", session_id: "s2" })]
        const stays = turnOf(scope, { content: "three herons" })
        const all = yield* indexedAll([...gone, stays])
        yield* store.append(all)
        yield* store.remove(gone, deletion)
        yield* store.remove([], deletion)
        const question = yield* questionOf("heron")
        const look = Effect.gen(function*() {
          assert.deepStrictEqual(idsOf(yield* store.page(scope, anyTurn, firstPage)), [stays.turn_id])
          assert.deepStrictEqual(yield* store.byIds(scope, null, idsOf(gone)), [])
          assert.deepStrictEqual(idsOf((yield* store.search(scope, anyTurn, question, 10)).turns), [stays.turn_id])
          const words = { match: "any", groups: groupsOf("heron") } as const
          assert.strictEqual(yield* store.count(scope, { ...anyTurn, words }), 1)
          assert.strictEqual((yield* store.sessions(scope, anyTurn, { after: null, limit: 10 })).length, 1)
        })
        yield* look
        assert.deepStrictEqual([...(yield* store.known(stays, idsOf(gone))).values()], [{ deleted: true }])
        // A write that was under way all the time brings nothing back.
        yield* store.append(all)
        yield* look
        yield* store.remove(gone, deletion)
        yield* look
      }))

    it.effect("serves no turn whose write broke off before it, and the same write again completes it", () =>
      Effect.gen(function*() {
        const store = yield* TurnStore
        const scope = freshScope()
        const turn = turnOf(scope)
        const one = yield* indexed(turn)
        const broken = yield* store.append([one]).pipe(
          Effect.provideService(FaultPoint, {
            hit: (point) => point === "turns.after_chunks" ? Effect.die("crash") : Effect.void
          }),
          Effect.exit
        )
        assert.isTrue(broken._tag === "Failure")
        const question = yield* questionOf("deploys")
        assert.deepStrictEqual(yield* store.page(scope, anyTurn, firstPage), [])
        assert.deepStrictEqual((yield* store.search(scope, anyTurn, question, 10)).turns, [])
        assert.strictEqual((yield* store.known(turn, [turn.turn_id])).size, 0)
        yield* store.append([one])
        assert.deepStrictEqual(yield* store.page(scope, anyTurn, firstPage), [turn])
        assert.deepStrictEqual(
          idsOf((yield* store.search(scope, anyTurn, question, 10)).turns),
          [turn.turn_id]
        )
      }))
  })
}
