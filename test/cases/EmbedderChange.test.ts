/**
 * T34 over HTTP: a store whose rows were embedded at 384 dimensions goes on at 768. The embedding server is a real one on a
 * loopback socket; it makes the vectors of one model at the length that a server asks for.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { createServer } from "node:http"
import { MemoryConsolidate } from "../../src/consolidation/ConsolidationVerbs.ts"
import { MemoryBulkSet, MemoryGet, MemoryList, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceValidate } from "../../src/memory/NamespaceReviewVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { ships } from "../support/Facts.ts"
import { answerOf, send } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import { tempFolder } from "../support/LoomProcess.ts"
import { start } from "../support/LoomServer.ts"

const Asked = Schema.parseJson(Schema.Struct({
  input: Schema.Array(Schema.String),
  dimensions: Schema.Number
}))

/** Every word adds a direction of its own, so texts with the same words lie close, at any length. */
const vectorOf = (text: string, dimensions: number): ReadonlyArray<number> => {
  const vector = Array.from({ length: dimensions }, () => 0.001)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let state = 2_166_136_261
    for (let index = 0; index < word.length; index++) state = Math.imul(state ^ word.charCodeAt(index), 16_777_619)
    for (let turn = 0; turn < 24; turn++) {
      state = Math.imul(state ^ (state >>> 13), 1_540_483_477) + turn
      const place = (state >>> 0) % dimensions
      vector[place] = (vector[place] ?? 0) + ((state >>> 9) % 2 === 0 ? 1 : -1)
    }
  }
  return vector
}

