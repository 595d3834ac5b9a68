/**
 * A crash at each named point between two inserts of a commit, and what else may go wrong there: the process that comes
 * after repairs what is left, the open requests are applied once when they are sent again, and all tables agree.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Fault, parse } from "../../services/serve/FaultPoints.ts"
import { MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { unrelated } from "../support/Facts.ts"
import { answerOf, refusedBy, send, trySend } from "../support/LoomHttp.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"
import { Writer } from "./Claims.ts"
import * as Invariants from "./Invariants.ts"
import { checkAll, checkServed, runnerOf, runUntilBroken, stepOnce } from "./Writers.ts"

const points = ["after_embeddings", "after_chunks", "after_entities", "before_memory", "after_memory"].map((name) =>
  `commit.${name}`
)

/** A long value with entities: a commit of it has something for every table. */
const whole = (namespace: string, name: string) => ({
  namespace,
  memory_key: `p/${name}`,
  value: `${unrelated([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0) % 1_000_000)}. `.repeat(40),
  entities: ["The Oat Mill", name],
  tags: ["plan"],
  idempotency_key: name
})

const setOf = (url: string, body: object) => trySend(url, "POST", "/v1/memory.set", JSON.stringify(body))

describe("LOOM_TEST_FAULT", () => {
  it("reads point, passing and what happens; everything else is refused", () => {
    assert.deepStrictEqual(
      parse("commit.before_memory:3:kill"),
      Option.some({ point: "commit.before_memory", passing: 3, fault: Fault.Kill() })
    )
    assert.deepStrictEqual(parse("a:1:fail"), Option.some({ point: "a", passing: 1, fault: Fault.Fail() }))
    assert.deepStrictEqual(
      parse("a.b:12:pause:250"),
      Option.some({ point: "a.b", passing: 12, fault: Fault.Pause({ millis: 250 }) })
    )
    for (
      const text of [
        "",
        "a",
        "a:kill",
        "a:0:kill",
        "a:1:die",
        "a:1:pause",
        "a:1:pause:",
        "a:1:kill:2",
        "a:x:kill",
        " a:1:kill"
      ]
    ) {
      assert.isTrue(Option.isNone(parse(text)), text)
    }
  })

  it.live("a wrong value keeps the server from starting", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const failed = yield* Effect.flip(start({ data, env: { LOOM_TEST_FAULT: "commit.before_memory:kill" } }))
      assert.include(failed.log, "LOOM_TEST_FAULT")
    }).pipe(Effect.scoped), 60_000)
})

