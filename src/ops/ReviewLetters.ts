/**
 * The kind of the review queue that operators look after: changes that a worker gave up on. As ops.dead_letters it is an
 * admin's, and nobody's who is bound to one user, since what a worker did tells of every user's memories.
 */
import * as Effect from "effect/Effect"
import { allows } from "../kernel/Caller.ts"
import { ageOf } from "../memory/ReviewQueueModel.ts"
import type { ReviewItem, ReviewSource, ReviewStep } from "../memory/ReviewQueueModel.ts"
import type { DeadLetter } from "../work/WorkerModel.ts"
import { WorkerStore } from "../work/WorkerStore.ts"
import { OpsDeadLetters } from "./OpsVerbs.ts"

const steps = ({ position, scope, worker }: DeadLetter): ReadonlyArray<ReviewStep> => {
  const step = (action: "retry" | "drop", what: string): ReviewStep => ({
    action,
    side: null,
    what,
    verb: OpsDeadLetters.tag,
    request: { action, worker, namespace: scope.namespace, versions: [position.toString()] }
  })
  return [step("retry", "have the worker try it again"), step("drop", "let it go")]
}

const itemOf = (letter: DeadLetter, now: number): ReviewItem => ({
  id: `${letter.worker} ${letter.position}`,
  ...ageOf(letter.first_at, now),
  why:
    `${letter.worker} gave up on the ${letter.change} of ${letter.memory_id} after ${letter.tries} tries: ${letter.code}`,
  sides: [],
  steps: steps(letter)
})

export const make: Effect.Effect<ReadonlyArray<ReviewSource>, never, WorkerStore> = Effect.map(
  WorkerStore,
  (store) => [{
    kind: "dead_letters",
    what: "Changes that a worker gave up on; what it would have derived is missing.",
    next: "ops.dead_letters: retry or drop, once the cause is gone",
    isOpen: (caller) => allows(caller, "admin") && caller.boundUser === null,
    look: ({ limit, now, scope }) =>
      Effect.gen(function*() {
        const reach = { org: scope.org, namespaces: [scope.namespace] }
        const counts = yield* store.countLetters(reach, ["open"])
        const count = counts.reduce((sum, one) => sum + one.count, 0)
        // Oldest first: the first says how long the longest has waited.
        const letters = count === 0 ? [] : yield* store.letters({
          reach,
          worker: null,
          states: ["open"],
          limit: Math.max(1, limit)
        })
        return {
          count,
          oldest: letters[0]?.first_at ?? null,
          items: letters.slice(0, limit).map((letter) => itemOf(letter, now))
        }
      })
  }]
)
