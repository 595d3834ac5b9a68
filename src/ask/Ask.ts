/**
 * One answer: a search, the texts behind its hits, and what they say. Without a language model, or where it is late or says
 * nothing that is borne, the answer is quoted sentences; with one it is its sentences as far as they are borne by what
 * they cite. It abstains as the search does. Stored text reaches a model as fenced data only, and nothing it says
 * changes which of these ways is taken.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../kernel/Identity.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import { ClaimCache } from "../memory/claims/ClaimCache.ts"
import { LanguageModel } from "../platform/LanguageModel.ts"
import { Search } from "../retrieval/Search.ts"
import type { SearchHit, SearchResult } from "../retrieval/Search.ts"
import { placeKey } from "../retrieval/SearchModel.ts"
import type { SearchFilter } from "../retrieval/SearchModel.ts"
import { AskOptions } from "./AskOptions.ts"
import { promptFor } from "./AskPrompt.ts"
import { consistencyOf, unseenOf } from "./Consistency.ts"
import type { Consistency } from "./Consistency.ts"
import type { Evidence, Quote } from "./EvidenceModel.ts"
import { EvidenceStore } from "./EvidenceStore.ts"
import { quotesOf, scored } from "./Extract.ts"
import type { Scored } from "./Extract.ts"
import { premiseFound } from "./Premise.ts"
import type { Found } from "./Premise.ts"
import { questionOf } from "./Questions.ts"
import { shownOf, synthesized } from "./Synthesis.ts"

export interface AskRequest {
  readonly scope: Scope
  readonly filter: SearchFilter
  readonly question: string
  /** How many memories are looked at. */
  readonly limit: number
  readonly tagsSoft: ReadonlyArray<string>
  readonly tagsDemoted: ReadonlyArray<string>
  /** The longest answer, in UTF-16 units. */
  readonly maxChars: number
  /** Whether a language model may write the answer. */
  readonly mayWrite: boolean
  readonly excerptLength: number
}

type Verdict = SearchResult["verdict"]

export interface AskResult {
  /** Empty when there is none. */
  readonly answer: string
  readonly source: "extractive" | "synthesis" | "none"
  readonly verdict: Verdict
  readonly hits: ReadonlyArray<SearchHit>
  /** What the answer rests on, in the order of its citations or lines. */
  readonly quotes: ReadonlyArray<Quote>
  /** Sentences of the answer, and sentences of a model that were not borne by what they cite. */
  readonly kept: number
  readonly dropped: number
  readonly model: string | null
  readonly premise: Found | null
  readonly consistency: Consistency | null
  /** Replaced memories that would have been among the hits; null when that was not counted. */
  readonly superseded: number | null
  readonly degraded: ReadonlyArray<string>
}

export class Ask extends Context.Tag("loom/ask/Ask")<Ask, {
  /** `Unavailable` when nothing can be searched or read; `Overloaded` when too many searches wait. */
  readonly answer: (request: AskRequest) => Effect.Effect<AskResult, StoreError | Overloaded>
}>() {}

/** What a degraded list says when the model that is configured did not answer. */
export const MODEL_UNAVAILABLE = "language_model_unavailable"

/** The answer where nothing may be told. */
export const silent = (verdict: Verdict): AskResult => ({
  answer: "",
  source: "none",
  verdict,
  hits: [],
  quotes: [],
  kept: 0,
  dropped: 0,
  model: null,
  premise: null,
  consistency: null,
  superseded: 0,
  degraded: []
})

type Needs = Search | EvidenceStore | LanguageModel | AskOptions

// Some megabytes at the most; the same memories are met again by the next question about them.
const CLAIMS_KEPT = 2_000

export const make: Effect.Effect<Ask["Type"], never, Needs> = Effect.gen(function*() {
  const search = yield* Search
  const store = yield* EvidenceStore
  const model = yield* LanguageModel
  const options = yield* AskOptions
  const claims = new ClaimCache(CLAIMS_KEPT)

  const answer = Effect.fn("Ask.answer")(function*(request: AskRequest) {
    const filter = { ...request.filter, unverifiedExternal: !options.excludeUnverifiedExternal }
    const { scope } = request
    const found = yield* search.find({
      scope,
      filter,
      text: request.question,
      limit: request.limit,
      legs: [],
      tagsSoft: request.tagsSoft,
      tagsDemoted: request.tagsDemoted,
      collapse: true,
      excerptLength: request.excerptLength
    })
    const base: AskResult = {
      ...silent(found.verdict),
      hits: found.hits,
      superseded: found.suppressed?.superseded ?? null,
      degraded: found.degraded
    }
    if (found.verdict.abstain !== null) return base

    const enough = found.hits.filter(({ belowThreshold }) => !belowThreshold)
    const texts = yield* store.texts(
      scope,
      filter,
      enough.map(({ candidate, passage }) => ({ place: candidate.head, passage }))
    )
    const evidence = enough.flatMap(({ candidate: { head }, relevance }): ReadonlyArray<Evidence> => {
      const text = texts.get(placeKey(head))
      return text === undefined ? [] : [{ ...text, head, relevance }]
    })
    const ranked = scored(questionOf(request.question), evidence)
    if (ranked.length === 0) return { ...base, verdict: gone(found.verdict) }

    const premise = premiseFound(request.question, evidence, claims)
    const isContradicted = premise?.relation === "contradicted"
    // A model asked why something is that is not tends to explain it: what is stored is quoted instead.
    const wrote = request.mayWrite && model.model !== null && !isContradicted
      ? yield* written(request, ranked)
      : nothingWritten
    const first = premise !== null && isContradicted ? [premise.sentence] : []
    const quotes = wrote.quotes.length > 0 ? wrote.quotes : quotesOf(ranked, evidence, request.maxChars, first)
    const unseen = yield* store.keys(scope, filter, unseenOf(quotes, evidence))
    return {
      ...base,
      answer: wrote.quotes.length > 0 ? wrote.answer : quotes.map(({ text }) => text).join("\n"),
      source: wrote.quotes.length > 0 ? "synthesis" as const : "extractive" as const,
      quotes,
      kept: wrote.quotes.length > 0 ? wrote.kept : quotes.length,
      dropped: wrote.dropped,
      model: wrote.model,
      premise,
      consistency: consistencyOf(quotes, evidence, unseen),
      degraded: [...found.degraded, ...wrote.failed ? [MODEL_UNAVAILABLE] : []]
    }
  })

  /** What a model makes of the evidence; nothing when it fails. */
  const written = (request: AskRequest, ranked: ReadonlyArray<Scored>) => {
    const shown = shownOf(ranked)
    return model.generate(promptFor(request.scope, request.question, shown.map(({ record }) => record))).pipe(
      Effect.map((reply) => ({
        ...synthesized(request.question, shown, reply.text, request.maxChars, claims),
        model: reply.model,
        failed: false
      })),
      // The port has logged why.
      Effect.catchAll(() => Effect.succeed({ ...nothingWritten, failed: true }))
    )
  }

  return { answer }
})

const nothingWritten = {
  answer: "",
  quotes: [] as ReadonlyArray<Quote>,
  kept: 0,
  dropped: 0,
  model: null as string | null,
  failed: false
}

/** Everything that was found has been deleted or changed since. */
const gone = ({ confidence }: Verdict): Verdict => ({
  confidence,
  abstain: { code: "NO_MATCH", reason: "What was found is there no more." }
})

export const layer: Layer.Layer<Ask, never, Needs> = Layer.effect(Ask, make)
