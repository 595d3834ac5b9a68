/**
 * One search: the legs run side by side, each within its own time; what they found is put into one order; the best come
 * back with the part of their text that speaks to the question. A leg that fails or is late is named in `degraded` and
 * the others answer. Only when every leg asked for fails does the search fail.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import { canonical } from "../platform/Analyzer.ts"
import type { Embedder } from "../platform/Embedder.ts"
import { weight } from "./Bm25.ts"
import * as ChunkLeg from "./ChunkLeg.ts"
import { collapse } from "./Collapse.ts"
import type { Folded } from "./Collapse.ts"
import * as EntityLeg from "./EntityLeg.ts"
import { bestPart } from "./Excerpt.ts"
import type * as Fusion from "./Fusion.ts"
import type { Ranked } from "./Fusion.ts"
import type { Verdict } from "./Gate.ts"
import { GatePolicy } from "./GatePolicy.ts"
import * as LexicalLeg from "./LexicalLeg.ts"
import { RankPolicy } from "./RankPolicy.ts"
import { evidenceOf, relevance } from "./Relevance.ts"
import * as SearchAdmission from "./SearchAdmission.ts"
import { SearchIndex } from "./SearchIndex.ts"
import type { QueryVector } from "./SearchIndex.ts"
import { type Leg, type LegAnswer, type LegHit, nothing } from "./SearchLeg.ts"
import { placeKey } from "./SearchModel.ts"
import type { Corpus, Head, LegName, Place, Question, SearchFilter } from "./SearchModel.ts"
import { termGroups } from "./SearchTerms.ts"
import type { TermGroup } from "./SearchTerms.ts"
import * as Suppressed from "./Suppressed.ts"
import * as VectorLeg from "./VectorLeg.ts"

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

/** What one leg brought, before anything was made of it. */
export interface LegTrace {
  readonly name: LegName
  /** `late` or `unavailable` when it did not answer. */
  readonly failed: "late" | "unavailable" | null
  /** Best first, each with its score on the leg's own scale. */
  readonly hits: ReadonlyArray<LegHit>
}

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
  readonly budgets: Readonly<Record<LegName, Duration.DurationInput>>
}

// An exact scan of a million rows takes a second or two on busy cores; past five, an answer without the leg is better.
export const defaultOptions: SearchOptions = {
  // The entity leg reads by key, some tens of milliseconds; one that takes longer is worth less than the wait.
  budgets: { vector: "5 seconds", lexical: "5 seconds", chunks: "5 seconds", entities: "2 seconds" }
}

/** Hits of each leg that are compared. On the development conversations, 15 gave the answers that all rows give. */
const LEAST_DEPTH = 30

// Some keyed reads; a count that takes longer is worth less than the wait.
const COUNT_WITHIN = "1 second"

type Needs = SearchIndex | Embedder | RankPolicy | GatePolicy

