/**
 * A deleted or rejected claim that memory.update states again, and what the answer says where it states another.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { localCaller } from "../../src/kernel/Caller.ts"
import { toWire } from "../../src/kernel/LoomError.ts"
import { MemoryReject } from "../../src/memory/LifecycleVerbs.ts"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryRestore,
  MemorySet,
  MemoryUpdate,
  MemoryUpdateById
} from "../../src/memory/MemoryVerbs.ts"
import { MemoryProposalDecide, MemoryProposals } from "../../src/memory/ProposalVerbs.ts"
import { MemoryClear } from "../../src/memory/SweepVerbs.ts"
import { ask, call, layer } from "../support/ActorHouse.ts"
import { ships } from "../support/Facts.ts"

const memory_key = "team/lunch"
const value = "Lunch is served at noon"

const taken = { deleted: MemoryDelete.tag, rejected: MemoryReject.tag }

describe("a claim that was taken away", () => {
  for (const [how, verb] of Object.entries(taken)) {
    it.live(`comes back by an update that states it, once ${how}`, () =>
      Effect.gen(function*() {
        const first = yield* ask(MemorySet, { memory_key, value, tags: ["food"], confidence: 0.4, run_id: "r1" })
        yield* call(verb, { memory_key })
        const dry = yield* ask(MemoryUpdate, { memory_key, value, dry_run: true })
        assert.deepInclude(dry, { updated: false, reason: null, dry_run: true, status: "active" })
        assert.isFalse((yield* ask(MemoryGet, { memory_key })).found)
        const request = { memory_key, value: "lunch is served at noon.", idempotency_key: "again" }
        const back = yield* ask(MemoryUpdate, request)
        assert.deepInclude(back, { updated: true, reason: null, status: "active", memory_id: first.memory_id })
        assert.match((back.advisories ?? []).join(" "), /brings (?:it|the key) back/)
        assert.deepStrictEqual(yield* ask(MemoryUpdate, request), back)
        assert.deepInclude(yield* ask(MemoryGet, { memory_key }), {
          found: true,
          value: "lunch is served at noon.",
          tags: ["food"],
          confidence: 0.4,
          run_id: "r1"
        })
        assert.lengthOf((yield* ask(MemoryHistory, { memory_key })).versions, 3)
      }).pipe(Effect.provide(layer())))
  }

  const ways: Record<string, readonly [string, object]> = {
    "memory.restore of a deleted one": [MemoryDelete.tag, { memory_key }],
    "memory.restore of a cleared one": [MemoryClear.tag, { agent: "a" }]
  }
  for (const [name, [verb, request]] of Object.entries(ways)) {
    it.live(`is a proposal again if it was one: ${name}`, () =>
      Effect.gen(function*() {
        yield* ask(MemorySet, { memory_key: "orion/date", value: ships(16) })
        const first = yield* ask(MemorySet, { memory_key, value: ships(15), agent: "a", proposed: true })
        assert.deepInclude(first, { status: "proposed", conflict_verdict: "conflict" })
        yield* call(verb, request)
        yield* ask(MemorySet, { memory_key: "orion/date", value: ships(16) })
        const back = yield* ask(MemoryRestore, { memory_key })
        assert.deepInclude(back, { restored: true, status: "proposed", memory_id: first.memory_id })
        assert.match((back.advisories ?? []).join(" "), /proposal/)
        const { proposals } = yield* ask(MemoryProposals, {})
        assert.deepStrictEqual(proposals.map(({ conflict_with, memory_id }) => [memory_id, conflict_with]), [
          [first.memory_id, first.conflict_with]
        ])
        // A claim on trial touches no other row.
        assert.strictEqual((yield* ask(MemoryGet, { memory_key: "orion/date" })).status, "active")
        assert.isFalse((yield* ask(MemoryGet, { memory_key })).found)
        const decided = yield* ask(MemoryProposalDecide, { memory_key, decision: "accept" })
        assert.strictEqual(decided.status, "conflicted")
        // Taken in and deleted, it is none any more.
        yield* ask(MemoryDelete, { memory_key })
        assert.strictEqual((yield* ask(MemoryRestore, { memory_key })).status, "conflicted")
      }).pipe(Effect.provide(layer())))
  }

  it.live("is a proposal again by an update that states it, if it was one when it was deleted", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, { memory_key, value, proposed: true })
      yield* ask(MemoryDelete, { memory_key })
      assert.deepInclude(yield* ask(MemoryUpdate, { memory_key, value }), { updated: true, status: "proposed" })
      assert.lengthOf((yield* ask(MemoryProposals, {})).proposals, 1)
    }).pipe(Effect.provide(layer())))

  it.live("comes back by its id too, and is judged like a new one", () =>
    Effect.gen(function*() {
      const { memory_id } = yield* ask(MemorySet, { memory_key, value: ships(15) })
      yield* ask(MemoryDelete, { memory_key })
      yield* ask(MemorySet, { memory_key: "orion/date", value: ships(16) })
      const back = yield* ask(MemoryUpdateById, { memory_id, value: ships(15) })
      assert.deepInclude(back, { updated: true, status: "conflicted", conflict_verdict: "conflict" })
    }).pipe(Effect.provide(layer())))

  it.live("of one of several writers comes back alone; where several said it, the caller says whose", () =>
    Effect.gen(function*() {
      for (
        const [agent, said] of [["a", value], ["b", "Dinner is at eight"], ["c", "Breakfast is at seven"]] as const
      ) {
        yield* ask(MemorySet, { memory_key, value: said, agent })
        yield* ask(MemoryDelete, { memory_key, agent })
      }
      yield* ask(MemoryUpdate, { memory_key, value: "Dinner is at eight" })
      assert.strictEqual((yield* ask(MemoryGet, { memory_key })).agent, "b")
      yield* ask(MemoryDelete, { memory_key })
      yield* ask(MemorySet, { memory_key, value, agent: "c" })
      yield* ask(MemoryDelete, { memory_key, agent: "c" })
      const result = yield* Effect.either(call("memory.update", { memory_key, value }))
      assert.strictEqual(Either.isLeft(result) ? toWire(result.left).body.detail.code : "stored", "AMBIGUOUS_KEY")
      assert.isTrue((yield* ask(MemoryUpdate, { memory_key, value, agent: "c" })).updated)
    }).pipe(Effect.provide(layer())))

  it.live("is not corrected into another one: the answer says what to do", () =>
    Effect.gen(function*() {
      const { memory_id } = yield* ask(MemorySet, { memory_key, value })
      yield* ask(MemoryReject, { memory_key })
      for (
        const answer of [
          yield* ask(MemoryUpdate, { memory_key, value: "Dinner is at eight" }),
          yield* ask(MemoryUpdate, { memory_key, tags: ["food"] }),
          yield* ask(MemoryUpdateById, { memory_id, sensitivity: "medium" })
        ]
      ) {
        assert.deepInclude(answer, { updated: false, reason: "not_found" })
        assert.match(answer.next ?? "", /was rejected.*memory\.set/)
      }
      const restored = yield* ask(MemoryRestore, { memory_key })
      assert.deepInclude(restored, { found: true, restored: false, reason: "not_deleted" })
      assert.match(restored.next ?? "", /was rejected.*memory\.update/)
      assert.strictEqual((yield* ask(MemoryGet, { memory_key })).status, "rejected")
      assert.isNull((yield* ask(MemoryUpdate, { memory_key: "team/none", value })).next)
    }).pipe(Effect.provide(layer())))

  it.live("stays away from who states it indirectly, and from whom it does not belong to", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, { memory_key, value })
      yield* ask(MemoryReject, { memory_key })
      const result = yield* Effect.either(call("memory.update", { memory_key, value, source_class: "imported" }))
      assert.strictEqual(Either.isLeft(result) ? toWire(result.left).body.detail.code : "stored", "SUPPRESSED")
      const bob = { ...localCaller, boundUser: "bob" }
      const foreign = yield* ask(MemoryUpdate, { memory_key, value }, bob)
      assert.deepStrictEqual(foreign, yield* ask(MemoryUpdate, { memory_key: "team/none", value }, bob))
      assert.strictEqual((yield* ask(MemoryGet, { memory_key })).status, "rejected")
    }).pipe(Effect.provide(layer())))
})

describe("an open proposal under the key of a write", () => {
  const noted = (advisories: ReadonlyArray<string> | undefined) =>
    (advisories ?? []).filter((one) => one.includes("open proposal"))

  it.live("is said to be replaced by memory.set and memory.bulk_set, and stays in the history", () =>
    Effect.gen(function*() {
      const proposal = { memory_key, value, proposed: true }
      assert.deepStrictEqual(noted((yield* ask(MemorySet, proposal)).advisories), [])
      // Stated once more on trial it only stands firmer.
      assert.deepStrictEqual(noted((yield* ask(MemorySet, proposal)).advisories), [])
      const other = yield* ask(MemorySet, { ...proposal, value: "Lunch is served at one" })
      assert.match(noted(other.advisories).join(), /takes the place/)
      const said = yield* ask(MemorySet, { memory_key, value: "Lunch is served at two" })
      assert.match(noted(said.advisories).join(), /takes the place/)
      assert.strictEqual(said.status, "active")
      const { versions } = yield* ask(MemoryHistory, { memory_key })
      assert.deepInclude(versions.map((version) => version.value), value)
      const again = yield* ask(MemorySet, { memory_key, value: "Lunch is served at three" })
      assert.deepStrictEqual(noted(again.advisories), [])
      // Under keys of their own.
      const keys = ["b/one", "b/two"]
      const tea = (key: string) => `Tea of ${key} is green`
      for (const key of keys) yield* ask(MemorySet, { memory_key: key, value: tea(key), proposed: true })
      const { results } = yield* ask(MemoryBulkSet, {
        items: [{ memory_key: "b/one", value: tea("b/one") }, { memory_key: "b/two", value: "Sheep graze in May" }]
      })
      const [same, instead] = results.map(({ answer }) => noted(answer?.advisories).join())
      assert.match(same ?? "", /said the same/)
      assert.match(instead ?? "", /takes the place/)
    }).pipe(Effect.provide(layer())))
})
