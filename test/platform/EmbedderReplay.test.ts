import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Replay from "../../src/platform/EmbedderReplay.ts"
import { make as makeTest } from "../../src/platform/EmbedderTest.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "loom-replay-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

const recorded = Effect.gen(function*() {
  const file = join(yield* folder, "vectors.bin")
  const source = makeTest()
  yield* Effect.scoped(Effect.gen(function*() {
    const recorder = yield* Replay.recording(source, file)
    yield* recorder.embed(["one fact", "another \ud800"])
    yield* recorder.embedQuery("one question")
  }))
  return { file, source }
})

describe("EmbedderReplay", () => {
  it.scoped("gives what was recorded, under the recorded id", () =>
    Effect.gen(function*() {
      const { file, source } = yield* recorded
      const replay = yield* Replay.make({ file })
      assert.strictEqual(replay.id, source.id)
      assert.strictEqual(replay.dimensions, source.dimensions)
      const texts = ["another \ud800", "one fact", "another \ud800"]
      assert.deepStrictEqual(yield* replay.embed(texts), yield* source.embed(texts))
      assert.deepStrictEqual(yield* replay.embedQuery("one question"), yield* source.embedQuery("one question"))
      assert.deepStrictEqual(yield* replay.embed([]), [])
    }))

  it.scoped("fails for a text it lacks, or asks the fallback", () =>
    Effect.gen(function*() {
      const { file, source } = yield* recorded
      const replay = yield* Replay.make({ file })
      assert.strictEqual((yield* Effect.flip(replay.embed(["one fact", "new"])))._tag, "Unavailable")
      // A statement is no question, though its text be the same.
      assert.strictEqual((yield* Effect.flip(replay.embedQuery("one fact")))._tag, "Unavailable")
      const asked: Array<ReadonlyArray<string>> = []
      const fallback = {
        ...source,
        embed: (texts: ReadonlyArray<string>) => Effect.suspend(() => (asked.push(texts), source.embed(texts)))
      }
      const filled = yield* Replay.make({ file, fallback })
      const texts = ["new", "one fact", "newer"]
      assert.deepStrictEqual(yield* filled.embed(texts), yield* source.embed(texts))
      assert.deepStrictEqual(asked, [["new", "newer"]])
      assert.deepStrictEqual(yield* filled.embedQuery("who?"), yield* source.embedQuery("who?"))
      const other = yield* Effect.flip(Replay.make({ file, fallback: { ...source, id: "other" } }))
      assert.strictEqual(other._tag, "Corrupt")
    }))

  it.scoped("refuses a file that is absent, cut off or of another kind", () =>
    Effect.gen(function*() {
      const { file } = yield* recorded
      const bytes = yield* Effect.promise(() => readFile(file))
      assert.strictEqual((yield* Effect.flip(Replay.make({ file: `${file}.none` })))._tag, "Unavailable")
      for (const broken of [bytes.subarray(0, -1), bytes.subarray(5), Buffer.from("{}\n"), Buffer.alloc(0)]) {
        yield* Effect.promise(() => writeFile(file, broken))
        assert.strictEqual((yield* Effect.flip(Replay.make({ file })))._tag, "Corrupt")
      }
    }))
})
