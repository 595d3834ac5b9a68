import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Queue from "effect/Queue"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import type { Reply } from "../../src/memory/ActorBatch.ts"
import * as ActorPipeline from "../../src/memory/ActorPipeline.ts"
import { MAX_ROWS } from "../../src/memory/CommitMerge.ts"
import type { Outcome } from "../../src/memory/Committer.ts"
import type { Commit } from "../../src/memory/MemoryStore.ts"
import { Unsettled } from "../../src/memory/Unsettled.ts"
import { auditOf, commitOf, freshScope, rowOf } from "./MemoryFixture.ts"

const aRow = rowOf(freshScope())

interface State {
  readonly unsettled: Unsettled
  /** What the state was told, in order. */
  readonly knows: Array<string>
}

interface Written {
  readonly commit: Commit
  readonly end: Deferred.Deferred<Outcome, Unavailable>
}

const lost = new Unavailable({ operation: "test" })

/** A pipeline whose commits end when the test says so. A request `read…` is an audited read, `bad…` cannot be judged. */
const setUp = Effect.gen(function*() {
  const life = yield* Effect.scope
  const stored: Array<string> = []
  const answered: Array<string> = []
  const activated: Array<ReadonlyArray<string>> = []
  /** Opened by the test that has "set slow" judged. */
  const gate = yield* Deferred.make<void>()
  const commits = yield* Queue.unbounded<Written>()
  let repairs: Effect.Effect<void, Unavailable> = Effect.void
  const pipeline = yield* ActorPipeline.make<string, State>({
    activate: (unsettled) =>
      Effect.sync(() => {
        activated.push([...stored])
        return { unsettled, knows: [...stored] }
      }),
    warm: () => Effect.void,
    judge: (state, requests) =>
      requests.some((request) => request.startsWith("bad")) ? Effect.fail(lost) : Effect.gen(function*() {
        if (requests.includes("set slow")) yield* Deferred.await(gate)
        const replies = requests.map((request): Reply => {
          state.knows.push(request)
          return Exit.void
        })
        const rows = requests.filter((request) => request.startsWith("set")).map((value) => ({
          ...aRow,
          memory_key: value,
          value
        }))
        state.unsettled.add(rows)
        const audits = requests.filter((request) => request.startsWith("read")).map((memory_id) =>
          auditOf({ ...aRow, memory_id }, 1n, "")
        )
        return { replies, commit: commitOf(rows, { audits }), seq: 0n }
      }),
    commit: (_, __, commit) =>
      Effect.gen(function*() {
        const end = yield* Deferred.make<Outcome, Unavailable>()
        yield* Queue.offer(commits, { commit, end })
        const outcome = yield* Deferred.await(end)
        stored.push(...commit.rows.map(({ value }) => value))
        return outcome
      }),
    repair: () => Effect.suspend(() => repairs),
    gather: () => Effect.void,
    answer: (request, reply) =>
      Effect.sync(() => {
        answered.push(Exit.isSuccess(reply) ? request : `${request} failed`)
      }),
    failure: () => lost
  }, life)
  /** The next commit, by what it writes. */
  const next = Effect.map(Queue.take(commits), ({ commit, end }) => ({
    values: [...commit.audits.map(({ memory_id }) => memory_id), ...commit.rows.map(({ value }) => value)],
    end: (outcome: Outcome) => Effect.zipRight(Deferred.succeed(end, outcome), settle),
    fail: Effect.zipRight(Deferred.fail(end, lost), settle)
  }))
  const breakRepairs = () => {
    repairs = Effect.fail(lost)
  }
  return { pipeline, next, answered, activated, gate, breakRepairs }
})

/** Lets every other fiber go as far as it can. */
const settle = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow(), { discard: true })

const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(effect).pipe(Logger.withMinimumLogLevel(LogLevel.None))

