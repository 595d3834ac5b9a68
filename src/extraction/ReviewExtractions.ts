/**
 * The kind of the review queue that holds transcripts of which no facts came: somebody looks at why, and has them tried again
 * or lets them go. As extraction.list it shows a caller who is bound to one user that user's alone.
 */
import * as Effect from "effect/Effect"
import { readableUser } from "../kernel/Caller.ts"
import { ageOf } from "../memory/ReviewQueueModel.ts"
import type { ReviewItem, ReviewSource, ReviewStep } from "../memory/ReviewQueueModel.ts"
import type { ExtractionJob } from "./ExtractionJobModel.ts"
import { ExtractionJobStore } from "./ExtractionJobStore.ts"
import { ExtractionDrop, ExtractionRetry } from "./ExtractionVerbs.ts"

const steps = ({ job_id, namespace }: ExtractionJob): ReadonlyArray<ReviewStep> => {
  const request = { namespace, queue_id: job_id }
  return [
    { action: "retry", side: null, what: "have it tried again", verb: ExtractionRetry.tag, request },
    { action: "drop", side: null, what: "let it go; its turns stay", verb: ExtractionDrop.tag, request }
  ]
}

const itemOf = (job: ExtractionJob, now: number): ReviewItem => {
  const turns = job.turn_ids.length - job.told
  const session = job.session_id === "" ? "a conversation" : `session ${job.session_id}`
  return {
    id: job.job_id,
    ...ageOf(job.created_at, now),
    why: `no facts came of ${turns} ${turns === 1 ? "turn" : "turns"} of ${session} in ${job.tries} tries: ${job.code}`,
    sides: [],
    steps: steps(job)
  }
}

export const make: Effect.Effect<ReadonlyArray<ReviewSource>, never, ExtractionJobStore> = Effect.map(
  ExtractionJobStore,
  (store) => [{
    kind: "failed_extractions",
    what: "Transcripts that nobody tries again by himself; their turns are stored, their facts are missing.",
    next: "extraction.retry once the cause is gone, or extraction.drop",
    isOpen: () => true,
    look: ({ caller, limit, now, scope }) =>
      Effect.gen(function*() {
        const { user } = readableUser(caller, undefined)
        const failed = (yield* store.counts(scope, user)).find(({ state }) => state === "failed")
        if (failed === undefined) return { count: 0, oldest: null, items: [] }
        const filter = { user_id: user, session_id: null, states: ["failed"] } as const
        const jobs = limit === 0 ? [] : yield* store.page(scope, filter, null, limit)
        return { count: failed.jobs, oldest: failed.oldest_at, items: jobs.map((job) => itemOf(job, now)) }
      })
  }]
)
