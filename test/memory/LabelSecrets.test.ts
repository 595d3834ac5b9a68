/**
 * Credentials in what a write says beside the value. Every read shows those fields, so none is stored in them unless its
 * writer states the sensitivity.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { toWire } from "../../src/kernel/LoomError.ts"
import { MemoryBulkSet, MemoryGet, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { ask, call, layer } from "../support/ActorHouse.ts"

const token = `gh${"p_"}aB3dE5gH7jK9mN2pQ4sT6vW8xY0zCfLr1234`
const value = "The build cluster pulls images at night"

const labels: ReadonlyArray<readonly [string, unknown]> = [
  ["tags", ["ci", token]],
  ["entities", [token]],
  ["relations", [["ci", "uses", token]]],
  ["files", [`ci/${token}`]],
  ["source_trace", `https://deploy:${"hunter2"}@git.example.org/ci`],
  ["source_resource_id", token],
  ["expire_reason", `until ${token} is rotated`]
]

const refusedField = (verb: string, request: object) =>
  Effect.map(Effect.either(call(verb, request)), (result) => {
    if (Either.isRight(result)) return `accepted: ${JSON.stringify(result.right)}`
    const { detail } = toWire(result.left).body
    assert.notInclude(JSON.stringify(detail), token)
    return `${detail.code} ${String(Object(detail)["field"])}`
  })

describe("a credential in a label", () => {
  it.live("is refused by name, in writes and changes, and nothing is stored", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, { memory_key: "ci/images", value })
      for (const [field, label] of labels) {
        const expected = `INVALID_ARGUMENT ${field}`
        assert.strictEqual(yield* refusedField("memory.set", { memory_key: "ci/new", value, [field]: label }), expected)
        for (const verb of ["memory.update", "memory.pin"]) {
          const request = { memory_key: "ci/images", value: `${value} in ${field}`, [field]: label }
          assert.strictEqual(yield* refusedField(verb, request), expected, verb)
        }
        assert.strictEqual(yield* refusedField("memory.update", { memory_key: "ci/images", [field]: label }), expected)
      }
      const filter = { filter: { prefix: "ci/" }, dry_run: false }
      assert.strictEqual(
        yield* refusedField("memory.apply", { ...filter, action: "add_tags", tags: [token] }),
        "INVALID_ARGUMENT tags"
      )
      assert.strictEqual(
        yield* refusedField("memory.touch", { memory_key: "ci/images", expire_reason: token }),
        "INVALID_ARGUMENT expire_reason"
      )
      const { results } = yield* ask(MemoryBulkSet, {
        items: [{ memory_key: "ci/bulk", value: "Images are signed", tags: [token] }, {
          memory_key: "ci/plain",
          value: "Caches are cleared on Sundays",
          tags: ["password:rotation", "pin:1234", "token:refresh", "order:4111111111111111"]
        }]
      })
      assert.deepStrictEqual(results.map(({ code }) => code), ["INVALID_ARGUMENT", null])
      const { memories } = yield* ask(MemoryList, { prefix: "ci/" })
      assert.deepStrictEqual(memories.map(({ memory_key }) => memory_key).sort(), ["ci/images", "ci/plain"])
      assert.notInclude(JSON.stringify(memories), token)
    }).pipe(Effect.provide(layer())))

  it.live("is taken as it is when the writer states the sensitivity, and can be taken away again", () =>
    Effect.gen(function*() {
      const stored = yield* ask(MemorySet, { memory_key: "ci/images", value, tags: [token], sensitivity: "none" })
      assert.match(stored.advisories.join(), /`tags` looks like it holds a GitHub token/)
      assert.notInclude(stored.advisories.join(), token)
      yield* call("memory.apply", { filter: { prefix: "ci/" }, action: "remove_tags", tags: [token], dry_run: false })
      assert.deepStrictEqual((yield* ask(MemoryGet, { memory_key: "ci/images" })).tags, [])
    }).pipe(Effect.provide(layer())))
})