describe("a crash between two inserts", () => {
  it.live(
    "at each point in turn, on one folder: all is repaired, what was open is applied once",
    () =>
      Effect.gen(function*() {
        const data = yield* tempFolder
        const runners = [0, 1, 2, 3].map((index) =>
          runnerOf(new Writer(`w${index}`, `crash-${index % 2}`, 7_000 + index))
        )
        for (const [index, point] of points.entries()) {
          // Not always the first commit: of some there is a state before.
          const server = yield* start({ data, env: { LOOM_TEST_FAULT: `${point}:${4 + index}:kill` } })
          yield* checkServed(server.url, runners)
          const lone = { ...whole(`lone-${point}`, point) }
          yield* Effect.all([
            Effect.ignore(setOf(server.url, lone)),
            ...runners.map((runner) => runUntilBroken(server.url, runner, () => false))
          ], { concurrency: "unbounded", discard: true })
          assert.strictEqual(yield* server.ended, "SIGKILL")
          assert.isAbove(runners.filter(({ open }) => open !== undefined).length, 0)
        }
        const server = yield* start({ data })
        yield* checkServed(server.url, runners)
        yield* Effect.forEach(runners, (runner) => Effect.orDie(stepOnce(server.url, runner)), {
          concurrency: "unbounded"
        })
        for (const point of points) {
          const again = answerOf(MemorySet, yield* Effect.orDie(setOf(server.url, whole(`lone-${point}`, point))))
          assert.deepInclude(again, { reinforcement_count: 1, noop: false })
        }
        yield* checkAll(server.url, runners)
        assert.strictEqual(yield* server.stop, 0)
        yield* Invariants.check(data)
      }).pipe(Effect.scoped),
    280_000
  )

  it.live(
    "between the rows and what the views make of them: the history, feed, chain and vectors come back",
    () =>
      Effect.gen(function*() {
        const data = yield* tempFolder
        const first = yield* start({ data })
        for (const name of ["one", "two", "three"]) yield* Effect.orDie(setOf(first.url, whole("torn", name)))
        const edit = { namespace: "torn", memory_key: "p/one", value: "The plan one, changed" }
        yield* send(first.url, "POST", "/v1/memory.update", JSON.stringify(edit))
        assert.strictEqual(yield* first.stop, 0)
        // As if each insert after the block had been lost: the newest rows of every mirror, and a vector.
        yield* Invariants.onFolder(
          data,
          Effect.gen(function*() {
            const clickhouse = yield* Clickhouse
            const newest = ch.fragment`(SELECT max(version) FROM loom.memory)`
            for (const [table, column] of [["memory_versions", "version"], ["journal", "position"]] as const) {
              yield* clickhouse.command(
                ch.sql("test.tear")`DELETE FROM ${ch.identifier("loom", table)} WHERE ${
                  ch.identifier(column)
                } = ${newest}`
              )
            }
            yield* clickhouse.command(
              ch.sql("test.tear")`DELETE FROM loom.memory_embeddings WHERE memory_key = 'p/three'`
            )
          })
        )
        yield* Effect.flip(
          Effect.exit(Invariants.check(data)).pipe(
            Effect.flatMap((exit) => exit._tag === "Success" ? Effect.void : Effect.fail("the damage shows"))
          )
        )
        const second = yield* start({ data })
        const history = yield* send(
          second.url,
          "POST",
          "/v1/memory.history",
          JSON.stringify({ namespace: "torn", memory_key: "p/one" })
        )
        assert.match(history.text, /"change":"correct".*"change":"create"/s)
        assert.strictEqual(yield* second.stop, 0)
        assert.strictEqual(yield* Invariants.check(data), 4)
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("a commit that fails", () => {
  for (const point of points) {
    it.live(`at ${point}: a 503, and the same request again is one write`, () =>
      Effect.gen(function*() {
        const data = yield* tempFolder
        const server = yield* start({ data, env: { LOOM_TEST_FAULT: `${point}:2:fail` } })
        const before = answerOf(MemorySet, yield* Effect.orDie(setOf(server.url, whole("fails", "first"))))
        assert.strictEqual(before.reinforcement_count, 1)
        const failed = refusedBy(point, yield* Effect.orDie(setOf(server.url, whole("fails", "second"))))
        assert.deepInclude(failed, { status: 503, code: "UNAVAILABLE" })
        assert.isTrue(failed.detail.retryable)
        const again = answerOf(MemorySet, yield* Effect.orDie(setOf(server.url, whole("fails", "second"))))
        assert.deepInclude(again, { reinforcement_count: 1, noop: false })
        assert.strictEqual(yield* server.stop, 0)
        assert.strictEqual(yield* Invariants.check(data), 2)
      }).pipe(Effect.scoped), 60_000)
  }

  it.live("SIGTERM during a commit: the writer gets its answer, the process ends with 0", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const server = yield* start({ data, env: { LOOM_TEST_FAULT: "commit.before_memory:1:pause:1500" } })
      const writing = yield* Effect.fork(setOf(server.url, whole("drain", "late")))
      // Until the request is under way; the commit is held much longer.
      yield* Effect.sleep(500)
      const began = performance.now()
      const ending = yield* server.stop
      assert.strictEqual(ending, 0, server.log())
      assert.isBelow(performance.now() - began, 15_000)
      const reply = yield* Effect.orDie(writing.await.pipe(Effect.flatten))
      assert.strictEqual(answerOf(MemorySet, reply).reinforcement_count, 1)
      assert.strictEqual(yield* Invariants.check(data), 1)
    }).pipe(Effect.scoped), 60_000)
})
