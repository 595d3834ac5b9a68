/**
 * A server that is killed between the writes of an append and of a delete: a turn is there whole or not at all, the same
 * request again completes what broke off, and nothing that was deleted comes back.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConversationAppend, ConversationDelete, ConversationGet } from "../../src/conversation/ConversationVerbs.ts"
import { ConversationSearch, MemoryRecall } from "../../src/retrieval/TurnVerbs.ts"
import { answerOf, send, trySend } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"

const scope = { namespace: "killed", session_id: "s1" }

const messages = ["The plover nests on Monday", "No bird on Tuesday"].map((content, index) => ({
  role: "user",
  content,
  at: `2026-03-01T09:00:0${index}Z`
}))

const call = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(
    send(url, "POST", `/v1/${verb.tag}`, JSON.stringify({ ...scope, ...body })),
    (reply) => answerOf(verb, reply)
  )

/** What every way of reading shows of the session. */
const seen = (url: string) =>
  Effect.gen(function*() {
    const got = yield* call(url, ConversationGet, {})
    const found = yield* call(url, ConversationSearch, { query: "plover" })
    const recalled = yield* call(url, MemoryRecall, { query: "plover bird", order: "time" })
    return [got.total, found.results.length, recalled.total]
  })

/** Starts a server that is killed at the point, asks it, and gives the one that comes back. */
const killedAt = <A, I>(data: string, point: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.gen(function*() {
    const first = yield* start({ data, env: { LOOM_TEST_FAULT: `${point}:1:kill` } })
    yield* Effect.ignore(trySend(first.url, "POST", `/v1/${verb.tag}`, JSON.stringify({ ...scope, ...body })))
    assert.strictEqual(yield* first.ended, "SIGKILL", point)
    return yield* start({ data })
  })

describe("a crash between the writes of a turn", () => {
  it.scopedLive("leaves it there whole or not at all", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const second = yield* killedAt(data, "turns.after_chunks", ConversationAppend, { messages })
      assert.deepStrictEqual(yield* seen(second.url), [0, 0, 0])
      assert.deepInclude(yield* call(second.url, ConversationAppend, { messages }), { stored: 2, known: 0 })
      assert.deepStrictEqual(yield* seen(second.url), [2, 1, 2])
      assert.deepInclude(yield* call(second.url, ConversationAppend, { messages }), { stored: 0, known: 2 })
      assert.strictEqual(yield* second.stop, 0)

      // The copies are gone and the turns are not: asked again, the delete is done whole.
      const third = yield* killedAt(data, "turns.after_copies", ConversationDelete, {})
      assert.deepStrictEqual(yield* seen(third.url), [2, 0, 0])
      assert.deepInclude(yield* call(third.url, ConversationDelete, {}), { found: true, deleted: 2 })
      assert.deepStrictEqual(yield* seen(third.url), [0, 0, 0])
      assert.deepInclude(yield* call(third.url, ConversationAppend, { messages }), { stored: 0, refused: 2 })

      const others = messages.map(({ content, ...rest }) => ({ ...rest, content: `${content} again` }))
      yield* call(third.url, ConversationAppend, { messages: others })
      assert.strictEqual(yield* third.stop, 0)
      const fourth = yield* killedAt(data, "turns.after_deletion", ConversationDelete, {})
      assert.deepStrictEqual(yield* seen(fourth.url), [0, 0, 0])
      assert.deepInclude(yield* call(fourth.url, ConversationAppend, { messages: others }), { stored: 0, refused: 2 })
      assert.strictEqual(yield* fourth.stop, 0)
    }), 180_000)
})
