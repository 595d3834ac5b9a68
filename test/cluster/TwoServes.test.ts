/**
 * Two `loom serve` on one ClickHouse and one Postgres, writing the same namespaces: under the authority of Postgres one of
 * them may lose a namespace to the other at any time, and says so, but nothing is lost, applied twice or overwritten.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Writer } from "../crash/Claims.ts"
import * as Invariants from "../crash/Invariants.ts"
import { checkAll, checkServed, runnerOf, stepOnce } from "../crash/Writers.ts"
import * as LoomCluster from "../support/LoomCluster.ts"
import * as LoomProcess from "../support/LoomProcess.ts"

const SEED = 20_261_131
const ROUNDS = 12

describe("two servers on one store", () => {
  it.live("take a namespace from each other and lose nothing of it", () =>
    Effect.gen(function*() {
      const { engine, env } = yield* LoomCluster.make
      const servers = yield* Effect.forEach([1, 2], () =>
        Effect.flatMap(LoomProcess.tempFolder, (data) =>
          LoomProcess.start({ data, env: { ...env, LOOM_AUTHORITY: "postgres" } })))
      const callers = Array.from({ length: 4 }, (_, index) =>
        runnerOf(new Writer(`w${index}`, `shared-${index % 2}`, SEED + index)))
      let turned = 0
      for (let round = 0; round < ROUNDS; round++) {
        yield* Effect.forEach(callers, (caller, index) =>
          Effect.gen(function*() {
            const server = servers[(round + index) % 2]
            if (server === undefined) {
              return
            }
            if ((yield* Effect.orDie(stepOnce(server.url, caller))) === "unavailable") {
              turned++
            }
          }), { concurrency: "unbounded", discard: true })
      }
      yield* Effect.logInfo(`${turned} writes were turned away, ${
        callers.reduce((sum, one) => sum + one.acknowledged, 0)
      } acknowledged`)
      const [one, two] = servers
      assert.isDefined(one)
      assert.isDefined(two)
      if (one === undefined || two === undefined) {
        return
      }
      assert.strictEqual(yield* one.stop, 0)
      const last = callers.map((caller) =>
        Effect.repeat(Effect.orDie(Effect.delay(stepOnce(two.url, caller), "500 millis")), {
          until: (answer) =>
            answer === "done"
        })
      )
      yield* Effect.all(last, { concurrency: "unbounded" })
      yield* checkServed(two.url, callers)
      yield* checkAll(two.url, callers)
      assert.strictEqual(yield* two.stop, 0)
      assert.strictEqual(yield* engine.stop, 0)
      assert.isAbove(yield* Invariants.check(engine.data), 10)
    }).pipe(Effect.scoped), 280_000)
})
