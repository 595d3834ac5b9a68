/**
 * Cases of judgement and concurrency over HTTP: T01 (parallel identical writes), T07 (lost edits), T11 (what a delete does
 * to every read). Steps that search are in `Search.test.ts`.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  MemoryBulkSet,
  MemoryDelete,
  MemoryGet,
  MemoryGetById,
  MemoryHistory,
  MemoryList,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { freshNamespace, ok, post, refusal, refusedBy } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const together = { concurrency: "unbounded" } as const
const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)
const claim = "Otto likes oat coffee"

const liveRows = (namespace: string) => ok(MemoryList, { namespace, limit: 1000 })

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Write cases", (it) => {
  describe("T01 parallel identical writes", () => {
    const sames: ReadonlyArray<readonly [what: string, values: (index: number) => unknown]> = [
      ["the same words", () => claim],
      [
        "other case, white space and sentence signs",
        (index) => index % 2 === 0 ? claim : `  otto LIKES oat   coffee${"!".repeat(index % 3)}`
      ],
      [
        "the same object, keys in another order",
        (index) => index % 2 === 0 ? { drink: "oat", who: "Otto" } : { who: "Otto", drink: "oat" }
      ],
      ["words without spaces", () => "奥托喜欢燕麦咖啡"],
      ["a text longer than a vector's excerpt", () => `${claim}. ${"It is warm and not sweet. ".repeat(200)}`]
    ]
    it.effect("20 keys, a bare number that only its key explains: each key keeps its own", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const answers = yield* Effect.forEach(
          numbers(20),
          (index) => ok(MemorySet, { namespace, memory_key: `shelf/${index}/height`, value: 42.5 }),
          together
        )
        assert.isTrue(answers.every((answer) => answer.conflict_verdict === "clear"))
        assert.strictEqual((yield* ok(MemoryList, { namespace })).total, 20)
      }))
    for (const [what, value] of sames) {
      it.effect(`20 keys, ${what}: one live row`, () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          const answers = yield* Effect.forEach(
            numbers(20),
            (index) => ok(MemorySet, { namespace, memory_key: `u/coffee/${index}`, value: value(index) }),
            together
          )
          const stored = answers.filter((answer) => answer.merged_into_key === null)
          assert.strictEqual(stored.length, 1)
          const winner = stored[0]?.memory_key
          for (const answer of answers) {
            assert.strictEqual(answer.memory_id, stored[0]?.memory_id)
            if (answer === stored[0]) continue
            assert.strictEqual(answer.merged_into_key, winner)
            assert.strictEqual(answer.conflict_verdict, "merge")
            assert.isTrue(answer.noop)
          }
          const list = yield* liveRows(namespace)
          assert.strictEqual(list.total, 1)
          assert.strictEqual(list.memories[0]?.memory_key, winner)
          assert.strictEqual(list.memories[0]?.reinforcement_count, 20)
          // Each of the 20 saw another count, so none was lost and none counted twice.
          assert.deepStrictEqual(answers.map((answer) => answer.reinforcement_count).sort((a, b) => a - b), numbers(20))
        }))
    }

    it.effect("20 times one key: one row that counts its restatements", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const answers = yield* Effect.forEach(
          numbers(20),
          () => ok(MemorySet, { namespace, memory_key: "u/coffee", value: claim }),
          together
        )
        assert.deepStrictEqual(answers.map((answer) => answer.reinforcement_count).sort((a, b) => a - b), numbers(20))
        assert.strictEqual(new Set(answers.map((answer) => answer.memory_id)).size, 1)
        const list = yield* liveRows(namespace)
        assert.strictEqual(list.total, 1)
        assert.strictEqual(list.memories[0]?.reinforcement_count, 20)
        const { versions } = yield* ok(MemoryHistory, { namespace, memory_key: "u/coffee" })
        assert.strictEqual(versions.length, 20)
        assert.strictEqual(versions.filter(({ change }) => change === "create").length, 1)
      }))

    it.effect("set, bulk_set and update at once, by several agents: one live row", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* Effect.forEach(numbers(3), (index) =>
          ok(MemorySet, { namespace, memory_key: `u/other/${index}`, value: `Something else, number ${index}` }))
        yield* Effect.all([
          ...numbers(5).map((index) =>
            ok(MemorySet, { namespace, agent: `agent-${index}`, memory_key: "u/coffee", value: claim })
          ),
          ...numbers(3).map((index) =>
            ok(MemoryBulkSet, {
              namespace,
              items: numbers(4).map((item) => ({ memory_key: `u/bulk/${index}/${item}`, value: claim }))
            })
          ),
          ...numbers(3).map((index) =>
            ok(MemoryUpdate, { namespace, memory_key: `u/other/${index}`, value: claim })
          )
        ], together)
        const list = yield* liveRows(namespace)
        assert.strictEqual(
          list.total,
          1,
          JSON.stringify(list.memories.map(({ memory_key, status }) => [memory_key, status]))
        )
        const all = yield* ok(MemoryList, { namespace, include_duplicates: true })
        for (const row of all.memories) {
          if (row.status === "duplicate") assert.strictEqual(row.duplicate_of, list.memories[0]?.memory_id)
        }
      }))

    it.effect("one bulk_set of 20 equal items: one stored, 19 merged", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const answer = yield* ok(MemoryBulkSet, {
          namespace,
          items: numbers(20).map((index) => ({ memory_key: `u/coffee/${index}`, value: claim }))
        })
        assert.deepInclude(answer, { stored: 1, merged: 19, refused: 0, failed: 0, ok: true })
        const list = yield* liveRows(namespace)
        assert.strictEqual(list.total, 1)
        assert.strictEqual(list.memories[0]?.reinforcement_count, 20)
      }))

    const aparts: ReadonlyArray<readonly [what: string, fields: (index: number) => object, rows: number]> = [
      ["of five users", (index) => ({ user_id: `user-${index % 5}` }), 5],
      ["of three types", (index) => ({ memory_type: ["semantic", "preference", "decision"][index % 3] }), 3],
      ["of the type episodic, which is not judged", () => ({ memory_type: "episodic" }), 20],
      ["of high sensitivity, which is not judged", () => ({ sensitivity: "high" }), 20]
    ]
    for (const [what, fields, rows] of aparts) {
      it.effect(`20 keys ${what}: ${rows} rows`, () =>
        Effect.gen(function*() {
          const namespace = freshNamespace()
          yield* Effect.forEach(
            numbers(20),
            (index) => ok(MemorySet, { namespace, memory_key: `u/coffee/${index}`, value: claim, ...fields(index) }),
            together
          )
          assert.strictEqual((yield* liveRows(namespace)).total, rows)
        }))
    }

    it.effect("an append_only namespace keeps all of them", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(NamespaceRegister, { namespace, default_conflict_policy: "append_only" })
        yield* Effect.forEach(
          numbers(20),
          (index) => ok(MemorySet, { namespace, memory_key: `u/coffee/${index}`, value: claim }),
          together
        )
        assert.strictEqual((yield* liveRows(namespace)).total, 20)
      }))
  })

  describe("T07 edits with a precondition", () => {
    const rivals: ReadonlyArray<
      readonly [
        what: string,
        rival: (index: number, key: object, id: object, hash: string) => readonly [string, object]
      ]
    > = [
      [
        "update",
        (index, key, _, if_match_sha256) => ["memory.update", { ...key, value: `v${index}`, if_match_sha256 }]
      ],
      [
        "update_by_id",
        (index, _, id, if_match_sha256) => ["memory.update_by_id", { ...id, value: `v${index}`, if_match_sha256 }]
      ],
      ["set", (index, key, _, if_match_sha256) => ["memory.set", { ...key, value: `v${index}`, if_match_sha256 }]],
      ["update against delete", (index, key, id, if_match_sha256) =>
        index % 2 === 0
          ? ["memory.delete", { ...id, if_match_sha256 }]
          : ["memory.update", { ...key, value: `v${index}`, if_match_sha256 }]]
    ]
    for (const [what, rival] of rivals) {
      for (const count of [2, 10]) {
        it.effect(`${count} times ${what} with one hash: one 200, the others 409`, () =>
          Effect.gen(function*() {
            const key = { namespace: freshNamespace(), memory_key: "p/doc/title" }
            const first = yield* ok(MemorySet, { ...key, value: "v0" })
            const id = { namespace: key.namespace, memory_id: first.memory_id }
            const replies = yield* Effect.forEach(numbers(count), (index) => {
              const [verb, body] = rival(index, key, id, first.content_sha256)
              return post(verb, body)
            }, together)
            const accepted = replies.filter((reply) =>
              reply.status === 200 && !/"(updated|tombstoned)":false/.test(reply.text)
            )
            assert.strictEqual(accepted.length, 1, replies.map(({ text }) => text).join("\n"))
            // After a delete the key has no live row: an update then says so instead.
            const lost = replies.filter((reply) => !accepted.includes(reply))
            for (const reply of lost) {
              if (reply.status === 200) assert.match(reply.text, /"(updated|tombstoned)":false/)
              else assert.deepInclude(refusedBy(what, reply), { status: 409, code: "PRECONDITION_FAILED" })
            }
            if (what !== "update against delete") assert.isTrue(lost.every(({ status }) => status === 409))
            const { versions } = yield* ok(MemoryHistory, { ...key })
            assert.strictEqual(versions.length, 2)
          }))
      }
    }

    it.effect("without the hash both texts are in the history, in order", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "p/doc/title" }
        yield* ok(MemorySet, { ...key, value: "v0" })
        const answers = yield* Effect.forEach(["v1", "v2"], (value) => ok(MemoryUpdate, { ...key, value }), together)
        assert.isTrue(answers.every(({ updated }) => updated))
        const { versions } = yield* ok(MemoryHistory, key)
        assert.deepStrictEqual(versions.map(({ value }) => value).sort(), ["v0", "v1", "v2"])
        const order = versions.map(({ version_text }) => BigInt(version_text ?? "0"))
        assert.deepStrictEqual(order, [...order].sort((a, b) => a < b ? 1 : -1))
        assert.strictEqual(new Set(order).size, 3)
        const now = yield* ok(MemoryGet, key)
        assert.strictEqual(now.value, versions[0]?.value)
        assert.strictEqual(now.version_text, versions[0]?.version_text)
      }))

    it.effect("a hash for a key that holds nothing, and an old hash, are refused", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "p/doc/title" }
        const none = yield* refusal("memory.set", { ...key, value: "v1", if_match_sha256: "0".repeat(64) })
        assert.deepInclude(none, { status: 409, code: "PRECONDITION_FAILED" })
        const first = yield* ok(MemorySet, { ...key, value: "v0" })
        const second = yield* ok(MemoryUpdate, { ...key, value: "v1", if_match_sha256: first.content_sha256 })
        const old = yield* refusal("memory.update", { ...key, value: "v2", if_match_sha256: first.content_sha256 })
        assert.deepInclude(old, { status: 409, code: "PRECONDITION_FAILED" })
        assert.strictEqual(old.detail["content_sha256"], second.content_sha256)
        assert.strictEqual((yield* ok(MemoryGet, key)).value, "v1")
      }))
  })

  describe("T11 a delete", () => {
    it.effect("is seen by every read at once, and a restore brings all back", () =>
      Effect.gen(function*() {
        const key = { namespace: freshNamespace(), memory_key: "ops/vpn" }
        const set = yield* ok(MemorySet, {
          ...key,
          value: "Vault door code name is HERON-77",
          entities: ["heron gate"]
        })
        const byId = { namespace: key.namespace, memory_id: set.memory_id }
        const before = yield* ok(MemoryGet, key)
        const reads = Effect.all({
          get: ok(MemoryGet, key),
          byId: ok(MemoryGetById, byId),
          list: ok(MemoryList, { namespace: key.namespace }),
          contains: ok(MemoryList, { namespace: key.namespace, contains: "heron-77" }),
          entity: ok(MemoryList, { namespace: key.namespace, entity_filter: ["Heron Gates"] })
        }, together)
        yield* ok(MemoryDelete, key)
        const gone = yield* reads
        assert.deepInclude(gone.get, { found: false, status: "tombstoned" })
        assert.deepInclude(gone.byId, { found: false, status: "tombstoned" })
        assert.notInclude(JSON.stringify(gone), "HERON-77")
        assert.deepStrictEqual([gone.list.total, gone.contains.total, gone.entity.total], [0, 0, 0])
        assert.deepInclude(yield* ok(MemoryUpdate, { ...key, value: "x" }), { updated: false, reason: "not_found" })
        assert.isTrue((yield* ok(MemoryRestore, byId)).restored)
        const back = yield* reads
        assert.deepStrictEqual([back.list.total, back.contains.total, back.entity.total], [1, 1, 1])
        assert.deepInclude(back.get, {
          found: true,
          value: before.value,
          reinforcement_count: 1,
          created_at: before.created_at
        })
        assert.isTrue(back.byId.found)
      }))
  })
})
