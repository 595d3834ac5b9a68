/**
 * The handlers of proposals and proposal_decide. A decision is taken on the proposal as it was read: another write in
 * between has it read and prepared again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { Cursors } from "../platform/Cursors.ts"
import { isAnswered } from "./FirstAnswer.ts"
import { refusalOf } from "./LifecycleRequest.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { Target } from "./MemoryCommand.ts"
import { cursorAfter, keysetOf } from "./MemoryCursor.ts"
import type { MemoryIntake } from "./MemoryIntake.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isLive } from "./MemoryModel.ts"
import { ambiguous } from "./MemoryPlanTarget.ts"
import * as MemoryPreparing from "./MemoryPreparing.ts"
import { untilSettled } from "./MemoryPreparing.ts"
import { MemoryReader } from "./MemoryReader.ts"
import type { Keyset, ListFilter, WriterFilter } from "./MemoryReader.ts"
import { metaOf, targetOf } from "./MemoryRequest.ts"
import { viewOf } from "./MemoryViews.ts"
import { MemoryProposalDecide, MemoryProposals } from "./ProposalVerbs.ts"

const DEFAULT_PAGE = 50
// Keyed reads side by side, as many as leave room for other readers.
const LOOKUPS = 8
const NEWEST_FIRST = "created_at"

export const make: Effect.Effect<
  ReadonlyArray<BoundVerb>,
  never,
  MemoryClient | MemoryIntake | MemoryReader | Cursors
> = Effect.gen(function*() {
  const client = yield* MemoryClient
  const reader = yield* MemoryReader
  const cursors = yield* Cursors
  const { prepared, rowsOf } = yield* MemoryPreparing.make

  /** The first `limit` proposals after a place that `isMeant` lets through. */
  const find = (
    scope: Scope,
    filter: ListFilter,
    from: Keyset | null,
    limit: number,
    isMeant: (row: MemoryRow) => boolean
  ) =>
    Effect.gen(function*() {
      const found: Array<MemoryRow> = []
      let after = from
      while (found.length < limit) {
        const rows: ReadonlyArray<MemoryRow> = yield* reader.list(scope, filter, {
          sort_by: NEWEST_FIRST,
          after,
          limit,
          offset: 0
        })
        found.push(...rows.filter(isMeant))
        const last = rows[rows.length - 1]
        if (last === undefined || rows.length < limit) break
        after = placeOf(last)
      }
      return found.slice(0, limit)
    })

  /** The rows that proposals contradict, by id, as far as the caller may read them. */
  const contradicted = (scope: Scope, rows: ReadonlyArray<MemoryRow>, reading: WriterFilter) =>
    Effect.map(
      Effect.forEach(new Set(rows.flatMap((row) => row.conflict_with)), (id) => reader.byId(scope, id, reading), {
        concurrency: LOOKUPS
      }),
      (found) => new Map(found.flat().map((row) => [row.memory_id, row]))
    )

  const proposals = (request: Payload<typeof MemoryProposals>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, user } = readableUser(caller, request.user_id)
      if (none) return { proposals: [], next_cursor: null, degraded: [] }
      const now = yield* Clock.currentTimeMillis
      const filter = filterOf(request, user, now)
      const { endedBefore: _, ...bound } = filter
      const listing = {
        verb: MemoryProposals.tag,
        caller,
        filter: { ...bound, only: request.only ?? "", ...scope }
      }
      const after = yield* keysetOf(cursors, listing, request.cursor)
      const limit = request.limit ?? DEFAULT_PAGE
      const rows = yield* find(scope, filter, after, limit + 1, ({ conflict_with }) =>
        request.only === undefined || (request.only === "contradicted") === conflict_with.length > 0)
      const page = rows.slice(0, limit)
      const others = yield* contradicted(scope, page, { agent: null, user_id: user, session_id: null })
      const last = page[page.length - 1]
      return {
        proposals: page.map((row) => ({
          ...viewOf(row, { now, reveal: false, previewCharacters: null }),
          conflict_with: row.conflict_with.filter((id) =>
            others.has(id)
          ),
          contradicts: row.conflict_with.flatMap((id) => {
            const other = others.get(id)
            return other === undefined
              ? []
              : [{ memory_key: other.memory_key, memory_id: other.memory_id, status: other.status }]
          }),
          age_seconds: Math.max(0, Math.floor((now - row.created_at) / 1000))
        })),
        next_cursor: rows.length > limit && last !== undefined
          ? yield* cursorAfter(cursors, listing, placeOf(last))
          : null,
        degraded: []
      }
    })

  /** The one live proposal that a target names. */
  const proposed = (scope: Scope, target: Target) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const rows = (yield* rowsOf(scope, target)).filter((row) => row.status === "proposed" && isLive(row, now))
      if (rows.length > 1) return yield* ambiguous(rows)
      return rows[0]
    })

  const decide = (request: Payload<typeof MemoryProposalDecide>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const meta = yield* metaOf(MemoryProposalDecide.tag, request, caller, "asserted")
      const target = yield* targetOf(caller, request)
      const { decision } = request
      const missed = { found: false, decided: false, decision, degraded: [] }
      const accepts = decision === "accept"
      return yield* untilSettled(Effect.gen(function*() {
        const row = yield* Effect.catchTag(
          proposed(scope, target),
          "Refusal",
          (refusal) =>
            Effect.flatMap(isAnswered(client, scope, meta), (known) => known ? Effect.succeed(undefined) : refusal)
        )
        // A repeated request is answered by the actor, which knows its key; there may be no proposal any more.
        if (row === undefined && meta.idem_hash === "") return missed
        const items = row === undefined ? [] : [{
          target: { ...target, memory_key: null, memory_id: row.memory_id },
          expected_version: row.version.toString(),
          content: accepts ? yield* prepared(row) : null,
          transition: accepts
            ? { _tag: "accept" } as const
            : { _tag: "reject", reason: request.reason ?? "" } as const
        }]
        const { results: [result] } = yield* client.transition(scope, { _tag: "memory.transition", meta, items })
        if (result === undefined || result.outcome === "not_found") return missed
        const refusal = refusalOf(result)
        if (refusal !== undefined) return yield* refusal
        return { ...result.answer, found: true, decided: !meta.dry_run, decision }
      }))
    })

  return [bind(MemoryProposals, proposals), bind(MemoryProposalDecide, decide)]
})

const placeOf = (row: MemoryRow): Keyset => ({ value: String(row[NEWEST_FIRST]), memory_id: row.memory_id })

const filterOf = (request: Payload<typeof MemoryProposals>, user: string | null, now: number): ListFilter => ({
  agent: request.agent ?? null,
  user_id: user,
  session_id: request.session_id ?? null,
  run_id: null,
  prefix: request.prefix ?? null,
  memory_type: null,
  source_trace: null,
  tags: request.tags ?? [],
  tags_every: [],
  entities: [],
  contains: null,
  pinned_only: false,
  statuses: ["proposed"],
  endedBefore: now
})
