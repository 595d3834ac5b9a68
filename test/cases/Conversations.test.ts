/**
 * Conversations over HTTP: what is stored is found at once and read as it was said. T15, T17 (texts that look like code, and
 * names of every kind), T19 (scripts without word breaks), T20, T21 (text that cannot be stored, and blank text), T24 (found
 * at once), T28 (pages while turns come and go), T35 b (times).
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { BlacklistAdd } from "../../src/blacklist/BlacklistVerbs.ts"
import {
  ConversationAppend,
  ConversationDelete,
  ConversationGet,
  ConversationList
} from "../../src/conversation/ConversationVerbs.ts"
import { failingText } from "../../src/platform/EmbedderTest.ts"
import { ConversationSearch, MemoryRecall } from "../../src/retrieval/TurnVerbs.ts"
import { freshNamespace, ok, post, refusal, refusedBy } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

/** Messages of the user, each with a time of its own. */
const dated = (contents: ReadonlyArray<string>) =>
  contents.map((content, index) => ({
    role: "user",
    content,
    at: new Date(Date.UTC(2026, 2, 1, 9, index)).toISOString()
  }))

const append = (namespace: string, contents: ReadonlyArray<string>, more: object = {}) =>
  ok(ConversationAppend, { namespace, session_id: "s1", messages: dated(contents), ...more })

const found = (namespace: string, query: string, more: object = {}) =>
  Effect.map(
    ok(ConversationSearch, { namespace, query, ...more }),
    ({ results }) => results.map(({ content_excerpt }) => content_excerpt)
  )

