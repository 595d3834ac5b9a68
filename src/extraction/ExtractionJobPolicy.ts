/**
 * What becomes of a job after a try, pure. What did not answer is asked again for as long as it takes, at most a minute
 * later; what fails for the transcript's own sake is given up on after some tries, and waits for a person.
 */
import type { LoomError } from "../kernel/LoomError.ts"
import { refusalCodes, toWire } from "../kernel/LoomError.ts"
import { versionAfter } from "./ExtractionJobModel.ts"
import type { ExtractionJob, Receipts } from "./ExtractionJobModel.ts"

/** Tries that fail for the transcript's own sake: each is a reply and its repair, so a model had six chances. */
export const MOST_FAULTS = 3

// Soon after a first failure; a model that is down is asked once a minute.
const FIRST_WAIT_MILLIS = 1_000
const LONGEST_WAIT_MILLIS = 60_000

/** How long to wait after so many failures in a row. */
export const waitMillis = (failures: number): number =>
  Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS * 2 ** Math.max(0, Math.min(failures - 1, 16)))

export interface Writing {
  /** Milliseconds. */
  readonly now: number
  /** The queue's ownership, 0 for whoever answers a request. */
  readonly epoch: bigint
}

const written = (
  job: ExtractionJob,
  { epoch, now }: Writing,
  change: Partial<ExtractionJob>
): ExtractionJob => ({ ...job, ...change, at: now, epoch, version: versionAfter(job.version, now) })

/** Somebody is at it; nobody else takes it before `until`, where there is such a time. */
export const begun = (job: ExtractionJob, writing: Writing, until: number | null): ExtractionJob =>
  written(job, writing, { state: "running", tries: job.tries + 1, retry_at: until })

export const done = (job: ExtractionJob, writing: Writing, receipts: Receipts): ExtractionJob =>
  written(job, writing, { state: "done", code: "", retry_at: null, receipts })

/** A failure as the queue sees it: a defect has no code of its own. */
export type Failure = LoomError | "DEFECT"

export const codeOf = (failure: Failure): string => failure === "DEFECT" ? failure : toWire(failure).body.detail.code

/** Whether the same again may help, however often it did not. */
export const passes = (failure: Failure): boolean => {
  if (failure === "DEFECT" || failure._tag === "Corrupt") return false
  return failure._tag !== "Refusal" || refusalCodes[failure.code].retryable ||
    failure.code === "LANGUAGE_MODEL_REQUIRED"
}

export const failed = (job: ExtractionJob, writing: Writing, failure: Failure): ExtractionJob => {
  const code = codeOf(failure)
  const faults = job.faults + (passes(failure) ? 0 : 1)
  if (faults >= MOST_FAULTS) return written(job, writing, { state: "failed", code, faults, retry_at: null })
  // A model that nobody has configured comes with a start of the process.
  const wait = code === "LANGUAGE_MODEL_REQUIRED" ? LONGEST_WAIT_MILLIS : waitMillis(job.tries)
  return written(job, writing, { state: "waiting", code, faults, retry_at: writing.now + wait })
}

/** It was not begun, or not ended by whoever answers: the queue takes it from here. */
export const left = (job: ExtractionJob, writing: Writing): ExtractionJob =>
  written(job, writing, { state: "queued", retry_at: null })

/** A person asks for it once more; it has all its tries again. */
export const reopened = (job: ExtractionJob, writing: Writing): ExtractionJob =>
  written(job, writing, { state: "queued", code: "", tries: 0, faults: 0, retry_at: null })

export const dropped = (job: ExtractionJob, writing: Writing): ExtractionJob =>
  written(job, writing, { state: "dropped", retry_at: null })
