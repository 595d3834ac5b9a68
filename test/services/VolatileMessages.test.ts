/**
 * A process forgets which calls its actors have answered: without that it keeps a number of each for as long as it lives.
 */
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { bytesInUse } from "../../bench/support/Heap.ts"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"

const Echo = Entity.make("Echo", [Rpc.make("Say", { payload: { n: Schema.Number }, success: Schema.Number })])

const layer = Echo.toLayer({ Say: ({ payload }) => Effect.succeed(payload.n) }).pipe(
  Layer.provideMerge(LocalSharding.layer)
)

// So many have numbers of their own within a millisecond, and the clock of a test stands still.
const BATCH = 4_000
const BATCHES = 6
// What the numbers of all calls take when they are kept: at least so much.
const KEPT_BYTES = BATCH * BATCHES * 40

describe("a cluster whose messages are not stored", () => {
  it.scoped("forgets the calls that were answered", () =>
    Effect.gen(function*() {
      const client = yield* Echo.client
      const say = (count: number) =>
        Effect.forEach(Array.from({ length: count }, (_, n) => n), (n) => client("one").Say({ n }), { discard: true })
      // Shards are taken after a moment.
      const first = yield* Effect.fork(say(1))
      yield* TestClock.adjust("1 minute")
      yield* first
      const all = Effect.repeatN(Effect.zipRight(say(BATCH), TestClock.adjust("1 second")), BATCHES - 1)
      const measured = Effect.map(Effect.zipRight(all, TestClock.adjust("1 minute")), bytesInUse)
      // The first time the code grows warm.
      yield* measured
      const before = yield* measured
      assert.isBelow((yield* measured) - before, KEPT_BYTES / 2)
    }).pipe(Effect.provide(layer)), 60_000)
})
