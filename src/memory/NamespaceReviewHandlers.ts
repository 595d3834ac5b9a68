/**
 * The handlers of namespace.audit and namespace.validate: one walk over the heads, page by page, with the questions that
 * a row cannot answer by itself (is the linked row there, has it a vector) asked for a page at a time.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { pairsOf } from "./ConflictPairs.ts"
import { findingKinds, findingsOf, isPlainNumber, linksOf, originalOf } from "./Hygiene.ts"
import type { FindingName } from "./Hygiene.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import { isLive, isServed } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryReview } from "./MemoryReview.ts"
import type { ReaderBound } from "./MemoryReview.ts"
import { typeFacts } from "./MemoryType.ts"
import { NamespaceAudit, NamespaceValidate } from "./NamespaceReviewVerbs.ts"

// Some megabytes of rows at a time.
const PAGE = 1_000
const DEFAULT_SAMPLES = 5
const DEFAULT_CONFLICT_AGE_SECONDS = 7 * 24 * 60 * 60
// A row is embedded inline; this covers a clock that differs and a commit under way.
const DEFAULT_GRACE_SECONDS = 60
const DEFAULT_CONFIDENCE_FLOOR = 0.3

/** Counts and examples of each kind that is looked for. */
class Findings {
  private readonly found = new Map<FindingName, { count: number; examples: Array<ReturnType<typeof exampleOf>> }>()

  constructor(private readonly names: ReadonlyArray<FindingName>, private readonly samples: number) {}

  add(name: FindingName, row: Pick<MemoryRow, "memory_key"> & Partial<MemoryRow>, note: string | null = null): void {
    const known = this.found.get(name) ?? { count: 0, examples: [] }
    known.count += 1
    if (known.examples.length < this.samples) known.examples.push(exampleOf(row, note))
    this.found.set(name, known)
  }

  report(scope: Scope, rows: number, strict: boolean) {
    const findings = this.names.flatMap((name) => {
      const found = this.found.get(name)
      return found === undefined ? [] : [{ ...findingKinds[name], ...found }]
    })
    return {
      namespace: scope.namespace,
      ok: findings.every(({ severity }) => !strict && severity !== "error"),
      rows,
      findings,
      clean: this.names.filter((name) => !this.found.has(name)),
      degraded: []
    }
  }
}

