/** `TurnStore` in this process, for tests and for programs that keep nothing. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { faultPoint } from "../kernel/FaultPoint.ts"
import type { Scope } from "../kernel/Identity.ts"
import { share } from "../platform/Bm25.ts"
import type { Corpus, TermCounts } from "../platform/Bm25.ts"
import { formsOf } from "../platform/ClickhouseTerms.ts"
import type { WordForms } from "../platform/ClickhouseTerms.ts"
import { saidAt } from "./TurnModel.ts"
import type { IndexedTurn, Turn, TurnChunk } from "./TurnModel.ts"
import { placeOf, TurnStore } from "./TurnStore.ts"
import type {
  FoundTurn,
  KnownTurn,
  SessionFacts,
  SessionPlace,
  TurnFilter,
  TurnPage,
  TurnPlace,
  TurnWords
} from "./TurnStore.ts"

const keyOf = ({ agent, namespace, org, session_id, turn_id, user_id }: TurnKey): string =>
  JSON.stringify([org, namespace, agent, user_id, session_id, turn_id])

type TurnKey = Pick<Turn, "org" | "namespace" | "agent" | "user_id" | "session_id" | "turn_id">

/** A turn that is there, or that it was deleted. */
type Kept = IndexedTurn | "deleted"

const compare = <A extends string | number | bigint>(left: A, right: A): number =>
  left < right ? -1 : left > right ? 1 : 0

const inOrder = (by: TurnPage["by"]) => (left: TurnPlace, right: TurnPlace): number =>
  (by === "session" ? compare(left.session_id, right.session_id) : compare(left.said_at, right.said_at)) ||
  compare(left.position, right.position) || compare(left.turn_id, right.turn_id)

const countsIn = (groups: ReadonlyArray<WordForms>, { lemmas, stems }: TurnChunk): TermCounts => {
  // Like the column: a lemma that is a stem too counts as that.
  const held = [...stems, ...lemmas.filter((lemma) => !stems.includes(lemma))]
  const times = (form: string): number => held.filter((word) => word === form).length
  return { counts: groups.map((group) => Math.max(0, ...formsOf(group).map(times))), length: stems.length }
}

const holds = (words: TurnWords, chunks: ReadonlyArray<TurnChunk>): boolean => {
  if (words.match === "phrase") {
    return chunks.some(({ stems }) =>
      stems.some((_, at) => words.stems.every((stem, offset) => stems[at + offset] === stem))
    )
  }
  const held = words.groups.map((group) => chunks.some((chunk) => (countsIn([group], chunk).counts[0] ?? 0) > 0))
  return words.match === "any" ? held.includes(true) : !held.includes(false)
}

/** What the corpus of a search is counted over. */
const isWithin = (scope: Scope, filter: TurnFilter, turn: Turn): boolean =>
  turn.org === scope.org && turn.namespace === scope.namespace &&
  (filter.user_id === null || filter.user_id === turn.user_id) &&
  (filter.agent === null || filter.agent === turn.agent) &&
  (filter.session_ids.length === 0 || filter.session_ids.includes(turn.session_id))

const passes = (scope: Scope, filter: TurnFilter, { chunks, turn }: IndexedTurn): boolean =>
  isWithin(scope, filter, turn) &&
  (filter.run_id === null || filter.run_id === turn.run_id) &&
  (filter.role === null || filter.role === turn.role) &&
  (filter.speaker === null || filter.speaker === turn.speaker) &&
  (filter.since === null || saidAt(turn) >= filter.since) &&
  (filter.until === null || saidAt(turn) < filter.until) &&
  (filter.words === null || holds(filter.words, chunks))

const dot = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, number, at) => sum + number * (right[at] ?? 0), 0)

const corpusOf = (counted: ReadonlyArray<TermCounts>, groups: ReadonlyArray<WordForms>): Corpus => ({
  rows: counted.length,
  meanLength: counted.reduce((sum, { length }) => sum + length, 0) / Math.max(counted.length, 1),
  holding: groups.map((_, at) => counted.filter(({ counts }) => (counts[at] ?? 0) > 0).length)
})

