/**
 * One search: the legs run side by side (`SearchLegs`), what they found is completed (`SearchCompletion`) and put into one
 * order, and the best come back with the part of their text that speaks to the question (`SearchExcerpts`). A leg that
 * fails or is late is named in `degraded`; only when every leg asked for fails does the search fail.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Scope } from "../kernel/Identity.ts"
import { IndexLag, withLag } from "../kernel/IndexLag.ts"
import { sha256 } from "../kernel/Json.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import { canonical } from "../platform/Analyzer.ts"
import type { Embedder } from "../platform/Embedder.ts"
import { collapse } from "./Collapse.ts"
import type { DigestIndex } from "./DigestIndex.ts"
import type { Span } from "./ExcerptPieces.ts"
import type * as Fusion from "./Fusion.ts"
import type { Ranked } from "./Fusion.ts"
import type { Verdict } from "./Gate.ts"
import { GatePolicy } from "./GatePolicy.ts"
import { readTime } from "./QuestionTime.ts"
import { RankPolicy } from "./RankPolicy.ts"
import { evidenceOf, relevance } from "./Relevance.ts"
import * as SearchAdmission from "./SearchAdmission.ts"
import { complete, headsOf, knownOf, readOf } from "./SearchCompletion.ts"
import { excerptsOf } from "./SearchExcerpts.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { haveFailed, make as makeLegs, passedBy } from "./SearchLegs.ts"
import type { Budgets, LegTrace } from "./SearchLegs.ts"
import { isOfPast, placeKey } from "./SearchModel.ts"
import type { Head, LegName, Question, SearchFilter } from "./SearchModel.ts"
import { termGroups } from "./SearchTerms.ts"
import type { TermGroup } from "./SearchTerms.ts"
import * as Suppressed from "./Suppressed.ts"

export interface SearchRequest {
  readonly scope: Scope
  readonly filter: SearchFilter
  readonly text: string
  readonly limit: number
  readonly legs: ReadonlyArray<LegName>
  /** Tags that lift or lower a memory that has any of them; they hide none. */
  readonly tagsSoft?: ReadonlyArray<string>
  readonly tagsDemoted?: ReadonlyArray<string>
  /** Whether memories that say the same are one hit; off unless asked. */
  readonly collapse?: boolean
  /** Longest excerpt, in UTF-16 units. */
  readonly excerptLength: number
  /** How many hits of each leg are compared at the least. */
  readonly depth?: number
  /** The memories that an earlier answer ranked: the hits are the first of these that may still be found, in this order. */
  readonly listed?: ReadonlyArray<string>
}

export interface SearchHit extends Ranked {
  /** Verbatim parts of the text, with a mark where something between them is left out. */
  readonly excerpt: string
  /** Where the parts stand in the text: UTF-16 offsets [start, end). */
  readonly excerptParts: ReadonlyArray<Span>
  /** 0 to 1, from what the memory itself holds; see `Relevance`. */
  readonly relevance: number
  /** Whether the gate would not answer with it. */
  readonly belowThreshold: boolean
  /** How many more memories say the same and were folded into this hit. */
  readonly siblings: number
}

export interface SearchResult {
  /** Best first. */
  readonly hits: ReadonlyArray<SearchHit>
  /** How many memories the legs brought in. */
  readonly candidates: number
  /** `<leg>_unavailable` or `<leg>_late`, in the order of the legs; `index_lag` when the search is behind what is stored. */
  readonly degraded: ReadonlyArray<string>
  /** The embedder whose vectors were compared; null when none were. */
  readonly embedderId: string | null
  readonly verdict: Verdict
  /** How many memories that may be found have no vector of this embedder yet; null when none were compared. */
  readonly pendingIndex: number | null
  /** What would have been among the hits and was hidden; null when that was not counted. */
  readonly suppressed: Suppressed.Counts | null
  /** What was ranked behind the hits, best first; none after a list that was given. */
  readonly rest: ReadonlyArray<Standing>
  /** How many hits of each leg were compared at most. */
  readonly depth: number
}

/** A memory in an order, without its excerpt. */
export interface Standing {
  readonly memory_id: string
  readonly score: number
}

