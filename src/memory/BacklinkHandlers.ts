/**
 * The handler of `memory.backlinks`: the links of one memory in both directions, and what was made from it. A link to a row
 * that the caller may not read is a count and nothing else.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { IndexLag, withLag } from "../kernel/IndexLag.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { BacklinkStore } from "./BacklinkStore.ts"
import type { NamingRow } from "./BacklinkStore.ts"
import { MemoryBacklinks } from "./BacklinkVerbs.ts"
import type { Link, Relation } from "./BacklinkVerbs.ts"
import { BeliefSources } from "./BeliefSources.ts"
import type { BeliefSource } from "./BeliefSources.ts"
import { mayRead } from "./Lineage.ts"
import { lookup } from "./MemoryLookup.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { MemoryReview } from "./MemoryReview.ts"

// As many links as one answer can usefully show.
const MOST = 200
// Rows looked up at once, as the engine runs them side by side.
const LOOKUPS = 8

const none = {
  found: false,
  memory_id: null,
  memory_key: null,
  links_in: [],
  links_out: [],
  digests: [],
  evidence_count: 0,
  hidden: 0,
  truncated: false,
  degraded: []
} as const

type Linked = Pick<MemoryRow, "memory_id" | "memory_key" | "agent" | "user_id" | "status">

const linkOf = (relation: Relation, namespace: string, row: Linked): Link => ({
  relation,
  namespace,
  memory_id: row.memory_id,
  memory_key: row.memory_key,
  agent: row.agent,
  user_id: row.user_id,
  status: row.status
})

const relationsOf = (row: NamingRow, id: string): ReadonlyArray<Relation> => [
  ...(row.contradicts ? ["conflict" as const] : []),
  ...(row.duplicate_of === id ? ["duplicate_of" as const] : []),
  ...(row.superseded_by === id ? ["superseded_by" as const] : [])
]

const isMade = ({ support_type }: BeliefSource): boolean => support_type !== "extracted_from"

type Needs = BacklinkStore | BeliefSources | MemoryReader | MemoryReview

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const store = yield* BacklinkStore
  const beliefs = yield* BeliefSources
  const reader = yield* MemoryReader
  const review = yield* MemoryReview
  const lag = yield* IndexLag

  /** The memory at the other end of a source, where the caller may read it and it is there. */
  const other = (caller: Caller, row: MemoryRow, source: BeliefSource, direction: "in" | "out") =>
    Effect.gen(function*() {
      const namespace = direction === "in" ? source.namespace : source.source_namespace
      const user = direction === "in" ? source.user_id : source.source_user_id
      if (!mayRead(caller, namespace, user)) return "hidden" as const
      const at = { org: row.org, namespace }
      const [found] = direction === "in"
        ? (yield* reader.byKey(at, source.memory_key, source)).filter((one) =>
          one.content_sha256 === source.content_sha256
        )
        : yield* reader.byId(at, source.source_memory_id, { agent: null, user_id: caller.boundUser, session_id: null })
      return found === undefined || found.status === "void"
        ? "gone" as const
        : linkOf(source.support_type === "promoted_from" ? "promoted_from" : "derived_from", namespace, found)
    })

  const backlinks = (request: Payload<typeof MemoryBacklinks>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const row = yield* lookup(reader, scope, caller, request, yield* Clock.currentTimeMillis)
      if (row === undefined) return none
      const named = [
        ...row.conflict_with.map((id) => ["conflict", id] as const),
        ...(row.duplicate_of === "" ? [] : [["duplicate_of", row.duplicate_of] as const]),
        ...(row.superseded_by === "" ? [] : [["superseded_by", row.superseded_by] as const])
      ]
      const [naming, outgoing, resting, sources, digests] = yield* Effect.all([
        store.naming(scope, caller.boundUser, row.memory_id, MOST + 1),
        named.length === 0
          ? Effect.succeed([])
          : review.named(scope, caller.boundUser, { ids: [...new Set(named.map(([, id]) => id))], keys: [] }),
        beliefs.restingOn(scope.org, scope.namespace, row.memory_id),
        beliefs.of(row),
        store.digests(scope, row, MOST)
      ], { concurrency: LOOKUPS })
      const own = sources.filter(({ content_sha256 }) => content_sha256 === row.content_sha256)
      const [made, makers] = yield* Effect.all([
        Effect.forEach(resting.filter(isMade).slice(0, MOST), (source) => other(caller, row, source, "in"), {
          concurrency: LOOKUPS
        }),
        Effect.forEach(own.filter(isMade).slice(0, MOST), (source) => other(caller, row, source, "out"), {
          concurrency: LOOKUPS
        })
      ])
      const readable = new Map(outgoing.map((one) => [one.memory_id, one]))
      const direct = named.map(([relation, id]) => {
        const found = readable.get(id)
        return found === undefined ? "hidden" as const : linkOf(relation, scope.namespace, found)
      })
      const links = (found: ReadonlyArray<Link | "hidden" | "gone">): ReadonlyArray<Link> =>
        found.flatMap((one) => typeof one === "string" ? [] : [one])
      return {
        found: true,
        memory_id: row.memory_id,
        memory_key: row.memory_key,
        links_in: [
          ...naming.slice(0, MOST).flatMap((one) =>
            relationsOf(one, row.memory_id).map((relation) => linkOf(relation, scope.namespace, one))
          ),
          ...links(made)
        ],
        links_out: [...links(direct), ...links(makers)],
        digests: digests.map(({ content_sha256, created_at, ...digest }) => ({
          ...digest,
          created_at: new Date(created_at).toISOString(),
          current: content_sha256 === row.content_sha256
        })),
        evidence_count: new Set(own.filter((source) => !isMade(source)).map((one) => one.source_memory_id)).size,
        hidden: [...direct, ...made, ...makers].filter((one) => one === "hidden").length,
        truncated: naming.length > MOST || resting.filter(isMade).length > MOST,
        degraded: yield* withLag(lag, scope, [])
      }
    })

  return [bind(MemoryBacklinks, backlinks)]
})
