/**
 * The store goes away under a server that lives: `loom serve` on a `loom engine` of its own, which is killed in the middle
 * of writes and started again. Whoever writes meanwhile hears 503; sent again, each request is applied once.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { tokenFile } from "../../services/engine/Engine.ts"
import { get } from "../support/LoomHttp.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"
import { LoomServer } from "../support/LoomServer.ts"
import { Writer } from "./Claims.ts"
import * as Invariants from "./Invariants.ts"
import { checkAll, checkServed, runnerOf, stepOnce } from "./Writers.ts"

const ROUNDS = 3

describe("a store that goes away", () => {
  it.live(
    "kill -9 of the engine: 503 meanwhile, then nothing lost and nothing twice, by the same server",
    () =>
      Effect.gen(function*() {
        const [data, serverData] = [yield* tempFolder, yield* tempFolder]
        let engine = yield* start({ data, command: "engine" })
        const server = yield* start({
          data: serverData,
          env: {
            LOOM_CLICKHOUSE_URL: engine.url,
            LOOM_CLICKHOUSE_PASSWORD: readFileSync(tokenFile(join(data, "clickhouse")), "utf8").trim(),
            LOOM_SOLE_WRITER: "true"
          }
        })
        const runners = [0, 1, 2, 3, 4, 5].map((index) =>
          runnerOf(new Writer(`w${index}`, `crash-${index % 2}`, 9_000 + index))
        )
        const acknowledged = () => runners.reduce((sum, runner) => sum + runner.acknowledged, 0)
        let refused = 0
        for (let round = 0; round < ROUNDS; round++) {
          const goal = acknowledged() + 40
          let restarted = false
          const writing = Effect.forEach(runners, (runner) =>
            Effect.gen(function*() {
              // Until each has got through again after the engine came back.
              let after = 0
              while (after < 3) {
                const outcome = yield* Effect.orDie(stepOnce(server.url, runner))
                if (outcome === "done") after += restarted ? 1 : 0
                else {
                  refused++
                  yield* Effect.sleep(20)
                }
              }
            }), { concurrency: "unbounded", discard: true })
          const killing = Effect.gen(function*() {
            while (acknowledged() < goal) yield* Effect.sleep(5)
            assert.strictEqual(yield* engine.kill, "SIGKILL")
            engine = yield* start({ data, command: "engine", env: { LOOM_ENGINE_PORT: new URL(engine.url).port } })
            restarted = true
          })
          yield* Effect.all([killing, writing], { concurrency: "unbounded", discard: true })
          yield* checkServed(server.url, runners)
        }
        assert.isAbove(refused, 0)
        const health = yield* Effect.provideService(get("/readyz"), LoomServer, server)
        assert.strictEqual(health.status, 200)
        yield* checkAll(server.url, runners)
        assert.strictEqual(yield* server.stop, 0)
        assert.strictEqual(yield* engine.stop, 0)
        yield* Invariants.check(data)
      }).pipe(Effect.scoped),
    200_000
  )
})
