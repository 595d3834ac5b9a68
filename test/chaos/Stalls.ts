/**
 * How long this process itself stood still: on a machine that is busy with other things a run measures those too, and
 * what was measured across a stall says nothing of the cluster. Plain timers: nothing else notices a blocked loop.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"

export interface Stall {
  readonly start: number
  readonly end: number
}

const TICK_MILLIS = 50
// Less is what a fork or a large write takes.
const SHORTEST_MILLIS = 500

/** The stalls so far; it grows while the scope lives. */
export const watch = (now: () => number): Effect.Effect<ReadonlyArray<Stall>, never, Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const stalls: Array<Stall> = []
        let last = now()
        const timer = setInterval(() => {
          const at = now()
          if (at - last > TICK_MILLIS + SHORTEST_MILLIS) stalls.push({ start: last, end: at })
          last = at
        }, TICK_MILLIS)
        return { stalls, timer }
      }),
      ({ timer }) => Effect.sync(() => clearInterval(timer))
    ),
    ({ stalls }) => stalls
  )
