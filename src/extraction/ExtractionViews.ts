/** How jobs look on the wire: pure. */
import type { Answer } from "../kernel/Verb.ts"
import type { ExtractionJob, Receipts } from "./ExtractionJobModel.ts"
import type { ExtractionGet, JobView } from "./ExtractionVerbs.ts"

export const isoOf = (millis: number | null): string | null => millis === null ? null : new Date(millis).toISOString()

export const viewOf = (job: ExtractionJob): JobView => ({
  queue_id: job.job_id,
  state: job.state,
  code: job.code === "" ? null : job.code,
  tries: job.tries,
  retry_at: isoOf(job.retry_at),
  extractor: job.extractor,
  agent: job.agent,
  user_id: job.user_id,
  session_id: job.session_id,
  run_id: job.run_id,
  turns: job.turn_ids.length - job.told,
  written: job.receipts?.written.length ?? 0,
  refused: job.receipts?.refused.length ?? 0,
  created_at: new Date(job.created_at).toISOString(),
  updated_at: new Date(job.at).toISOString()
})

type Outcome = Omit<Answer<typeof ExtractionGet>, "found" | "job" | "evidence_ids" | "degraded">

/** What became of the facts; nothing yet where there are no receipts. */
export const outcomeOf = (receipts: Receipts | null): Outcome => ({
  written: receipts?.written ?? [],
  refused: receipts?.refused ?? [],
  forgotten_keys: [...new Set(receipts?.forgets.flatMap(({ keys }) => keys) ?? [])],
  forget_requests: receipts?.forgets ?? [],
  about_other: receipts?.written.filter(({ about_other }) => about_other).length ?? 0,
  extractor: receipts?.extractor ?? null,
  segments: receipts?.segments ?? 0,
  tokens_in: receipts?.tokens_in ?? 0,
  tokens_out: receipts?.tokens_out ?? 0
})
