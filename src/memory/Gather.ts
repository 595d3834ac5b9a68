/**
 * How long an actor waits for its next batch to grow. A commit has a fixed cost (one part in each of its tables), so a
 * batch of two beside one of sixty-two costs as much as both halves would. But whoever waits for all of its callers
 * leaves the store idle while their requests are prepared. So a batch is begun as soon as a share of the callers is back:
 * the others are prepared while it is written. A lone caller never waits.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

// Measured with 64 callers: at a third two groups of like size take turns; at a half and above they fall into one, and
// nothing is prepared while that is written.
const SHARE = 1 / 3

// Turns of the event loop, a millisecond or more each: less than the fixed cost of the smallest commit.
const TURNS = 5

// By the real clock, whatever clock the process has: it waits for sockets.
const realTurn: Effect.Effect<void> = Effect.withClock(Effect.sleep("1 millis"), Clock.make())

/**
 * Waits until a share of `callers` is waiting, for a few milliseconds at most. `callers` are those who were answered at
 * the end of the batch before, and those who had come meanwhile; `waiting` tells how many have come by now, or null when
 * no more will come.
 */
export const gather = (
  callers: number,
  waiting: () => number | null,
  turn: Effect.Effect<void> = realTurn
): Effect.Effect<void> => {
  const again = (turns: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const count = waiting()
      return turns === 0 || count === null || count >= callers * SHARE
        ? Effect.void
        : Effect.zipRight(turn, again(turns - 1))
    })
  return callers < 2 ? Effect.void : again(TURNS)
}
