/**
 * The handlers of provenance and lineage. They never pass the actor; a row that the caller may not read is named by none
 * of their answers, nor are the words a rule used about it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { BeliefSources } from "./BeliefSources.ts"
import { mayRead, sourceView, walk } from "./Lineage.ts"
import { actorOf, hiddenIn, isForeign } from "./LinkedRows.ts"
import { causeIn } from "./MemoryCause.ts"
import { lookup } from "./MemoryLookup.ts"
import { isServed, verification } from "./MemoryModel.ts"
import type { Change, MemoryRow } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { MemoryReview } from "./MemoryReview.ts"
import type { VersionFacts } from "./MemoryReview.ts"
import { MemoryLineage, MemoryProvenance } from "./ProvenanceVerbs.ts"

// More versions than a person would write; a row with more is counted up to here.
const MAX_VERSIONS = 10_000
// As many as an answer can usefully list.
const MAX_RETIRED = 100
const DEFAULT_DEPTH = 5

/** Changes that take a row out of service. */
const RETIRING: ReadonlyArray<Change> = ["retire", "delete", "expire", "reject", "rollback"]

const text = (column: string): string | null => column === "" ? null : column
const iso = (millis: number): string => new Date(millis).toISOString()

/**
 * A caused change as a caller may see it; `readable` are the rows it may know of, by id. `isHigh`: the row that changed is
 * withheld, and so are words that quote it.
 */
export const causeView = (
  version: Pick<VersionFacts, "cause" | "change" | "updated_at" | "write_id">,
  other: string | null,
  readable: ReadonlyMap<string, Pick<MemoryRow, "memory_key" | "sensitivity">>,
  isHigh: boolean
) => {
  const cause = causeIn(version.cause)
  const row = other === null ? undefined : readable.get(other)
  const isOpen = other === null || row !== undefined
  return {
    memory_id: isOpen ? other : null,
    memory_key: row?.memory_key ?? null,
    change: version.change,
    write_id: cause?.write_id ?? version.write_id,
    rule: cause?.rule ?? null,
    evidence: isOpen && !isHigh && row?.sensitivity !== "high" ? text(cause?.evidence ?? "") : null,
    at: iso(version.updated_at)
  }
}

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, BeliefSources | MemoryReader | MemoryReview> = Effect
  .gen(function*() {
    const beliefs = yield* BeliefSources
    const reader = yield* MemoryReader
    const review = yield* MemoryReview

    const factsOf = (scope: Scope, caller: Caller, row: MemoryRow, now: number) =>
      Effect.gen(function*() {
        const versions = yield* review.versions(scope, row, MAX_VERSIONS)
        const caused = (yield* review.causedBy(scope, caller.boundUser, row.memory_id, MAX_RETIRED))
          .filter(({ change }) => RETIRING.includes(change))
        const retirement = isServed(row, now)
          ? undefined
          : versions.find(({ cause, change }) => cause !== "" && RETIRING.includes(change))
        const by = retirement === undefined ? null : causeIn(retirement.cause)?.memory_id ?? null
        const ids = [by ?? "", ...caused.map(({ memory_id }) => memory_id)].filter((id) => id !== "")
        const named = yield* review.named(scope, caller.boundUser, { ids: [...new Set(ids)], keys: [] })
        const readable = new Map(named.map((one) => [one.memory_id, one]))
        const isHigh = row.sensitivity === "high"
        const hidden = yield* hiddenIn(
          reader,
          scope,
          caller.boundUser,
          versions.map(({ cause }) => ({ cause, superseded_by: "" })),
          false
        )
        const sources = yield* beliefs.of(row)
        return {
          memory_id: row.memory_id,
          memory_key: row.memory_key,
          status: row.status,
          created_by: versions[versions.length - 1]?.actor ?? row.actor,
          actor: actorOf(row, hidden),
          source_class: row.source_class,
          source_trace: text(row.source_trace),
          source_resource_id: text(row.source_resource_id),
          write_id: row.write_id,
          run_id: text(row.run_id),
          created_at: iso(row.created_at),
          updated_at: iso(row.updated_at),
          content_sha256: row.content_sha256,
          verification: verification(row),
          verified_by: text(row.verified_by),
          verified_at: row.verified_at === null ? null : iso(row.verified_at),
          verified_sha256: text(row.verified_sha256),
          versions: versions.length,
          contributors: contributorsOf(versions.filter((version) => !isForeign(version, hidden))),
          reinforcement_count: row.reinforcement_count,
          restated: versions.filter(({ change }) => change === "restate").length,
          merged: versions.filter(({ change }) => change === "merge").length,
          retired_by: retirement === undefined ? null : causeView(retirement, by, readable, isHigh),
          retired: caused.map((one) => causeView(one, one.memory_id, readable, isHigh)),
          sources: sources
            .filter((source) =>
              versions.some(({ content_sha256 }) => content_sha256 === source.content_sha256) &&
              mayRead(caller, source.source_namespace, source.source_user_id)
            )
            .map(sourceView)
        }
      })

    const provenance = (request: Payload<typeof MemoryProvenance>, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const now = yield* Clock.currentTimeMillis
        const row = yield* lookup(reader, scope, caller, request, now)
        return row === undefined
          ? { found: false, provenance: null, degraded: [] }
          : { found: true, provenance: yield* factsOf(scope, caller, row, now), degraded: [] }
      })

    const lineage = (request: Payload<typeof MemoryLineage>, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const row = yield* lookup(reader, scope, caller, request, yield* Clock.currentTimeMillis)
        if (row === undefined) return { found: false, nodes: [], edges: [], truncated: false, degraded: [] }
        const walked = yield* walk({ beliefs, reader, review }, caller, row, request.depth ?? DEFAULT_DEPTH)
        return { found: true, ...walked, degraded: [] }
      })

    return [bind(MemoryProvenance, provenance), bind(MemoryLineage, lineage)]
  })

/** Who wrote versions of the row, the first writer first; `versions` come newest first. */
const contributorsOf = (versions: ReadonlyArray<VersionFacts>) => {
  const byActor = new Map<string, Array<VersionFacts>>()
  for (const version of [...versions].reverse()) {
    byActor.set(version.actor, [...byActor.get(version.actor) ?? [], version])
  }
  return [...byActor].map(([actor, own]) => ({
    actor,
    versions: own.length,
    changes: [...new Set(own.map(({ change }) => change))],
    first_at: iso(own[0]?.updated_at ?? 0),
    last_at: iso(own[own.length - 1]?.updated_at ?? 0)
  }))
}