describe("ActorPipeline", () => {
  it.effect("lets its state go at rest alone, and loads it again", () =>
    quietly(Effect.gen(function*() {
      const { activated, answered, gate, next, pipeline } = yield* setUp
      yield* pipeline.offer(["set 1"])
      // Its commit is under way.
      assert.isFalse(pipeline.letGo())
      yield* Effect.flatMap(next, ({ end }) => end("clean"))
      const slow = yield* Effect.fork(pipeline.offer(["set slow"]))
      yield* settle
      // It is being judged.
      assert.isFalse(pipeline.letGo())
      yield* Deferred.succeed(gate, undefined)
      yield* slow
      yield* Effect.flatMap(next, ({ end }) => end("clean"))
      assert.isTrue(pipeline.letGo())
      yield* pipeline.offer(["set 2"])
      yield* Effect.flatMap(next, ({ end }) => end("clean"))
      assert.deepStrictEqual(answered, ["set 1", "set slow", "set 2"])
      assert.deepStrictEqual(activated, [[], ["set 1", "set slow"]])
    })))

  it.effect("judges while it writes, writes together what came meanwhile, and answers after the commit", () =>
    quietly(Effect.gen(function*() {
      const { activated, answered, next, pipeline } = yield* setUp
      yield* pipeline.offer(["set 1"])
      const first = yield* next
      assert.deepStrictEqual(first.values, ["set 1"])
      yield* pipeline.offer(["set 2"])
      yield* pipeline.offer(["look", "set 3"])
      yield* settle
      assert.deepStrictEqual(answered, [])
      yield* first.end("clean")
      assert.deepStrictEqual(answered, ["set 1"])
      const second = yield* next
      assert.deepStrictEqual(second.values, ["set 2", "set 3"])
      assert.deepStrictEqual(answered, ["set 1"])
      yield* second.end("clean")
      assert.deepStrictEqual(answered, ["set 1", "set 2", "look", "set 3"])
      assert.strictEqual(activated.length, 1)
    })))

  it.effect("answers at once what writes nothing, but not before what it was judged by is stored", () =>
    quietly(Effect.gen(function*() {
      const { answered, next, pipeline } = yield* setUp
      yield* pipeline.offer(["look"])
      yield* settle
      assert.deepStrictEqual(answered, ["look"])
      yield* pipeline.offer(["set 1"])
      const first = yield* next
      yield* pipeline.offer(["look again"])
      yield* settle
      assert.deepStrictEqual(answered, ["look"])
      yield* first.end("clean")
      assert.deepStrictEqual(answered, ["look", "set 1", "look again"])
    })))

  it.effect("tells a failed commit to its callers and judges again what was judged on it", () =>
    quietly(Effect.gen(function*() {
      const { activated, answered, next, pipeline } = yield* setUp
      yield* pipeline.offer(["set 1"])
      const first = yield* next
      yield* pipeline.offer(["set 2"])
      yield* pipeline.offer(["look"])
      yield* first.fail
      assert.deepStrictEqual(answered.filter((one) => one.endsWith("failed")), ["set 1 failed"])
      const again = yield* next
      assert.deepStrictEqual(again.values, ["set 2"])
      assert.deepStrictEqual(activated, [[], []])
      yield* again.end("clean")
      assert.deepStrictEqual(answered, ["set 1 failed", "set 2", "look"])
    })))

  it.effect("judges again what was being judged when a commit failed", () =>
    quietly(Effect.gen(function*() {
      const { activated, answered, gate, next, pipeline } = yield* setUp
      yield* pipeline.offer(["set 1"])
      const first = yield* next
      const slow = yield* Effect.fork(pipeline.offer(["set slow"]))
      yield* settle
      yield* first.fail
      assert.deepStrictEqual(answered, ["set 1 failed"])
      yield* Deferred.succeed(gate, undefined)
      yield* slow.await
      assert.strictEqual(activated.length, 2)
      yield* (yield* next).end("clean")
      assert.deepStrictEqual(answered, ["set 1 failed", "set slow"])
    })))

  it.effect("after a batch that cannot be judged, activates again when what is under way is stored", () =>
    quietly(Effect.gen(function*() {
      const { activated, answered, next, pipeline } = yield* setUp
      yield* pipeline.offer(["set 1"])
      const first = yield* next
      yield* pipeline.offer(["bad 2"])
      assert.deepStrictEqual(answered, ["bad 2 failed"])
      const third = yield* Effect.fork(pipeline.offer(["set 3"]))
      yield* settle
      assert.strictEqual(activated.length, 1)
      yield* first.end("clean")
      yield* third.await
      assert.deepStrictEqual(activated, [[], ["set 1"]])
      yield* (yield* next).end("clean")
      assert.deepStrictEqual(answered, ["bad 2 failed", "set 1", "set 3"])
    })))

  it.effect("begins a commit with an audited read", () =>
    quietly(Effect.gen(function*() {
      const { next, pipeline } = yield* setUp
      yield* pipeline.offer(["set 1"])
      const first = yield* next
      yield* pipeline.offer(["set 2"])
      yield* pipeline.offer(["read 3"])
      yield* pipeline.offer(["set 4"])
      yield* first.end("clean")
      const second = yield* next
      assert.deepStrictEqual(second.values, ["set 2"])
      yield* second.end("clean")
      const third = yield* next
      assert.deepStrictEqual(third.values, ["read 3", "set 4"])
      yield* third.end("clean")
    })))

  it.effect("mends after a torn commit, and activates again when it cannot", () =>
    quietly(Effect.gen(function*() {
      const { activated, answered, breakRepairs, next, pipeline } = yield* setUp
      yield* pipeline.offer(["set 1"])
      yield* (yield* next).end("torn")
      yield* pipeline.offer(["set 2"])
      breakRepairs()
      yield* (yield* next).end("torn")
      yield* pipeline.offer(["set 3"])
      yield* (yield* next).end("clean")
      assert.deepStrictEqual(answered, ["set 1", "set 2", "set 3"])
      assert.deepStrictEqual(activated, [[], ["set 1", "set 2"]])
    })))

  it.effect("takes no more batches than a commit holds", () =>
    quietly(Effect.gen(function*() {
      const { next, pipeline } = yield* setUp
      const many = (name: string) => Array.from({ length: MAX_ROWS }, (_, at) => `set ${name} ${at}`)
      yield* pipeline.offer(["set 1"])
      const first = yield* next
      yield* pipeline.offer(many("a"))
      const more = yield* Effect.fork(pipeline.offer(["set 2"]))
      yield* settle
      assert.isNull(more.unsafePoll())
      yield* first.end("clean")
      yield* more.await
      const second = yield* next
      assert.strictEqual(second.values.length, MAX_ROWS)
      yield* second.end("clean")
      const third = yield* next
      assert.deepStrictEqual(third.values, ["set 2"])
      yield* third.end("clean")
    })))
})

describe("Unsettled", () => {
  it.effect("makes a reader of what is not stored wait, and nobody else", () =>
    Effect.gen(function*() {
      const stored = yield* Deferred.make<void>()
      const unsettled = new Unsettled(Deferred.await(stored))
      const one = { ...aRow, memory_key: "one" }
      const other = { ...aRow, memory_key: "other" }
      yield* unsettled.untilAllStored
      unsettled.add([one])
      unsettled.add([one])
      unsettled.remove([one])
      yield* unsettled.untilStored([other])
      const waiting = yield* Effect.fork(unsettled.untilStored([other, one]))
      const all = yield* Effect.fork(unsettled.untilAllStored)
      yield* settle
      assert.isNull(waiting.unsafePoll())
      assert.isNull(all.unsafePoll())
      yield* Deferred.succeed(stored, undefined)
      yield* waiting.await
      yield* all.await
      unsettled.remove([one])
      yield* unsettled.untilStored([one])
    }))
})