export type { LegTrace } from "./SearchLegs.ts"

export interface SearchTrace extends SearchResult {
  readonly terms: ReadonlyArray<TermGroup>
  readonly legs: ReadonlyArray<LegTrace>
}

export class Search extends Context.Tag("loom/retrieval/Search")<Search, {
  /** `Unavailable` when no leg answers or what they found cannot be read; `Overloaded` when too many searches wait. */
  readonly find: (request: SearchRequest) => Effect.Effect<SearchResult, StoreError | Overloaded>
  /** The same search, with what each leg found on its own. */
  readonly trace: (request: SearchRequest) => Effect.Effect<SearchTrace, StoreError | Overloaded>
}>() {}

export interface SearchOptions {
  /** How long each leg may take. */
  readonly budgets: Budgets
}

// An exact scan of a million rows takes a second or two on busy cores; past five, an answer without the leg is better.
export const defaultOptions: SearchOptions = {
  // The entity and the digest leg read by key, some tens of milliseconds; one of them that takes longer is worth less than the wait.
  budgets: {
    vector: "5 seconds",
    lexical: "5 seconds",
    chunks: "5 seconds",
    entities: "2 seconds",
    digests: "2 seconds"
  }
}

/** Hits of each leg that are compared. On the development conversations, 15 gave the answers that all rows give. */
const LEAST_DEPTH = 30

// One statement, and most often none; a count that takes longer is worth less than the wait.
const COUNT_WITHIN = "1 second"

type Needs = SearchIndex | DigestIndex | Embedder | RankPolicy | GatePolicy

export const make = (options: SearchOptions): Effect.Effect<Search["Type"], never, Needs> =>
  Effect.gen(function*() {
    const index = yield* SearchIndex
    const ranking = yield* RankPolicy
    const gate = yield* GatePolicy
    const lag = yield* IndexLag
    const { admit } = yield* SearchAdmission.make
    const run = yield* makeLegs(options.budgets)

    const trace = Effect.fn("Search.find")(function*(request: SearchRequest) {
      const { filter, scope, text } = request
      const terms = termGroups(text)
      const depth = Math.max(LEAST_DEPTH, request.limit * 2, request.depth ?? 0)
      const question: Question = { scope, filter, text, terms, depth }
      const outcomes = yield* run(question, request.legs)
      const degraded = yield* withLag(
        lag,
        scope,
        outcomes.flatMap(({ degraded }) => degraded === null ? [] : [degraded])
      )
      if (haveFailed(outcomes)) return yield* new Unavailable({ operation: "memory.search" })

      const answers = outcomes.map(({ answer }) => answer)
      const query = answers.find((answer) => answer.query !== null)?.query ?? null
      const corpus = answers.find((answer) => answer.corpus !== null)?.corpus ?? null
      const hits = answers.flatMap(({ hits }) => hits)
      // What an earlier state hid is not looked up, and a list that goes on was told of it at its beginning.
      const counts = !isOfPast(filter) && request.listed === undefined
      const hidden = counts ? passedBy(answers) : []
      const found = headsOf(hits, filter.earlier)
      const isFound = new Set(found.map(({ memory_id }) => memory_id))
      const pushedOut = yield* index.byIds(scope, filter, request.listed?.filter((id) => !isFound.has(id)) ?? [])
      const heads = [...found, ...pushedOut]
      const completed = complete(
        index,
        question,
        query,
        corpus !== null,
        [...heads, ...hidden],
        knownOf(hits),
        readOf(answers)
      )
      const [{ candidates: all, excerpts: texts }, pendingIndex] = yield* Effect.all([
        completed,
        query === null ? Effect.succeed(null) : orNull(index.pending(scope, filter, query.embedderId))
      ], { concurrency: 2 })
      const candidates = all.slice(0, heads.length)
      const entities = answers.find((answer) => answer.entities !== undefined)?.entities ?? null
      const evidence: Fusion.Evidence = {
        terms,
        corpus,
        entities,
        tagsSoft: request.tagsSoft ?? [],
        tagsDemoted: request.tagsDemoted ?? [],
        time: readTime(text),
        now: filter.now,
        isQuestion: asked(text)
      }
      const ranked = inList(ranking.rank(candidates, evidence), request.listed)
      const each = ranked.all.map((ranked) => ({ ranked, siblings: 0 }))
      const folded = request.collapse === true ? collapse(ranked.all) : each
      const best = request.listed === undefined
        ? folded.slice(0, request.limit)
        : each.slice(0, Math.min(request.limit, ranked.listed)).map((one) =>
          folded.find(({ ranked }) => ranked === one.ranked) ?? one
        )
      const held = evidenceOf(text, terms, evidence.isQuestion)
      const relevanceOf = ({ candidate }: Ranked) => relevance(held(candidate))
      const last = best.length < request.limit ? -Infinity : best.at(-1)?.ranked.score ?? -Infinity

      // Of the hidden rows the legs passed by, those that would have stood among the hits.
      const among = ranking.rank(all.slice(heads.length), evidence)
        .filter((one) => one.score >= last && gate.isEnough(relevanceOf(one)))
      const states = new Map(hidden.map((head) => [placeKey(head), head]))
      const excerpts = yield* excerptsOf(
        index,
        { scope, terms, texts, length: request.excerptLength },
        best.map(({ ranked }) => ranked)
      )
      const shown = best.map(({ ranked, siblings }, at): SearchHit => {
        const relevant = relevanceOf(ranked)
        return {
          ...ranked,
          siblings,
          excerpt: excerpts[at]?.text ?? "",
          excerptParts: excerpts[at]?.parts ?? [],
          relevance: relevant,
          belowThreshold: !gate.isEnough(relevant)
        }
      })
      return {
        hits: shown,
        candidates: candidates.length,
        degraded,
        embedderId: query?.embedderId ?? null,
        pendingIndex,
        verdict: gate.judge(shown.map(({ relevance }) => relevance), degraded),
        suppressed: counts
          ? Suppressed.count(among.flatMap(({ candidate }) => states.get(placeKey(candidate.head)) ?? []), filter)
          : null,
        rest: request.listed === undefined
          ? folded.slice(request.limit).map(({ ranked }) => ({
            memory_id: ranked.candidate.head.memory_id,
            score: ranked.score
          }))
          : [],
        depth,
        terms,
        legs: outcomes.map(({ answer, failed, name }) => ({ name, failed, hits: answer.hits }))
      }
    })

    return { find: (request) => admit(trace(request)), trace: (request) => admit(trace(request)) }
  })

