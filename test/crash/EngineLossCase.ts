/**
 * The store goes away under a server that lives: `loom serve` on a `loom engine` of its own, which is killed in the middle
 * of writes and started again. Whoever writes meanwhile may hear 503; sent again, each request is applied once.
 */
import { assert } from "@effect/vitest"
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

export interface Seen {
  /** Answers that a writer was told to come back for. */
  readonly refused: number
  /** Writes that were acknowledged while the engine was away. */
  readonly without: number
  /** The longest from the return of the engine to the first answer that a writer got, in milliseconds. */
  readonly slowest: number
}

/** Three rounds, with the server started under these settings. */
export const survives = (env: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const [data, serverData] = [yield* tempFolder, yield* tempFolder]
    let engine = yield* start({ data, command: "engine" })
    const server = yield* start({
      data: serverData,
      env: {
        LOOM_CLICKHOUSE_URL: engine.url,
        LOOM_CLICKHOUSE_PASSWORD: readFileSync(tokenFile(join(data, "clickhouse")), "utf8").trim(),
        ...env
      }
    })
    const runners = [0, 1, 2, 3, 4, 5].map((index) =>
      runnerOf(new Writer(`w${index}`, `crash-${index % 2}`, 9_000 + index))
    )
    const acknowledged = () => runners.reduce((sum, runner) => sum + runner.acknowledged, 0)
    let [refused, without, slowest] = [0, 0, 0]
    for (let round = 0; round < ROUNDS; round++) {
      const goal = acknowledged() + 40
      let gone = false
      let back = 0
      const writing = Effect.forEach(runners, (runner) =>
        Effect.gen(function*() {
          // Until each has got through again after the engine came back.
          let after = 0
          while (after < 3) {
            const outcome = yield* Effect.orDie(stepOnce(server.url, runner))
            if (outcome === "done") {
              if (back > 0 && after++ === 0) slowest = Math.max(slowest, performance.now() - back)
              if (gone && back === 0) without++
            } else {
              refused++
              yield* Effect.sleep(20)
            }
          }
        }), { concurrency: "unbounded", discard: true })
      const killing = Effect.gen(function*() {
        while (acknowledged() < goal) yield* Effect.sleep(5)
        assert.strictEqual(yield* engine.kill, "SIGKILL")
        gone = true
        engine = yield* start({ data, command: "engine", env: { LOOM_ENGINE_PORT: new URL(engine.url).port } })
        back = performance.now()
      })
      yield* Effect.all([killing, writing], { concurrency: "unbounded", discard: true })
      yield* checkServed(server.url, runners)
    }
    const health = yield* Effect.provideService(get("/readyz"), LoomServer, server)
    assert.strictEqual(health.status, 200)
    yield* checkAll(server.url, runners)
    assert.strictEqual(yield* server.stop, 0)
    assert.strictEqual(yield* engine.stop, 0)
    yield* Invariants.check(data)
    const seen: Seen = { refused, without, slowest }
    yield* Effect.log(`refused ${refused}, without the engine ${without}, slowest return ${Math.round(slowest)} ms`)
    return seen
  })
