/**
 * What became of facts, as a job keeps it and an answer tells it, pure: keys, ids and codes, with words of ours. What the
 * judge says of a refusal may quote what is stored, so only its code goes on from here.
 */
import { refusalCodeNames, refusalCodes } from "../kernel/LoomError.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import type { Answer } from "../kernel/Verb.ts"
import type { MemoryBulkSet } from "../memory/MemoryVerbs.ts"
import type { FactReceipt, RefusalReceipt } from "./ExtractionJobModel.ts"

export type BulkResult = Answer<typeof MemoryBulkSet>["results"][number]

/** What is known of a fact beside what the judge answers. */
export interface Cited {
  readonly turn_ids: ReadonlyArray<string>
  readonly about_other: boolean
}

/** Why a fact is not stored, in words that hold for its code. */
export const reasonOf = (code: string): string => {
  const known = refusalCodeNames.find((name) => name === code)
  return known === undefined ? "It could not be stored." : refusalCodes[known].next
}

export const refusedBy = ({ code }: Refusal, memory_key: string, turn_ids: ReadonlyArray<string>): RefusalReceipt => ({
  memory_key,
  code,
  reason: reasonOf(code),
  turn_ids
})

export const isRefused = ({ answer }: BulkResult): boolean => answer === null

export const refusalOf = ({ code, memory_key }: BulkResult, { turn_ids }: Cited): RefusalReceipt => ({
  memory_key,
  code: code ?? "UNAVAILABLE",
  reason: reasonOf(code ?? ""),
  turn_ids
})

export const receiptOf = (
  { answer, memory_key, outcome }: BulkResult,
  { about_other, turn_ids }: Cited
): FactReceipt => ({
  memory_key: memory_key ?? answer?.memory_key ?? "",
  memory_id: answer?.memory_id ?? null,
  outcome: outcome === "merged"
    ? "merged"
    : outcome === "duplicate"
    ? "duplicate"
    : answer?.status === "superseded"
    ? "superseded"
    : answer?.conflict_verdict === "conflict"
    ? "conflict"
    : "stored",
  conflict_verdict: answer?.conflict_verdict ?? null,
  merged_into_key: answer?.merged_into_key ?? null,
  content_sha256: answer?.content_sha256 ?? null,
  about_other,
  turn_ids
})
