/**
 * The client against a real server that breaks in every way: what is retried, what is applied, and what the caller sees.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, layer } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LoomApiError, LoomClient } from "../../src/client/LoomClient.ts"
import { allVerbs } from "../../src/client/Verbs.ts"
import { payloadFields } from "../../src/kernel/Verb.ts"
import type { FaultyServer } from "./FaultyServer.ts"
import { make } from "./FaultyServer.ts"

class Faulty extends Context.Tag("test/FaultyServer")<Faulty, FaultyServer>() {}

const written = {
  memory_id: "mem_1",
  memory_key: "a/b/c",
  namespace: "eng",
  version: 1,
  version_text: "1",
  content_sha256: "0".repeat(64),
  status: "active",
  pinned: false,
  conflict_verdict: "clear",
  peers: [],
  merged_into_key: null,
  duplicate_of: null,
  superseded_by: null,
  conflict_with: [],
  retired: [],
  reinforcement_count: 1,
  retyped_from: null,
  next: null,
  noop: false,
  dry_run: false,
  advisories: [],
  degraded: [],
  chunks_written: 0
}
const stored = { kind: "answer", body: written } as const
const missed = { kind: "answer", body: { found: false, degraded: [] } } as const
const drop = { kind: "drop" } as const
const error = (
  status: number,
  code: string,
  facts: Record<string, unknown> = {},
  headers: Record<string, string> = {}
) =>
  ({
    kind: "error",
    status,
    headers,
    detail: { code, message: `it is ${code}`, category: "conflict", retryable: false, ...facts }
  }) as const

// Back-offs short enough for real sockets and a real clock; their lengths are tested in RetryPolicy.test.ts.
const retry = { baseMs: 2, maxMs: 10, attemptMs: 400, pacingMs: 300 }

const fact = { memory_key: "a/b/c", value: "Billing deploys on Tuesdays." }

const failure = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("it should have failed"),
      (cause: unknown) => cause instanceof LoomApiError ? cause : assert.fail(`not a LoomApiError: ${String(cause)}`)
    )
  )

layer(Layer.scoped(Faulty, make))("with promises", (it) => {
  const setup = Effect.map(Faulty, (server) => ({
    server,
    loom: LoomClient.make({ org: "acme", namespace: "eng", baseUrl: server.url, apiKey: "loom_t_s", retry })
  }))

  describe("a call", () => {
    it.effect("carries the identity of its builder, the token and an idempotency key", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script(stored)
        const bot = loom.agent("release-bot").user("u1").session("s1").run("r1")
        const answer = yield* Effect.promise(() => bot.memory.set(fact))
        assert.strictEqual(answer.conflict_verdict, "clear")
        const [seen] = server.seen
        const { idempotency_key, ...body } = seen?.body ?? {}
        assert.strictEqual(seen?.path, "/v1/memory.set")
        assert.strictEqual(seen?.headers.authorization, "Bearer loom_t_s")
        assert.match(String(idempotency_key), /^[0-9a-f-]{36}$/)
        assert.deepStrictEqual(body, {
          org: "acme",
          namespace: "eng",
          agent: "release-bot",
          user_id: "u1",
          session_id: "s1",
          run_id: "r1",
          ...fact
        })
      }))

    it.effect("keeps the request's own identity, and reads of all agents within the user", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script(missed)
        const bot = loom.agent("release-bot").user("u1").session("s1")
        yield* Effect.promise(() => bot.memory.get({ memory_key: "a/b/c", namespace: "ops" }))
        assert.deepStrictEqual(server.seen[0]?.body, {
          org: "acme",
          namespace: "ops",
          user_id: "u1",
          memory_key: "a/b/c"
        })
        assert.notProperty(server.seen[0]?.body, "idempotency_key")
        server.script(stored)
        yield* Effect.promise(() => bot.memory.set({ ...fact, agent: "other", idempotency_key: "mine" }))
        assert.deepInclude(server.seen[0]?.body, { agent: "other", idempotency_key: "mine" })
      }))

    it.effect("keeps fields that a newer server adds to an answer", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script({ kind: "answer", body: { found: false, degraded: [], novelty: 7 } })
        assert.propertyVal(yield* Effect.promise(() => loom.memory.get({ memory_key: "a/b" })), "novelty", 7)
      }))

    it.effect("is refused before it is sent when JSON cannot hold it", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script(stored)
        const refused = yield* failure(loom.memory.set({ memory_key: "a/b", value: Number.NaN }))
        assert.strictEqual(refused.code, "INVALID_ARGUMENT")
        assert.isEmpty(server.seen)
      }))

    it.effect("ends when its signal aborts", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script({ kind: "hang" })
        const abort = new AbortController()
        const call = loom.memory.get({ memory_key: "a/b" }, { signal: abort.signal })
        abort.abort(new Error("enough"))
        const cause = yield* Effect.promise(() => call.then(() => "answered", String))
        assert.strictEqual(cause, "Error: enough")
      }))
  })

  describe("is repeated", () => {
    it.effect("when the connection drops after the write was applied, with the same key", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script(drop, drop, stored)
        yield* Effect.promise(() => loom.memory.set(fact))
        assert.lengthOf(server.seen, 3)
        assert.strictEqual(server.applied.size, 1)
      }))

    it.effect("on 503 and 408, three attempts in all", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script(error(503, "UNAVAILABLE"), error(408, "REQUEST_TIMEOUT"), missed)
        yield* Effect.promise(() => loom.memory.get({ memory_key: "a/b" }))
        assert.lengthOf(server.seen, 3)
        server.script(error(503, "UNAVAILABLE"))
        const failed = yield* failure(loom.memory.get({ memory_key: "a/b" }))
        assert.lengthOf(server.seen, 3)
        assert.deepInclude(failed, { code: "UNAVAILABLE", status: 503, requestId: "req_1" })
      }))

    it.effect("when an answer stops half-way or does not come, only for keyed writes", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script({ kind: "half" }, { kind: "hang" }, stored)
        yield* Effect.promise(() => loom.memory.set(fact))
        assert.deepStrictEqual([server.seen.length, server.applied.size], [3, 1])
        for (const kind of ["half", "hang"] as const) {
          server.script({ kind }, missed)
          const failed = yield* failure(loom.memory.get({ memory_key: "a/b" }))
          assert.deepInclude(failed, { code: "UNAVAILABLE", status: null })
          assert.lengthOf(server.seen, 1)
        }
      }))

    it.effect("never for a write without a key, once it may have been applied", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        for (const act of [drop, error(503, "UNAVAILABLE")]) {
          server.script(act, stored)
          yield* failure(loom.call("future.write", { value: 1 }))
          assert.lengthOf(server.seen, 1)
        }
      }))

    it.effect("after 429 as the server paces it, within the sleep budget", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        const busy = (seconds: number, headers: Record<string, string> = {}) =>
          error(429, "OVERLOADED", { retry_after_s: seconds }, headers)
        server.script(busy(0.01), busy(0.01), busy(0.01), busy(0.01), stored)
        yield* Effect.promise(() => loom.memory.set(fact))
        assert.lengthOf(server.seen, 5)
        assert.lengthOf(new Set(server.seen.map(({ body }) => body["idempotency_key"])), 1)
        server.script(busy(30, { "retry-after": "0" }), stored)
        yield* Effect.promise(() => loom.memory.set(fact))
        server.script(busy(0, { "retry-after": "30" }))
        const failed = yield* failure(loom.memory.set(fact))
        assert.deepInclude(failed, { code: "OVERLOADED", status: 429 })
        assert.lengthOf(server.seen, 1)
      }))
  })

  describe("a failure", () => {
    it.effect("has the code, facts and request id of the server", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script(error(409, "PRECONDITION_FAILED", { content_sha256: "ab" }))
        const failed = yield* failure(loom.memory.set(fact))
        assert.lengthOf(server.seen, 1)
        assert.deepInclude(failed, { code: "PRECONDITION_FAILED", status: 409, requestId: "req_1", retryable: false })
        assert.deepInclude(failed.detail, { content_sha256: "ab" })
        assert.strictEqual(failed.message, "it is PRECONDITION_FAILED")
      }))

    it.effect("of a code that the client does not know keeps it", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        server.script(error(422, "BRAND_NEW", { why: "x" }))
        assert.deepInclude(yield* failure(loom.memory.set(fact)), { code: "BRAND_NEW", status: 422 })
        server.script({ kind: "text", status: 404, text: "<html>a proxy</html>" })
        assert.deepInclude(yield* failure(loom.memory.set(fact)), { code: "UNKNOWN_VERB", status: 404 })
      }))

    it.effect("is INTERNAL for an answer that is not the verb's", () =>
      Effect.gen(function*() {
        const { loom, server } = yield* setup
        for (
          const act of [{ kind: "text", status: 200, text: "<html>" }, {
            kind: "answer",
            body: { found: "yes" }
          }] as const
        ) {
          server.script(act)
          assert.deepInclude(yield* failure(loom.memory.get({ memory_key: "a/b" })), { code: "INTERNAL" })
          assert.lengthOf(server.seen, 1)
        }
      }))

    it.effect("is UNAVAILABLE where no server is", () =>
      Effect.gen(function*() {
        // Port 9 (discard) is closed on every machine that runs tests.
        const loom = LoomClient.make({ baseUrl: "http://127.0.0.1:9", retry })
        assert.deepInclude(yield* failure(loom.memory.set(fact)), { code: "UNAVAILABLE", status: null })
      }))
  })

  it.effect("probe says what client and server do not share", () =>
    Effect.gen(function*() {
      const { loom, server } = yield* setup
      const listing = allVerbs.map((verb) => ({ verb: verb.tag, fields: payloadFields(verb), role: "read" }))
      server.script({ kind: "answer", body: { build_version: "9.9.9", verbs: listing } })
      const same = { ok: true, build_version: "9.9.9", missing_ops: [], missing_fields: {}, unknown_to_sdk: [] }
      assert.deepStrictEqual(yield* Effect.promise(() => loom.probe()), same)
      assert.strictEqual(server.seen[0]?.path, "/v1/verbs")
      const other = listing.filter(({ verb }) => verb !== "memory.get").map((entry) =>
        entry.verb === "memory.set" ? { ...entry, fields: entry.fields.filter((field) => field !== "pinned") } : entry
      )
      server.script({ kind: "answer", body: { verbs: [...other, { verb: "memory.new", fields: [] }] } })
      assert.deepStrictEqual(yield* Effect.promise(() => loom.probe()), {
        ok: false,
        build_version: null,
        missing_ops: ["memory.get"],
        missing_fields: { "memory.set": ["pinned"] },
        unknown_to_sdk: ["memory.new"]
      })
    }))
})

layer(Layer.scoped(Faulty, make), { excludeTestServices: true })("in Effect", (it) => {
  it.effect("fails with a LoomError, and reads its configuration", () =>
    Effect.gen(function*() {
      const server = yield* Faulty
      const config = ConfigProvider.fromMap(
        new Map([["LOOM_BASE_URL", server.url], ["LOOM_API_KEY", "k"], ["LOOM_NAMESPACE", "ns"]])
      )
      yield* Effect.gen(function*() {
        const loom = (yield* LoomClient).agent("bot")
        server.script(stored)
        assert.strictEqual((yield* loom.memory.set(fact)).version_text, "1")
        assert.deepInclude(server.seen[0]?.body, { agent: "bot", namespace: "ns" })
        assert.strictEqual(server.seen[0]?.headers.authorization, "Bearer k")
        server.script(error(423, "LOCKED", { reason: "audit" }))
        const locked = yield* Effect.flip(loom.memory.set(fact))
        assert.deepInclude(locked, { _tag: "Refusal", code: "LOCKED", message: "it is LOCKED" })
        assert.deepStrictEqual(locked._tag === "Refusal" ? locked.facts : {}, { reason: "audit" })
        server.script(error(503, "UNAVAILABLE"))
        assert.deepInclude(yield* Effect.flip(loom.memory.set(fact)), { _tag: "Unavailable", operation: "memory.set" })
        server.script(error(429, "OVERLOADED", { retry_after_s: 40 }))
        assert.deepInclude(yield* Effect.flip(loom.memory.set(fact)), { _tag: "Overloaded", retry_after_s: 40 })
      }).pipe(Effect.provide(
        LoomClient.layerConfig({ retry }).pipe(
          Layer.provide([FetchHttpClient.layer, Layer.setConfigProvider(config)])
        )
      ))
    }))
})
