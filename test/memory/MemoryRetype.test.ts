import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, layer } from "../support/ActorHouse.ts"

const body = { situation: "A deploy fails", steps: ["Read the log", "Roll back"] }
const tag = "retyped_from:procedural"

const shown = (memory_key: string) =>
  Effect.map(call("memory.get", { memory_key }), ({ memory_type, tags }) => ({ memory_type, tags }))

describe("A procedural write without a procedure", () => {
  it.live("is stored as semantic by set, with its tag beside the writer's, and says so", () =>
    Effect.gen(function*() {
      const answer = yield* call("memory.set", {
        memory_key: "procedure/rollback",
        value: "Roll back, then tell ops",
        memory_type: "procedural",
        tags: ["ops"]
      })
      assert.strictEqual(answer["retyped_from"], "procedural")
      assert.deepStrictEqual(yield* shown("procedure/rollback"), { memory_type: "semantic", tags: [tag, "ops"] })
      const again = yield* call("memory.set", {
        memory_key: "procedure/rollback",
        value: "Roll back, then tell ops",
        memory_type: "procedural"
      })
      assert.strictEqual(again["retyped_from"], "procedural")
      assert.deepStrictEqual(yield* shown("procedure/rollback"), { memory_type: "semantic", tags: [tag, "ops"] })
    }).pipe(Effect.provide(layer())))

  it.live("is retyped by bulk_set item by item", () =>
    Effect.gen(function*() {
      yield* call("memory.bulk_set", {
        items: [
          { memory_key: "procedure/a", value: body, memory_type: "procedural" },
          { memory_key: "procedure/b", value: { ...body, steps: ["Roll back"] }, memory_type: "procedural" }
        ]
      })
      assert.deepStrictEqual(yield* shown("procedure/a"), { memory_type: "procedural", tags: [] })
      assert.deepStrictEqual(yield* shown("procedure/b"), { memory_type: "semantic", tags: [tag] })
    }).pipe(Effect.provide(layer())))

  it.live("is retyped by update, and is a procedure again once it has its body", () =>
    Effect.gen(function*() {
      yield* call("memory.set", { memory_key: "procedure/c", value: body, memory_type: "procedural", tags: ["ops"] })
      const loose = yield* call("memory.update", { memory_key: "procedure/c", value: "Just roll back" })
      assert.strictEqual(loose["retyped_from"], "procedural")
      assert.deepStrictEqual(yield* shown("procedure/c"), { memory_type: "semantic", tags: [tag, "ops"] })
      const whole = yield* call("memory.update", {
        memory_key: "procedure/c",
        value: JSON.stringify(body),
        memory_type: "procedural"
      })
      assert.strictEqual(whole["retyped_from"], null)
      assert.deepStrictEqual(yield* shown("procedure/c"), { memory_type: "procedural", tags: ["ops"] })
    }).pipe(Effect.provide(layer())))

  it.live("is not touched under another type", () =>
    Effect.gen(function*() {
      const answer = yield* call("memory.set", { memory_key: "d", value: "We chose Effect", memory_type: "decision" })
      assert.strictEqual(answer["retyped_from"], null)
      assert.deepStrictEqual(yield* shown("d"), { memory_type: "decision", tags: [] })
    }).pipe(Effect.provide(layer())))
})
