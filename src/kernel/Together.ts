/**
 * Calls that go together: what comes while one call is under way waits for it, and the next takes all that waits. Nobody
 * waits for company, so a call by itself is as quick as before; many side by side cost a store few calls. A call that
 * fails fails for each of those that it was made for.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"

/** `run` gives an answer for each of what it is asked, in order; it is asked at most `most` at once. */
export const make = <A, B extends object | true, E, R>(
  run: (all: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E, R>,
  most: number
): Effect.Effect<(one: A) => Effect.Effect<B, E>, never, R | Scope> =>
  Effect.gen(function*() {
    const queue = yield* Queue.unbounded<readonly [A, Deferred.Deferred<B, E>]>()
    const turn = Effect.gen(function*() {
      const waiting = [...(yield* Queue.takeBetween(queue, 1, most))]
      const exit = yield* Effect.exit(run(waiting.map(([one]) => one)))
      for (const [at, [, answer]] of waiting.entries()) {
        const found = Exit.isSuccess(exit) ? exit.value[at] : undefined
        yield* Exit.isFailure(exit)
          ? Deferred.failCause(answer, exit.cause)
          : found === undefined
          ? Deferred.die(answer, new RangeError("A call gave fewer answers than it was asked for"))
          : Deferred.succeed(answer, found)
      }
    })
    yield* Effect.forkScoped(Effect.interruptible(Effect.forever(turn)))
    return (one) =>
      Effect.gen(function*() {
        const deferred = yield* Deferred.make<B, E>()
        yield* Queue.offer(queue, [one, deferred])
        return yield* Deferred.await(deferred)
      })
  })

/** The same where a call that succeeds says nothing else. */
export const makeVoid = <A, E, R>(
  run: (all: ReadonlyArray<A>) => Effect.Effect<void, E, R>,
  most: number
): Effect.Effect<(one: A) => Effect.Effect<void, E>, never, R | Scope> =>
  Effect.map(
    make((all: ReadonlyArray<A>) => Effect.as(run(all), all.map(() => true as const)), most),
    (call) => (one: A) => Effect.asVoid(call(one))
  )