export const make = (options: SearchOptions): Effect.Effect<Search["Type"], never, Needs> =>
  Effect.gen(function*() {
    const index = yield* SearchIndex
    const ranking = yield* RankPolicy
    const gate = yield* GatePolicy
    const { admit } = yield* SearchAdmission.make
    const legs: ReadonlyArray<Leg> = yield* Effect.all([
      VectorLeg.make,
      LexicalLeg.make,
      ChunkLeg.make,
      EntityLeg.make
    ])

    const run = (leg: Leg, question: Question): Effect.Effect<LegOutcome> =>
      leg.find(question).pipe(
        Effect.timeoutOption(options.budgets[leg.name]),
        Effect.map((answer) =>
          Option.match(answer, { onNone: () => failed(leg.name, "late"), onSome: (some) => answered(leg.name, some) })
        ),
        Effect.catchAll((error) =>
          Effect.as(
            Effect.logWarning("A leg of a search failed").pipe(
              Effect.annotateLogs({ leg: leg.name, reason: error.message })
            ),
            failed(leg.name, "unavailable")
          )
        )
      )

    const trace = Effect.fn("Search.find")(function*(request: SearchRequest) {
      const { filter, scope, text } = request
      const terms = termGroups(text)
      const question: Question = { scope, filter, text, terms, depth: Math.max(LEAST_DEPTH, request.limit * 2) }
      const chosen = legs.filter(({ name }) => request.legs.length === 0 || request.legs.includes(name))
      const outcomes = yield* Effect.forEach(chosen, (leg) => run(leg, question), { concurrency: "unbounded" })
      const degraded = outcomes.flatMap(({ degraded }) => degraded === null ? [] : [degraded])
      if (degraded.length > 0 && outcomes.every(saysNothing)) {
        return yield* new Unavailable({ operation: "memory.search" })
      }

      const answers = outcomes.map(({ answer }) => answer)
      const query = answers.find((answer) => answer.query !== null)?.query ?? null
      const corpus = answers.find((answer) => answer.corpus !== null)?.corpus ?? null
      const hits = answers.flatMap(({ hits }) => hits)
      const completed = complete(question, query, corpus !== null)
      const candidates = yield* completed(headsOf(hits), knownOf(hits))
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

      /** Of the hidden rows the legs passed by, those that would have stood among the hits. */
      const suppressed = Effect.gen(function*() {
        const found = yield* index.hidden(scope, filter, placesOf(answers))
        if (found.length === 0) return Suppressed.none
        const hidden = new Map(found.map((head) => [placeKey(head), head]))
        const ranked = ranking.rank(yield* completed(found, new Map()), evidence)
        const among = ranked.filter((one) => one.score >= last && gate.isEnough(relevanceOf(one)))
        return Suppressed.count(among.flatMap(({ candidate }) => hidden.get(placeKey(candidate.head)) ?? []), filter)
      })
      const [excerpted, counts] = yield* Effect.all([
        withExcerpts(request, best, terms, corpus),
        // What an earlier state hid is not looked up.
        filter.asOf === undefined ? orNull(suppressed) : Effect.succeed(null)
      ], { concurrency: 2 })
      const shown = excerpted.map((hit): SearchHit => {
        const relevant = relevanceOf(hit)
        return { ...hit, relevance: relevant, belowThreshold: !gate.isEnough(relevant) }
      })
      return {
        hits: shown,
        candidates: candidates.length,
        degraded,
        embedderId: query?.embedderId ?? null,
        verdict: gate.judge(shown.map(({ relevance }) => relevance), degraded),
        suppressed: counts,
        terms,
        legs: outcomes.map(({ answer, failed, name }) => ({ name, failed, hits: answer.hits }))
      }
    })

    /** Heads with what is known of them and what the other legs would have said. */
    const complete =
      (question: Question, query: QueryVector | null, lexical: boolean) =>
      (heads: ReadonlyArray<Head>, known: ReadonlyMap<string, Known>) =>
        Effect.gen(function*() {
          const without = (key: "cosines" | "terms") =>
            heads.filter((head) => known.get(placeKey(head))?.[key] === undefined)
          const [cosines, counts] = yield* Effect.all([
            query === null ? none : index.cosines(question.scope, without("cosines"), query),
            lexical ? index.counts(question.scope, without("terms"), question.terms) : none
          ], { concurrency: 2 })
          return heads.map((head): Fusion.Candidate => {
            const key = placeKey(head)
            const found = known.get(key)
            return {
              head,
              cosines: found?.cosines ?? cosines.get(key),
              terms: found?.terms ?? counts.get(key),
              passage: found?.passage
            }
          })
        })

    const withExcerpts = (
      { excerptLength, scope }: SearchRequest,
      folded: ReadonlyArray<Folded>,
      terms: ReadonlyArray<TermGroup>,
      corpus: Corpus | null
    ) =>
      Effect.gen(function*() {
        const weights = terms.map((_, at) => corpus === null ? 1 : weight(corpus.rows, corpus.holding[at] ?? 0))
        const ranked = folded.map(({ ranked }) => ranked)
        const wanted = ranked.flatMap(({ candidate, passage }) =>
          passage === null ? [] : [{ place: candidate.head, passage }]
        )
        const [excerpts, passages] = yield* Effect.all([
          index.excerpts(scope, ranked.flatMap(({ candidate, passage }) => passage === null ? [candidate.head] : [])),
          index.passages(scope, wanted)
        ], { concurrency: 2 })
        return folded.map(({ ranked: hit, siblings }) => {
          const key = placeKey(hit.candidate.head)
          const text = passages.get(key) ?? excerpts.get(key) ?? ""
          return { ...hit, siblings, excerpt: bestPart(text, terms, weights, excerptLength) }
        })
      })

    return { find: (request) => admit(trace(request)), trace: (request) => admit(trace(request)) }
  })

