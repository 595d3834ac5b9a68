import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import { refuse, Unavailable } from "../../src/kernel/LoomError.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import * as Fence from "../../src/memory/Fence.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import { ACTOR_STOPPED, NamespaceEntity } from "../../src/memory/MemoryCommand.ts"
import type { TransitionAnswer, TransitionCommand } from "../../src/memory/MemoryCommand.ts"
import { isWriteKey } from "../../src/memory/WriteKeys.ts"

const scope = { org: "acme", namespace: "team" }

const command = (idem_hash = "", dry_run = false): TransitionCommand => ({
  _tag: "memory.transition",
  meta: {
    write_id: "wri_1",
    idem_hash,
    payload_hash: "p",
    actor: "human:a",
    bound_user: null,
    source_class: "asserted",
    run_id: "",
    dry_run,
    advisories: [],
    degraded: []
  },
  items: []
})

type Exits = ReadonlyArray<Exit.Exit<TransitionAnswer, LoomError>>

const done: Exits[number] = Exit.succeed({ results: [] })

const other = () => Effect.dieMessage("Only transitions are asked for")

/** An actor that answers transitions so, one after another, and then always with success; `asked` holds their keys. */
const layerActor = (exits: Exits, asked: Array<string>) =>
  NamespaceEntity.toLayer({
    "memory.set": other,
    "memory.bulk_set": other,
    "memory.update": other,
    "memory.update_by_id": other,
    "memory.delete": other,
    "memory.restore": other,
    "memory.transition": ({ payload }) => Effect.suspend(() => exits[asked.push(payload.meta.idem_hash) - 1] ?? done),
    "memory.answer": other,
    "memory.audit_read": other,
    activate: other
  }, { disableFatalDefects: true })

/** What one transition comes to, and under which keys it was asked. */
const call = (
  layer: typeof MemoryClient.layer,
  exits: Exits,
  commands: ReadonlyArray<TransitionCommand> = [command()]
) => {
  const asked: Array<string> = []
  return Effect.gen(function*() {
    const client = yield* MemoryClient.MemoryClient
    const fiber = yield* Effect.fork(Effect.forEach(commands, (one) => Effect.either(client.transition(scope, one))))
    // The actor's shard is taken within a second, a call's time is up after thirty.
    for (let second = 0; second < 40; second++) yield* TestClock.adjust(Duration.seconds(1))
    const answers = yield* Fiber.join(fiber)
    return { answers, asked }
  }).pipe(
    Effect.provide(layer.pipe(Layer.provide(layerActor(exits, asked)), Layer.provideMerge(LocalSharding.layer)))
  )
}

const lost: Exits = [Exit.fail(Fence.lost())]

/** Calls that were made again so far, for a reason. */
const retries = (reason: string) =>
  Effect.map(Metric.snapshot, (pairs) => {
    const found = pairs.find(({ metricKey }) =>
      metricKey.name === "loom_call_retries_total" && [...metricKey.tags].some(({ value }) => value === reason)
    )
    return Number(Object(found?.metricState)["count"] ?? 0)
  })

describe("MemoryClient", () => {
  it.scoped("tries a call of a cluster again under the same mark when its actor had lost the namespace", () =>
    Effect.gen(function*() {
      const stopped = Exit.fail(new Unavailable({ operation: ACTOR_STOPPED }))
      const gone: Exits[number] = Exit.interrupt(FiberId.none)
      const before = yield* Effect.all([retries("Unavailable"), retries("ActorGone")])
      const { answers, asked } = yield* call(MemoryClient.layerCluster, [...lost, stopped, gone])
      const after = yield* Effect.all([retries("Unavailable"), retries("ActorGone")])
      assert.deepEqual(after.map((count, at) => count - (before[at] ?? 0)), [2, 1])
      assert.deepInclude(answers[0], { _tag: "Right" })
      assert.strictEqual(asked.length, 4)
      assert.strictEqual(new Set(asked).size, 1)
      assert.isTrue(asked.every(isWriteKey))
    }))

  it.scoped("marks each call of a verb for itself, and none that has a key or writes nothing", () =>
    Effect.gen(function*() {
      const { asked } = yield* call(MemoryClient.layerCluster, [], [
        command(),
        command(),
        command("k"),
        command("", true)
      ])
      assert.strictEqual(new Set(asked).size, 4)
      assert.deepStrictEqual(asked.map(isWriteKey), [true, true, false, false])
      assert.deepStrictEqual(asked.slice(2), ["k", ""])
    }))

  it.scoped("is UNAVAILABLE when the time of the call is up", () =>
    Effect.gen(function*() {
      const { answers, asked } = yield* call(
        MemoryClient.layerCluster,
        Array.from({ length: 1_000 }, () => lost[0] ?? done)
      )
      assert.deepInclude(answers[0], { left: new Unavailable({ operation: "memory.transition" }) })
      assert.isAbove(asked.length, 30)
      assert.isBelow(asked.length, 150)
    }))

  it.scoped("tries what broke on the way a few times, and says INTERNAL of what stays broken", () =>
    Effect.gen(function*() {
      const broken: Exits[number] = Exit.die("a message that ends amid itself")
      const mended = yield* call(MemoryClient.layerCluster, [broken, broken])
      assert.deepInclude(mended.answers[0], { _tag: "Right" })
      assert.strictEqual(mended.asked.length, 3)
      const stays = yield* Effect.exit(call(MemoryClient.layerCluster, Array.from({ length: 9 }, () => broken)))
      assert.isTrue(Exit.isFailure(stays) && Cause.isDie(stays.cause))
    }))

  it.scoped("takes the other words of an actor as they are", () =>
    Effect.gen(function*() {
      for (const error of [new Unavailable({ operation: "Committer.settle" }), refuse("LOCKED", "It is locked")]) {
        const { answers, asked } = yield* call(MemoryClient.layerCluster, [Exit.fail(error)])
        assert.deepInclude(answers[0], { left: error })
        assert.strictEqual(asked.length, 1)
      }
    }))

  it.scoped("calls once in a single process, and marks nothing", () =>
    Effect.gen(function*() {
      const { answers, asked } = yield* call(MemoryClient.layer, lost)
      assert.deepInclude(answers[0], { left: Fence.lost() })
      assert.deepStrictEqual(asked, [""])
    }))
})
