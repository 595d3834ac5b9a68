/**
 * The first answer to an idempotency key, as a retry may have it. What it quotes of a memory that is withheld by now, or was
 * redacted, is left out: the answer was right when it was given, and no retry may tell more than a read. Only a retry whose
 * answer quotes anything costs a look into the store.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ANSWER_TTL_MILLIS } from "./IdempotencyKeys.ts"
import type { FirstAnswer, IdempotencyKeys } from "./IdempotencyKeys.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isRedacted } from "./MemoryModel.ts"
import { MemoryStore, noProbes } from "./MemoryStore.ts"
import { isAbout, namesIn, withoutQuotes } from "./QuotedReasons.ts"

type First = Pick<FirstAnswer, "payload_hash" | "answer">

const isWithheld = (row: MemoryRow): boolean => row.sensitivity === "high" || isRedacted(row)

/** The answer to a key used before; undefined when the key is new. */
export const firstAnswer = (
  scope: Scope,
  keys: IdempotencyKeys,
  idemHash: string,
  now: number
): Effect.Effect<First | undefined, StoreError, MemoryStore> => {
  const recent = keys.recent(idemHash, now)
  if (recent !== undefined && !quotes(recent)) return Effect.succeed(recent)
  if (recent === undefined && !keys.mayBeStored(idemHash)) return Effect.succeed(undefined)
  return Effect.gen(function*() {
    const store = yield* MemoryStore
    // A redaction scrubs what is stored; what is not stored yet was scrubbed by none.
    const stored = Option.getOrUndefined(yield* store.keptAnswer(scope, idemHash, now - ANSWER_TTL_MILLIS))
    const first = stored ?? recent
    if (first === undefined || !quotes(first)) return first
    const names = namesIn(first.answer)
    const named = yield* store.probe(scope, { ...noProbes, ids: [...names.ids], keys: [...names.keys] })
    return { ...first, answer: withoutQuotes(first.answer, isAbout(named.filter(isWithheld))) }
  })
}

const quotes = ({ answer }: First): boolean => {
  const { ids, keys } = namesIn(answer)
  return ids.size + keys.size > 0
}
