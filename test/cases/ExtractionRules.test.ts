/**
 * Transcripts on a server without a language model: turns are stored and found, rules extract what they are sure of, and a
 * transcript for which a model is asked waits where it is seen. Tenants and users see nothing of each other's.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  ExtractionDrop,
  ExtractionGet,
  ExtractionList,
  ExtractionRetry,
  MemorySetFromMessages
} from "../../src/extraction/ExtractionVerbs.ts"
import { MemoryGet } from "../../src/memory/MemoryVerbs.ts"
import { freshNamespace, ok, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"
import { layerTeam, Tokens } from "./Tokens.ts"
import { house, message } from "./Transcripts.ts"

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 120_000 })(
  "set_from_messages without a model",
  (it) => {
    it.effect("rules write what they are sure of, about the right person, with its turn", () =>
      Effect.gen(function*() {
        const { namespace, served, tell } = house()
        const messages = [
          message("I live in Delhi.", { at: "2026-03-05T10:00:00Z" }),
          { role: "assistant", content: "I would move to the hills in summer." },
          message("My colleague Jonas hates football."),
          message("I am vegan.", { speaker: "Mira" })
        ]
        const told = yield* tell(messages, { session_id: "s1", max_tokens: 500 })
        assert.deepInclude(told, { extractor: "rules", deferred: false, state: "done", tokens_in: 0 })
        assert.deepStrictEqual(told.ignored_args, ["max_tokens"])
        const values = (yield* served()).map(([, value]) => value).join("\n")
        for (const word of ["Delhi", "Jonas", "Mira"]) assert.include(values, word)
        assert.notMatch(values, /hills/)
        const delhi = told.written.find(({ memory_key }) => memory_key === "user/residence")
        assert.deepStrictEqual(delhi?.turn_ids, told.evidence_ids.slice(0, 1))
        const stored = yield* ok(MemoryGet, { namespace, memory_key: "user/residence" })
        assert.deepInclude(stored, {
          source_class: "extracted",
          source_trace: "s1",
          valid_at: "2026-03-05T10:00:00.000Z"
        })
        const before = yield* served()
        const again = yield* tell(messages, { session_id: "s1", max_tokens: 500 })
        assert.deepStrictEqual(again.written, told.written)
        assert.deepInclude(again, { turns_stored: 0, turns_known: 4, queue_id: told.queue_id })
        assert.deepStrictEqual(yield* served(), before)
        assert.strictEqual((yield* ok(MemoryGet, { namespace, memory_key: "user/residence" })).reinforcement_count, 1)
      }))

    it.effect("a transcript that asks for a model waits, is seen, and can be let go and taken up again", () =>
      Effect.gen(function*() {
        const { namespace, served, tell } = house()
        const told = yield* tell([message("I live in Delhi.")], { extractor: "model", session_id: "s1" })
        assert.deepInclude(told, {
          deferred: true,
          deferred_by: "no_model",
          state: "queued",
          turns_stored: 1,
          ok: false
        })
        const queue_id = told.queue_id ?? ""
        const { counts, jobs } = yield* ok(ExtractionList, { namespace })
        assert.deepStrictEqual(counts.map(({ jobs, state }) => [state, jobs]), [["queued", 1]])
        assert.deepInclude(jobs[0], { queue_id, session_id: "s1", turns: 1, extractor: "model" })
        assert.deepInclude(yield* ok(ExtractionGet, { namespace, queue_id }), {
          found: true,
          evidence_ids: told.evidence_ids,
          extractor: null
        })
        assert.deepInclude(yield* ok(ExtractionDrop, { namespace, queue_id }), { changed: true, state: "dropped" })
        assert.deepInclude(yield* ok(ExtractionDrop, { namespace, queue_id }), { changed: false, state: "dropped" })
        assert.deepInclude(yield* ok(ExtractionRetry, { namespace, queue_id }), { changed: true, state: "queued" })
        assert.deepStrictEqual(yield* served(), [])
      }))

    it.effect("the queue is paged, and an id that is none is refused", () =>
      Effect.gen(function*() {
        const { namespace, tell } = house()
        for (const at of [1, 2, 3, 4, 5]) {
          yield* tell([message(`Note ${at}`)], { extractor: "model", session_id: `s${at}` })
        }
        const seen: Array<string> = []
        let cursor: string | null | undefined
        do {
          const page = yield* ok(ExtractionList, { namespace, limit: 2, ...(cursor ? { cursor } : {}) })
          seen.push(...page.jobs.map(({ session_id }) => session_id))
          cursor = page.next_cursor
        } while (cursor)
        assert.deepStrictEqual(seen, ["s1", "s2", "s3", "s4", "s5"])
        assert.strictEqual((yield* refusal(ExtractionGet.tag, { namespace, queue_id: "ext_1" })).status, 422)
      }))

    it.effect("an idempotency key stands for one request", () =>
      Effect.gen(function*() {
        const { namespace, tell } = house()
        const first = yield* tell([message("I live in Delhi.")], { idempotency_key: "k" })
        assert.deepStrictEqual(yield* tell([message("I live in Delhi.")], { idempotency_key: "k" }), first)
        const other = { namespace, messages: [message("I live in Rome.")], idempotency_key: "k" }
        assert.strictEqual((yield* refusal(MemorySetFromMessages.tag, other)).code, "IDEMPOTENCY_CONFLICT")
      }))
  }
)

layer(layerTeam, { excludeTestServices: true, timeout: 120_000 })("The queue of several users", (it) => {
  it.effect("shows each his own jobs alone, and answers of another's as of none", () =>
    Effect.gen(function*() {
      const { ada, bob, other, reader, writer } = yield* Tokens
      const namespace = freshNamespace()
      const body = { namespace, messages: [message("I live in Delhi.")], extractor: "model", session_id: "s1" }
      const { queue_id } = yield* ok(MemorySetFromMessages, body, { token: ada })
      const seen = { namespace, queue_id }
      assert.isTrue((yield* ok(ExtractionGet, seen, { token: ada })).found)
      assert.isTrue((yield* ok(ExtractionGet, seen, { token: reader })).found)
      const none = yield* ok(ExtractionGet, { namespace, queue_id: `ext_${"0".repeat(32)}` }, { token: bob })
      assert.deepStrictEqual(yield* ok(ExtractionGet, seen, { token: bob }), none)
      assert.deepStrictEqual((yield* ok(ExtractionList, { namespace }, { token: bob })).counts, [])
      assert.deepInclude(yield* ok(ExtractionDrop, seen, { token: bob }), { found: false, changed: false, state: null })
      assert.deepInclude(yield* ok(ExtractionList, { namespace, user_id: "ada" }, { token: bob }), {
        jobs: [],
        counts: []
      })
      assert.strictEqual((yield* refusal(ExtractionDrop.tag, seen, { token: reader })).status, 403)
      assert.strictEqual(
        (yield* refusal(MemorySetFromMessages.tag, { ...body, user_id: "ada" }, { token: bob })).status,
        403
      )
      assert.isFalse((yield* ok(ExtractionGet, seen, { token: other })).found)
      assert.deepInclude(yield* ok(ExtractionDrop, seen, { token: writer }), { changed: true })
    }))
})
