/**
 * The port that keeps the queue of extractions. The last version of a job counts; whoever writes one went by the version
 * before it. Everything that answers a caller takes the scope first, and the one user whose jobs may be seen (null sees
 * every user's); only the owner of the queue looks across namespaces.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import { isFinished, signOf } from "./ExtractionJobModel.ts"
import type { ExtractionJob, JobSign, JobState } from "./ExtractionJobModel.ts"

/** Which jobs are meant; null stands for any. */
export interface JobFilter {
  readonly user_id: string | null
  readonly session_id: string | null
  /** Empty means every state. */
  readonly states: ReadonlyArray<JobState>
}

/** Where a page goes on: behind this job. */
export interface JobPlace {
  readonly created_at: number
  readonly job_id: string
}

export interface JobCount {
  readonly state: JobState
  readonly jobs: number
  /** When the oldest of them came (milliseconds). */
  readonly oldest_at: number
}

export class ExtractionJobStore extends Context.Tag("loom/extraction/ExtractionJobStore")<ExtractionJobStore, {
  readonly put: (jobs: ReadonlyArray<ExtractionJob>) => Effect.Effect<void, Unavailable>
  /** Those of these ids that are there, in no order. */
  readonly byIds: (
    scope: Scope,
    user_id: string | null,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ExtractionJob>, StoreError>
  /** These jobs as they stand, in their order, of whichever namespaces: for the owner of the queue alone. */
  readonly standing: (
    asked: ReadonlyArray<{ readonly scope: Scope; readonly job_id: string }>
  ) => Effect.Effect<ReadonlyArray<Option.Option<ExtractionJob>>, StoreError>
  /** Oldest first. */
  readonly page: (
    scope: Scope,
    filter: JobFilter,
    after: JobPlace | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ExtractionJob>, StoreError>
  readonly counts: (
    scope: Scope,
    user_id: string | null
  ) => Effect.Effect<ReadonlyArray<JobCount>, StoreError>
  /**
   * Jobs of every namespace as they stand, of which something was written after a version, oldest first: of the beginning
   * (0) those alone that are not finished. At most `limit`.
   */
  readonly touched: (since: bigint, limit: number) => Effect.Effect<ReadonlyArray<JobSign>, StoreError>
}>() {}

const byAge = (left: JobPlace, right: JobPlace): number =>
  left.created_at - right.created_at || (left.job_id < right.job_id ? -1 : left.job_id > right.job_id ? 1 : 0)

/** A real queue for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<ExtractionJobStore> = Layer.sync(ExtractionJobStore, () => {
  const jobs = new Map<string, ExtractionJob>()
  const of = (scope: Scope, user_id: string | null) =>
    [...jobs.values()].filter((job) => actorId(job) === actorId(scope) && (user_id === null || job.user_id === user_id))
      .sort(byAge)
  return {
    put: (written) =>
      Effect.sync(() => {
        for (const job of written) {
          const key = `${actorId(job)} ${job.job_id}`
          const before = jobs.get(key)
          if (before === undefined || before.version <= job.version) jobs.set(key, job)
        }
      }),
    byIds: (scope, user_id, ids) => Effect.sync(() => of(scope, user_id).filter(({ job_id }) => ids.includes(job_id))),
    standing: (asked) =>
      Effect.sync(() => asked.map(({ job_id, scope }) => Option.fromNullable(jobs.get(`${actorId(scope)} ${job_id}`)))),
    page: (scope, { session_id, states, user_id }, after, limit) =>
      Effect.sync(() =>
        of(scope, user_id).filter((job) =>
          (session_id === null || job.session_id === session_id) &&
          (states.length === 0 || states.includes(job.state)) && (after === null || byAge(job, after) > 0)
        ).slice(0, limit)
      ),
    counts: (scope, user_id) =>
      Effect.sync(() => {
        const counts = new Map<JobState, JobCount>()
        for (const { created_at, state } of of(scope, user_id)) {
          const before = counts.get(state)
          counts.set(state, {
            state,
            jobs: (before?.jobs ?? 0) + 1,
            oldest_at: Math.min(before?.oldest_at ?? created_at, created_at)
          })
        }
        return [...counts.values()]
      }),
    touched: (since, limit) =>
      Effect.sync(() =>
        [...jobs.values()].filter((job) => since === 0n ? !isFinished(job) : job.version > since).sort(byAge)
          .slice(0, limit).map(signOf)
      )
  }
})