const exampleOf = (row: Pick<MemoryRow, "memory_key"> & Partial<MemoryRow>, note: string | null) => ({
  memory_key: row.memory_key,
  memory_id: row.memory_id ?? null,
  agent: row.agent ?? null,
  user_id: row.user_id ?? null,
  note
})

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, MemoryIntake | MemoryReview> = Effect.gen(
  function*() {
    const { embedderId } = yield* MemoryIntake
    const review = yield* MemoryReview

    /** Shows every head to `see`, a page at a time; answers how many there were. */
    const walk = (
      scope: Scope,
      bound: ReaderBound,
      see: (rows: ReadonlyArray<MemoryRow>) => Effect.Effect<void, StoreError>
    ) =>
      Effect.gen(function*() {
        let after: MemoryRow | null = null
        let count = 0
        while (true) {
          const page: ReadonlyArray<MemoryRow> = yield* review.heads(scope, bound, { after, limit: PAGE })
          const rows = page.filter(({ status }) => status !== "void")
          count += rows.length
          yield* see(rows)
          after = page[page.length - 1] ?? null
          if (after === null || page.length < PAGE) return count
        }
      })

    /** Rows that name one that is not there, or (a contradiction) one that does not name them back. */
    const dangling = (scope: Scope, caller: Caller, rows: ReadonlyArray<MemoryRow>, now: number, findings: Findings) =>
      Effect.gen(function*() {
        const linking = rows.filter((row) =>
          linksOf(row).length > 0 && (isLive(row, now) || row.status === "superseded")
        )
        const ids = [...new Set(linking.flatMap(linksOf))]
        // Whoever may read all rows learns whether one is there at all; a bound token's own links stay with its user.
        const there = new Map(
          (yield* review.named(scope, caller.boundUser, { ids, keys: [] })).map((row) => [row.memory_id, row])
        )
        for (const row of linking) {
          const lost = linksOf(row).filter((id) =>
            !there.has(id) && (caller.boundUser === null || id !== row.superseded_by)
          )
          const alone = isServed(row, now)
            ? row.conflict_with.filter((id) => there.get(id)?.conflict_with.includes(row.memory_id) === false)
            : []
          if (lost.length + alone.length > 0) findings.add("dangling_links", row, [...lost, ...alone].join(", "))
        }
      })

    const staleConflicts = (
      scope: Scope,
      caller: Caller,
      now: number,
      age: number,
      findings: Findings,
      keys?: Set<string>
    ) =>
      Effect.gen(function*() {
        const pairs = pairsOf(yield* review.conflictLinks(scope, caller.boundUser, now), {
          memory_key: null,
          memory_type: null,
          until: now - age * 1000
        })
        // The oldest first: they have waited longest.
        for (const { at, cause, sides: [first, second] } of [...pairs].reverse()) {
          if (keys !== undefined && !keys.has(first.memory_key) && !keys.has(second.memory_key)) continue
          const since = new Date(at).toISOString()
          findings.add(
            "stale_conflicts",
            first,
            `with ${second.memory_key} since ${since} (${cause?.rule ?? "unknown"})`
          )
        }
      })

    const audit = (request: Payload<typeof NamespaceAudit>, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const now = yield* Clock.currentTimeMillis
        const findings = new Findings([
          "hash_keys",
          "numbered_copies",
          "list_values",
          "near_empty_keys",
          "stale_conflicts",
          "duplicates_waiting",
          "expired_rows",
          "dangling_links",
          "unverified_external"
        ], request.sample_limit ?? DEFAULT_SAMPLES)
        const copies = new Map<string, Array<MemoryRow>>()
        const rows = yield* walk(scope, caller.boundUser, (page) => {
          for (const row of page) {
            for (const name of findingsOf(row, now)) findings.add(name, row)
            const original = isLive(row, now) ? originalOf(row.memory_key) : undefined
            if (original !== undefined) copies.set(original, [...copies.get(original) ?? [], row])
          }
          return dangling(scope, caller, page, now, findings)
        })
        const originals = yield* review.named(scope, caller.boundUser, { ids: [], keys: [...copies.keys()] })
        const there = new Set(originals.filter((row) => isLive(row, now)).map(({ memory_key }) => memory_key))
        for (const [original, found] of copies) {
          const telling = found.filter(({ memory_key }) => !isPlainNumber(memory_key))
          if (!there.has(original) && new Set(telling.map(({ memory_key }) => memory_key)).size < 2) continue
          for (const row of found) findings.add("numbered_copies", row, `beside ${original}`)
        }
        const age = request.conflict_age_seconds ?? DEFAULT_CONFLICT_AGE_SECONDS
        yield* staleConflicts(scope, caller, now, age, findings)
        return findings.report(scope, rows, false)
      })

    const validate = (request: Payload<typeof NamespaceValidate>, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const now = yield* Clock.currentTimeMillis
        const keys = request.keys === undefined || request.keys.length === 0 ? undefined : new Set(request.keys)
        const findings = new Findings([
          "stale_conflicts",
          "low_confidence",
          "not_embedded",
          "dangling_links",
          ...(keys === undefined ? [] : ["unknown_keys"] as const)
        ], request.sample_limit ?? DEFAULT_SAMPLES)
        const floor = request.confidence_floor ?? DEFAULT_CONFIDENCE_FLOOR
        const grace = now - (request.embed_grace_seconds ?? DEFAULT_GRACE_SECONDS) * 1000
        const see = (page: ReadonlyArray<MemoryRow>) =>
          Effect.gen(function*() {
            const served = page.filter((row) => isServed(row, now))
            for (const row of served) {
              if (row.confidence < floor) findings.add("low_confidence", row, `confidence ${row.confidence}`)
            }
            const embedded = served.filter((row) =>
              row.sensitivity !== "high" && typeFacts(row.memory_type).embedded && row.updated_at <= grace
            )
            for (const row of yield* review.vectorless(scope, embedderId, embedded)) findings.add("not_embedded", row)
            yield* dangling(scope, caller, page, now, findings)
          })
        let rows: number
        if (keys === undefined) rows = yield* walk(scope, caller.boundUser, see)
        else {
          const found = yield* review.named(scope, caller.boundUser, { ids: [], keys: [...keys] })
          rows = found.length
          const there = new Set(found.filter((row) => isServed(row, now)).map(({ memory_key }) => memory_key))
          for (const memory_key of keys) if (!there.has(memory_key)) findings.add("unknown_keys", { memory_key })
          yield* see(found)
        }
        const age = request.conflict_age_seconds ?? DEFAULT_CONFLICT_AGE_SECONDS
        yield* staleConflicts(scope, caller, now, age, findings, keys)
        return findings.report(scope, rows, request.strict ?? false)
      })

    return [bind(NamespaceAudit, audit), bind(NamespaceValidate, validate)]
  }
)
