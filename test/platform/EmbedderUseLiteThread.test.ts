import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Thread from "../../src/platform/EmbedderUseLiteThread.ts"

/** A model that does what its texts say. Each vector begins with the number of the thread that made it. */
const model = `
import { parentPort, threadId } from "node:worker_threads"
parentPort.on("message", ({ id, texts }) => {
  if (texts.includes("die")) process.exit(3)
  if (texts.includes("throw")) throw new Error("broken")
  if (texts.includes("hang")) return
  if (texts.includes("fail")) return parentPort.postMessage({ id, failure: "no such word" })
  const vectors = new Float32Array(texts.includes("short") ? 5 : 512 * texts.length)
  for (let i = 0; i < texts.length; i++) vectors[512 * i] = threadId
  parentPort.postMessage({ id, vectors })
})
`

const threadOf = (source: string) =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "loom-embedder-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true }))
    )
    const file = join(folder, "model.mjs")
    yield* Effect.promise(() => writeFile(file, source))
    return yield* Thread.make({ entry: pathToFileURL(file).href })
  })

describe("EmbedderUseLiteThread", () => {
  it.scoped("starts again after the thread was lost, and tells its callers", () =>
    Effect.gen(function*() {
      const thread = yield* threadOf(model)
      let last = -1
      for (const fault of ["die", "throw"]) {
        const [vector] = yield* thread.run(["fine"])
        assert.notStrictEqual(vector![0], last)
        last = vector![0]!
        const failures = yield* Effect.all(
          [Effect.flip(thread.run([fault])), Effect.flip(thread.run(["hang"]))],
          { concurrency: 2 }
        )
        assert.deepStrictEqual(failures.map((failure) => failure._tag), ["Unavailable", "Unavailable"])
      }
      assert.notStrictEqual((yield* thread.run(["fine"]))[0]![0], last)
    }))

  it.scoped("tells a failure of the model and keeps the thread", () =>
    Effect.gen(function*() {
      const thread = yield* threadOf(model)
      const [before] = yield* thread.run(["fine"])
      assert.strictEqual((yield* Effect.flip(thread.run(["fail"])))._tag, "Unavailable")
      assert.strictEqual((yield* Effect.flip(thread.run(["short"])))._tag, "Unavailable")
      assert.deepStrictEqual((yield* thread.run(["fine"]))[0], before)
    }))

  it.scoped("gives up a thread that keeps silent", () =>
    Effect.gen(function*() {
      const thread = yield* threadOf(model)
      const [before] = yield* thread.run(["fine"])
      const silent = yield* Effect.fork(Effect.flip(thread.run(["hang"])))
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* Fiber.join(silent))._tag, "Unavailable")
      assert.notStrictEqual((yield* thread.run(["fine"]))[0]![0], before![0])
    }))

  it.scoped("is unavailable when the model cannot be loaded", () =>
    Effect.gen(function*() {
      const thread = yield* threadOf("import \"no-such-model\"")
      assert.strictEqual((yield* Effect.flip(thread.run(["fine"])))._tag, "Unavailable")
      assert.strictEqual((yield* Effect.flip(thread.run(["fine"])))._tag, "Unavailable")
    }))

  it.effect("ends with its scope", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const thread = yield* Scope.extend(threadOf(model), scope)
      const silent = yield* Effect.fork(thread.run(["hang"]))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(silent)))
      assert.strictEqual((yield* Effect.flip(thread.run(["late"])))._tag, "Unavailable")
    }))
})
