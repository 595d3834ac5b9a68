/**
 * One search: the legs run side by side (`SearchLegs`), what they found is completed (`SearchCompletion`) and put into one
 * order, and the best come back with the part of their text that speaks to the question (`SearchExcerpts`). A leg that
 * fails or is late is named in `degraded`; only when every leg asked for fails does the search fail.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import { canonical } from "../platform/Analyzer.ts"
import type { Embedder } from "../platform/Embedder.ts"
import { collapse } from "./Collapse.ts"
import type * as Fusion from "./Fusion.ts"
import type { Ranked } from "./Fusion.ts"
import type { Verdict } from "./Gate.ts"
import { GatePolicy } from "./GatePolicy.ts"
import { RankPolicy } from "./RankPolicy.ts"
import { evidenceOf, relevance } from "./Relevance.ts"
import * as SearchAdmission from "./SearchAdmission.ts"
import { complete, headsOf, knownOf } from "./SearchCompletion.ts"
import { excerptsOf } from "./SearchExcerpts.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { haveFailed, make as makeLegs, passedBy } from "./SearchLegs.ts"
import type { Budgets, LegTrace } from "./SearchLegs.ts"
import { placeKey } from "./SearchModel.ts"
import type { LegName, Question, SearchFilter } from "./SearchModel.ts"
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
}

export interface SearchHit extends Ranked {
  readonly excerpt: string
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
  /** `<leg>_unavailable` or `<leg>_late`, in the order of the legs. */
  readonly degraded: ReadonlyArray<string>
  /** The embedder whose vectors were compared; null when none were. */
  readonly embedderId: string | null
  readonly verdict: Verdict
  /** What would have been among the hits and was hidden; null when that was not counted. */
  readonly suppressed: Suppressed.Counts | null
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
  // The entity leg reads by key, some tens of milliseconds; one that takes longer is worth less than the wait.
  budgets: { vector: "5 seconds", lexical: "5 seconds", chunks: "5 seconds", entities: "2 seconds" }
}

/** Hits of each leg that are compared. On the development conversations, 15 gave the answers that all rows give. */
const LEAST_DEPTH = 30

type Needs = SearchIndex | Embedder | RankPolicy | GatePolicy

export const make = (options: SearchOptions): Effect.Effect<Search["Type"], never, Needs> =>
  Effect.gen(function*() {
    const index = yield* SearchIndex
    const ranking = yield* RankPolicy
    const gate = yield* GatePolicy
    const { admit } = yield* SearchAdmission.make
    const run = yield* makeLegs(options.budgets)

    const trace = Effect.fn("Search.find")(function*(request: SearchRequest) {
      const { filter, scope, text } = request
      const terms = termGroups(text)
      const question: Question = { scope, filter, text, terms, depth: Math.max(LEAST_DEPTH, request.limit * 2) }
      const outcomes = yield* run(question, request.legs)
      const degraded = outcomes.flatMap(({ degraded }) => degraded === null ? [] : [degraded])
      if (haveFailed(outcomes)) return yield* new Unavailable({ operation: "memory.search" })

      const answers = outcomes.map(({ answer }) => answer)
      const query = answers.find((answer) => answer.query !== null)?.query ?? null
      const corpus = answers.find((answer) => answer.corpus !== null)?.corpus ?? null
      const hits = answers.flatMap(({ hits }) => hits)
      // What an earlier state hid is not looked up.
      const hidden = filter.asOf === undefined ? passedBy(answers) : []
      const heads = headsOf(hits)
      const { candidates: all, excerpts: texts } = yield* complete(
        index,
        question,
        query,
        corpus !== null,
        [...heads, ...hidden],
        knownOf(hits)
      )
      const candidates = all.slice(0, heads.length)
      const entities = answers.find((answer) => answer.entities !== undefined)?.entities ?? null
      const evidence: Fusion.Evidence = {
        terms,
        corpus,
        entities,
        tagsSoft: request.tagsSoft ?? [],
        tagsDemoted: request.tagsDemoted ?? [],
        isQuestion: asked(text)
      }
      const ranked = ranking.rank(candidates, evidence)
      const folded = request.collapse === true ? collapse(ranked) : ranked.map((ranked) => ({ ranked, siblings: 0 }))
      const best = folded.slice(0, request.limit)
      const held = evidenceOf(text, terms, evidence.isQuestion)
      const relevanceOf = ({ candidate }: Ranked) => relevance(held(candidate))
      const last = best.length < request.limit ? -Infinity : best.at(-1)?.ranked.score ?? -Infinity

      // Of the hidden rows the legs passed by, those that would have stood among the hits.
      const among = ranking.rank(all.slice(heads.length), evidence)
        .filter((one) => one.score >= last && gate.isEnough(relevanceOf(one)))
      const states = new Map(hidden.map((head) => [placeKey(head), head]))
      const excerpts = yield* excerptsOf(
        index,
        { scope, terms, corpus, texts, length: request.excerptLength },
        best.map(({ ranked }) => ranked)
      )
      const shown = best.map(({ ranked, siblings }, at): SearchHit => {
        const relevant = relevanceOf(ranked)
        return {
          ...ranked,
          siblings,
          excerpt: excerpts[at] ?? "",
          relevance: relevant,
          belowThreshold: !gate.isEnough(relevant)
        }
      })
      return {
        hits: shown,
        candidates: candidates.length,
        degraded,
        embedderId: query?.embedderId ?? null,
        verdict: gate.judge(shown.map(({ relevance }) => relevance), degraded),
        suppressed: filter.asOf !== undefined
          ? null
          : Suppressed.count(among.flatMap(({ candidate }) => states.get(placeKey(candidate.head)) ?? []), filter),
        terms,
        legs: outcomes.map(({ answer, failed, name }) => ({ name, failed, hits: answer.hits }))
      }
    })

    return { find: (request) => admit(trace(request)), trace: (request) => admit(trace(request)) }
  })

export const layerWith = (options: SearchOptions): Layer.Layer<Search, never, Needs> =>
  Layer.effect(Search, make(options))

export const layer: Layer.Layer<Search, never, Needs> = layerWith(defaultOptions)

/** Whether a head is the question word for word: the same text, or the same claim in canonical form. */
const asked = (text: string) => {
  const exact = sha256(text)
  const same = sha256(canonical(text))
  return (
    { canonical_sha256, content_sha256 }: { readonly canonical_sha256: string; readonly content_sha256: string }
  ) => content_sha256 === exact || canonical_sha256 === same
}
