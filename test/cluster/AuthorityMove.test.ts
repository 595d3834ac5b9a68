/**
 * `loom authority migrate` there and back beside a cluster that is written to: what was acknowledged before, during and after is there
 * once, both stores are compared by hashes, runners and gateways follow by themselves, and nobody waits for longer than seconds.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Writer } from "../crash/Claims.ts"
import * as Invariants from "../crash/Invariants.ts"
import { checkAll, checkServed, runnerOf, stepOnce } from "../crash/Writers.ts"
import type { Runner as Caller } from "../crash/Writers.ts"
import * as LoomCluster from "../support/LoomCluster.ts"
import * as LoomProcess from "../support/LoomProcess.ts"

// The pause itself, four seconds in which an actor that lost its namespace does not ask for it, and a busy machine.
const PAUSE_MILLIS = 20_000

describe("a change of authority under load", () => {
  it.live("there and back, by runners and gateways that stay up", () =>
    Effect.gen(function*() {
      const cluster = yield* LoomCluster.make
      const under = (authority: string) => ({ ...cluster.env, LOOM_AUTHORITY: authority })
      const [one, two, gateway] = yield* Effect.all([
        cluster.runner(under("clickhouse")),
        cluster.runner(under("clickhouse")),
        cluster.gateway(under("clickhouse"))
      ], { concurrency: "unbounded" })
      const callers = Array.from({ length: 6 }, (_, index) =>
        runnerOf(new Writer(`w${index}`, `move-${index % 3}`, 11_000 + index)))
      let ended = false
      const slowest = callers.map(() =>
        0
      )
      const write = (caller: Caller, index: number) =>
        Effect.gen(function*() {
          let since = performance.now()
          while (!ended || caller.open !== undefined) {
            if ((yield* Effect.orDie(stepOnce(gateway.url, caller))) === "done") {
              slowest[index] = Math.max(slowest[index] ?? 0, performance.now() - since)
              since = performance.now()
            } else yield* Effect.sleep("100 millis")
          }
        })
      const acknowledged = () => callers.reduce((sum, caller) => sum + caller.acknowledged, 0)
      const more = (count: number) =>
        Effect.suspend(() => {
          const goals = callers.map((caller) => caller.acknowledged + count)
          const isDone = () => callers.every((caller, index) => caller.acknowledged >= (goals[index] ?? 0))
          return Effect.repeat(Effect.sleep("20 millis"), { until: isDone })
        })
      const data = yield* LoomProcess.tempFolder
      const migrate = (to: string) =>
        Effect.map(
          LoomProcess.run(["authority", "migrate", "--to", to, "--apply", "--json"], { data, env: cluster.env }),
          (out): Record<string, unknown> => ({ ...Object(JSON.parse(out)) })
        )
      const writing = yield* Effect.fork(Effect.forEach(callers, write, { concurrency: "unbounded", discard: true }))
      const course = Effect.gen(function*() {
        yield* more(10)
        for (const to of ["postgres", "clickhouse", "postgres"]) {
          slowest.fill(0)
          const before = acknowledged()
          const moved = yield* migrate(to)
          assert.deepInclude(moved, { to, moved: true, namespaces: 3 })
          yield* more(5)
          yield* Effect.log(
            `to ${to}: closed for ${String(moved["paused_ms"])} ms, slowest write ${
              Math.round(Math.max(...slowest))
            } ms, ${acknowledged() - before} writes beside it`
          )
          assert.isBelow(Math.max(...slowest), PAUSE_MILLIS)
          const other = to === "postgres" ? "clickhouse" : "postgres"
          const refused = yield* Effect.flip(Effect.scoped(cluster.runner(under(other))))
          assert.include(refused.log, `under the authority of ${to}`)
        }
        ended = true
      })
      yield* Effect.raceFirst(course, Effect.zipRight(Fiber.join(writing), Effect.never))
      yield* Fiber.join(writing)
      yield* checkServed(gateway.url, callers)
      yield* checkAll(gateway.url, callers)
      const third = yield* cluster.runner(under("postgres"))
      yield* Effect.all([one, two, third, gateway].map((process) => process.stop), { concurrency: "unbounded" })
      yield* cluster.engine.stop
      assert.isAbove(yield* Invariants.check(cluster.engine.data), 10)
    }).pipe(Effect.scoped), 400_000)
})
