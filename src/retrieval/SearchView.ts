/** How a hit and a leg look on the wire. */
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"
import { isVerified } from "../memory/MemoryModel.ts"
import type { LegTrace, SearchHit } from "./Search.ts"
import type { LegTraceView, SearchHitView } from "./SearchVerbs.ts"

export interface ViewOptions {
  readonly explain: boolean
  /** Whether a budget has no room for the excerpt. */
  readonly isElided: boolean
  /** Whether the caller may be told of the memory of this id. */
  readonly visible: (memory_id: string) => boolean
}

/** Whether a caller may be told of a memory that another one names: a bound token of those among the hits alone. */
export const visibleTo = (caller: Caller, hits: ReadonlyArray<SearchHit>): ViewOptions["visible"] => {
  const ids = new Set(hits.map(({ candidate }) => candidate.head.memory_id))
  return (memory_id) => memory_id !== "" && (caller.boundUser === null || ids.has(memory_id))
}

/** A hit as it looks on the wire. */
export const viewOf = (scope: Scope, hit: SearchHit, { explain, isElided, visible }: ViewOptions): SearchHitView => {
  const { head } = hit.candidate
  return {
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    namespace: scope.namespace,
    agent: head.agent,
    user_id: head.user_id,
    session_id: head.session_id,
    memory_type: head.memory_type,
    content_excerpt: isElided ? "" : hit.excerpt,
    excerpt_parts: isElided ? [] : hit.excerptParts,
    body_truncated: isElided || sha256(hit.excerpt) !== head.content_sha256,
    body_elided: isElided,
    similarity: hit.similarity,
    distance: hit.similarity === null ? null : rounded(1 - hit.similarity),
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
    version: Number(head.version),
    version_text: head.version.toString(),
    content_sha256: head.content_sha256,
    created_at: timeOf(head.created_at),
    updated_at: timeOf(head.updated_at),
    valid_at: timeOrNull(head.valid_at),
    temporal_anchor: timeOrNull(head.temporal_anchor),
    temporal_confidence: head.temporal_confidence,
    superseded_by: visible(head.superseded_by) ? head.superseded_by : null,
    superseded_at: head.status === "superseded" ? timeOrNull(head.invalid_at) : null,
    duplicate_of: visible(head.duplicate_of) ? head.duplicate_of : null,
    reinforcement_count: head.reinforcement_count,
    source_class: head.source_class,
    source_resource_id: head.source_resource_id === "" ? null : head.source_resource_id,
    verified: isVerified(head),
    confidence: head.confidence,
    parent_memory_key: hit.passage === null ? null : head.memory_key,
    chunk_index: hit.passage?.chunk_index ?? null,
    chunk_start: hit.passage?.start ?? null,
    chunk_end: hit.passage?.end ?? null
  }
}

const timeOf = (millis: number): string => new Date(millis).toISOString()
const timeOrNull = (millis: number | null): string | null => millis === null ? null : timeOf(millis)
// What a single-precision cosine carries.
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6

export const legView = (scope: Scope, { failed, hits, name }: LegTrace): typeof LegTraceView.Type => ({
  namespace: scope.namespace,
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
