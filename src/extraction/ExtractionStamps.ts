/**
 * The stamps of what a job writes: one write id for all of it, and an idempotency key for each step, so that the same step
 * is the same write however often it is tried. Pure.
 */
import { sha256 } from "../kernel/Json.ts"
import type { WriteMeta } from "../memory/MemoryCommand.ts"
import type { ExtractionJob } from "./ExtractionJobModel.ts"

/** The write id of everything that a job writes: what a job did can be found again by it. */
export const writeIdOf = ({ job_id }: Pick<ExtractionJob, "job_id">): string => `wr_${job_id}`

/** The stamps of one of a job's writes. `step` tells them apart; the same step is the same write. */
export const metaOf = (job: ExtractionJob, step: string, dry_run: boolean): WriteMeta => ({
  write_id: writeIdOf(job),
  idem_hash: dry_run ? "" : sha256(`extraction\n${job.job_id}\n${step}`),
  // Of the step and not of what is written: a model says it in other words at its second try.
  payload_hash: dry_run ? "" : sha256(`${job.job_id}\n${step}`),
  actor: job.actor,
  bound_user: job.bound_user,
  source_class: "extracted",
  run_id: job.run_id,
  dry_run,
  advisories: [],
  degraded: []
})