export const layerWith = (options: SearchOptions): Layer.Layer<Search, never, Needs> =>
  Layer.effect(Search, make(options))

export const layer: Layer.Layer<Search, never, Needs> = layerWith(defaultOptions)

interface LegOutcome {
  readonly name: LegName
  readonly answer: LegAnswer
  readonly failed: LegTrace["failed"]
  readonly degraded: string | null
}

const answered = (name: LegName, answer: LegAnswer): LegOutcome => ({ name, answer, failed: null, degraded: null })

const failed = (name: LegName, how: "late" | "unavailable"): LegOutcome => ({
  name,
  answer: nothing,
  failed: how,
  degraded: `${name}_${how}`
})

/** A count in its time, or null: hits are not held up by what is only told beside them. */
const orNull = <A>(counted: Effect.Effect<A, StoreError>): Effect.Effect<A | null> =>
  counted.pipe(
    Effect.timeoutOption(COUNT_WITHIN),
    Effect.map(Option.getOrNull),
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logWarning("What a search hid could not be counted").pipe(
          Effect.annotateLogs({ reason: error.message })
        ),
        null
      )
    )
  )

/** The places that legs passed by, each once. */
const placesOf = (answers: ReadonlyArray<LegAnswer>): ReadonlyArray<Place> => [
  ...new Map(answers.flatMap(({ passed = [] }) => passed.map((place) => [placeKey(place), place] as const))).values()
]

/** Most questions name no entity, and then that leg asks the store nothing: its silence is no answer beside failures. */
const saysNothing = ({ answer, degraded, name }: LegOutcome): boolean =>
  degraded !== null || (name === "entities" && answer === nothing)

const none = Effect.succeed(new Map<string, never>())

/** Each memory once; of two versions that legs saw a moment apart, the later. */
const headsOf = (hits: ReadonlyArray<LegHit>): ReadonlyArray<Head> => {
  const heads = new Map<string, Head>()
  for (const { head } of hits) {
    const key = identityKey(head)
    const other = heads.get(key)
    if (other === undefined || other.version < head.version) heads.set(key, head)
  }
  return [...heads.values()]
}

type Known = Partial<Pick<Fusion.Candidate, "cosines" | "terms" | "passage">>

/** What the legs said of each place, together. */
const knownOf = (hits: ReadonlyArray<LegHit>): ReadonlyMap<string, Known> => {
  const known = new Map<string, Known>()
  for (const hit of hits) {
    const key = placeKey(hit.head)
    known.set(key, { ...known.get(key), ...partOf(hit) })
  }
  return known
}

const partOf = ({ cosines, passage, score, terms }: LegHit): Known =>
  passage !== undefined
    ? { passage: { at: passage, share: score, counts: terms?.counts ?? [] } }
    : cosines !== undefined
    ? { cosines }
    : terms !== undefined
    ? { terms }
    : {}

/** Whether a head is the question word for word: the same text, or the same claim in canonical form. */
const asked = (text: string) => {
  const exact = sha256(text)
  const same = sha256(canonical(text))
  return (
    { canonical_sha256, content_sha256 }: { readonly canonical_sha256: string; readonly content_sha256: string }
  ) => content_sha256 === exact || canonical_sha256 === same
}
