/**
 * The port over something that tries once: how often and how long a caller's request is tried, how many are under way at
 * once, and what is logged and told when nothing helped. Every adapter of ours makes its service here, so that patience is
 * the same with all of them. Neither prompt nor reply is ever logged.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { LanguageModel, ModelPrompt, ModelReply, Patience } from "./LanguageModel.ts"
import { errorOf, LanguageModelFailure } from "./LanguageModelFailure.ts"
import * as LanguageModelMetrics from "./LanguageModelMetrics.ts"
import { noteUnanswered } from "./ModelMeter.ts"
import { retrying } from "./ModelServerRetry.ts"

/** One request to a model, tried once. */
export type Attempt = (prompt: ModelPrompt) => Effect.Effect<ModelReply, LanguageModelFailure>

export interface RetryOptions {
  readonly model: string
  /** How long a caller waits for a reply, all tries included. */
  readonly timeout: Duration.DurationInput
}

export const make = (
  once: Attempt,
  { model, timeout }: RetryOptions
): Effect.Effect<typeof LanguageModel.Service> =>
  Effect.gen(function*() {
    const slots = yield* Effect.makeSemaphore(PARALLEL)
    const slotsOfWorkers = yield* Effect.makeSemaphore(PARALLEL - 1)
    const attempt: Attempt = (prompt) => Effect.suspend(() => once(prompt))
    const late = () => new LanguageModelFailure({ reason: "late" })

    // A slot is held while the model works and not through a pause.
    const tries: Record<Patience, Attempt> = {
      caller: (prompt) =>
        retryingCaller(slots.withPermits(1)(counted(attempt(prompt), prompt))).pipe(
          Effect.timeoutFail({ duration: timeout, onTimeout: late }),
          // What ran out of time was no try that ended.
          Effect.tapErrorTag(
            "LanguageModelFailure",
            (failure) => failure.reason === "late" ? LanguageModelMetrics.failed(prompt.purpose, "late") : Effect.void
          )
        ),
      worker: (prompt) =>
        counted(
          attempt(prompt).pipe(
            Effect.timeoutFail({ duration: Duration.times(timeout, WORKER_TIMES), onTimeout: late })
          ),
          prompt
        ).pipe(slots.withPermits(1), slotsOfWorkers.withPermits(1), retryingWorker)
    }
    return {
      model,
      generate: Effect.fn("LanguageModel.generate")((prompt: ModelPrompt) =>
        tries[prompt.patience ?? "caller"](prompt).pipe(
          Effect.catchTag("LanguageModelFailure", (failure) =>
            Effect.logWarning("The language model did not answer").pipe(
              Effect.annotateLogs({ reason: failure.reason, status: failure.status ?? "none", model }),
              Effect.zipRight(Effect.fail(errorOf(failure)))
            ))
        )
      )
    }
  })

/** Counts a try that failed, and notes what was sent in vain: what was cut short, or answered by halves. */
const counted = (
  attempt: Effect.Effect<ModelReply, LanguageModelFailure>,
  prompt: ModelPrompt
): Effect.Effect<ModelReply, LanguageModelFailure> =>
  attempt.pipe(
    Effect.onInterrupt(() => noteUnanswered(prompt)),
    Effect.tapErrorTag("LanguageModelFailure", (failure) =>
      Effect.zipRight(
        LanguageModelMetrics.failed(prompt.purpose, failure.reason),
        isHalfAnswered(failure) ? noteUnanswered(prompt) : Effect.void
      ))
  )

/** An answer had begun, so that the model had read the prompt. */
const isHalfAnswered = ({ reason, status }: LanguageModelFailure): boolean =>
  reason === "late" || reason === "corrupt" || reason === "transport" && status !== undefined

// What a small server of one's own works on at once; who waits longer than the time limit is answered without a model. One
// place is left for callers whatever workers do.
const PARALLEL = 4

// What a worker has written (facts of a session) is some times as long as an answer to a question.
const WORKER_TIMES = 6

// A reply takes seconds: after a second miss a caller is better served without the model.
const retryingCaller = retrying({ tries: 1, longestPause: 2_000 })

// A worker sits out what passes within a minute or two, such as a limit by the minute or a server that starts again; what lasts
// longer is its frame's to try again, since meanwhile others wait.
const retryingWorker = retrying({ tries: 4, firstPause: "1 second", longestPause: 60_000 })
