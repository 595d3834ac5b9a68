/**
 * Sends one batch and says what became of each of its items. What the server could not take this time is sent again after
 * a pause; a batch that is refused as a whole is halved until the item it is about stands alone. A call that means that
 * no further one can succeed (no server, no access) ends the import.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CallFailure } from "../../src/client/LoomApiError.ts"
import { localFailure } from "../../src/client/LoomApiError.ts"
import { canonical, Json, sha256 } from "../../src/kernel/Json.ts"
import { Corrupt } from "../../src/kernel/LoomError.ts"
import { MemoryBulkSet, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import type { CliFailure } from "./CliFailure.ts"
import { callFailed } from "./CliFailure.ts"
import type { ImportItem } from "./ImportItem.ts"
import type { ImportReceipt, Outcome } from "./ImportReceipt.ts"
import type { Remote } from "./Remote.ts"

export interface Indexed {
  readonly index: number
  readonly item: ImportItem
}

type WriteAnswer = typeof MemorySet.answer.Type

interface Result {
  readonly outcome: Outcome
  readonly code: string | null
  readonly message: string | null
  readonly answer: WriteAnswer | null
}

export interface ImportCall {
  readonly send: (
    batch: ReadonlyArray<Indexed>,
    alone: boolean
  ) => Effect.Effect<ReadonlyArray<ImportReceipt>, CliFailure>
}

// Codes of items that the same call may store a moment later.
const passing: ReadonlySet<string> = new Set(["OVERLOADED", "UNAVAILABLE"])
// Codes of calls that every other batch would meet too.
const hopeless: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "UNKNOWN_VERB", "NOT_FOUND"])
// Whether a refusal is about where all items of the batch go, and so about each of them.
const isAboutScope = ({ detail }: CallFailure): boolean =>
  detail["code"] === "FORBIDDEN" || detail["field"] === "namespace" || detail["field"] === "org"
// Half a minute of pauses in all: longer is an outage, and the next run goes on.
const ROUNDS = 6
const FIRST_PAUSE = Duration.millis(500)

const answeredBy = ({ duplicate_of, memory_key, merged_into_key }: WriteAnswer): string | null => {
  const other = merged_into_key ?? duplicate_of
  return other === memory_key ? null : other
}

const receipt = ({ index, item }: Indexed, { answer, code, message, outcome }: Result): ImportReceipt => {
  const key = item.fields["memory_key"]
  return {
    index,
    id: item.id,
    namespace: answer?.namespace ?? item.scope.namespace ?? null,
    memory_key: typeof key === "string" ? key : null,
    outcome,
    code,
    message,
    memory_id: answer?.memory_id ?? null,
    version_text: answer?.version_text ?? null,
    content_sha256: answer?.content_sha256 ?? null,
    answered_by: answer === null ? null : answeredBy(answer)
  }
}

const outcomeOf = (answer: WriteAnswer): Outcome =>
  answer.conflict_verdict === "merge" || answer.reinforcement_count > 1
    ? "merged"
    : answer.conflict_verdict === "duplicate"
    ? "duplicate"
    : "stored"

const isJson = Schema.is(Json)

/**
 * The same items of the same file have the same key, so that a call whose answer was lost is not carried out twice; other
 * items, or items that read differently by now, have another.
 */
const keyOf = (salt: string, batch: ReadonlyArray<Indexed>): string => {
  const parts = batch.map(({ item }) => [item.id, item.fields])
  return `import-${sha256(salt + (isJson(parts) ? canonical(parts) : JSON.stringify(parts)))}`
}

export const make = (remote: Remote, salt: string): ImportCall => {
  const { calls, scope } = remote
  const setMany = calls.typed(MemoryBulkSet)

  const attempt = (
    batch: ReadonlyArray<Indexed>,
    alone: boolean
  ): Effect.Effect<ReadonlyArray<Result>, CallFailure> => {
    const [first] = batch
    if (first === undefined) return Effect.succeed([])
    const common = { ...first.item.scope, idempotency_key: keyOf(salt, batch) }
    return alone
      ? Effect.map(
        Effect.flatMap(calls.raw(scope, MemorySet.tag, { ...first.item.fields, ...common }), decodeAnswer),
        (answer) => [{ outcome: outcomeOf(answer), code: null, message: null, answer }]
      )
      : Effect.map(setMany(scope, { ...common, items: batch.map(({ item }) => item.fields) }), ({ results }) => results)
  }

  const send = (
    batch: ReadonlyArray<Indexed>,
    alone: boolean
  ): Effect.Effect<ReadonlyArray<ImportReceipt>, CliFailure> =>
    attempt(batch, alone).pipe(
      Effect.map((results) => batch.map((one, at) => receipt(one, results[at] ?? unanswered))),
      Effect.catchAll((failure) => {
        const told = callFailed(failure, remote.baseUrl, remote.token)
        const code = codeOf(failure)
        if (told.exit === "unreachable" || hopeless.has(code)) return Effect.fail(told)
        if (failure.error._tag !== "Refusal" || batch.length === 1 || isAboutScope(failure)) {
          const outcome = failure.error._tag === "Refusal" ? "refused" as const : "failed" as const
          return Effect.succeed(
            batch.map((one) => receipt(one, { outcome, code, message: failure.error.message, answer: null }))
          )
        }
        const half = Math.ceil(batch.length / 2)
        return Effect.zipWith(send(batch.slice(0, half), alone), send(batch.slice(half), alone), (left, right) => [
          ...left,
          ...right
        ])
      })
    )

  /** Sends again what the server could not take for the moment. */
  const settle = (
    receipts: ReadonlyArray<ImportReceipt>,
    batch: ReadonlyArray<Indexed>,
    alone: boolean,
    round: number
  ): Effect.Effect<ReadonlyArray<ImportReceipt>, CliFailure> => {
    const again = new Set(
      receipts.filter(({ code, outcome }) => outcome === "failed" && passing.has(code ?? "")).map(({ index }) => index)
    )
    if (again.size === 0 || round >= ROUNDS) return Effect.succeed(receipts)
    return Effect.gen(function*() {
      yield* Effect.sleep(Duration.times(FIRST_PAUSE, 2 ** round))
      const later = yield* send(batch.filter(({ index }) => again.has(index)), alone)
      const merged = [...receipts.filter(({ index }) => !again.has(index)), ...later]
      return yield* settle(merged.sort((left, right) => left.index - right.index), batch, alone, round + 1)
    })
  }

  return { send: (batch, alone) => Effect.flatMap(send(batch, alone), (receipts) => settle(receipts, batch, alone, 0)) }
}

// A server that answers fewer results than it was sent items.
const unanswered: Result = {
  outcome: "failed",
  code: "INTERNAL",
  message: "The server did not answer this item",
  answer: null
}

const codeOf = ({ detail }: CallFailure): string => typeof detail["code"] === "string" ? detail["code"] : "INTERNAL"

const decodeAnswer = (answer: unknown): Effect.Effect<WriteAnswer, CallFailure> =>
  Effect.mapError(
    Schema.decodeUnknown(MemorySet.answer)(answer),
    () => localFailure(new Corrupt({ operation: `${MemorySet.tag} answer` }))
  )
