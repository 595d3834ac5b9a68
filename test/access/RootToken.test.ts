import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as RootToken from "../../src/access/RootToken.ts"

const tempFile = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "loom-root-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
).pipe(Effect.map((folder) => join(folder, "deeper", "root.token")))

const open = (path: string) =>
  Effect.map(Layer.build(RootToken.layerFile(path)), (context) => Context.get(context, RootToken.RootToken))

const mode = (path: string) => statSync(path).mode & 0o777

describe("RootToken", () => {
  it.scoped("is made once, for its owner alone, and matches itself alone", () =>
    Effect.gen(function*() {
      const path = yield* tempFile
      const root = yield* open(path)
      const text = yield* RootToken.read(path)
      assert.match(text, /^loom_root_[0-9a-f]{64}$/)
      assert.strictEqual(mode(path), 0o600)
      assert.isTrue(root.matches(text))
      for (const wrong of ["", text.slice(1), `${text} `, text.toUpperCase(), "loom_root_"]) {
        assert.isFalse(root.matches(wrong))
      }
      assert.isTrue((yield* open(path)).matches(text))
    }))

  it.scoped("is made anew when others could read it", () =>
    Effect.gen(function*() {
      const path = yield* tempFile
      yield* open(path)
      const leaked = yield* RootToken.read(path)
      chmodSync(path, 0o644)
      const root = yield* open(path)
      assert.isFalse(root.matches(leaked))
      assert.isTrue(root.matches(yield* RootToken.read(path)))
      assert.strictEqual(mode(path), 0o600)
    }))

  it.scoped("is made anew when the file is damaged", () =>
    Effect.gen(function*() {
      const path = yield* tempFile
      yield* open(path)
      writeFileSync(path, "loom_root_\n")
      const root = yield* open(path)
      assert.isFalse(root.matches("loom_root_"))
      assert.isTrue(root.matches(readFileSync(path, "utf8").trim()))
    }))

  it.scoped("says which file it cannot make", () =>
    Effect.gen(function*() {
      const path = yield* tempFile
      yield* open(path)
      const exit = yield* Effect.exit(open(join(path, "below-a-file")))
      assert.isTrue(Exit.isFailure(exit))
      assert.include(String(exit), "RootTokenUnreadable")
    }))
})
