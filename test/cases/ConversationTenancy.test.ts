/**
 * Turns in team mode: T16 (another user's, namespace's or org's turns are neither found, counted nor named, and an id is no
 * capability), and turns whose content is withheld.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  ConversationAppend,
  ConversationDelete,
  ConversationGet,
  ConversationList
} from "../../src/conversation/ConversationVerbs.ts"
import { ConversationSearch, MemoryRecall } from "../../src/retrieval/TurnVerbs.ts"
import { freshNamespace, ok, post, refusal } from "../support/LoomHttp.ts"
import { layerTeam, Tokens } from "./Tokens.ts"

const message = (content: string) => ({ role: "user", content, at: "2026-03-01T09:00:00Z" })

layer(layerTeam, { excludeTestServices: true, timeout: 90_000 })("Tenancy of conversations", (it) => {
  describe("T16 turns of others", () => {
    it.effect("are neither found, counted nor named, by any verb", () =>
      Effect.gen(function*() {
        const { ada, admin, bob, other, reader } = yield* Tokens
        const namespace = freshNamespace()
        const said = (token: string, content: string, more: object = {}) =>
          ok(ConversationAppend, { namespace, session_id: "s1", messages: [message(content)], ...more }, { token })
        const adas = yield* said(ada, "the plover nests on Monday")
        yield* said(other, "the plover of globex")
        yield* said(admin, "the plover of another namespace", { namespace: `${namespace}-b` })
        yield* said(bob, "Bob has seen no bird")

        const seenBy = (token: string, more: object = {}) =>
          Effect.gen(function*() {
            const get = yield* ok(ConversationGet, { namespace, session_id: "s1", ...more }, { token })
            const list = yield* ok(ConversationList, { namespace, ...more }, { token })
            const search = yield* ok(ConversationSearch, { namespace, query: "plover nests", ...more }, { token })
            const recall = yield* ok(MemoryRecall, { namespace, query: "plover", order: "time", ...more }, { token })
            return {
              get: get.turns.map(({ content }) => content),
              total: get.total,
              sessions: list.sessions.reduce((sum, { turns }) => sum + turns, 0),
              search: search.results.map(({ content_excerpt }) => content_excerpt),
              recall: recall.turns.map(({ content }) => content),
              recalled: recall.total
            }
          })
        const own = "the plover nests on Monday"
        assert.deepStrictEqual(yield* seenBy(ada), {
          get: [own],
          total: 1,
          sessions: 1,
          search: [own],
          recall: [own],
          recalled: 1
        })
        const bobSees = yield* seenBy(bob)
        assert.deepInclude(bobSees, { total: 1, sessions: 1, recall: [], recalled: 0 })
        assert.notInclude(JSON.stringify(bobSees), "plover")
        // Asked for by name, another user's turns are those of nobody.
        for (const user_id of ["ada", "nobody"]) {
          assert.deepStrictEqual(yield* seenBy(bob, { user_id }), {
            get: [],
            total: 0,
            sessions: 0,
            search: [],
            recall: [],
            recalled: 0
          })
        }
        assert.deepInclude(yield* seenBy(reader), { total: 2, sessions: 2, search: [own] })

        const [id] = adas.turn_ids
        for (
          const [verb, body] of [
            ["conversation.get", {}],
            ["conversation.delete", {}]
          ] as const
        ) {
          const named = (turn: string | undefined) =>
            post(verb, {
              namespace,
              ...body,
              ...(verb === "conversation.get" ? { turn_id: turn } : { turn_ids: [turn] })
            }, { token: bob })
          const [there, nowhere] = [yield* named(id), yield* named("turn_00000000000000000000000000000000")]
          assert.strictEqual(there.text, nowhere.text, verb)
          assert.strictEqual(there.status, 200)
        }
        assert.isTrue((yield* ok(ConversationGet, { namespace, turn_id: id }, { token: ada })).found)
        // A body does not outrank the token.
        assert.deepInclude(
          yield* refusal("conversation.append", {
            namespace,
            session_id: "s1",
            user_id: "ada",
            messages: [message("x")]
          }, {
            token: bob
          }),
          { status: 403, code: "FORBIDDEN" }
        )
        assert.deepInclude(
          yield* refusal("conversation.delete", { namespace, session_id: "s1", user_id: "ada" }, { token: bob }),
          {
            status: 403,
            code: "FORBIDDEN"
          }
        )
        for (const verb of ["conversation.append", "conversation.delete"]) {
          const body = { namespace, session_id: "s1", ...(verb.endsWith("append") ? { messages: [message("x")] } : {}) }
          assert.deepInclude(yield* refusal(verb, body, { token: reader }), { status: 403, code: "FORBIDDEN" })
        }
        // Bob's delete of the session takes his own turns alone.
        assert.deepInclude(yield* ok(ConversationDelete, { namespace, session_id: "s1" }, { token: bob }), {
          deleted: 1
        })
        assert.deepInclude(yield* seenBy(ada), { total: 1 })
      }))

    it.effect("a cursor of one caller opens nothing for another", () =>
      Effect.gen(function*() {
        const { ada, bob } = yield* Tokens
        const namespace = freshNamespace()
        yield* ok(ConversationAppend, {
          namespace,
          session_id: "s1",
          messages: [message("one"), message("two")]
        }, { token: ada })
        const body = { namespace, session_id: "s1", limit: 1 }
        const { next_cursor } = yield* ok(ConversationGet, body, { token: ada })
        assert.isNotNull(next_cursor)
        assert.deepInclude(yield* refusal("conversation.get", { ...body, cursor: next_cursor }, { token: bob }), {
          status: 422,
          code: "INVALID_ARGUMENT"
        })
      }))
  })

  describe("a turn of high sensitivity", () => {
    it.effect("is kept, found by no search, shown by no list, and read by its id alone", () =>
      Effect.gen(function*() {
        const { ada, bob } = yield* Tokens
        const namespace = freshNamespace()
        const secret = "my password: hunter2-Xy7!pq is for the plover"
        const answer = yield* ok(ConversationAppend, {
          namespace,
          session_id: "s1",
          messages: [message(secret), message("write me at ada@example.org")]
        }, { token: ada })
        assert.deepStrictEqual(answer.receipts.map(({ withheld }) => withheld), [true, false])
        assert.notInclude(JSON.stringify(answer), "hunter2")
        const replies = [
          yield* post("conversation.get", { namespace, session_id: "s1" }, { token: ada }),
          yield* post("conversation.list", { namespace }, { token: ada }),
          yield* post("conversation.search", { namespace, query: secret }, { token: ada }),
          yield* post("conversation.search", { namespace, query: "plover" }, { token: ada }),
          yield* post("memory.recall", { namespace }, { token: ada }),
          yield* post("memory.recall", { namespace, query: "plover", order: "time" }, { token: ada })
        ]
        for (const reply of replies) {
          assert.strictEqual(reply.status, 200)
          assert.notInclude(reply.text, "hunter2")
          assert.notInclude(reply.text, "plover\"")
        }
        const listed = yield* ok(ConversationGet, { namespace, session_id: "s1" }, { token: ada })
        assert.deepStrictEqual(
          listed.turns.map(({ content, content_sha256, withheld }) => [content, content_sha256 === null, withheld]),
          [
            [null, true, true],
            ["write me at ada@example.org", false, false]
          ]
        )
        assert.strictEqual(
          (yield* ok(MemoryRecall, { namespace, query: "plover", order: "time" }, { token: ada })).total,
          0
        )
        const [turn_id] = answer.turn_ids
        const read = yield* ok(ConversationGet, { namespace, turn_id }, { token: ada })
        assert.strictEqual(read.turns[0]?.content, secret)
        assert.isFalse((yield* ok(ConversationGet, { namespace, turn_id }, { token: bob })).found)
      }))
  })
})