const make = Effect.sync((): TurnStore["Type"] => {
  const kept = new Map<string, Kept>()
  const there = (): ReadonlyArray<IndexedTurn> => [...kept.values()].filter((one) => one !== "deleted")
  const matching = (scope: Scope, filter: TurnFilter): ReadonlyArray<IndexedTurn> =>
    there().filter((one) => passes(scope, filter, one))
  return {
    known: (writer, ids) =>
      Effect.sync(() =>
        new Map(ids.flatMap((turn_id): ReadonlyArray<readonly [string, KnownTurn]> => {
          const one = kept.get(keyOf({ ...writer, turn_id }))
          if (one === undefined) return []
          if (one === "deleted") return [[turn_id, { deleted: true }]]
          const { content_sha256, role, speaker } = one.turn
          return [[turn_id, { deleted: false, content_sha256, role, speaker }]]
        }))
      ),
    append: (turns) =>
      Effect.zipRight(
        faultPoint("turns.after_chunks"),
        Effect.sync(() => {
          for (const one of turns) {
            const before = kept.get(keyOf(one.turn))
            if (before === undefined || (before !== "deleted" && one.turn.position < before.turn.position)) {
              kept.set(keyOf(one.turn), one)
            }
          }
        })
      ),
    page: (scope, filter, { after, backwards, by, limit }) =>
      Effect.sync(() => {
        const order = inOrder(by)
        const directed = (left: TurnPlace, right: TurnPlace) => backwards ? order(right, left) : order(left, right)
        return matching(scope, filter).map(({ turn }) => turn)
          .filter((turn) => after === null || directed(after, placeOf(turn)) < 0)
          .sort((left, right) => directed(placeOf(left), placeOf(right)))
          .slice(0, limit)
      }),
    count: (scope, filter) => Effect.sync(() => matching(scope, filter).length),
    byIds: (scope, user_id, ids) =>
      Effect.sync(() => {
        const found = there().map(({ turn }) => turn).filter((turn) =>
          turn.org === scope.org && turn.namespace === scope.namespace &&
          (user_id === null || turn.user_id === user_id)
        )
        return [...new Set(ids)].flatMap((id) => found.filter(({ turn_id }) => turn_id === id))
      }),
    ofWriters: (asked) =>
      Effect.sync(() =>
        asked.map(({ ids, writer }) =>
          [...new Set(ids)].flatMap((turn_id) => {
            const one = kept.get(keyOf({ ...writer, turn_id }))
            return one === undefined || one === "deleted" ? [] : [one.turn]
          })
        )
      ),
    sessions: (scope, filter, { after, limit }) =>
      Effect.sync(() => {
        const bySession = new Map<string, ReadonlyArray<Turn>>()
        for (const { turn } of matching(scope, filter)) {
          const key = JSON.stringify([turn.agent, turn.user_id, turn.session_id])
          bySession.set(key, [...bySession.get(key) ?? [], turn])
        }
        const latestFirst = (left: SessionPlace, right: SessionPlace): number =>
          compare(right.last_at, left.last_at) || compare(left.session_id, right.session_id) ||
          compare(left.agent, right.agent) || compare(left.user_id, right.user_id)
        return [...bySession.values()].flatMap(factsOf)
          .filter((facts) => after === null || latestFirst(after, facts) < 0)
          .sort(latestFirst)
          .slice(0, limit)
      }),
    search: (scope, filter, { groups, vector }, limit) =>
      Effect.sync(() => {
        const corpus = corpusOf(
          there().filter(({ turn }) => isWithin(scope, filter, turn))
            .flatMap(({ chunks }) => chunks.map((chunk) => countsIn(groups, chunk))),
          groups
        )
        const parts = matching(scope, filter).flatMap(({ chunks, embedder_id, turn }) =>
          chunks.map((chunk): Part => {
            const terms = countsIn(groups, chunk)
            return {
              turn,
              chunk,
              terms,
              worth: share(corpus, terms),
              cosine: vector?.embedderId === embedder_id ? dot(chunk.vector, vector.numbers) : null
            }
          })
        )
        const near = onePerTurn(
          parts.filter(({ cosine }) => cosine !== null).sort((a, b) => (b.cosine ?? 0) - (a.cosine ?? 0))
        )
        const closest = near.slice(0, limit)
        const worded = onePerTurn(parts.filter(({ worth }) => worth > 0).sort((a, b) => b.worth - a.worth))
          .slice(0, limit)
        const cosines = new Map(near.map(({ cosine, turn }) => [turn.turn_id, cosine]))
        const best = [...worded, ...closest.filter(({ turn }) => !worded.some((one) => one.turn === turn))]
        return {
          corpus,
          turns: best.map(({ chunk, terms, turn }): FoundTurn => ({
            turn_id: turn.turn_id,
            content_sha256: turn.content_sha256,
            said_at: saidAt(turn),
            start: chunk.start,
            end: chunk.end,
            cosine: cosines.get(turn.turn_id) ?? null,
            terms
          }))
        }
      }),
    remove: (turns) =>
      Effect.sync(() => {
        for (const turn of turns) kept.set(keyOf(turn), "deleted")
      })
  }
})

export const layer: Layer.Layer<TurnStore> = Layer.effect(TurnStore, make)

interface Part {
  readonly turn: Turn
  readonly chunk: TurnChunk
  readonly terms: TermCounts
  readonly worth: number
  readonly cosine: number | null
}

const onePerTurn = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.filter(({ turn }, at) => parts.findIndex((one) => one.turn === turn) === at)

const factsOf = (turns: ReadonlyArray<Turn>): ReadonlyArray<SessionFacts> => {
  const [first] = turns
  if (first === undefined) return []
  const times = turns.map(saidAt)
  return [{
    agent: first.agent,
    user_id: first.user_id,
    session_id: first.session_id,
    turns: turns.length,
    speakers: [...new Set(turns.map(({ role, speaker }) => speaker === "" ? role : speaker))].sort(compare),
    first_at: Math.min(...times),
    last_at: Math.max(...times)
  }]
}
