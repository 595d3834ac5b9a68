/**
 * What the house derives by itself, over HTTP: named things (T11's listing, T29 of what is derived), digests of sessions, and
 * what an expiry does. A test waits until a worker came by, never for a time.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import {
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { EntityList } from "../../src/memory/NamedThingVerbs.ts"
import { MemoryDigests } from "../../src/retrieval/DigestVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { freshNamespace, ok } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

// Some rounds of every worker on a busy machine.
const PATIENCE = "90 seconds"

/** Asks until the answer is as wanted. */
const until = <A, R>(ask: Effect.Effect<A, never, R>, wanted: (answer: A) => boolean) =>
  ask.pipe(
    Effect.filterOrFail(wanted, (answer) => `still ${JSON.stringify(answer)}`),
    Effect.retry(Schedule.spaced("250 millis")),
    Effect.timeout(PATIENCE)
  )

const named = (namespace: string, fields: object = {}) =>
  Effect.map(
    ok(EntityList, { namespace, ...fields }),
    ({ entities }) => entities.map(({ entity, memories }) => `${entity} ${memories}`)
  )

const keysOf = ({ results }: typeof MemorySearch.answer.Type) => results.map(({ memory_key }) => memory_key).sort()

const server = LoomServer.layer({ LOOM_DIGEST_QUIET: "1 second", LOOM_WORKERS: "all,entity_extractor" })

layer(server, { excludeTestServices: true, timeout: 120_000 })("What is derived", (it) => {
  it.effect(
    "T11: the entity listing counts a deleted memory no more, and a restored one again",
    () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const key = { namespace, memory_key: "ops/vpn" }
        yield* ok(MemorySet, { ...key, value: "The vault door is green", entities: ["Heron Gates"] })
        yield* ok(MemorySet, {
          namespace,
          memory_key: "b",
          value: "A bridge is open",
          entities: ["heron gate", "bridge"]
        })
        assert.deepStrictEqual(yield* named(namespace), ["bridge 1", "heron gate 2"])
        yield* ok(MemoryDelete, key)
        assert.deepStrictEqual(yield* named(namespace), ["bridge 1", "heron gate 1"])
        yield* ok(MemoryDelete, { namespace, memory_key: "b" })
        assert.deepStrictEqual(yield* named(namespace), [])
        yield* ok(MemoryRestore, key)
        assert.deepStrictEqual(yield* named(namespace), ["heron gate 1"])
        assert.deepStrictEqual(yield* named(namespace, { prefix: "Heron" }), ["heron gate 1"])
        assert.deepStrictEqual(yield* named(namespace, { prefix: "%" }), [])
      }),
    120_000
  )

  it.effect(
    "T29: names that nobody stated are one thing in all their forms, and each finds its rows",
    () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const values = [
          "We restarted the Billing Service on host seven",
          "`billing-services` were slow at noon",
          "They doubled memory of BILLING_SERVICE twice",
          "On Sunday nobody pages for the billing-service's owner"
        ]
        const keys = yield* Effect.forEach(
          values,
          (value, index) => Effect.as(ok(MemorySet, { namespace, memory_key: `t/${index}`, value }), `t/${index}`)
        )
        yield* ok(MemorySet, { namespace, memory_key: "control", value: "The billing was late" })
        yield* until(named(namespace), (all) => all.includes("billing service 4"))
        for (const form of ["Billing Services", "billing service", "the billing-service's", "BILLING_SERVICE"]) {
          const found = yield* ok(MemorySearch, { namespace, query: `What of ${form}?`, legs: ["entities"] })
          assert.deepStrictEqual(keysOf(found), keys, form)
          const { memories } = yield* ok(MemoryList, { namespace, entity_filter: [form] })
          assert.deepStrictEqual(memories.map((row) => row.memory_key).sort(), keys, form)
        }
        yield* ok(MemoryUpdate, { namespace, memory_key: "t/0", value: "We restarted Orion on host seven" })
        yield* until(named(namespace), (all) => all.includes("orion 1") && all.includes("billing service 3"))
        yield* ok(MemoryDelete, { namespace, memory_key: "t/1" })
        assert.include(yield* named(namespace), "billing service 2")
      }),
    120_000
  )

  it.effect(
    "a session is summed up, a question in the digest's words finds its memories, and it ends with them",
    () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const writer = { namespace, agent: "bot", session_id: "s1" }
        const texts = {
          harbour: "The harbour opens at six.",
          apples: "Apples are sold out.",
          ferry: "A ferry leaves for Bergen."
        }
        for (const [memory_key, value] of Object.entries(texts)) yield* ok(MemorySet, { ...writer, memory_key, value })
        const all = Effect.map(ok(MemoryDigests, { namespace }), ({ digests }) => digests)
        const [digest] = yield* until(all, ({ length }) => length === 1)
        assert.deepInclude(digest, {
          session_id: "s1",
          agent: "bot",
          memory_keys: Object.keys(texts),
          text: Object.values(texts).join("\n"),
          source_class: "derived"
        })
        const found = yield* until(
          ok(MemorySearch, { namespace, query: "harbour apples ferry", legs: ["digests"] }),
          ({ results }) => results.length > 0
        )
        assert.deepStrictEqual(keysOf(found), Object.keys(texts).sort())
        yield* ok(MemoryDelete, { namespace, memory_key: "apples" })
        // Its text would tell of what is deleted.
        assert.deepStrictEqual(yield* all, [])
        assert.deepStrictEqual(
          keysOf(yield* ok(MemorySearch, { namespace, query: "harbour apples ferry", legs: ["digests"] })),
          []
        )
      }),
    120_000
  )

  it.effect(
    "what has expired is gone by the clock, then for good; what was renewed stays",
    () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const set = (memory_key: string, value: string, fields: object) =>
          ok(MemorySet, { namespace, memory_key, value, ttl_seconds: 1, confidence: 0.8, ...fields })
        yield* set("gone", "Plums are on offer", {})
        yield* set("doubted", "The gate is green", { on_expire: "demote" })
        yield* set("kept", "Boats are cheap", { on_expire: "keep" })
        yield* set("renewed", "Trains are late", {})
        yield* ok(MemoryUpdate, { namespace, memory_key: "renewed", ttl_seconds: 3_600 })
        const served = Effect.map(
          ok(MemoryList, { namespace }),
          ({ memories }) => memories.map((row) => row.memory_key)
        )
        yield* until(served, (keys) => keys.length === 1)
        assert.deepStrictEqual(yield* served, ["renewed"])
        const head = (memory_key: string) =>
          Effect.map(ok(MemoryHistory, { namespace, memory_key }), ({ versions }) => versions[0])
        const [gone, doubted] = yield* until(
          Effect.all([head("gone"), head("doubted")]),
          ([gone, doubted]) => gone?.change === "expire" && doubted?.on_expire === "keep"
        )
        assert.deepInclude(gone, { status: "tombstoned", actor: "process:expiry" })
        assert.deepInclude(doubted, { status: "active", confidence: 0.4, actor: "process:expiry" })
        assert.strictEqual((yield* head("kept"))?.change, "create")
        for (const memory_key of ["gone", "doubted", "kept"]) {
          assert.deepInclude(yield* ok(MemoryGet, { namespace, memory_key }), { found: false, status: "expired" })
        }
        const { total } = yield* ok(MemoryList, { namespace, include_expired: true })
        assert.strictEqual(total, 4)
      }),
    120_000
  )
})
