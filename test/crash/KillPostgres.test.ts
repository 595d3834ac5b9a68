/**
 * The same under the authority of Postgres: `kill -9` anywhere, and at each place between the transaction, its copy in
 * ClickHouse and the outbox.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { start, tempFolder } from "../support/LoomProcess.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"
import { rounds } from "../support/Rounds.ts"
import { randomOf } from "../support/Seeded.ts"
import { Writer } from "./Claims.ts"
import * as Invariants from "./Invariants.ts"
import { checkAll, checkServed, runnerOf, runUntilBroken, stepOnce } from "./Writers.ts"

const WRITERS = 6
const SEED = 20_261_130

// Some writes in, so that the kill meets several namespaces in one commit.
const points = [
  "commit.after_transaction:12:kill",
  "commit.before_memory:15:kill",
  "commit.after_memory:9:kill",
  "outbox.after_copy:14:kill"
]

const ANYWHERE = rounds({ some: 1, all: 6 })

describe("kill -9 under the authority of Postgres", () => {
  it.live("at every place: nothing lost, nothing twice, all tables agree", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const url = Redacted.value(yield* PostgresHouse.database)
      const env = { LOOM_AUTHORITY: "postgres", LOOM_POSTGRES_URL: url }
      const random = randomOf(SEED)
      const runners = Array.from({ length: WRITERS }, (_, index) =>
        runnerOf(new Writer(`w${index}`, `crash-${index % 3}`, SEED + index)))
      const acknowledged = () =>
        runners.reduce((sum, runner) => sum + runner.acknowledged, 0)
      let open = 0
      for (const fault of [...points, ...Array.from({ length: ANYWHERE }, () => undefined)]) {
        const server = yield* start({ data, env: fault === undefined ? env : { ...env, LOOM_TEST_FAULT: fault } })
        yield* checkServed(server.url, runners)
        const goal = acknowledged() + 15 + Math.floor(random() * 40)
        const killer = fault === undefined
          ? Effect.gen(function*() {
            while (acknowledged() < goal) yield* Effect.sleep(5)
            yield* Effect.sleep(random() * 40)
            yield* server.kill
          })
          : server.ended
        yield* Effect.all([
          Effect.map(killer, () => undefined),
          ...runners.map((runner) => runUntilBroken(server.url, runner, () => false))
        ], { concurrency: "unbounded", discard: true })
        assert.strictEqual(yield* server.ended, "SIGKILL", fault)
        open += runners.filter((runner) => runner.open !== undefined).length
      }
      assert.isAbove(open, points.length, "the kills met hardly any request")
      const server = yield* start({ data, env })
      yield* checkServed(server.url, runners)
      yield* Effect.forEach(runners, (runner) => Effect.orDie(stepOnce(server.url, runner)), {
        concurrency: "unbounded"
      })
      yield* checkAll(server.url, runners)
      assert.strictEqual(yield* server.stop, 0)
      assert.isAtLeast(yield* Invariants.check(data), acknowledged() / 2)
    }).pipe(Effect.scoped), 280_000)
})
