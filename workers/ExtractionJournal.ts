/**
 * What the owner of the queue reads and writes of jobs: whatever waits goes together, so that many jobs side by side cost the
 * store few calls. A block that is written is asked of the fence around it (`WorkerLease`), so that an owner that was taken
 * over writes nothing more; a writer goes on when its word is kept.
 */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import type { ExtractionJob, JobSign } from "../src/extraction/ExtractionJobModel.ts"
import { ExtractionJobStore } from "../src/extraction/ExtractionJobStore.ts"
import * as Together from "../src/kernel/Together.ts"
import type { Lease } from "./WorkerLease.ts"
import type { Broken } from "./WorkerLoop.ts"

// Of a kilobyte or two each.
const MOST_AT_ONCE = 256

export interface Journal {
  /** A job as it stands. */
  readonly read: (job: Pick<JobSign, "scope" | "job_id">) => Effect.Effect<Option.Option<ExtractionJob>, Broken>
  readonly write: (job: ExtractionJob) => Effect.Effect<void, Broken>
}

export const make = (lease: Lease): Effect.Effect<Journal, never, ExtractionJobStore | Scope> =>
  Effect.gen(function*() {
    const { put, standing } = yield* ExtractionJobStore
    return {
      read: yield* Together.make(standing, MOST_AT_ONCE),
      write: yield* Together.makeVoid((jobs: ReadonlyArray<ExtractionJob>) => lease.guarded(put(jobs)), MOST_AT_ONCE)
    }
  })
