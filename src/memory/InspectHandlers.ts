/**
 * The handler of memory.inspect: one row as the store holds it, with its audit link made again and its links looked up. A
 * high-sensitivity value is withheld, and rows that the caller may not read stay unnamed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { linkHash, linkOf } from "./AuditChain.ts"
import { causeIn } from "./MemoryCause.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import { lookup } from "./MemoryLookup.ts"
import { isServed } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { MemoryReview } from "./MemoryReview.ts"
import { viewOf } from "./MemoryViews.ts"
import { causeView } from "./ProvenanceHandlers.ts"
import { MemoryInspect } from "./ProvenanceVerbs.ts"
import { isLocked } from "./WritePolicy.ts"

// As in provenance: a row with more is counted up to here.
const MAX_VERSIONS = 10_000

const text = (column: string): string | null => column === "" ? null : column
const iso = (millis: number | null): string | null => millis === null ? null : new Date(millis).toISOString()

const missed = {
  found: false,
  memory: null,
  columns: null,
  derived: null,
  links: null,
  lock: null,
  audit: null,
  versions: 0,
  degraded: []
} as const

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, MemoryIntake | MemoryReader | MemoryReview> = Effect
  .gen(function*() {
    const { embedderId } = yield* MemoryIntake
    const reader = yield* MemoryReader
    const review = yield* MemoryReview

    const inspect = (request: Payload<typeof MemoryInspect>, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const now = yield* Clock.currentTimeMillis
        const row = yield* lookup(reader, scope, caller, request, now)
        if (row === undefined) return missed
        const by = causeIn(row.cause)?.memory_id ?? null
        const ids = [...row.conflict_with, row.duplicate_of, row.superseded_by, by ?? ""].filter((id) => id !== "")
        const linked = new Map(
          (yield* review.named(scope, caller.boundUser, { ids, keys: [] })).map((one) => [one.memory_id, one])
        )
        const derived = yield* review.derived(scope, row)
        const logged = yield* review.auditLink(scope, row.version)
        const versions = yield* review.versions(scope, row, MAX_VERSIONS)
        const foreign = new Set(caller.boundUser === null ? [] : ids.filter((id) => !linked.has(id)))
        const hidden = { foreign, high: new Set<string>() }
        const view = viewOf(row, { now, reveal: false, hidden, previewCharacters: null })
        return {
          found: true,
          served: isServed(row, now),
          memory: {
            ...view,
            conflict_with: row.conflict_with.filter((id) => isOpen(linked, caller, id)),
            duplicate_of: isOpen(linked, caller, row.duplicate_of) ? view.duplicate_of : null,
            superseded_by: isOpen(linked, caller, row.superseded_by) ? view.superseded_by : null
          },
          columns: {
            ...columnsOf(row),
            cause: row.cause === "" ? null : causeView(row, by, linked, row.sensitivity === "high")
          },
          derived: {
            has_vector: derived.vectors.some((one) =>
              one.content_sha256 === row.content_sha256 && one.embedder_id === embedderId
            ),
            vectors: derived.vectors.length,
            chunks: derived.chunks.reduce((sum, { count }) => sum + count, 0),
            entities: derived.entities
          },
          links: {
            conflict_with: row.conflict_with.flatMap((id) => linkView(linked, caller, id) ?? []),
            duplicate_of: linkView(linked, caller, row.duplicate_of),
            superseded_by: linkView(linked, caller, row.superseded_by)
          },
          lock: row.lock_mode === "" ? null : {
            mode: row.lock_mode,
            until: iso(row.lock_until),
            reason: row.lock_reason,
            locked_by: row.locked_by,
            in_force: isLocked(row, now)
          },
          audit: {
            position: row.version.toString(),
            hash: row.audit_hash,
            prev_hash: row.audit_prev,
            verifies: linkHash(row.audit_prev, linkOf(row)) === row.audit_hash,
            logged: Option.exists(logged, ({ hash, prev_hash }) =>
              hash === row.audit_hash && prev_hash === row.audit_prev)
          },
          versions: versions.length,
          degraded: []
        }
      })

    return [bind(MemoryInspect, inspect)]
  })

/** Whether a caller may know of a row by this id: one that is not there at all shows only to who may read all rows. */
const isOpen = (linked: ReadonlyMap<string, MemoryRow>, caller: Caller, id: string): boolean =>
  linked.has(id) || caller.boundUser === null

const linkView = (linked: ReadonlyMap<string, MemoryRow>, caller: Caller, id: string) => {
  if (id === "" || !isOpen(linked, caller, id)) return null
  const row = linked.get(id)
  return { memory_id: id, memory_key: row?.memory_key ?? null, status: row?.status ?? null }
}

const columnsOf = (row: MemoryRow) => ({
  value_kind: row.value_kind,
  value_bytes: Buffer.byteLength(row.value, "utf8"),
  canonical_sha256: text(row.canonical_sha256),
  temporal_confidence: row.temporal_confidence,
  verified_kind: text(row.verified_kind),
  verified_sha256: text(row.verified_sha256),
  verified_at: iso(row.verified_at),
  locked_by: text(row.locked_by),
  write_id: row.write_id,
  has_idempotency_key: row.idem_hash !== "",
  change: row.change,
  epoch: row.epoch.toString(),
  seq: row.seq.toString()
})
