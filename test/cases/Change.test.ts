/**
 * Cases of changing what is stored over HTTP: T08 (the same request twice), T09 (what an update keeps), T12 (deleting
 * many), T33 (a failing embedder).
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate,
  MemoryUpdateById
} from "../../src/memory/MemoryVerbs.ts"
import { failingText } from "../../src/platform/EmbedderTest.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const together = { concurrency: "unbounded" } as const
const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)
const claim = "Otto likes oat coffee"

const liveRows = (namespace: string) => ok(MemoryList, { namespace, limit: 1000 })

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Change cases", (it) => {
  describe("T08 the same request twice", () => {
    it.effect("a set whose answer never arrived, sent again under its key, is one write", () =>
      Effect.gen(function*() {
        const { url } = yield* LoomServer.LoomServer
        const body = { namespace: freshNamespace(), memory_key: "u/city", value: "Rome", idempotency_key: "once" }
        yield* Effect.forEach(numbers(5), () => sendAndLeave(url, "memory.set", body))
        const answer = yield* ok(MemorySet, body)
        assert.strictEqual(answer.reinforcement_count, 1)
        const again = yield* ok(MemorySet, body)
        assert.deepStrictEqual(again, answer)
        const { versions } = yield* ok(MemoryHistory, { namespace: body.namespace, memory_key: "u/city" })
        assert.strictEqual(versions.length, 1)
      }))

    it.effect("20 at once under one key are one write with one answer", () =>
      Effect.gen(function*() {
        const body = { namespace: freshNamespace(), memory_key: "u/city", value: "Rome", idempotency_key: "once" }
        const answers = yield* Effect.forEach(numbers(20), () => ok(MemorySet, body), together)
        for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
        assert.strictEqual(
          (yield* ok(MemoryGet, { namespace: body.namespace, memory_key: "u/city" })).reinforcement_count,
          1
        )
      }))

    it.effect("without a key a repeated set is a restatement of the same row", () =>
      Effect.gen(function*() {
        const body = { namespace: freshNamespace(), memory_key: "u/city", value: "Rome" }
        const first = yield* ok(MemorySet, body)
        const second = yield* ok(MemorySet, body)
        assert.strictEqual(second.memory_id, first.memory_id)
        assert.strictEqual(second.reinforcement_count, 2)
        assert.strictEqual((yield* liveRows(body.namespace)).total, 1)
      }))

    for (const idempotency_key of [undefined, "bulk-1"]) {
      it.effect(`a bulk_set of 50 twice, ${idempotency_key === undefined ? "without" : "with"} a key: the same 50 rows`, () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          const body = {
            namespace,
            ...(idempotency_key === undefined ? {} : { idempotency_key }),
            items: numbers(50).map((index) => ({
              memory_key: `p/fact/${index}`,
              value: `Fact number ${index} of fifty`
            }))
          }
          const first = yield* ok(MemoryBulkSet, body)
          assert.deepInclude(first, { stored: 50, ok: true })
          const second = yield* ok(MemoryBulkSet, body)
          if (idempotency_key !== undefined) assert.deepStrictEqual(second, first)
          else assert.deepInclude(second, { stored: 0, merged: 50, ok: true })
          const ids = (answer: typeof first) => answer.results.map((result) => result.answer?.memory_id)
          assert.deepStrictEqual(ids(second), ids(first))
          const list = yield* liveRows(namespace)
          assert.strictEqual(list.total, 50)
          assert.isTrue(
            list.memories.every((row) => row.reinforcement_count === (idempotency_key === undefined ? 2 : 1))
          )
        }))
    }

    it.effect("every write verb gives its first answer again, also by the header", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "u/city" }
        const writes: ReadonlyArray<readonly [string, object]> = [
          ["memory.set", { ...key, value: "Rome" }],
          ["memory.update", { ...key, value: "Milan" }],
          ["memory.delete", key],
          ["memory.restore", key],
          // Writes nothing; its answer is kept all the same.
          ["memory.update", { ...key, memory_key: "u/nowhere", value: "Milan" }],
          ["memory.bulk_set", { namespace: key.namespace, items: [{ memory_key: "u/town", value: "Bern" }] }]
        ]
        for (const [index, [verb, body]] of writes.entries()) {
          const options = { headers: { "idempotency-key": `write-${index}` } }
          const first = yield* post(verb, body, options)
          assert.strictEqual(first.status, 200, first.text)
          const second = yield* post(verb, { ...body, idempotency_key: `write-${index}` })
          assert.strictEqual(second.text, first.text)
          const other = yield* refusal(verb, { ...body, run_id: "another" }, options)
          assert.deepInclude(other, { status: 409, code: "IDEMPOTENCY_CONFLICT" })
        }
        const { versions } = yield* ok(MemoryHistory, key)
        assert.deepStrictEqual(versions.map(({ change }) => change), ["restore", "delete", "correct", "create"])
        const misused = yield* refusal("memory.delete", { ...key, idempotency_key: "write-0" })
        assert.deepInclude(misused, { status: 409, code: "IDEMPOTENCY_CONFLICT" })
      }))

    it.effect("a dry run leaves the key free for the write itself", () =>
      Effect.gen(function*() {
        const body = { namespace: freshNamespace(), memory_key: "u/city", value: "Rome", idempotency_key: "once" }
        assert.isTrue((yield* ok(MemorySet, { ...body, dry_run: true })).dry_run)
        assert.isFalse((yield* ok(MemoryGet, { namespace: body.namespace, memory_key: "u/city" })).found)
        assert.isFalse((yield* ok(MemorySet, body)).dry_run)
        assert.isTrue((yield* ok(MemoryGet, { namespace: body.namespace, memory_key: "u/city" })).found)
      }))

    it.effect("delete and restore may be repeated without a key", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "u/city" }
        yield* ok(MemorySet, { ...key, value: "Rome" })
        assert.deepInclude(yield* ok(MemoryDelete, key), { found: true, tombstoned: true, count: 1 })
        assert.deepInclude(yield* ok(MemoryDelete, key), { found: false, tombstoned: false, count: 0 })
        assert.deepInclude(yield* ok(MemoryRestore, key), { found: true, restored: true })
        assert.deepInclude(yield* ok(MemoryRestore, key), { found: true, restored: false, reason: "not_deleted" })
      }))
  })

  describe("T09 what an update keeps", () => {
    const everything = {
      agent: "planner",
      user_id: "ada",
      session_id: "s1",
      run_id: "run-7",
      memory_type: "preference",
      tags: ["Coffee", "morning"],
      entities: ["The Oat Mill", "Otto"],
      relations: [["Otto", "likes", "oat coffee"]],
      files: ["docs/coffee.md"],
      confidence: 0.75,
      source_trace: "chat 12",
      source_resource_id: "res-1",
      source_class: "external",
      ttl_seconds: 86_400,
      on_expire: "demote",
      expire_reason: "taste changes",
      valid_at: "2026-03-01T09:00:00Z",
      valid_to: "2126-03-01T09:00:00Z",
      pinned: true,
      char_limit: 500,
      sensitivity: "medium"
    }
    const target = { memory_key: "u/coffee", agent: "planner", user_id: "ada", session_id: "s1" }

    for (const byId of [false, true]) {
      it.effect(`a new value alone${byId ? ", by id" : ""}`, () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          const set = yield* ok(MemorySet, { namespace, memory_key: "u/coffee", value: claim, ...everything })
          const before = yield* ok(MemoryGet, { namespace, ...target })
          const answer = byId
            ? yield* ok(MemoryUpdateById, { namespace, memory_id: set.memory_id, value: "Otto likes black coffee" })
            : yield* ok(MemoryUpdate, { namespace, memory_key: "u/coffee", value: "Otto likes black coffee" })
          assert.isTrue(answer.updated)
          const after = yield* ok(MemoryGet, { namespace, ...target })
          assert.strictEqual(after.value, "Otto likes black coffee")
          assert.notStrictEqual(after.content_sha256, before.content_sha256)
          assert.isTrue(BigInt(after.version_text ?? 0) > BigInt(before.version_text ?? 0))
          assert.isTrue((after.updated_at ?? "") >= (before.updated_at ?? ""))
          // Stamped by the server: the caller said nothing of it, so the new value is its own claim.
          assert.strictEqual(after.source_class, "asserted")
          assert.strictEqual(after.actor, "human:local")
          const {
            content_sha256: _1,
            source_class: _2,
            updated_at: _3,
            value: _4,
            version: _5,
            version_text: _6,
            ...kept
          } = after
          const {
            content_sha256: _a,
            source_class: _b,
            updated_at: _c,
            value: _d,
            version: _e,
            version_text: _f,
            ...had
          } = before
          assert.deepStrictEqual(kept, had)
        }))
    }

    const labels: ReadonlyArray<readonly [field: string, value: unknown, shown: unknown]> = [
      ["tags", ["evening"], ["evening"]],
      ["entities", ["The Rye Mill"], ["rye mill"]],
      ["relations", [], []],
      ["files", [], []],
      ["confidence", 0.25, 0.25],
      ["source_trace", "chat 13", "chat 13"],
      ["source_resource_id", "", null],
      ["pinned", false, false],
      ["valid_at", "2026-04-01", "2026-04-01T00:00:00.000Z"],
      ["valid_to", null, null],
      ["char_limit", 0, null],
      ["expire_reason", "other", "other"],
      ["on_expire", "keep", "keep"],
      ["run_id", "run-8", "run-8"]
    ]
    for (const [field, value, shown] of labels) {
      it.effect(`${field} alone`, () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          yield* ok(MemorySet, { namespace, memory_key: "u/coffee", value: claim, ...everything })
          const before: Record<string, unknown> = yield* ok(MemoryGet, { namespace, ...target })
          assert.isTrue((yield* ok(MemoryUpdate, { namespace, memory_key: "u/coffee", [field]: value })).updated)
          const after: Record<string, unknown> = yield* ok(MemoryGet, { namespace, ...target })
          const moved = Object.keys(after).filter((name) =>
            JSON.stringify(after[name]) !== JSON.stringify(before[name])
          )
          assert.includeMembers([field, "version", "version_text", "updated_at"], moved)
          assert.deepStrictEqual(after[field], shown)
        }))
    }

    it.effect("the body cannot say who wrote it or what class it is", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        for (const source_class of ["asserted", "observed", "extracted", "human", ""]) {
          for (const verb of ["memory.set", "memory.update"]) {
            const refused = yield* refusal(verb, { namespace, memory_key: "u/coffee", value: claim, source_class })
            assert.deepInclude(refused, { status: 422, code: "SOURCE_CLASS_UPGRADE" })
          }
        }
        for (const field of ["actor", "memory_id", "version", "created_at", "updated_at", "verified_by", "status"]) {
          const refused = yield* refusal("memory.set", {
            namespace,
            memory_key: "u/coffee",
            value: claim,
            [field]: "x"
          })
          assert.deepInclude(refused, { status: 422, code: "UNKNOWN_FIELD" })
        }
        for (const source_class of ["derived", "external", "imported"]) {
          const memory_key = `u/${source_class}`
          yield* ok(MemorySet, { namespace, memory_key, value: `A claim that is ${source_class}`, source_class })
          assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key })).source_class, source_class)
        }
      }))
  })

  describe("T12 deleting many", () => {
    it.effect("250 rows of one user, walked by cursor, all go; the next walk finds none", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const stored = yield* ok(MemoryBulkSet, {
          namespace,
          user_id: "u9",
          items: numbers(250).map((index) => ({ memory_key: `u9/fact/${index}`, value: `Fact ${index} about nine` }))
        })
        assert.strictEqual(stored.stored, 250)
        yield* ok(MemorySet, { namespace, user_id: "u8", memory_key: "u8/fact", value: "A fact about eight" })
        const deleteAll = Effect.gen(function*() {
          let removed = 0
          let cursor: string | null = null
          do {
            const page: typeof MemoryList.answer.Type = yield* ok(MemoryList, {
              namespace,
              user_id: "u9",
              limit: 100,
              ...(cursor === null ? {} : { cursor })
            })
            const answers = yield* Effect.forEach(
              page.memories,
              (row) => ok(MemoryDelete, { namespace, memory_id: row.memory_id }),
              { concurrency: 50 }
            )
            removed += answers.filter(({ tombstoned }) => tombstoned).length
            cursor = page.next_cursor
          } while (cursor !== null)
          return removed
        })
        assert.strictEqual(yield* deleteAll, 250)
        assert.strictEqual((yield* ok(MemoryList, { namespace, user_id: "u9", count_only: true })).total, 0)
        assert.strictEqual(yield* deleteAll, 0)
        const gone = yield* ok(MemoryList, { namespace, user_id: "u9", include_tombstoned: true, count_only: true })
        assert.strictEqual(gone.total, 250)
        assert.strictEqual((yield* ok(MemoryList, { namespace, count_only: true })).total, 1)
      }), 60_000)
  })

  describe("T33 a failing embedder", () => {
    it.effect("item 4 of 10 is reported, the nine others are there", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const answer = yield* ok(MemoryBulkSet, {
          namespace,
          items: numbers(10).map((index) => ({
            memory_key: `p/fact/${index}`,
            value: index === 4 ? `Fact four ${failingText}` : `Fact number ${index}`
          }))
        })
        assert.deepInclude(answer, { stored: 9, failed: 1, refused: 0, ok: false })
        const failed = answer.results[3]
        assert.deepInclude(failed, { outcome: "failed", memory_key: "p/fact/4", code: "UNAVAILABLE", answer: null })
        for (const index of numbers(10)) {
          const got = yield* ok(MemoryGet, { namespace, memory_key: `p/fact/${index}` })
          assert.strictEqual(got.found, index !== 4)
        }
        assert.strictEqual((yield* liveRows(namespace)).total, 9)
      }))

    it.effect("set, update and update_by_id fail and write nothing", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "p/fact/1" }
        const value = `A fact ${failingText}`
        const unset = yield* refusal("memory.set", { ...key, value, idempotency_key: "once" })
        assert.deepInclude(unset, { status: 503, code: "UNAVAILABLE" })
        assert.isTrue(unset.detail.retryable)
        assert.strictEqual((yield* ok(MemoryHistory, key)).versions.length, 0)
        const set = yield* ok(MemorySet, { ...key, value: "A fact" })
        assert.strictEqual((yield* refusal("memory.update", { ...key, value })).status, 503)
        const byId = { namespace: key.namespace, memory_id: set.memory_id, value }
        assert.strictEqual((yield* refusal("memory.update_by_id", byId)).status, 503)
        assert.deepInclude(yield* ok(MemoryGet, key), { value: "A fact", reinforcement_count: 1 })
        assert.strictEqual((yield* ok(MemoryHistory, key)).versions.length, 1)
      }))

    it.effect("what needs no vector is written all the same", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        for (const fields of [{ memory_type: "episodic" }, { memory_type: "profile" }, { sensitivity: "high" }]) {
          const memory_key = `p/${Object.values(fields).join("")}`
          yield* ok(MemorySet, { namespace, memory_key, value: `Not embedded ${failingText}`, ...fields })
          assert.isTrue((yield* ok(MemoryGet, { namespace, memory_key })).found)
        }
      }))
  })
})

/** Sends a request and goes away without waiting for its answer. */
const sendAndLeave = (url: string, verb: string, body: object): Effect.Effect<void> =>
  Effect.async((resume) => {
    const { hostname, port } = new URL(url)
    const text = JSON.stringify(body)
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /v1/${verb} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-length: ${
          Buffer.byteLength(text)
        }\r\n\r\n${text}`,
        () => socket.destroy()
      ))
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.void))
  })
