import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import * as Batch from "../../src/platform/EmbedderBatch.ts"

const vectorOf = (text: string) => Float32Array.of(text.length, text.charCodeAt(0))

/** A batcher whose model notes each batch and waits for `open` where a test asks it to. */
const rig = (options: Partial<Batch.BatchOptions> = {}) =>
  Effect.gen(function*() {
    const batches: Array<ReadonlyArray<string>> = []
    const open = yield* Deferred.make<void>()
    const embed = yield* Batch.make({
      operation: "test",
      run: (texts) =>
        Effect.suspend(() => {
          batches.push(texts)
          return texts.includes("wait") ? Deferred.await(open) : Effect.void
        }).pipe(Effect.as(texts.map(vectorOf))),
      largest: 4,
      heaviest: 1_000,
      waiting: 12,
      parallel: 1,
      millisPerText: 1_000,
      ...options
    })
    return { batches, embed, open }
  })

/** Lets all that can run now run: the batcher gathers on the turn of the event loop. */
const settle = Effect.repeatN(Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void))), 20)

describe("EmbedderBatch", () => {
  it.scoped("answers each caller with its own vectors, in order, in shared batches", () =>
    Effect.gen(function*() {
      const { batches, embed } = yield* rig()
      const calls = [["a", "bb"], ["ccc"], ["a", "dddd", "a"]]
      const answers = yield* Effect.all(calls.map(embed), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, calls.map((texts) => texts.map(vectorOf)))
      assert.deepStrictEqual(batches, [["a", "bb", "ccc", "dddd"]])
      assert.deepStrictEqual(yield* embed([]), [])
    }))

  it.scoped("cuts by number and by weight", () =>
    Effect.gen(function*() {
      const { batches, embed } = yield* rig({ heaviest: 200 })
      const long = ["x", "y", "z"].map((sign) => sign.repeat(100))
      yield* embed(["a", "b", "c", "d", "e", ...long])
      assert.deepStrictEqual(batches.map((batch) => batch.length), [4, 1, 2, 1])
    }))

  it.scoped("refuses what cannot wait, with a time to come back", () =>
    Effect.gen(function*() {
      const { embed, open } = yield* rig()
      const held = yield* Effect.fork(embed(["wait", ..."123456789"]))
      yield* settle
      const failure = yield* Effect.flip(embed(["a", "b", "c"]))
      assert.strictEqual(failure._tag === "Overloaded" ? failure.retry_after_s : failure._tag, 10)
      yield* Deferred.succeed(open, undefined)
      assert.strictEqual((yield* Fiber.join(held)).length, 10)
      assert.strictEqual((yield* embed(Array.from({ length: 30 }, (_, i) => `${i}`))).length, 30)
    }))

  it.scoped("takes an interrupted caller's texts out of the line", () =>
    Effect.gen(function*() {
      const { batches, embed, open } = yield* rig()
      const held = yield* Effect.fork(embed(["wait"]))
      yield* settle
      const left = yield* Effect.fork(embed(["gone"]))
      const stays = yield* Effect.fork(embed(["stays"]))
      yield* settle
      yield* Fiber.interrupt(left)
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.join(held)
      yield* Fiber.join(stays)
      assert.deepStrictEqual(batches, [["wait"], ["stays"]])
    }))

  it.scoped("an interrupted caller leaves the batch that runs to the others", () =>
    Effect.gen(function*() {
      const { embed, open } = yield* rig()
      const left = yield* Effect.fork(embed(["wait"]))
      const stays = yield* Effect.fork(embed(["wait", "b"]))
      yield* settle
      yield* Fiber.interrupt(left)
      yield* Deferred.succeed(open, undefined)
      assert.deepStrictEqual(yield* Fiber.join(stays), ["wait", "b"].map(vectorOf))
    }))

  it.scoped("serves a small call before the rest of a large one, and the large one too", () =>
    Effect.gen(function*() {
      const { batches, embed, open } = yield* rig({ waiting: 1_000 })
      const bulk = yield* Effect.fork(embed(["wait", ...Array.from({ length: 40 }, (_, i) => `bulk ${i}`)]))
      yield* settle
      const small = yield* Effect.fork(embed(["small"]))
      yield* settle
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.join(small)
      yield* Fiber.join(bulk)
      assert.isBelow(batches.findIndex((batch) => batch.includes("small")), 4)
    }))

  it.scoped("tells a failure and a defect to the callers of the batch, and goes on", () =>
    Effect.gen(function*() {
      const { embed } = yield* rig({
        run: (texts) =>
          texts.includes("fail")
            ? Effect.fail(new Unavailable({ operation: "test" }))
            : texts.includes("die")
            ? Effect.die("broken")
            : texts.includes("short")
            ? Effect.succeed([])
            : Effect.succeed(
              texts.map((text) => text === "one" ? new Unavailable({ operation: "one" }) : vectorOf(text))
            )
      })
      for (const text of ["fail", "die", "short", "one"]) {
        assert.strictEqual((yield* Effect.flip(embed([text])))._tag, "Unavailable", text)
      }
      const [bad, good] = yield* Effect.all([Effect.exit(embed(["one", "b"])), Effect.exit(embed(["c"]))], {
        concurrency: 2
      })
      assert.isTrue(Exit.isFailure(bad))
      assert.isTrue(Exit.isSuccess(good))
    }))

  it.effect("leaves nobody hanging when the scope closes", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { embed } = yield* Scope.extend(rig(), scope)
      const running = yield* Effect.fork(embed(["wait"]))
      yield* settle
      const waiting = yield* Effect.fork(embed(["b"]))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Effect.flip(Fiber.join(running)))._tag, "Unavailable")
      assert.strictEqual((yield* Effect.flip(Fiber.join(waiting)))._tag, "Unavailable")
      assert.strictEqual((yield* Effect.flip(embed(["late"])))._tag, "Unavailable")
    }))
})
