/**
 * What a retry under an idempotency key, and what other rows, still tell of a value that was redacted or is withheld by now,
 * over the whole write path in this process.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Dispatch } from "../../services/gateway/Dispatch.ts"
import { localCaller as local } from "../../src/kernel/Caller.ts"
import { MemoryLock, MemoryPin } from "../../src/memory/LifecycleVerbs.ts"
import { MemoryBulkSet, MemoryDelete, MemoryHistory, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { MemoryProposalDecide } from "../../src/memory/ProposalVerbs.ts"
import { MemoryRedact } from "../../src/memory/RedactVerbs.ts"
import { noSettings } from "../../src/namespace/NamespaceSettingsModel.ts"
import * as NamespaceStore from "../../src/namespace/NamespaceStore.ts"
import { ask, call, layer } from "../support/ActorHouse.ts"

const word = (name: string) => `The vault word is ${name} in the north office`
const a = { memory_key: "sec/a/1", value: word("PELICANSEVEN") }
const b = { memory_key: "sec/a/2", value: word("HERON") }
const keyed = { ...b, idempotency_key: "I1" }

/** The names of verbs that tell of rows, asked for both keys: nothing they answer holds the word. */
const toldNowhere = (text: string) =>
  Effect.gen(function*() {
    const dispatch = yield* Dispatch
    for (const verb of ["memory.history", "memory.inspect", "memory.provenance", "memory.get", "memory.lineage"]) {
      for (const { memory_key } of [a, b]) {
        assert.notInclude(JSON.stringify(yield* dispatch.call(verb, { memory_key }, local)), text, verb)
      }
    }
    assert.notInclude(JSON.stringify(yield* call("conflicts.list", {})), text)
  })

/** Ways in which a value is told no more, each after a write that it is quoted by. */
const silenced = {
  "was redacted": (row: typeof a) =>
    Effect.gen(function*() {
      const { versions } = yield* ask(MemoryHistory, { memory_key: row.memory_key })
      const version_text = versions.at(-1)?.version_text
      yield* ask(MemoryUpdate, { memory_key: row.memory_key, value: "Redacted soon" })
      assert.isTrue((yield* ask(MemoryRedact, { memory_key: row.memory_key, version_text })).redacted)
    }),
  "was deleted and redacted": (row: typeof a) =>
    Effect.gen(function*() {
      const { versions } = yield* ask(MemoryHistory, { memory_key: row.memory_key })
      const content_sha256 = versions[0]?.content_sha256
      yield* ask(MemoryDelete, { memory_key: row.memory_key })
      assert.isTrue((yield* ask(MemoryRedact, { memory_key: row.memory_key, content_sha256 })).redacted)
    }),
  "is withheld": (row: typeof a) => ask(MemoryUpdate, { memory_key: row.memory_key, sensitivity: "high" })
}

describe("a retry", () => {
  for (const [what, silence] of Object.entries(silenced)) {
    for (const { row, text } of [{ row: a, text: "PELICANSEVEN" }, { row: b, text: "HERON" }]) {
      it.live(`quotes no value that ${what}: ${text}`, () =>
        Effect.gen(function*() {
          yield* ask(MemorySet, a)
          const first = yield* ask(MemorySet, keyed)
          assert.include(first.peers[0]?.reason ?? "", text)
          assert.include(first.next ?? "", text)
          assert.deepStrictEqual(yield* ask(MemorySet, keyed), first)
          yield* silence(row)
          const again = yield* ask(MemorySet, keyed)
          assert.notInclude(JSON.stringify(again), text)
          const kept = { ...again, next: first.next, peers: first.peers }
          assert.deepStrictEqual(kept, first)
          assert.deepStrictEqual(again.peers, first.peers.map((peer) => ({ ...peer, reason: "redacted" })))
          if (what !== "is withheld") yield* toldNowhere(text)
        }).pipe(Effect.provide(layer())))
    }
  }

  it.live("of a bulk write leaves out the reasons of the items that quote, and of no other", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, a)
      yield* ask(MemoryPin, { memory_key: a.memory_key })
      yield* ask(MemorySet, { memory_key: "ships/1", value: "The Orion fleet has 15 ships" })
      const request = {
        idempotency_key: "B1",
        items: [b, { memory_key: "ships/2", value: "The Orion fleet has 16 ships" }]
      }
      const first = yield* ask(MemoryBulkSet, request)
      assert.deepStrictEqual(first.results.map(({ code, outcome }) => [outcome, code]), [
        ["refused", "PINNED_CONFLICT"],
        ["stored", null]
      ])
      assert.include(first.results[0]?.message ?? "", "PELICANSEVEN")
      assert.include(first.results[1]?.answer?.peers[0]?.reason ?? "", "15")
      yield* ask(MemoryPin, { memory_key: a.memory_key, pinned: false })
      yield* silenced["was redacted"](a)
      const again = yield* ask(MemoryBulkSet, request)
      assert.notInclude(JSON.stringify(again), "PELICANSEVEN")
      assert.strictEqual(again.results[0]?.code, "PINNED_CONFLICT")
      assert.deepStrictEqual(again.results[1], first.results[1])
    }).pipe(Effect.provide(layer())))

  it.live("of an accepted proposal quotes no value that is withheld", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, a)
      const { memory_id } = yield* ask(MemorySet, { ...b, proposed: true })
      const request = { memory_id, decision: "accept", idempotency_key: "P1" }
      const first = yield* ask(MemoryProposalDecide, request)
      assert.include(JSON.stringify(first), "PELICANSEVEN")
      yield* silenced["is withheld"](a)
      assert.notInclude(JSON.stringify(yield* ask(MemoryProposalDecide, request)), "PELICANSEVEN")
    }).pipe(Effect.provide(layer())))

  it.live("keeps the words of a reason that quotes nothing", () =>
    Effect.gen(function*() {
      yield* ask(MemorySet, { ...a, sensitivity: "high" })
      const request = { memory_key: a.memory_key, reason: "audit", idempotency_key: "L1" }
      const first = yield* ask(MemoryLock, request)
      assert.deepStrictEqual(yield* ask(MemoryLock, request), first)
    }).pipe(Effect.provide(layer())))
})

describe("a row that contradicted a replaced one", () => {
  it.live("is not told what the replacement went by", () =>
    Effect.gen(function*() {
      const namespaces = yield* NamespaceStore.NamespaceStore
      yield* namespaces.put({
        org: "dev",
        namespace: "local",
        default_conflict_policy: "newest_wins",
        settings: noSettings,
        description: "",
        created_at: 0,
        updated_at: 0,
        actor: "human:local",
        version: 1n
      })
      // Pinned rows replace nothing and are not replaced, so both stand.
      for (const row of [a, b]) yield* ask(MemorySet, { ...row, pinned: true })
      for (const { memory_key } of [a, b]) yield* ask(MemoryPin, { memory_key, pinned: false })
      const third = yield* ask(MemorySet, { memory_key: "sec/a/3", value: word("EGRET"), idempotency_key: "T1" })
      assert.deepStrictEqual(third.retired.map(({ memory_key }) => memory_key).sort(), [a.memory_key, b.memory_key])
      const { versions } = yield* ask(MemoryHistory, { memory_key: b.memory_key })
      const told = versions.flatMap(({ cause }) => cause?.rule.endsWith(".unflag") === true ? [cause.evidence] : [])
      assert.deepStrictEqual(told, ["the row it contradicted was replaced"])
    }).pipe(Effect.provide(layer())))
})
