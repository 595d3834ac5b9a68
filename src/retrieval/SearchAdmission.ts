/**
 * How many searches run at once. Each scans a namespace on every core it gets, so many side by side only make each other
 * late; the rest wait their turn, and a leg's time begins when its search does.
 */
import * as Effect from "effect/Effect"
import { Overloaded } from "../kernel/LoomError.ts"

// Two for each of the few cores a small host has: one computes while another waits for its next query.
const AT_ONCE = 4
// At some tens of milliseconds a search, the last of these waits about as long as a caller's patience (60 s).
const MOST_WAITING = 1_000
const RETRY_AFTER_SECONDS = 1

export interface Admission {
  /** Runs the search in its turn; `Overloaded` when too many wait already. */
  readonly admit: <A, E, R>(search: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
}

export const make: Effect.Effect<Admission> = Effect.map(Effect.makeSemaphore(AT_ONCE), (turns) => {
  let waiting = 0
  return {
    admit: <A, E, R>(search: Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | Overloaded, R> => {
        if (waiting >= MOST_WAITING) return Effect.fail(new Overloaded({ retry_after_s: RETRY_AFTER_SECONDS }))
        waiting++
        return Effect.ensuring(
          turns.withPermits(1)(search),
          Effect.sync(() => {
            waiting--
          })
        )
      })
  }
})
