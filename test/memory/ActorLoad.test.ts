/** What waits in the mailboxes of a process is told while it waits, of each namespace, and nothing is left when all are answered. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import { ActorLoad } from "../../src/kernel/ActorLoad.ts"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import * as ActorMetrics from "../../src/memory/ActorMetrics.ts"
import { call, layer } from "../support/ActorHouse.ts"

const depth = (of: "max" | "sum") =>
  Effect.map(Metric.snapshot, (pairs) => {
    const found = pairs.find(({ metricKey }) =>
      metricKey.name === "loom_actor_mailbox_depth" && [...metricKey.tags].some(({ value }) => value === of)
    )
    return found === undefined ? undefined : Object(found.metricState)["value"]
  })

const until = <A, E>(look: Effect.Effect<A, E>, is: (seen: A) => boolean) =>
  look.pipe(
    Effect.filterOrFail(is, (seen) => `still ${JSON.stringify(seen)}`),
    Effect.retry(Schedule.spaced("10 millis").pipe(Schedule.intersect(Schedule.recurs(500))))
  )

describe("the load of a process's actors", () => {
  it.live("counts what is queued and running, by namespace and in all", () =>
    Effect.gen(function*() {
      const door = yield* Effect.makeLatch(false)
      const load = yield* ActorLoad
      const held = layer().pipe(
        Layer.provideMerge(Layer.succeed(FaultPoint, {
          hit: (point) => point === "commit.after_reserve" ? door.await : Effect.void
        })),
        Layer.merge(ActorMetrics.layer)
      )
      yield* Effect.gen(function*() {
        // The first of a namespace is under way, those behind it wait.
        const writes = yield* Effect.fork(Effect.forEach(
          [["busy", 1], ["busy", 2], ["busy", 3], ["quiet", 1]] as const,
          ([namespace, n]) => call("memory.set", { namespace, memory_key: `k/${n}`, value: `Fact ${n}` }),
          { concurrency: "unbounded" }
        ))
        yield* until(Effect.sync(load.total), ({ waiting }) => waiting === 4)
        assert.deepEqual(load.namespaces().map(({ scope, waiting }) => [scope.namespace, waiting]), [
          ["busy", 3],
          ["quiet", 1]
        ])
        assert.strictEqual(load.total().actors, 2)
        yield* until(Effect.all([depth("max"), depth("sum")]), ([max, sum]) => max === 3 && sum === 4)
        yield* door.open
        yield* Fiber.join(writes)
        yield* until(Effect.sync(load.total), ({ actors, waiting }) => waiting === 0 && actors === 2)
        yield* until(Effect.all([depth("max"), depth("sum")]), ([max, sum]) => max === 0 && sum === 0)
      }).pipe(Effect.provide(held))
      // Gone with the actors.
      assert.deepEqual(load.namespaces(), [])
    }))
})
