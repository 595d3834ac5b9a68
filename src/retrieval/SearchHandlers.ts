/**
 * The handlers of `memory.search` and `memory.search_trace`: who may read what, the filter that follows, and how a hit looks on the wire. A caller
 * bound to one user who asks for another gets the empty answer of a question without matches.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Overloaded, StoreError } from "../kernel/LoomError.ts"
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { isNaive, parseTime } from "../kernel/Time.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { asOfOf, unheeded } from "../memory/AsOfFields.ts"
import type { AsOf } from "../memory/AsOfFields.ts"
import type { Instant } from "../memory/InstantModel.ts"
import { isVerified, servedIn } from "../memory/MemoryModel.ts"
import { isBlank } from "../platform/Analyzer.ts"
import * as Gate from "./Gate.ts"
import { Search } from "./Search.ts"
import type { LegTrace, SearchHit, SearchRequest, SearchResult, SearchTrace } from "./Search.ts"
import type { SearchFilter } from "./SearchModel.ts"
import { MemorySearch, MemorySearchTrace } from "./SearchVerbs.ts"
import type { LegTraceView, SearchHitView } from "./SearchVerbs.ts"
import * as Suppressed from "./Suppressed.ts"

type Request = Payload<typeof MemorySearch>

const DEFAULT_TOP_K = 10
// Two or three sentences, or one spoken turn.
const DEFAULT_EXCERPT = 400

const INCLUDES = ["include_duplicates", "include_superseded", "include_proposed"] as const

const NOTHING_FOUND = "Nothing matched: ask with other words or fewer filters, or page through memory.list."

/** The answer to a caller who may read nothing of what is asked: that of a question without matches. */
const nothingFound: SearchTrace = {
  hits: [],
  candidates: 0,
  degraded: [],
  embedderId: null,
  verdict: Gate.judge(0, [], []),
  suppressed: Suppressed.none,
  terms: [],
  legs: []
}

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Search> = Effect.map(Search, (search) => {
  /** Runs a search as the caller may, and tells what both verbs tell. */
  const asked = <Found extends SearchResult>(
    request: Request,
    caller: Caller,
    nothing: Found,
    run: (request: SearchRequest) => Effect.Effect<Found, StoreError | Overloaded>
  ) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      if (isBlank(request.query)) {
        return yield* refuse("INVALID_ARGUMENT", "`query` is blank: it asks for nothing", { field: "query" })
      }
      if (request.agent !== undefined && request.agent_id !== undefined && request.agent !== request.agent_id) {
        return yield* refuse("INVALID_ARGUMENT", "`agent` and `agent_id` name two agents", { field: "agent_id" })
      }
      const now = yield* Clock.currentTimeMillis
      const asOf = yield* asOfOf(request, now)
      const { none, user } = readableUser(caller, request.user_id)
      const found = none ? nothing : yield* run({
        scope,
        filter: filterOf(request, user, asOf?.instant, now),
        text: request.query,
        limit: request.top_k ?? DEFAULT_TOP_K,
        legs: request.legs ?? [],
        tagsSoft: request.tags_soft ?? [],
        tagsDemoted: request.demote_tags ?? [],
        // Who asks for duplicates wants each of them.
        collapse: request.include_duplicates !== true,
        excerptLength: request.max_excerpt_chars ?? DEFAULT_EXCERPT
      })
      return { scope, found, said: saidOf(request, asOf), counted: asOf === null }
    })

  const answerOf = (
    { counted, found, said, scope }: Effect.Effect.Success<ReturnType<typeof asked<SearchResult>>>,
    explain: boolean
  ) => ({
    results: found.hits.map((hit) => viewOf(scope, hit, explain)),
    abstain: found.verdict.abstain !== null,
    abstain_code: found.verdict.abstain?.code ?? null,
    abstain_reason: found.verdict.abstain?.reason ?? null,
    retrieval_confidence: found.verdict.confidence,
    suppressed: counted ? found.suppressed : null,
    candidates_total: found.candidates,
    degraded: found.degraded,
    embedding_model: found.embedderId,
    ...said,
    next: found.hits.length === 0 ? NOTHING_FOUND : null
  })

  return [
    bind(
      MemorySearch,
      (request, caller) =>
        Effect.map(
          asked<SearchResult>(request, caller, nothingFound, search.find),
          (told) => answerOf(told, request.explain ?? false)
        )
    ),
    bind(
      MemorySearchTrace,
      (request, caller) =>
        Effect.map(asked(request, caller, nothingFound, search.trace), (told) => ({
          ...answerOf(told, true),
          terms: told.found.terms,
          legs: told.found.legs.map(legView)
        }))
    )
  ]
})

