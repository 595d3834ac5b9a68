/**
 * A retry gets its first answer also where the request would be refused by now, before the actor hears of it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConflictsResolve } from "../../src/memory/ConflictVerbs.ts"
import { MemoryDelete, MemoryGet, MemoryRestore, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemoryProposalDecide, MemoryProposals } from "../../src/memory/ProposalVerbs.ts"
import { MemoryRedact } from "../../src/memory/RedactVerbs.ts"
import { MemoryApply } from "../../src/memory/SweepVerbs.ts"
import { ask, layer } from "../support/ActorHouse.ts"
import { ships, unrelated } from "../support/Facts.ts"

describe("a retry under its key", () => {
  it.live("of memory.apply, when more rows match by now than max_rows allows", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, { memory_key: "a/1", value: unrelated(1) })
      const request = {
        action: "pin",
        filter: { prefix: "a/" },
        max_rows: 1,
        dry_run: false,
        idempotency_key: "A"
      }
      const first = yield* ask(MemoryApply, request)
      assert.strictEqual(first.changed, 1)
      yield* ask(MemorySet, { memory_key: "a/2", value: unrelated(2) })
      assert.deepStrictEqual(yield* ask(MemoryApply, request), first)
      assert.isFalse((yield* ask(MemoryGet, { memory_key: "a/2" })).pinned)
      const fresh = yield* Effect.flip(ask(MemoryApply, { ...request, idempotency_key: "B" }))
      assert.propertyVal(fresh, "code", "INVALID_ARGUMENT")
    }).pipe(Effect.provide(layer())))

  it.live("of memory.proposal_decide, when several propose under the key by now", () =>
    Effect.gen(function*() {
      const memory_key = "p/one"
      yield* ask(MemorySet, { memory_key, value: unrelated(1), agent: "a", proposed: true })
      const request = { memory_key, decision: "reject", idempotency_key: "D" }
      const first = yield* ask(MemoryProposalDecide, request)
      assert.isTrue(first.decided)
      for (const agent of ["b", "c"]) {
        yield* ask(MemorySet, { memory_key, value: unrelated(agent === "b" ? 2 : 3), agent, proposed: true })
      }
      assert.deepStrictEqual(yield* ask(MemoryProposalDecide, request), first)
      assert.lengthOf((yield* ask(MemoryProposals, {})).proposals, 2)
      const fresh = yield* Effect.flip(ask(MemoryProposalDecide, { ...request, idempotency_key: "E" }))
      assert.propertyVal(fresh, "code", "AMBIGUOUS_KEY")
    }).pipe(Effect.provide(layer())))

  it.live("of conflicts.resolve, when the row changed and is contradicted again", () =>
    Effect.gen(function*() {
      const kept = yield* ask(MemorySet, { memory_key: "orion/a", value: ships(15) })
      yield* ask(MemorySet, { memory_key: "orion/b", value: ships(16) })
      const request = {
        memory_id: kept.memory_id,
        action: "revise",
        value: ships(17),
        if_match_sha256: kept.content_sha256,
        idempotency_key: "C"
      }
      const first = yield* ask(ConflictsResolve, request)
      assert.isTrue(first.resolved)
      yield* ask(MemorySet, { memory_key: "orion/c", value: ships(18) })
      assert.deepStrictEqual(yield* ask(ConflictsResolve, request), first)
      assert.isTrue((yield* ask(MemoryGet, { memory_key: "orion/c" })).found)
    }).pipe(Effect.provide(layer())))

  it.live("of memory.restore, when the value was redacted since", () =>
    Effect.gen(function*() {
      const memory_key = "door/code"
      const { content_sha256 } = yield* ask(MemorySet, { memory_key, value: unrelated(1) })
      yield* ask(MemoryDelete, { memory_key })
      const request = { memory_key, idempotency_key: "S" }
      const first = yield* ask(MemoryRestore, request)
      assert.isTrue(first.restored)
      yield* ask(MemoryDelete, { memory_key })
      yield* ask(MemoryRedact, { memory_key, content_sha256 })
      assert.deepStrictEqual(yield* ask(MemoryRestore, request), first)
      assert.isFalse((yield* ask(MemoryGet, { memory_key })).found)
      const fresh = yield* Effect.flip(ask(MemoryRestore, { ...request, idempotency_key: "T" }))
      assert.propertyVal(fresh, "code", "INVALID_ARGUMENT")
    }).pipe(Effect.provide(layer())))

  it.live("of memory.redact, when the value stands again", () =>
    Effect.gen(function*() {
      const memory_key = "door/code"
      const { content_sha256 } = yield* ask(MemorySet, { memory_key, value: unrelated(1) })
      const request = { memory_key, content_sha256, idempotency_key: "R" }
      // A refusal may be tried again under its key.
      assert.propertyVal(yield* Effect.flip(ask(MemoryRedact, request)), "code", "INVALID_ARGUMENT")
      yield* ask(MemoryDelete, { memory_key })
      const first = yield* ask(MemoryRedact, request)
      assert.deepInclude(first, { redacted: true, head: true })
      yield* ask(MemorySet, { memory_key, value: unrelated(1) })
      assert.deepStrictEqual(yield* ask(MemoryRedact, request), first)
      assert.strictEqual((yield* ask(MemoryGet, { memory_key })).value, unrelated(1))
    }).pipe(Effect.provide(layer())))
})
