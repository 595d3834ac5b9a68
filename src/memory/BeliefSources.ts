/**
 * What memories rest on: a row for each source of one content of one memory, recorded before the memory itself. A source
 * whose memory never came is read by nobody. The source may lie in another namespace of the org; whoever reads looks
 * first whether the caller may know of it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { identityKey } from "../kernel/Identity.ts"
import type { Identity, Scope } from "../kernel/Identity.ts"
import { canonical, sha256 } from "../kernel/Json.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"

/** `extracted_from`: the source is a conversation turn, its id in `source_memory_id` and its session beside it. */
export const SupportType = Schema.Literal("derived_from", "promoted_from", "extracted_from")
export type SupportType = typeof SupportType.Type

export const BeliefSource = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  /** The content that is supported. */
  content_sha256: Schema.String,
  source_org: Schema.String,
  source_namespace: Schema.String,
  source_agent: Schema.String,
  source_user_id: Schema.String,
  source_session_id: Schema.String,
  source_memory_key: Schema.String,
  source_memory_id: Schema.String,
  source_content_sha256: Schema.String,
  support_type: SupportType,
  lineage_id: Schema.String,
  rationale: Schema.String,
  approver: Schema.String,
  promoted_from_candidate_id: Schema.String,
  /** Milliseconds; null when not said. */
  reversible_until: Schema.NullOr(Schema.Number),
  actor: Schema.String,
  /** Milliseconds. */
  at: Schema.Number,
  write_id: Schema.String,
  version: Schema.BigIntFromSelf,
  epoch: Schema.BigIntFromSelf,
  seq: Schema.BigIntFromSelf
})
export type BeliefSource = typeof BeliefSource.Type

/** The same for the same content from the same source, whenever it is recorded. */
export const lineageId = (source: Omit<BeliefSource, "lineage_id">): string =>
  `lin_${
    sha256(canonical([
      source.org,
      source.namespace,
      identityKey(source),
      source.content_sha256,
      source.source_namespace,
      source.source_memory_id,
      source.support_type
    ])).slice(0, 32)
  }`

/** What supports a content: a memory with what it says, or a turn of a conversation by its id, without a key. */
export interface Supporting extends Identity {
  readonly memory_id: string
  readonly content_sha256: string
}

interface Recorded {
  readonly support_type: SupportType
  readonly actor: string
  readonly write_id: string
  /** Milliseconds. */
  readonly at: number
}

type Said = Pick<BeliefSource, "rationale" | "approver" | "promoted_from_candidate_id" | "reversible_until">

/** The record that a content rests on a source. */
export const beliefSource = (
  supported: Identity & { readonly content_sha256: string },
  source: Supporting,
  { actor, at, support_type, write_id }: Recorded,
  said: Partial<Said> = {}
): BeliefSource => {
  const { agent, content_sha256, memory_key, namespace, org, session_id, user_id } = supported
  const link = {
    org,
    namespace,
    agent,
    user_id,
    session_id,
    memory_key,
    content_sha256,
    source_org: source.org,
    source_namespace: source.namespace,
    source_agent: source.agent,
    source_user_id: source.user_id,
    source_session_id: source.session_id,
    source_memory_key: source.memory_key,
    source_memory_id: source.memory_id,
    source_content_sha256: source.content_sha256,
    support_type,
    rationale: "",
    approver: "",
    promoted_from_candidate_id: "",
    reversible_until: null,
    ...said,
    actor,
    at,
    write_id,
    version: BigInt(at) * 1_000_000n,
    epoch: 0n,
    seq: 0n
  }
  return { ...link, lineage_id: lineageId(link) }
}

export class BeliefSources extends Context.Tag("loom/memory/BeliefSources")<BeliefSources, {
  readonly record: (sources: ReadonlyArray<BeliefSource>) => Effect.Effect<void, Unavailable>
  /** What a memory rests on, newest first. */
  readonly of: (identity: Identity) => Effect.Effect<ReadonlyArray<BeliefSource>, StoreError>
  /** What rests on a memory, in every namespace of its org, newest first. */
  readonly restingOn: (
    org: string,
    namespace: string,
    memoryId: string
  ) => Effect.Effect<ReadonlyArray<BeliefSource>, StoreError>
  /**
   * The memories of this namespace that were recorded as drawn from any of these turns, each once, by `identityKey`;
   * `bound` is the one user whose memories may be told of, null for every user's.
   */
  readonly drawnFrom: (
    scope: Scope,
    bound: string | null,
    turnIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, StoreError>
  /**
   * What was derived from what within a namespace (`derived_from` alone): all the sources of each content that rests on one
   * of these memories, and of each content of these memories themselves.
   */
  readonly derivations: (
    scope: Scope,
    memories: ReadonlyArray<Identity & { readonly memory_id: string }>
  ) => Effect.Effect<ReadonlyArray<BeliefSource>, StoreError>
}>() {}

const contentOf = (source: BeliefSource): string => `${identityKey(source)}\u0000${source.content_sha256}`

const newestFirst = (left: BeliefSource, right: BeliefSource): number => left.version > right.version ? -1 : 1

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<BeliefSources> = Layer.effect(
  BeliefSources,
  Effect.map(Ref.make(new Map<string, BeliefSource>()), (ref) => {
    const found = (condition: (source: BeliefSource) => boolean) =>
      Effect.map(Ref.get(ref), (all) => [...all.values()].filter(condition).sort(newestFirst))
    return {
      record: (sources) =>
        Ref.update(ref, (all) => {
          const next = new Map(all)
          for (const source of sources) {
            const known = next.get(source.lineage_id)
            if (known === undefined || known.version <= source.version) next.set(source.lineage_id, source)
          }
          return next
        }),
      of: (identity) =>
        found((source) =>
          source.org === identity.org && source.namespace === identity.namespace &&
          identityKey(source) === identityKey(identity)
        ),
      restingOn: (org, namespace, memoryId) =>
        found((source) =>
          source.org === org && source.source_namespace === namespace && source.source_memory_id === memoryId
        ),
      drawnFrom: (scope, bound, turnIds) =>
        Effect.map(
          found((source) =>
            source.support_type === "extracted_from" && source.org === scope.org &&
            source.namespace === scope.namespace && source.source_namespace === scope.namespace &&
            (bound === null || source.user_id === bound) && turnIds.includes(source.source_memory_id)
          ),
          (sources) => [...new Set(sources.map(identityKey))]
        ),
      derivations: (scope, memories) =>
        Effect.map(
          found((source) =>
            source.org === scope.org && source.namespace === scope.namespace &&
            source.source_namespace === scope.namespace && source.support_type === "derived_from"
          ),
          (all) => {
            const ids = new Set(memories.map(({ memory_id }) => memory_id))
            const places = new Set(memories.map(identityKey))
            const resting = new Set(all.filter(({ source_memory_id }) => ids.has(source_memory_id)).map(contentOf))
            return all.filter((source) => places.has(identityKey(source)) || resting.has(contentOf(source)))
          }
        )
    }
  })
)