/** What the answer says of the instant asked about and of times that named no offset. */
export const saidOf = (request: Request, asOf: AsOf | null) => {
  const heeded = unheeded(asOf, request, INCLUDES).advisories ?? asOf?.said.advisories ?? []
  const naive = (["created_after", "created_before"] as const)
    .filter((field) => isNaive(request[field] ?? ""))
    .map((field) => `${field} named no offset and was read as UTC`)
  const advisories = [...heeded, ...naive]
  return { ...asOf?.said, ...(advisories.length === 0 ? {} : { advisories }) }
}

const millisOf = (text: string | undefined): number | null => {
  const parsed = text === undefined ? null : parseTime(text)
  return parsed === null || typeof parsed === "string" ? null : parsed.millis
}

/** Which rows may answer a request. */
export const filterOf = (
  request: Request,
  user: string | null,
  asOf: Instant | undefined,
  now: number
): SearchFilter => ({
  agent: request.agent ?? request.agent_id ?? null,
  user_id: user,
  session_ids: [...request.session_ids ?? [], ...request.session_id === undefined ? [] : [request.session_id]],
  run_id: request.run_id ?? null,
  memory_type: request.memory_type ?? null,
  tags: request.tags ?? [],
  tags_every: request.tags_every ?? [],
  tags_none: request.tags_none ?? [],
  entities: (request.entity_filter ?? []).map(canonicalEntity),
  exclude_keys: request.exclude_keys ?? [],
  statuses: [
    ...servedIn(request.run_id),
    ...request.include_duplicates === true ? ["duplicate" as const] : [],
    ...request.include_superseded === true ? ["superseded" as const] : [],
    ...request.include_proposed === true ? ["proposed" as const] : []
  ],
  created_after: millisOf(request.created_after),
  created_before: millisOf(request.created_before),
  confidence_gte: request.confidence_gte ?? null,
  now,
  asOf
})

/** A hit as it looks on the wire. */
export const viewOf = (scope: Scope, hit: SearchHit, explain: boolean): SearchHitView => {
  const { head } = hit.candidate
  return {
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    namespace: scope.namespace,
    agent: head.agent,
    user_id: head.user_id,
    session_id: head.session_id,
    memory_type: head.memory_type,
    content_excerpt: hit.excerpt,
    similarity: hit.similarity,
    score: hit.score,
    rank_score: hit.score,
    relevance: hit.relevance,
    below_threshold: hit.belowThreshold,
    siblings_folded: hit.siblings,
    ...explain ? { score_components: hit.components } : {},
    tags: head.tags,
    entities: head.entities,
    status: head.status,
    pinned: head.pinned,
    version_text: head.version.toString(),
    content_sha256: head.content_sha256,
    created_at: new Date(head.created_at).toISOString(),
    valid_at: head.valid_at === null ? null : new Date(head.valid_at).toISOString(),
    source_class: head.source_class,
    verified: isVerified(head),
    confidence: head.confidence,
    parent_memory_key: hit.passage === null ? null : head.memory_key,
    chunk_index: hit.passage?.chunk_index ?? null,
    chunk_start: hit.passage?.start ?? null,
    chunk_end: hit.passage?.end ?? null
  }
}

const legView = ({ failed, hits, name }: LegTrace): typeof LegTraceView.Type => ({
  leg: name,
  failed,
  hits: hits.map(({ digest, head, passage, score }) => ({
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    agent: head.agent,
    user_id: head.user_id,
    session_id: head.session_id,
    score,
    chunk_index: passage?.chunk_index ?? null,
    via_path: digest === undefined ? [] : [digest]
  }))
})
