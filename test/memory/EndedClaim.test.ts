/**
 * A claim whose time was over before it was said: it answers for that time, and touches nothing that holds now.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { localCaller } from "../../src/kernel/Caller.ts"
import { MemoryDelete, MemoryGet, MemoryRestore, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import * as NamespaceStore from "../../src/namespace/NamespaceStore.ts"
import { ask, layer } from "../support/ActorHouse.ts"
import { ships } from "../support/Facts.ts"

const memory_key = "orion/date"
const past = { valid_at: "2020-01-01T00:00:00Z", valid_to: "2021-01-01T00:00:00Z" }

const newestWins = Effect.gen(function*() {
  yield* (yield* NamespaceStore.NamespaceStore).put({
    org: "dev",
    namespace: "local",
    default_conflict_policy: "newest_wins",
    description: "",
    settings: noSettings,
    created_at: 0,
    updated_at: 0,
    actor: localCaller.actor,
    version: 1n
  })
})

const isUntouched = (version_text: string) =>
  Effect.gen(function*() {
    const live = yield* ask(MemoryGet, { memory_key, agent: "" })
    assert.deepInclude(live, { found: true, status: "active", value: ships(16), version_text })
  })

describe("a claim that was over before it was said", () => {
  it.live("flags no live row, by set, by update or by restore", () =>
    Effect.gen(function*() {
      const live = yield* ask(MemorySet, { memory_key, value: ships(16) })
      const old = { memory_key: "old/date", value: ships(15), ...past }
      assert.deepInclude(yield* ask(MemorySet, old), { status: "active", conflict_verdict: "clear", conflict_with: [] })
      yield* isUntouched(live.version_text)
      assert.deepInclude(yield* ask(MemoryGet, { memory_key: "old/date", as_of: "2020-06-01T00:00:00Z" }), {
        found: true,
        value: ships(15)
      })
      yield* ask(MemoryDelete, { memory_key: "old/date" })
      assert.deepInclude(yield* ask(MemoryRestore, { memory_key: "old/date" }), { restored: true, conflict_with: [] })
      yield* isUntouched(live.version_text)

      yield* ask(MemorySet, { memory_key: "third/date", value: "The house is white" })
      const ended = yield* ask(MemoryUpdate, { memory_key: "third/date", value: ships(14), ...past })
      assert.deepInclude(ended, { updated: true, conflict_with: [] })
      yield* isUntouched(live.version_text)
      // One that is not over yet opposes as before.
      const soon = { ...old, memory_key: "next/date", valid_to: "2126-01-01T00:00:00Z" }
      assert.strictEqual((yield* ask(MemorySet, soon)).conflict_verdict, "conflict")
    }).pipe(Effect.provide(layer())))

  it.live("retires no live row under newest_wins", () =>
    Effect.gen(function*() {
      yield* newestWins
      const live = yield* ask(MemorySet, { memory_key, value: ships(16) })
      for (const key of [memory_key, "old/date"]) {
        const old = yield* ask(MemorySet, { memory_key: key, value: ships(15), agent: "other", ...past })
        assert.deepStrictEqual(old.retired, [])
      }
      yield* isUntouched(live.version_text)
    }).pipe(Effect.provide(layer())))
})
