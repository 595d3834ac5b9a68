/**
 * The handler of `memory.ask`: who may ask what, and how the answer looks on the wire. A caller bound to one user who asks
 * for another gets the answer of a memory that does not know.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { bind } from "../kernel/Verb.ts"
import type { Answer, BoundVerb, Payload } from "../kernel/Verb.ts"
import { asOfOf } from "../memory/AsOfFields.ts"
import { isVerified } from "../memory/MemoryModel.ts"
import { filterOf, isAsking, saidOf } from "../retrieval/SearchRequests.ts"
import { viewOf, visibleTo } from "../retrieval/SearchView.ts"
import { Ask, silent } from "./Ask.ts"
import type { AskResult } from "./Ask.ts"
import { MemoryAsk } from "./AskVerbs.ts"
import type { CitationView, PremiseVerdictView } from "./AskVerbs.ts"
import type { Quote } from "./EvidenceModel.ts"
import type { Found } from "./Premise.ts"
import { speakerOf } from "./Sentences.ts"

const DEFAULT_TOP_K = 10
// A short paragraph: three spoken turns.
const DEFAULT_ANSWER = 800
// Two or three sentences, or one spoken turn.
const EXCERPT = 400

const UNKNOWN =
  "The memory does not know: say so. memory.search with other words, or memory.list, shows what is stored."

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Ask> = Effect.map(Ask, (ask) => {
  const handler = (request: Payload<typeof MemoryAsk>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      yield* isAsking(request)
      const now = yield* Clock.currentTimeMillis
      const asOf = yield* asOfOf(request, now)
      const { none, user } = readableUser(caller, request.user_id)
      const result = none ? silent(NOTHING_READABLE) : yield* ask.answer({
        scope,
        filter: filterOf(request, user, asOf?.instant, now),
        question: request.query,
        limit: request.top_k ?? DEFAULT_TOP_K,
        tagsSoft: request.tags_soft ?? [],
        tagsDemoted: request.demote_tags ?? [],
        maxChars: request.max_answer_chars ?? DEFAULT_ANSWER,
        mayWrite: request.allow_synthesis ?? true,
        excerptLength: EXCERPT
      })
      return { ...answerOf(scope, result, caller), ...saidOf(request, asOf) }
    })
  return [bind(MemoryAsk, handler)]
})

// The words of a search without matches: what may not be read is not told apart from what is not there.
const NOTHING_READABLE: AskResult["verdict"] = {
  confidence: 0,
  abstain: { code: "NO_MATCH", reason: "No memory that may be found matches the question." }
}

const answerOf = (scope: Scope, result: AskResult, caller: Caller): Answer<typeof MemoryAsk> => {
  const shown = { explain: false, isElided: false, visible: visibleTo(caller, result.hits) }
  const { consistency, premise, verdict } = result
  const isContradicted = premise?.relation === "contradicted"
  return {
    answer: result.answer,
    source: result.source,
    abstain: verdict.abstain !== null,
    abstain_code: verdict.abstain?.code ?? null,
    abstain_reason: verdict.abstain?.reason ?? null,
    retrieval_confidence: verdict.confidence,
    memory_keys: [...new Set(result.quotes.map(({ evidence }) => evidence.head.memory_key))],
    citations: result.quotes.map((quote, at) => citationOf(scope, quote, at + 1)),
    results: result.hits.map((hit) => viewOf(scope, hit, shown)),
    synth_model: result.model,
    gate_kept: result.kept,
    gate_dropped: result.dropped,
    superseded_dropped: result.superseded,
    premise_conflict: isContradicted,
    premise_note: isContradicted ? noteOf(premise) : null,
    premise_verdict: premise === null ? null : premiseOf(premise),
    consistency: consistency?.state ?? null,
    consistency_score: consistency?.score ?? null,
    consistency_note: consistency?.note ?? null,
    degraded: result.degraded,
    next: verdict.abstain === null ? null : UNKNOWN
  }
}

const noteOf = ({ sentence, statement }: Found): string =>
  `The question takes for granted that "${statement}"; memory \`${sentence.evidence.head.memory_key}\` says: "${sentence.text}"`

const premiseOf = ({ relation, rule, sentence, statement }: Found): typeof PremiseVerdictView.Type => ({
  verdict: relation,
  premise: statement,
  memory_key: sentence.evidence.head.memory_key,
  memory_id: sentence.evidence.head.memory_id,
  quote: sentence.text,
  rule
})

/** ISO text; an undated row carries the first instant of 1970. */
const dated = (millis: number | null): string | null =>
  millis === null || millis === 0 ? null : new Date(millis).toISOString()

const citationOf = ({ namespace }: Scope, quote: Quote, citation: number): CitationView => {
  const { head, relevance } = quote.evidence
  return {
    citation,
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    namespace,
    agent: head.agent,
    user_id: head.user_id,
    session_id: head.session_id,
    memory_type: head.memory_type,
    quote: quote.text,
    start: quote.start,
    end: quote.end,
    speaker: speakerOf(quote),
    valid_at: dated(head.valid_at),
    temporal_anchor: dated(head.temporal_anchor),
    created_at: new Date(head.created_at).toISOString(),
    version_text: head.version.toString(),
    content_sha256: head.content_sha256,
    source_class: head.source_class,
    source_resource_id: head.source_resource_id === "" ? null : head.source_resource_id,
    verified: isVerified(head),
    status: head.status,
    relevance
  }
}
