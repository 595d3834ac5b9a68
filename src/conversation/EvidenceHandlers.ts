/**
 * The handler of `memory.evidence`: from a memory that the caller may read to the turns that its present content rests on.
 * A turn that he may not read is a count and nothing else; so is one that was deleted.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { opensNamespace, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { BeliefSources } from "../memory/BeliefSources.ts"
import type { BeliefSource } from "../memory/BeliefSources.ts"
import { lookup } from "../memory/MemoryLookup.ts"
import { MemoryReader } from "../memory/MemoryReader.ts"
import { turnView } from "./ConversationFields.ts"
import { MemoryEvidence } from "./EvidenceVerbs.ts"
import type { Turn } from "./TurnModel.ts"
import { anyTurn, placeOf, TurnStore } from "./TurnStore.ts"

// A fact rests on a turn or a few; one that was said again in a hundred sessions is shown by so many of them.
const MOST_SHOWN = 50
// Neighbours are read a turn at a time, as the engine runs some statements side by side.
const LOOKUPS = 8
// Characters of a turn that are shown; conversation.get reads the whole of a longer one.
const SHOWN_CHARACTERS = 4_000

const none = {
  found: false,
  memory_id: null,
  memory_key: null,
  content_sha256: null,
  turns: [],
  evidence_count: 0,
  hidden: 0,
  gone: 0,
  of_earlier: 0,
  truncated: false,
  degraded: []
} as const

const mayRead = (caller: Caller, { source_namespace, source_user_id }: BeliefSource): boolean =>
  opensNamespace(caller, source_namespace) && (caller.boundUser === null || caller.boundUser === source_user_id)

const oncePerTurn = (sources: ReadonlyArray<BeliefSource>): ReadonlyArray<BeliefSource> => [
  ...new Map(sources.map((source) => [`${source.source_namespace}\u0000${source.source_memory_id}`, source])).values()
]

const inOrder = (left: Turn, right: Turn): number =>
  left.session_id === right.session_id
    ? left.position < right.position ? -1 : left.position > right.position ? 1 : 0
    : left.session_id < right.session_id
    ? -1
    : 1

type Needs = TurnStore | BeliefSources | MemoryReader

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const store = yield* TurnStore
  const beliefs = yield* BeliefSources
  const reader = yield* MemoryReader

  /** The turns that stand beside one in its session, on either side. */
  const beside = (turn: Turn, context: number): Effect.Effect<ReadonlyArray<Turn>, StoreError> => {
    const filter = { ...anyTurn, agent: turn.agent, user_id: turn.user_id, session_ids: [turn.session_id] }
    const page = (backwards: boolean) =>
      store.page(turn, filter, { by: "session", backwards, after: placeOf(turn), limit: context })
    return context === 0
      ? Effect.succeed([])
      : Effect.map(Effect.all([page(true), page(false)]), ([before, after]) => [...before, ...after])
  }

  const evidence = (request: Payload<typeof MemoryEvidence>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const row = yield* lookup(reader, scope, caller, request, yield* Clock.currentTimeMillis)
      if (row === undefined) return none
      const sources = (yield* beliefs.of(row)).filter(({ support_type }) => support_type === "extracted_from")
      const own = oncePerTurn(sources.filter(({ content_sha256 }) => content_sha256 === row.content_sha256))
      const readable = own.filter((source) => mayRead(caller, source))
      const namespaces = [...new Set(readable.map(({ source_namespace }) => source_namespace))]
      const found = (yield* Effect.forEach(namespaces, (namespace) =>
        store.byIds(
          { org: scope.org, namespace },
          caller.boundUser,
          readable.filter((source) => source.source_namespace === namespace)
            .map(({ source_memory_id }) => source_memory_id)
        ))).flat().sort(inOrder)
      const shown = found.slice(0, MOST_SHOWN)
      const neighbours = (yield* Effect.forEach(shown, (turn) => beside(turn, request.context ?? 0), {
        concurrency: LOOKUPS
      })).flat()
      const isEvidence = new Set(found.map(({ turn_id }) => turn_id))
      const all = new Map([...neighbours, ...shown].map((turn) => [turn.turn_id, turn]))
      const earlier = oncePerTurn(sources.filter(({ content_sha256 }) => content_sha256 !== row.content_sha256))
      const now = new Set(own.map(({ source_memory_id }) => source_memory_id))
      return {
        found: true,
        memory_id: row.memory_id,
        memory_key: row.memory_key,
        content_sha256: row.content_sha256,
        turns: [...all.values()].sort(inOrder).map((turn) => ({
          ...turnView(turn, { reveal: false, maxChars: SHOWN_CHARACTERS }),
          is_evidence: isEvidence.has(turn.turn_id)
        })),
        evidence_count: own.length,
        hidden: own.length - readable.length,
        gone: readable.length - found.length,
        of_earlier: earlier.filter(({ source_memory_id }) => !now.has(source_memory_id)).length,
        truncated: found.length > shown.length,
        degraded: []
      }
    })

  return [bind(MemoryEvidence, evidence)]
})
