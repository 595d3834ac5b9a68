/** `loom review` against a real server: worked off line by line at a terminal, listed without one, and as data. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConflictsList } from "../../src/memory/ConflictVerbs.ts"
import { MemoryVerify } from "../../src/memory/LifecycleVerbs.ts"
import { MemoryGet, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { ships } from "../support/Facts.ts"
import { freshNamespace, ok } from "../support/LoomHttp.ts"
import { layer as layerServer, LoomServer } from "../support/LoomServer.ts"
import { loom } from "./CliHouse.ts"
import type { RunOptions } from "./CliHouse.ts"

const review = (namespace: string, args: ReadonlyArray<string> = [], options: RunOptions = {}) =>
  Effect.flatMap(LoomServer, ({ data, url }) =>
    loom(["review", "--namespace", namespace, ...args], {
      ...options,
      env: { LOOM_BASE_URL: url, LOOM_DATA: data, ...options.env }
    }))

const atTerminal = (namespace: string, lines: ReadonlyArray<string>, args: ReadonlyArray<string> = []) =>
  review(namespace, args, { atTerminal: true, stdin: lines.map((line) => `${line}\n`).join("") })

const setUp = Effect.gen(function*() {
  const namespace = freshNamespace()
  yield* ok(MemorySet, { namespace, memory_key: "orion/a", value: ships(15) })
  yield* ok(MemorySet, { namespace, memory_key: "orion/b", value: ships(16) })
  yield* ok(MemorySet, { namespace, memory_key: "p/one", value: "The lab moves in May", proposed: true })
  yield* ok(MemorySet, { namespace, memory_key: "p/two", value: "Lunch is at noon sharp", proposed: true })
  yield* ok(MemorySet, { namespace, memory_key: "v/one", value: "The gate opens at nine" })
  yield* ok(MemoryVerify, { namespace, memory_key: "v/one" })
  yield* ok(MemoryUpdate, { namespace, memory_key: "v/one", value: "The gate opens at ten" })
  return namespace
})

const statusOf = (namespace: string, memory_key: string) =>
  Effect.map(ok(MemoryGet, { namespace, memory_key }), ({ status }) => status)

layer(layerServer(), { excludeTestServices: true, timeout: 90_000 })("loom review", (it) => {
  it.effect("works off one item after another, each by a line", () =>
    Effect.gen(function*() {
      const namespace = yield* setUp
      const lines = ["what", "r", "revise 2", "a", "rej", "v"]
      const { code, stderr, stdout } = yield* atTerminal(namespace, lines)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, "Say one of: revise 1, revise 2, allow, contract 1, contract 2, skip, quit")
      assert.include(stdout, "Say which one: revise 1 or revise 2")
      assert.include(stdout, "Decided 4, passed over 0; nothing waits any more.")
      assert.strictEqual(yield* statusOf(namespace, "orion/a"), "tombstoned")
      assert.strictEqual(yield* statusOf(namespace, "orion/b"), "active")
      assert.strictEqual(yield* statusOf(namespace, "p/one"), "active")
      assert.strictEqual(yield* statusOf(namespace, "p/two"), "rejected")
      assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key: "v/one" })).verification, "human")
      assert.include((yield* atTerminal(namespace, [])).stdout, `Nothing waits in ${namespace}`)
    }))

  it.effect("ends where it is told to, or where its lines end, and says what waits still", () =>
    Effect.gen(function*() {
      const namespace = yield* setUp
      assert.include((yield* atTerminal(namespace, ["s", "q"])).stdout, "Decided 0, passed over 1; 4 wait still.")
      const one = yield* atTerminal(namespace, ["accept"], ["--kind", "proposals"])
      assert.include(one.stdout, "Decided 1, passed over 0; 1 wait still.")
      assert.notInclude(one.stdout, "orion/a")
      assert.strictEqual((yield* ok(ConflictsList, { namespace })).total, 1)
    }))

  it.effect("leaves alone what changed while it was shown", () =>
    Effect.gen(function*() {
      const namespace = yield* setUp
      const { url } = yield* LoomServer
      // The row moves on between the screen and the line.
      const lines = async function*() {
        const body = JSON.stringify({ namespace, memory_key: "orion/a", tags: ["moved"] })
        await fetch(`${url}/v1/memory.update`, { method: "POST", body })
        yield Buffer.from("revise 1\n")
      }
      const args = ["--kind", "conflicts"]
      const { code, stdout } = yield* review(namespace, args, { atTerminal: true, stdin: lines() })
      assert.strictEqual(code, 0)
      assert.include(stdout, "changed meanwhile")
      assert.include(stdout, "Decided 0, passed over 1; 1 wait still.")
      assert.strictEqual((yield* ok(ConflictsList, { namespace })).total, 1)
    }))

  it.effect("without a terminal lists what waits and how to act, and as data with --json", () =>
    Effect.gen(function*() {
      const namespace = yield* setUp
      const { code, stdout } = yield* review(namespace, [], { stdin: "allow\n" })
      assert.strictEqual(code, 0)
      assert.match(stdout, /^KIND +WAITING +OLDEST +WHAT\nconflicts +1 /)
      assert.include(stdout, "allow: loom call conflicts.resolve '{\"namespace\"")
      assert.include(stdout, "Run `loom review` in a terminal")
      assert.strictEqual((yield* ok(ConflictsList, { namespace })).total, 1)
      const data = JSON.parse((yield* review(namespace, ["--json"], { atTerminal: true })).stdout)
      assert.deepStrictEqual([data.namespace, data.total], [namespace, 4])
    }))

  it.effect("says what to do where the kind is none, or no server answers", () =>
    Effect.gen(function*() {
      const wrong = yield* review("local", ["--kind", "nope"])
      assert.strictEqual(wrong.code, 2)
      assert.match(wrong.stderr, /conflicts.*proposals/)
      const away = yield* review("local", [], { env: { LOOM_BASE_URL: "http://127.0.0.1:1" } })
      assert.strictEqual(away.code, 5)
      assert.match(away.stderr, /Start one with `loom serve`/)
    }))
})
