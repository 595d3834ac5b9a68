import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryEntity from "../../src/memory/MemoryEntity.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { call, layer } from "../support/ActorHouse.ts"
import { FaultScript } from "../support/FaultyStore.ts"

const scope = { org: "dev", namespace: "local" }

describe("NamespaceActor", () => {
  it.live("leaves one live claim of twenty identical writes under different keys", () =>
    Effect.gen(function*() {
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => call("memory.set", { memory_key: `likes/${index}`, value: "Otto likes oat coffee" }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter((answer) => answer["conflict_verdict"] === "clear").length, 1)
      assert.strictEqual(answers.filter((answer) => typeof answer["merged_into_key"] === "string").length, 19)
      const listed = yield* call("memory.list", {})
      assert.strictEqual(listed["total"], 1)
    }).pipe(Effect.provide(layer())))

  it.live("counts twenty identical writes under one key as one memory restated nineteen times", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        () => call("memory.set", { memory_key: "u/coffee", value: "Otto likes oat coffee" }),
        { concurrency: "unbounded" }
      )
      const got = yield* call("memory.get", { memory_key: "u/coffee" })
      assert.strictEqual(got["reinforcement_count"], 20)
    }).pipe(Effect.provide(layer())))

  it.live("lets one of two updates with the same precondition through", () =>
    Effect.gen(function*() {
      const first = yield* call("memory.set", { memory_key: "k", value: "one" })
      const both = yield* Effect.forEach(["two", "three"], (value) =>
        Effect.either(
          call("memory.update", { memory_key: "k", value, if_match_sha256: first["content_sha256"] })
        ), { concurrency: "unbounded" })
      const codes = both.map((one) => one._tag === "Right" ? "ok" : one.left._tag === "Refusal" ? one.left.code : "?")
      assert.deepStrictEqual(codes.sort(), ["PRECONDITION_FAILED", "ok"])
    }).pipe(Effect.provide(layer())))

  for (const fault of ["before", "after"] as const) {
    it.live(`survives a merged commit that fails ${fault} it wrote`, () =>
      Effect.gen(function*() {
        const script = yield* FaultScript
        script.next.push(fault)
        const answer = yield* call("memory.set", { memory_key: "k", value: "kept", idempotency_key: "a" })
        assert.strictEqual(answer["reinforcement_count"], 1)
        const again = yield* call("memory.set", { memory_key: "k", value: "kept", idempotency_key: "a" })
        assert.deepStrictEqual(again, answer)
        const history = yield* call("memory.history", { memory_key: "k" })
        assert.strictEqual(Array.isArray(history["versions"]) ? history["versions"].length : -1, 1)
      }).pipe(Effect.provide(layer())))
  }

  it.live("answers UNAVAILABLE when nobody can tell, and the retry gets one write", () =>
    Effect.gen(function*() {
      const script = yield* FaultScript
      script.next.push("after")
      script.blind.value = true
      const write = call("memory.set", { memory_key: "k", value: "once", idempotency_key: "b" })
      const failed = yield* Effect.flip(write)
      assert.strictEqual(failed._tag, "Unavailable")
      script.blind.value = false
      const answer = yield* write
      assert.strictEqual(answer["reinforcement_count"], 1)
      const history = yield* call("memory.history", { memory_key: "k" })
      assert.strictEqual(Array.isArray(history["versions"]) ? history["versions"].length : -1, 1)
    }).pipe(Effect.provide(layer())))

  it.live("refuses an idempotency key that comes back with another request", () =>
    Effect.gen(function*() {
      yield* call("memory.set", { memory_key: "k", value: "one", idempotency_key: "c" })
      const failed = yield* Effect.flip(call("memory.set", { memory_key: "k", value: "two", idempotency_key: "c" }))
      assert.strictEqual(failed._tag === "Refusal" ? failed.code : failed._tag, "IDEMPOTENCY_CONFLICT")
    }).pipe(Effect.provide(layer())))

  it.live("gives versions that grow, and an audit chain over them", () =>
    Effect.gen(function*() {
      const store = yield* MemoryStore
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        (index) => call("memory.set", { memory_key: `k/${index}`, value: `fact number ${index}` }),
        { concurrency: "unbounded" }
      )
      const versions = answers.map((answer) => BigInt(String(answer["version_text"]))).sort((a, b) => a < b ? -1 : 1)
      assert.strictEqual(new Set(versions).size, 50)
      const position = yield* store.position(scope)
      assert.isTrue(position.version >= (versions[49] ?? 0n))
      assert.match(position.audit_hash, /^[0-9a-f]{64}$/)
    }).pipe(Effect.provide(layer())))

  it.live("judges alike when the namespace is beyond the bound of its index", () =>
    Effect.gen(function*() {
      yield* call("memory.set", { memory_key: "a", value: "The sky is blue" })
      const merged = yield* call("memory.set", { memory_key: "b", value: "the sky is blue." })
      assert.strictEqual(merged["merged_into_key"], "a")
      const restated = yield* call("memory.set", { memory_key: "a", value: "The sky is blue" })
      assert.strictEqual(restated["reinforcement_count"], 3)
      const updated = yield* call("memory.update", { memory_key: "a", value: "The sky is grey" })
      assert.strictEqual(updated["updated"], true)
      const deleted = yield* call("memory.delete", { memory_key: "a" })
      assert.strictEqual(deleted["tombstoned"], true)
      const restored = yield* call("memory.restore", { memory_key: "a" })
      assert.strictEqual(restored["restored"], true)
    }).pipe(
      Effect.provide(layer({
        ...MemoryEntity.defaultOptions,
        bounds: { ...MemoryEntity.defaultOptions.bounds, maxHeads: -1 }
      }))
    ))

  it.live("judges alike when the actors have no memory for more than one namespace", () =>
    Effect.gen(function*() {
      const script = yield* FaultScript
      const inTurn = (verb: string, request: object) =>
        Effect.forEach(["one", "two"], (namespace) => call(verb, { namespace, ...request }))
      yield* inTurn("memory.set", { memory_key: "a", value: "The sky is blue", idempotency_key: "first" })
      const merged = yield* inTurn("memory.set", { memory_key: "b", value: "the sky is blue." })
      assert.deepStrictEqual(merged.map((answer) => answer["merged_into_key"]), ["a", "a"])
      const again = yield* inTurn("memory.set", { memory_key: "a", value: "The sky is blue", idempotency_key: "first" })
      assert.deepStrictEqual(again.map((answer) => answer["reinforcement_count"]), [1, 1])
      const deleted = yield* inTurn("memory.delete", { memory_key: "a" })
      assert.deepStrictEqual(deleted.map((answer) => answer["tombstoned"]), [true, true])
      // Each of the eight writes met an actor that had to load its namespace.
      assert.strictEqual(script.loads.count, 8)
    }).pipe(Effect.provide(layer({ ...MemoryEntity.defaultOptions, stateBytes: 0 }))))

  it.live("keeps what an update does not name", () =>
    Effect.gen(function*() {
      yield* call("memory.set", {
        memory_key: "p",
        value: "v1",
        tags: ["A", "b"],
        entities: ["Billing Services"],
        memory_type: "preference",
        valid_at: "2026-03-01",
        ttl_seconds: 3600,
        pinned: true
      })
      const before = yield* call("memory.get", { memory_key: "p" })
      yield* call("memory.update", { memory_key: "p", value: "v2" })
      const after = yield* call("memory.get", { memory_key: "p" })
      const changed = Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      assert.deepStrictEqual(changed.sort(), ["content_sha256", "updated_at", "value", "version", "version_text"])
    }).pipe(Effect.provide(layer())))

  it.live("keeps a pinned memory from a write that does not pin", () =>
    Effect.gen(function*() {
      yield* call("memory.set", { memory_key: "p", value: "fixed", pinned: true })
      const failed = yield* Effect.flip(call("memory.set", { memory_key: "p", value: "other" }))
      assert.strictEqual(failed._tag === "Refusal" ? failed.code : failed._tag, "PINNED_CONFLICT")
      const restated = yield* call("memory.set", { memory_key: "p", value: "fixed" })
      assert.strictEqual(restated["pinned"], true)
    }).pipe(Effect.provide(layer())))

  it.live("keeps facts apart that only their keys tell apart", () =>
    Effect.gen(function*() {
      for (const value of [true, 7, "Ann", ["a"]]) {
        const name = JSON.stringify(value).length + String(typeof value)
        yield* call("memory.set", { memory_key: `feature/search/${name}`, value })
        const second = yield* call("memory.set", { memory_key: `feature/billing/${name}`, value })
        assert.strictEqual(second["conflict_verdict"], "clear")
        assert.strictEqual((yield* call("memory.get", { memory_key: `feature/billing/${name}` }))["found"], true)
      }
    }).pipe(Effect.provide(layer())))

  it.live("does not merge into a memory that ends before the write would, and says what a merge leaves out", () =>
    Effect.gen(function*() {
      yield* call("memory.set", { memory_key: "a", value: "a short lived fact", ttl_seconds: 60 })
      const lasting = yield* call("memory.set", { memory_key: "b", value: "a short lived fact" })
      assert.strictEqual(lasting["conflict_verdict"], "clear")
      const merged = yield* call("memory.set", { memory_key: "c", value: "A short lived fact.", tags: ["t"] })
      assert.strictEqual(merged["merged_into_key"], "b")
      assert.include(JSON.stringify(merged["advisories"]), "tags")
    }).pipe(Effect.provide(layer())))

  it.live("keeps a pinned memory in service when its new value stands elsewhere too", () =>
    Effect.gen(function*() {
      yield* call("memory.set", { memory_key: "a", value: "deploys on Tuesdays" })
      yield* call("memory.set", { memory_key: "b", value: "deploys on Fridays", pinned: true })
      const updated = yield* call("memory.update", { memory_key: "b", value: "deploys on Tuesdays" })
      assert.strictEqual(updated["status"], "active")
      assert.strictEqual((yield* call("memory.get", { memory_key: "b" }))["pinned"], true)
    }).pipe(Effect.provide(layer())))

  it.live("raises the sensitivity of a restated value and keeps it for the next one", () =>
    Effect.gen(function*() {
      const store = yield* MemoryStore
      yield* call("memory.set", { memory_key: "p", value: "the passcode is 7" })
      yield* call("memory.set", { memory_key: "p", value: "the passcode is 7", sensitivity: "high" })
      assert.strictEqual((yield* call("memory.get", { memory_key: "p" }))["sensitivity"], "high")
      yield* call("memory.set", { memory_key: "p", value: "the passcode is 8" })
      const next = yield* call("memory.get", { memory_key: "p" })
      assert.deepStrictEqual([next["sensitivity"], next["value"]], ["high", "the passcode is 8"])
      const entries = yield* store.entries(scope)
      assert.deepStrictEqual(entries.map((entry) => entry.canonical_sha256), [""])
    }).pipe(Effect.provide(layer())))
})