/** The address of an embedding server that lives as long as the scope. */
const embeddings: Effect.Effect<string, never, Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          const { dimensions, input } = Schema.decodeUnknownSync(Asked)(Buffer.concat(parts).toString())
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({
            data: input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, dimensions) }))
          }))
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  ),
  (server) => {
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`
  }
)

const serve = (data: string, url: string, dimensions: number) =>
  start({
    data,
    env: {
      LOOM_EMBEDDINGS_URL: url,
      LOOM_EMBEDDINGS_MODEL: "toy",
      LOOM_EMBEDDINGS_DIMS: String(dimensions),
      LOOM_EMBEDDINGS_SEND_DIMS: "true",
      LOOM_ADAPTIVE_THRESHOLDS: "false"
    }
  })

const namespace = "case-34"

const at = (url: string) => ({
  ok: <A, I>(verb: AnsweringVerb<A, I>, body: object) =>
    Effect.map(
      send(url, "POST", `/v1/${verb.tag}`, JSON.stringify({ namespace, ...body })),
      (reply) => answerOf(verb, reply)
    ),
  status: (verb: string, body: object) =>
    Effect.map(send(url, "POST", `/v1/${verb}`, JSON.stringify({ namespace, ...body })), ({ status }) => status)
})

const things = ["lantern", "harbour", "granite", "orchid", "violin", "saddle", "furnace", "walnut", "anchor", "meadow"]
const rows = Array.from({ length: 100 }, (_, index) => ({
  memory_key: `stock/row-${index}`,
  value: `Shelf number ${index} of the ${things[index % things.length]} depot keeps spare part zx${index}q`
}))

const keysOf = ({ results }: { readonly results: ReadonlyArray<{ readonly memory_key: string }> }) =>
  results.map(({ memory_key }) => memory_key)

// A server of one process has them before it listens; in a cluster a worker sees to it once a runner has it.
const PATIENCE = "60 seconds"

/** Waits until every memory has vectors of the server's embedder. */
const embedded = (url: string) =>
  at(url).ok(NamespaceValidate, { embed_grace_seconds: 0 }).pipe(
    Effect.repeat({ until: (found) => found.ok, schedule: Schedule.spaced("250 millis") }),
    Effect.timeout(PATIENCE),
    Effect.orDie
  )

describe("T34 an embedder of another dimension", () => {
  it.live(
    "re-embeds what is stored, mixes no sizes, and everything is found, there and back",
    () =>
      Effect.gen(function*() {
        const [data, url] = [yield* tempFolder, yield* embeddings]
        const first = yield* serve(data, url, 384)
        const before = at(first.url)
        for (const from of [0, 50]) yield* before.ok(MemoryBulkSet, { items: rows.slice(from, from + 50) })
        yield* before.ok(MemorySet, { memory_key: "orion/a", value: ships(15) })
        const oldModel = (yield* before.ok(MemorySearch, { query: "zx7q" })).embedding_model
        yield* first.stop

        for (const dimensions of [768, 384]) {
          const server = yield* serve(data, url, dimensions)
          const { ok } = at(server.url)
          yield* embedded(server.url)
          // Each row once, by its word and by its meaning, all by the embedder of this process.
          for (const { memory_key, value } of rows.filter((_, index) => index % 9 === 0)) {
            const word = value.split(" ").at(-1) ?? ""
            const lexical = yield* ok(MemorySearch, { query: word, legs: ["lexical"] })
            assert.deepStrictEqual(keysOf(lexical), [memory_key], word)
            const near = yield* ok(MemorySearch, { query: value, legs: ["vector"] })
            assert.strictEqual(keysOf(near)[0], memory_key)
            assert.closeTo(near.results[0]?.similarity ?? 0, 1, 0.01)
            assert.strictEqual(near.embedding_model === oldModel, dimensions === 384)
            const both = keysOf(yield* ok(MemorySearch, { query: value, top_k: 100 }))
            assert.deepStrictEqual([both[0], new Set(both).size], [memory_key, both.length])
          }
          assert.strictEqual((yield* ok(MemoryList, { count_only: true })).total, 101 + (dimensions === 384 ? 2 : 0))
          // A new write meets rows that were embedded at the other length.
          const peer = yield* ok(MemorySet, {
            memory_key: `orion/${dimensions}`,
            value: ships(dimensions),
            dry_run: true
          })
          assert.deepInclude(peer, { conflict_verdict: "conflict" })
          assert.include(peer.peers.map(({ memory_key }) => memory_key), "orion/a")
          // Rows of both lengths are there; those of this embedder alone are looked at together.
          const merging = yield* ok(MemoryConsolidate, { key_prefix: "stock/" })
          assert.isAbove(merging.looked_at, 0)
          assert.deepStrictEqual(merging.groups.filter(({ sources }) => sources.length < 2), [])
          if (dimensions === 768) {
            const set = yield* ok(MemorySet, { memory_key: "new/one", value: "Kestrels nest above the pump house" })
            assert.strictEqual(set.status, "active")
            yield* ok(MemoryUpdate, { memory_key: "stock/row-3", value: "Ospreys circle the old quarry" })
            yield* ok(MemoryBulkSet, {
              items: [{ memory_key: "new/two", value: "Badgers dig under the tennis court" }]
            })
          }
          for (
            const [query, key] of [
              ["Where do kestrels nest", "new/one"],
              ["Which birds circle the quarry", "stock/row-3"],
              ["What digs under the tennis court", "new/two"]
            ] as const
          ) {
            assert.strictEqual(keysOf(yield* ok(MemorySearch, { query }))[0], key)
            assert.strictEqual(keysOf(yield* ok(MemorySearch, { query, legs: ["vector"] }))[0], key)
          }
          assert.isTrue((yield* ok(NamespaceValidate, { embed_grace_seconds: 0 })).ok)
          yield* server.stop
          assert.deepStrictEqual(server.log().match(/^.*level=(?:ERROR|FATAL).*$/gm) ?? [], [])
        }
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "that does not answer leaves the old rows to be found by their words, and refuses writes as unavailable",
    () =>
      Effect.gen(function*() {
        const [data, url] = [yield* tempFolder, yield* embeddings]
        const first = yield* serve(data, url, 384)
        yield* at(first.url).ok(MemoryBulkSet, { items: rows.slice(0, 20) })
        yield* first.stop
        // A port that nobody listens on: the embedding server is gone with its scope.
        const nowhere = yield* Effect.scoped(embeddings)
        const server = yield* serve(data, nowhere, 768)
        const { ok, status } = at(server.url)
        for (const { memory_key, value } of rows.slice(0, 3)) {
          const found = yield* ok(MemorySearch, { query: value.split(" ").at(-1) })
          assert.deepStrictEqual([keysOf(found)[0], found.degraded], [memory_key, ["vector_unavailable"]])
          assert.strictEqual((yield* ok(MemoryGet, { memory_key })).value, value)
        }
        assert.strictEqual(yield* status("memory.set", { memory_key: "new/one", value: "Kestrels nest here" }), 503)
        assert.isFalse((yield* ok(MemoryGet, { memory_key: "new/one" })).found)
        yield* server.stop
        // The next start with an embedder that answers makes good what was missing.
        const last = yield* serve(data, url, 768)
        yield* embedded(last.url)
        const found = yield* at(last.url).ok(MemorySearch, { query: rows[4]?.value, legs: ["vector"] })
        assert.strictEqual(keysOf(found)[0], "stock/row-4")
      }).pipe(Effect.scoped),
    180_000
  )
})