export const layerWith = (options: SearchOptions): Layer.Layer<Search, never, Needs> =>
  Layer.effect(Search, make(options))

export const layer: Layer.Layer<Search, never, Needs> = layerWith(defaultOptions)

/** Everything that was ranked, what is listed first and in the order of the list; and how many of these there are. */
const inList = (
  ranked: ReadonlyArray<Ranked>,
  list: ReadonlyArray<string> = []
): { readonly all: ReadonlyArray<Ranked>; readonly listed: number } => {
  const byId = new Map(ranked.map((one) => [one.candidate.head.memory_id, one]))
  const listed = list.flatMap((id) => byId.get(id) ?? [])
  const isListed = new Set(listed)
  return { all: [...listed, ...ranked.filter((one) => !isListed.has(one))], listed: listed.length }
}

/** A count in its time, or null: hits are not held up by what is only told beside them. */
const orNull = (count: Effect.Effect<number, StoreError>): Effect.Effect<number | null> =>
  count.pipe(
    Effect.timeoutOption(COUNT_WITHIN),
    Effect.map(Option.getOrNull),
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logWarning("What a search's index lacks could not be counted").pipe(
          Effect.annotateLogs({ reason: error.message })
        ),
        null
      )
    )
  )

/** Whether a head is the question word for word: the same text, the same claim in canonical form, or its key. */
const asked = (text: string) => {
  const exact = sha256(text)
  const same = sha256(canonical(text))
  const key = text.trim()
  return (
    { canonical_sha256, content_sha256, memory_key }: Pick<Head, "canonical_sha256" | "content_sha256" | "memory_key">
  ) => content_sha256 === exact || canonical_sha256 === same || memory_key === key
}