const recalled = (namespace: string, more: object) =>
  Effect.map(ok(MemoryRecall, { namespace, ...more }), ({ turns }) => turns.map(({ content }) => content ?? undefined))

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 90_000 })("Conversations", (it) => {
  describe("append", () => {
    it.effect("says of each message what became of it, and a part that failed is no success", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const messages = [...dated(["I moved to Berlin"]), { role: "user", content: "" }, {
          role: "pope",
          content: "x"
        }]
        const answer = yield* ok(ConversationAppend, { namespace, session_id: "s1", messages })
        assert.deepInclude(answer, { stored: 1, known: 0, refused: 2, ok: false })
        assert.deepStrictEqual(answer.receipts.map(({ code, index, outcome }) => [index, outcome, code]), [
          [0, "stored", null],
          [1, "refused", "INVALID_ARGUMENT"],
          [2, "refused", "INVALID_ARGUMENT"]
        ])
        const again = yield* ok(ConversationAppend, { namespace, session_id: "s1", messages })
        assert.deepInclude(again, { stored: 0, known: 1, refused: 2 })
        assert.deepStrictEqual(again.turn_ids, answer.turn_ids)
        const got = yield* ok(ConversationGet, { namespace, session_id: "s1" })
        assert.deepInclude(got, { found: true, total: 1, next_cursor: null })
        assert.deepInclude(got.turns[0], {
          turn_id: answer.turn_ids[0] ?? "",
          content: "I moved to Berlin",
          role: "user",
          speaker: null,
          at: "2026-03-01T09:00:00.000Z",
          withheld: false,
          actor: "human:local"
        })
      }))

    it.effect("with an idempotency key stores undated messages once", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const request = {
          namespace,
          session_id: "s1",
          idempotency_key: "k1",
          messages: [{ role: "user", content: "yes" }, { role: "assistant", content: "yes" }]
        }
        const first = yield* ok(ConversationAppend, request)
        const again = yield* ok(ConversationAppend, request)
        assert.deepInclude(again, { stored: 0, known: 2, ok: true })
        assert.deepStrictEqual(again.turn_ids, first.turn_ids)
        const other = yield* ok(ConversationAppend, { ...request, messages: [{ role: "user", content: "no" }] })
        assert.strictEqual(other.receipts[0]?.code, "IDEMPOTENCY_CONFLICT")
      }))

    it.effect("refuses fields that are wrong, and too much at once", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const good = { namespace, session_id: "s1", messages: dated(["x"]) }
        for (
          const [field, value] of [
            ["session_id", ""],
            ["session_id", " s"],
            ["session_id", undefined],
            ["messages", []],
            ["messages", "x"],
            ["messages", numbers(1_001).map(() => ({ role: "user", content: "x" }))],
            ["agent", 5],
            ["idempotency_key", ""]
          ] as const
        ) {
          const reply = yield* refusal("conversation.append", { ...good, [field]: value })
          assert.deepInclude(reply, { status: 422, code: "INVALID_ARGUMENT" }, field)
          assert.strictEqual(reply.detail["field"], field)
        }
        for (
          const [verb, body] of [
            ["conversation.append", good],
            ["conversation.get", { namespace, session_id: "s1" }],
            ["conversation.list", { namespace }],
            ["conversation.search", { namespace, query: "x" }],
            ["conversation.delete", { namespace, session_id: "s1" }],
            ["memory.recall", { namespace }],
            ["memory.evidence", { namespace, memory_key: "x" }],
            ["memory.backlinks", { namespace, memory_key: "x" }]
          ] as const
        ) {
          const reply = yield* refusal(verb, { ...body, where: "1" })
          assert.deepInclude(reply, { status: 422, code: "UNKNOWN_FIELD" }, verb)
        }
        assert.deepInclude(yield* refusal("conversation.get", { namespace }), { status: 422 })
        assert.deepInclude(yield* refusal("conversation.get", { namespace, session_id: "s", turn_id: "t" }), {
          status: 422
        })
        assert.deepInclude(yield* refusal("conversation.delete", { namespace }), { status: 422 })
        assert.deepInclude(yield* refusal("memory.recall", { namespace, order: "relevance" }), { status: 422 })
        assert.deepInclude(yield* refusal("memory.recall", { namespace, session_id: "a", thread: "b" }), {
          status: 422
        })
      }))

    it.effect("writes nothing when the embedder fails, and keeps out what a pattern refuses", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const reply = yield* post("conversation.append", {
          namespace,
          session_id: "s1",
          messages: dated(["fine", `not ${failingText}`])
        })
        assert.strictEqual(reply.status, 503)
        assert.deepInclude(yield* ok(ConversationGet, { namespace, session_id: "s1" }), { found: false, total: 0 })
        yield* ok(BlacklistAdd, { namespace, pattern: "HERON-77" })
        const answer = yield* append(namespace, ["the code is HERON-77", "hello"])
        assert.deepStrictEqual(answer.receipts.map(({ code }) => code), ["BLACKLISTED", null])
      }))
  })

  describe("T20 and T21 text", () => {
    it.effect("comes back byte for byte or is refused, and its neighbours are stored", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const texts = [
          "a\u0000b",
          "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
          "e\u0301\u0323",
          "\ufeffx",
          " x ",
          ".",
          "x".repeat(100_000)
        ]
        const answer = yield* append(namespace, texts)
        assert.deepInclude(answer, { stored: texts.length, ok: true })
        const got = yield* ok(ConversationGet, { namespace, session_id: "s1" })
        assert.deepStrictEqual(got.turns.map(({ content }) => content), texts)
        const bad = yield* append(namespace, ["", " \t\n", "\u200b", "\ud83d", "x".repeat(1024 * 1024 + 1), "stored"])
        assert.deepStrictEqual(bad.receipts.map(({ outcome }) => outcome), [
          ...Array<string>(5).fill("refused"),
          "stored"
        ])
      }))

    it.effect("a blank question is refused, one without words finds nothing", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* append(namespace, ["hello there"])
        for (const query of ["", "  ", "\u200b"]) {
          for (const verb of ["conversation.search", "memory.recall"]) {
            assert.deepInclude(yield* refusal(verb, { namespace, query }), { status: 422, code: "INVALID_ARGUMENT" })
          }
        }
        const answer = yield* ok(ConversationSearch, { namespace, query: "zyzzyva quokka" })
        assert.deepStrictEqual(answer.results, [])
        assert.isTrue(answer.abstain)
        assert.isNotNull(answer.abstain_reason)
        const empty = yield* ok(ConversationSearch, { namespace: freshNamespace(), query: "hello" })
        assert.deepInclude(empty, { abstain: true, abstain_code: "NO_MATCH", retrieval_confidence: 0 })
      }))
  })

  describe("T19 scripts without word breaks", () => {
    it.effect("are found by their words and by no others", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const [hybrid, weather, hebrew] = [
          "混合检索使用倒数排名融合",
          "今天天气很好",
          "\u05e9\u05b8\u05dc\u05d5\u05b9\u05dd \u05e2\u05d5\u05dc\u05dd"
        ]
        yield* append(namespace, [hybrid, weather, hebrew])
        const byWord = (query: string) => recalled(namespace, { query, match: "all", order: "time" })
        assert.deepStrictEqual(yield* byWord("检索"), [hybrid])
        assert.deepStrictEqual(yield* byWord("天气"), [weather])
        assert.deepStrictEqual(yield* byWord("多租户"), [])
        assert.deepStrictEqual(yield* byWord("\u05e9\u05dc\u05d5\u05dd"), [hebrew])
        assert.deepStrictEqual(yield* found(namespace, "检索"), [hybrid])
      }))
  })

  describe("T24 found at once", () => {
    it.effect("by the same text, by a token and by other words, the best first, with the place in the turn", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const filler = "We talked about the weather for a while and then about nothing at all. "
        const long = `${filler.repeat(30)}The vault door in Lisbon opens with a brass key. ${filler.repeat(30)}`
        const texts = [
          "Otto likes oat coffee",
          "ERR_7731 came back at night",
          "Release notes for v1.9",
          "Release notes for v1.10"
        ]
        yield* append(namespace, [...texts, long, ...numbers(30).map((index) => `Nothing to see here, take ${index}`)])
        for (const text of texts) assert.strictEqual((yield* found(namespace, text))[0], text)
        assert.strictEqual((yield* found(namespace, "ERR_7731"))[0], texts[1])
        assert.strictEqual((yield* found(namespace, "v1.9"))[0], texts[2])
        const { abstain, results } = yield* ok(ConversationSearch, {
          namespace,
          query: "Which key opens the vault in Lisbon?"
        })
        assert.isFalse(abstain)
        const [hit] = results
        assert.include(hit?.content_excerpt ?? "", "brass key")
        assert.isTrue(hit?.content_truncated)
        const shown = (hit?.excerpt_parts ?? []).map(({ end, start }) => long.slice(start, end)).join(" […] ")
        assert.strictEqual(shown, hit?.content_excerpt)
        for (const { relevance, score } of results) {
          assert.isTrue(score >= 0 && score <= 1 && relevance >= 0 && relevance <= 1)
        }
        assert.deepStrictEqual(
          results.map(({ score }) => score),
          results.map(({ score }) => score).sort((a, b) => b - a)
        )
      }))

    it.effect("by speaker, role and time, and within a session", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        yield* ok(ConversationAppend, {
          namespace,
          session_id: "s1",
          run_id: "r1",
          messages: [
            { role: "user", speaker: "Mira", content: "I adore peanuts", at: "2026-03-01" },
            { role: "user", speaker: "Nadia", content: "I hate peanuts", at: "2026-06-01T09:00:00" },
            { role: "assistant", content: "Peanuts are legumes", at: "2026-06-01T09:00:01Z" }
          ]
        })
        yield* ok(ConversationAppend, {
          namespace,
          session_id: "s2",
          messages: [{ role: "user", content: "peanuts again" }]
        })
        const who = (more: object) => Effect.map(found(namespace, "peanuts", more), (texts) => [...texts].sort())
        assert.deepStrictEqual(yield* who({ speaker: "Mira" }), ["I adore peanuts"])
        assert.deepStrictEqual(yield* who({ role: "assistant" }), ["Peanuts are legumes"])
        assert.deepStrictEqual(yield* who({ session_id: "s2" }), ["peanuts again"])
        assert.deepStrictEqual(yield* who({ session_ids: ["s2"] }), ["peanuts again"])
        assert.deepStrictEqual(yield* who({ run_id: "r1", until: "2026-06-01" }), ["I adore peanuts"])
        assert.deepStrictEqual(yield* who({ since: "2026-06-01", until: "2026-06-01T09:00:01Z" }), ["I hate peanuts"])
        assert.strictEqual((yield* found(namespace, "What does Nadia think of peanuts?"))[0], "I hate peanuts")
      }))
  })

  describe("memory.recall", () => {
    it.effect("gives turns by words in three ways, by time, and cut where that is asked", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const texts = [
          "the quick brown fox",
          "a fox is quick",
          "the slow fox",
          "no animal here, but a story of its own"
        ]
        yield* append(namespace, texts)
        assert.deepStrictEqual(yield* recalled(namespace, {}), texts.toReversed())
        const by = (query: string, match: string) => recalled(namespace, { query, match, order: "time" })
        assert.deepStrictEqual(yield* by("quick slow", "any"), [texts[2], texts[1], texts[0]])
        assert.deepStrictEqual(yield* by("quick fox", "all"), [texts[1], texts[0]])
        assert.deepStrictEqual(yield* by("quick brown", "phrase"), [texts[0]])
        assert.deepStrictEqual(yield* by("brown quick", "phrase"), [])
        assert.strictEqual((yield* recalled(namespace, { query: "quick brown fox" }))[0], texts[0])
        assert.deepStrictEqual(yield* recalled(namespace, { since: "2026-03-01T09:02:00Z" }), [texts[3], texts[2]])
        assert.deepStrictEqual(yield* recalled(namespace, { thread: "s2" }), [])
        const cut = yield* ok(MemoryRecall, { namespace, max_chars: 20, top_k: 3 })
        assert.deepStrictEqual(
          cut.turns.map(({ content, content_truncated }) => [content, content_truncated]),
          [["no animal here, but ", true], [texts[2] ?? null, false], [texts[1] ?? null, false]]
        )
      }))
  })

  describe("T28 pages", () => {
    it.effect("show every stable turn once while turns come and go, in every list", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const texts = numbers(45).map((index) => `Turn number ${index}`)
        const { turn_ids } = yield* append(namespace, texts)
        const walks = [
          ["get", (cursor: object) => ok(ConversationGet, { namespace, session_id: "s1", limit: 20, ...cursor })],
          ["back", (cursor: object) =>
            ok(ConversationGet, { namespace, session_id: "s1", order: "newest", limit: 20, ...cursor })],
          ["recall", (cursor: object) =>
            ok(MemoryRecall, { namespace, top_k: 20, ...cursor })]
        ] as const
        for (const [name, page] of walks) {
          const seen: Array<string> = []
          let cursor: string | null = null
          do {
            const answer: {
              readonly turns: ReadonlyArray<{ readonly turn_id: string }>
              readonly next_cursor: string | null
            } = yield* page(cursor === null ? {} : { cursor })
            seen.push(...answer.turns.map(({ turn_id }) =>
              turn_id
            ))
            cursor = answer.next_cursor
            if (seen.length === 20) {
              yield* ok(ConversationDelete, { namespace, turn_ids: [seen[3]] })
              yield* append(namespace, [`A new one of ${name}`])
            }
          } while (cursor !== null)
          assert.strictEqual(new Set(seen).size, seen.length, name)
          const left = (yield* ok(ConversationGet, { namespace, session_id: "s1", limit: 200 })).turns
            .map(({ turn_id }) => turn_id)
          assert.includeMembers(seen, turn_ids.filter((id) => left.includes(id)), name)
        }
        const { next_cursor } = yield* ok(ConversationGet, { namespace, session_id: "s1", limit: 1 })
        const other = yield* refusal("conversation.get", { namespace, session_id: "s2", limit: 1, cursor: next_cursor })
        assert.deepInclude(other, { status: 422, code: "INVALID_ARGUMENT" })
      }))

    it.effect("list sessions with counts, speakers and times, the latest first", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        for (const index of numbers(5)) {
          yield* ok(ConversationAppend, {
            namespace,
            session_id: `s${index}`,
            messages: numbers(index).map((second) => ({
              role: second % 2 === 0 ? "assistant" : "user",
              content: `Turn ${second}`,
              at: `2026-03-0${index}T09:00:0${second}Z`,
              ...(second === 1 ? { speaker: "Mira" } : {})
            }))
          })
        }
        const seen: Array<string> = []
        let cursor: string | null = null
        do {
          const answer: typeof ConversationList.answer.Type = yield* ok(ConversationList, {
            namespace,
            limit: 2,
            ...(cursor === null ? {} : { cursor })
          })
          seen.push(...answer.sessions.map(({ session_id, turns }) => `${session_id} ${turns}`))
          cursor = answer.next_cursor
        } while (cursor !== null)
        assert.deepStrictEqual(seen, ["s5 5", "s4 4", "s3 3", "s2 2", "s1 1"])
        const { sessions } = yield* ok(ConversationList, { namespace, session_id: "s3" })
        assert.deepStrictEqual(sessions.map(({ first_at, last_at, speakers }) => [speakers, first_at, last_at]), [[
          ["Mira", "assistant", "user"],
          "2026-03-03T09:00:01.000Z",
          "2026-03-03T09:00:03.000Z"
        ]])
      }))
  })

  describe("T35 times", () => {
    it.effect("without an offset are read as UTC and said so; impossible ones are refused", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const times = [
          "2026-03-01T09:00:00",
          "2026-03-01T09:00:00+05:30",
          "2026-03-01T09:00:00Z",
          "2026-03-01",
          "2026-02-30",
          "soon"
        ]
        const answer = yield* ok(ConversationAppend, {
          namespace,
          session_id: "s1",
          messages: times.map((at, index) => ({ role: "user", content: `At ${index}`, at }))
        })
        assert.deepStrictEqual(answer.receipts.map(({ code }) => code), [
          null,
          null,
          null,
          null,
          "INVALID_ARGUMENT",
          "INVALID_ARGUMENT"
        ])
        assert.match(answer.advisories.join(), /read as UTC \(messages 0, 3\)/)
        const got = yield* ok(ConversationGet, { namespace, session_id: "s1" })
        assert.deepStrictEqual(got.turns.map(({ at }) => at), [
          "2026-03-01T09:00:00.000Z",
          "2026-03-01T03:30:00.000Z",
          "2026-03-01T09:00:00.000Z",
          "2026-03-01T00:00:00.000Z"
        ])
        const naive = yield* ok(MemoryRecall, { namespace, since: "2026-03-01T09:00:00" })
        assert.match(naive.advisories?.join() ?? "", /since named no offset/)
        assert.strictEqual(naive.total, 2)
        for (const verb of ["conversation.get", "conversation.list", "memory.recall"]) {
          const body = { namespace, until: "2026-02-30", ...(verb === "conversation.get" ? { session_id: "s1" } : {}) }
          assert.deepInclude(yield* refusal(verb, body), { status: 422, code: "INVALID_ARGUMENT" })
        }
      }))
  })

  describe("delete", () => {
    it.effect("takes a session with every copy, for good, and only that one; a retry under its key gets the same answer", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const texts = ["The vault code name is plover", "plover again"]
        yield* append(namespace, texts)
        yield* append(namespace, ["plover elsewhere"], { session_id: "s2" })
        const request = { namespace, session_id: "s1", reason: "she asked", idempotency_key: "k1" }
        const deleted = yield* ok(ConversationDelete, request)
        assert.deepInclude(deleted, { found: true, deleted: 2, memories_resting: 0 })
        assert.deepStrictEqual(yield* ok(ConversationDelete, request), deleted)
        assert.deepInclude(yield* ok(ConversationDelete, { namespace, session_id: "s1" }), { found: false, deleted: 0 })
        assert.deepStrictEqual(yield* found(namespace, "plover"), ["plover elsewhere"])
        assert.deepStrictEqual(yield* recalled(namespace, { query: "plover", order: "time" }), ["plover elsewhere"])
        assert.isFalse((yield* ok(ConversationGet, { namespace, session_id: "s1" })).found)
        assert.deepStrictEqual(
          (yield* ok(ConversationList, { namespace })).sessions.map(({ session_id }) => session_id),
          ["s2"]
        )
        const again = yield* append(namespace, texts)
        assert.deepStrictEqual(again.receipts.map(({ code }) => code), ["SUPPRESSED", "SUPPRESSED"])
      }))

    it.effect("takes a session of ten thousand turns whole", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        for (const part of numbers(10)) {
          const messages = numbers(1_000).map((index) => ({ role: "user", content: `Turn ${part} ${index}` }))
          yield* ok(ConversationAppend, { namespace, session_id: "long", messages })
        }
        assert.strictEqual((yield* ok(ConversationGet, { namespace, session_id: "long", limit: 1 })).total, 10_000)
        const deleted = yield* ok(ConversationDelete, { namespace, session_id: "long" })
        assert.strictEqual(deleted.deleted, 10_000)
        assert.deepInclude(yield* ok(ConversationGet, { namespace, session_id: "long" }), { found: false, total: 0 })
        assert.deepStrictEqual(yield* recalled(namespace, { query: "Turn", order: "time" }), [])
      }), 180_000)
  })

  describe("T15 and T17 names and filters", () => {
    it.effect("are taken literally", () =>
      Effect.gen(function*() {
        const namespace = freshNamespace()
        const names = [
          "acme-prod",
          "0195d3a8-0000-7000-8000-000000000000",
          "a:b/c.d@e",
          "team_a",
          "50%",
          "o'neil",
          "x|y",
          "{z}",
          "s".repeat(200)
        ]
        for (const [index, name] of names.entries()) {
          yield* append(namespace, [`plover number ${index}`], { session_id: name, user_id: name, agent: name })
        }
        for (const [index, name] of names.entries()) {
          const own = [`plover number ${index}`]
          for (const filter of [{ session_id: name }, { user_id: name }, { agent: name }]) {
            assert.deepStrictEqual(yield* found(namespace, "plover", filter), own, name)
            assert.deepStrictEqual(yield* recalled(namespace, filter), own, name)
          }
          const got = yield* ok(ConversationGet, { namespace, session_id: name })
          assert.deepStrictEqual(got.turns.map(({ content }) => content), own)
        }
        for (
          const text of [
            "\") or true or (\"",
            "' OR '1'='1",
            "x') UNION ALL SELECT",
            "\\",
            "`",
            "{p:String}",
            "{p1: String}",
            "%",
            "_"
          ]
        ) {
          for (const field of ["session_id", "user_id", "agent", "speaker", "run_id"]) {
            assert.deepStrictEqual(yield* found(namespace, "plover", { [field]: text }), [], `${field} ${text}`)
          }
          assert.deepStrictEqual(yield* recalled(namespace, { session_id: text }), [])
          assert.isFalse((yield* ok(ConversationGet, { namespace, turn_id: text })).found)
          assert.deepInclude(yield* ok(ConversationDelete, { namespace, session_id: text }), { deleted: 0 })
          const asked = yield* post("conversation.search", { namespace, query: `plover ${text}` })
          assert.strictEqual(asked.status, 200)
          const reply = yield* post("conversation.get", { namespace, session_id: "s", cursor: text })
          assert.strictEqual(refusedBy("conversation.get", reply).status, 422)
        }
      }))
  })
})
