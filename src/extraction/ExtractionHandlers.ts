/**
 * The handlers that show and move the queue. A caller bound to one user sees that user's jobs, and a job that it may not see
 * is not there. Whoever moves a job writes it after the version that was read; of two at once the later word counts.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { Cursors } from "../platform/Cursors.ts"
import type { ExtractionJob } from "./ExtractionJobModel.ts"
import { dropped, reopened } from "./ExtractionJobPolicy.ts"
import type { Writing } from "./ExtractionJobPolicy.ts"
import { ExtractionJobStore } from "./ExtractionJobStore.ts"
import { ExtractionDrop, ExtractionGet, ExtractionList, ExtractionRetry } from "./ExtractionVerbs.ts"
import { outcomeOf, viewOf } from "./ExtractionViews.ts"

const DEFAULT_PAGE = 50

const Place = Schema.Struct({ created_at: Schema.Number, job_id: Schema.String })

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, ExtractionJobStore | Cursors> = Effect.gen(
  function*() {
    const jobs = yield* ExtractionJobStore
    const cursors = yield* Cursors

    const list = (request: Payload<typeof ExtractionList>, caller: Caller) =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const { none, user } = readableUser(caller, request.user_id)
        if (none) return { jobs: [], counts: [], next_cursor: null, degraded: [] }
        const { cursor, limit = DEFAULT_PAGE, ...asked } = request
        const listing = { verb: ExtractionList.tag, caller, filter: { ...asked, ...scope, user } }
        const after = cursor === undefined ? null : yield* cursors.take(listing, Place, cursor)
        const found = yield* jobs.page(
          scope,
          { user_id: user, session_id: request.session_id ?? null, states: request.states ?? [] },
          after,
          limit
        )
        const now = yield* Clock.currentTimeMillis
        const last = found.at(-1)
        return {
          jobs: found.map(viewOf),
          counts: (yield* jobs.counts(scope, user)).map(({ jobs, oldest_at, state }) => ({
            state,
            jobs,
            oldest_age_seconds: Math.max(0, Math.round((now - oldest_at) / 1000))
          })),
          next_cursor: last === undefined || found.length < limit
            ? null
            : yield* cursors.give(listing, { created_at: last.created_at, job_id: last.job_id }),
          degraded: []
        }
      })

    type Named = Payload<typeof ExtractionRetry>

    const jobOf = (request: Named, caller: Caller): Effect.Effect<ExtractionJob | undefined, LoomError> =>
      Effect.gen(function*() {
        const scope = yield* resolveScope(caller, request)
        const { none, user } = readableUser(caller, request.user_id)
        return none ? undefined : (yield* jobs.byIds(scope, user, [request.queue_id]))[0]
      })

    const get = (request: Payload<typeof ExtractionGet>, caller: Caller) =>
      Effect.map(jobOf(request, caller), (job) => ({
        found: job !== undefined,
        job: job === undefined ? null : viewOf(job),
        evidence_ids: job?.turn_ids.slice(job.told) ?? [],
        ...outcomeOf(job?.receipts ?? null),
        degraded: []
      }))

    const moved = (
      isMovable: (job: ExtractionJob) => boolean,
      move: (job: ExtractionJob, writing: Writing) => ExtractionJob
    ) =>
    (request: Named, caller: Caller) =>
      Effect.gen(function*() {
        const job = yield* jobOf(request, caller)
        if (job === undefined) return { found: false, changed: false, state: null }
        if (!isMovable(job)) return { found: true, changed: false, state: job.state }
        const next = move(job, { now: yield* Clock.currentTimeMillis, epoch: job.epoch })
        yield* jobs.put([next])
        return { found: true, changed: true, state: next.state }
      })

    return [
      bind(ExtractionList, list),
      bind(ExtractionGet, get),
      bind(
        ExtractionRetry,
        moved(({ state }) => state === "failed" || state === "waiting" || state === "dropped", reopened)
      ),
      bind(ExtractionDrop, moved(({ state }) => state !== "done" && state !== "dropped", dropped))
    ]
  }
)
