/**
 * `kill -9` in the middle of concurrent writes, again and again on one folder (ten times by `.ci/run`): nothing that was
 * acknowledged is lost, what was not is applied once when it is sent again, and the tables agree with each other afterwards.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { start, tempFolder } from "../support/LoomProcess.ts"
import { rounds } from "../support/Rounds.ts"
import { randomOf } from "../support/Seeded.ts"
import { Writer } from "./Claims.ts"
import * as Invariants from "./Invariants.ts"
import { checkAll, checkServed, runnerOf, runUntilBroken, stepOnce } from "./Writers.ts"

const ROUNDS = rounds({ some: 5, all: 10 })
const WRITERS = 9
const SEED = 20_261_129

describe("kill -9 in the middle of writes", () => {
  it.live(`${ROUNDS} times: nothing lost, nothing twice, all tables agree`, () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const random = randomOf(SEED)
      const runners = Array.from({ length: WRITERS }, (_, index) =>
        runnerOf(new Writer(`w${index}`, `crash-${index % 3}`, SEED + index)))
      const acknowledged = () =>
        runners.reduce((sum, runner) => sum + runner.acknowledged, 0)
      let open = 0
      for (let round = 0; round < ROUNDS; round++) {
        const server = yield* start({ data })
        yield* checkServed(server.url, runners)
        const goal = acknowledged() + 15 + Math.floor(random() * 60)
        const killer = Effect.gen(function*() {
          while (acknowledged() < goal) yield* Effect.sleep(5)
          // Anywhere within a commit, which takes some tens of milliseconds.
          yield* Effect.sleep(random() * 40)
          assert.strictEqual(yield* server.kill, "SIGKILL")
        })
        yield* Effect.all([
          killer,
          ...runners.map((runner) => runUntilBroken(server.url, runner, () => false))
        ], { concurrency: "unbounded", discard: true })
        open += runners.filter((runner) => runner.open !== undefined).length
      }
      assert.isAbove(open, ROUNDS, "the kills met hardly any request")
      const server = yield* start({ data })
      yield* checkServed(server.url, runners)
      yield* Effect.forEach(runners, (runner) => Effect.orDie(stepOnce(server.url, runner)), {
        concurrency: "unbounded"
      })
      yield* checkAll(server.url, runners)
      assert.strictEqual(yield* server.stop, 0)
      assert.isAtLeast(yield* Invariants.check(data), acknowledged() / 2)
    }).pipe(Effect.scoped), 280_000)
})
