import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import * as MemoryEntity from "../../src/memory/MemoryEntity.ts"
import * as ActorHouse from "../support/ActorHouse.ts"

describe("an actor behind a wire", () => {
  layer(ActorHouse.layer(MemoryEntity.defaultOptions, LocalSharding.layerCopying))((it) => {
    it.effect("judges and answers what was encoded and decoded", () =>
      Effect.gen(function*() {
        const key = { memory_key: "project/wire/limit" }
        const set = yield* ActorHouse.call("memory.set", { ...key, value: "The limit is forty rows" })
        assert.deepInclude(set, { status: "active", conflict_verdict: "clear" })
        // Judged by its vector, so the vectors came as they went.
        const peer = yield* ActorHouse.call("memory.set", {
          memory_key: "project/wire/limits",
          value: "The limit is fifty rows"
        })
        assert.deepInclude(peer, { status: "conflicted", conflict_with: [set["memory_id"]] })
        const updated = yield* ActorHouse.call("memory.update", { ...key, value: { rows: 40, of: ["a", "b"] } })
        assert.strictEqual(updated["memory_id"], set["memory_id"])
        const bulk = yield* ActorHouse.call("memory.bulk_set", {
          items: [{ memory_key: "project/wire/a", value: "One" }, { memory_key: "project/wire/b", value: "Two" }]
        })
        assert.isArray(bulk["results"])
        yield* ActorHouse.call("memory.pin", key)
        assert.deepInclude(yield* ActorHouse.call("memory.get", key), {
          pinned: true,
          value: { rows: 40, of: ["a", "b"] }
        })
        yield* ActorHouse.call("memory.pin", { ...key, pinned: false })
        yield* ActorHouse.call("memory.delete", { ...key, reason: "no longer so" })
        assert.deepInclude(yield* ActorHouse.call("memory.restore", key), { status: "active" })
        const refused = yield* Effect.flip(
          ActorHouse.call("memory.update", { ...key, value: "x", if_match_sha256: "0".repeat(64) })
        )
        assert.deepInclude(refused, { _tag: "Refusal", code: "PRECONDITION_FAILED" })
      }))
  })
})
