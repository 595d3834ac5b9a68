/** The worker that sums up sessions, on ClickHouse: when it makes, remakes and ends a digest, and where that leads. */
import { assert, layer as withLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { localCaller } from "../../src/kernel/Caller.ts"
import { refuse, Unavailable } from "../../src/kernel/LoomError.ts"
import { MemoryDelete, MemoryRestore, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { LanguageModel } from "../../src/platform/LanguageModel.ts"
import type { ModelPrompt } from "../../src/platform/LanguageModel.ts"
import { MemoryDigests } from "../../src/retrieval/DigestVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { ChangeFeed } from "../../src/work/ChangeFeed.ts"
import * as Digests from "../../workers/Digests.ts"
import { ask } from "../support/ActorHouse.ts"
import { crash, layer } from "./DeriveHouse.ts"

let spaces = 0
const fresh = () => ({ org: localCaller.org, namespace: `digests-${++spaces}` })
type Space = ReturnType<typeof fresh>

const session = { agent: "bot", user_id: "ada", session_id: "s1" }
const set = (space: Space, memory_key: string, value: string, fields: object = {}) =>
  ask(MemorySet, { ...space, ...session, memory_key, value, ...fields })

const three = (space: Space, fields: object = {}) =>
  Effect.gen(function*() {
    yield* set(space, "harbour", "The harbour opens at six.", fields)
    yield* set(space, "apples", "Apples are sold out.", fields)
    yield* set(space, "ferry", "A ferry leaves for Bergen.", fields)
  })

const LATE = 2n ** 63n

const none = LanguageModel.of({
  model: null,
  generate: () => Effect.fail(refuse("LANGUAGE_MODEL_REQUIRED", "none"))
})
const saying = (reply: string | null, prompts: Array<ModelPrompt> = []) =>
  LanguageModel.of({
    model: "scripted",
    generate: (prompt) => {
      prompts.push(prompt)
      return reply === null
        ? Effect.fail(new Unavailable({ operation: "LanguageModel" }))
        : Effect.succeed({ text: reply, model: "scripted", tokensIn: null, tokensOut: null })
    }
  })

const look = (model = none, since = 0n, until = LATE) =>
  Effect.provideService(Digests.look(since, until), LanguageModel, model)

const digests = (space: Space, fields: object = {}, caller = localCaller) =>
  Effect.map(ask(MemoryDigests, { ...space, ...fields }, caller), (found) => found.digests)

const Rows = Schema.Struct({ rows: Schema.Number })
const rowsKept = (space: Space) =>
  Effect.flatMap(Clickhouse, ({ query }) =>
    Effect.map(
      query(
        ch.sql("test.digests")`SELECT toUInt32(count()) AS rows FROM loom.session_summaries FINAL
          WHERE namespace = ${ch.string(space.namespace)}`,
        Rows
      ),
      ([row]) => row?.rows ?? 0
    ))

withLayer(layer, { timeout: 120_000, excludeTestServices: true })("Digests", (it) => {
  it.effect("sums up a session of three memories, once, and leads from its words to each of them", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* set(space, "harbour", "The harbour opens at six.")
      yield* set(space, "apples", "Apples are sold out.")
      yield* set(space, "train", "The train to Voss is full.", { session_id: "s2" })
      yield* look()
      assert.deepStrictEqual(yield* digests(space), [])
      yield* set(space, "ferry", "A ferry leaves for Bergen.")
      yield* look()
      const [digest, ...others] = yield* digests(space)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(digest, {
        ...session,
        memory_keys: ["harbour", "apples", "ferry"],
        text: "The harbour opens at six.\nApples are sold out.\nA ferry leaves for Bergen.",
        source_class: "derived"
      })
      yield* look()
      assert.deepStrictEqual(yield* digests(space), digest === undefined ? [] : [digest])
      assert.strictEqual(yield* rowsKept(space), 1)
      // No one memory holds these words together; the digest does.
      const { results } = yield* ask(MemorySearch, { ...space, query: "apples harbour ferry", legs: ["digests"] })
      assert.sameMembers(results.map((one) => one.memory_key ?? ""), ["harbour", "apples", "ferry"])
    }))

  it.effect("waits until a session was quiet, and looks no further back than it is asked", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* three(space)
      const versions = yield* Effect.flatMap(ChangeFeed, (feed) => feed.after(space, 0n, 10))
      const last = versions[versions.length - 1]?.version ?? 0n
      yield* look(none, 0n, last - 1n)
      yield* look(none, last, LATE)
      assert.deepStrictEqual(yield* digests(space), [])
      yield* look(none, last - 1n, last)
      assert.strictEqual((yield* digests(space)).length, 1)
    }))

  it.effect("tells no text whose memory changed or went, makes it anew under its id, and ends with the last two", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* three(space)
      yield* look()
      const [first] = yield* digests(space)
      yield* ask(MemoryUpdate, { ...space, memory_key: "apples", value: "Pears are sold out." })
      assert.deepStrictEqual(yield* digests(space), [])
      yield* look()
      const [second] = yield* digests(space)
      assert.strictEqual(second?.digest_id, first?.digest_id)
      assert.match(second?.text ?? "", /Pears/)
      yield* ask(MemoryDelete, { ...space, memory_key: "apples" })
      assert.deepStrictEqual(yield* digests(space), [])
      yield* look()
      assert.deepStrictEqual((yield* digests(space)).map((one) => one.memory_keys), [["harbour", "ferry"]])
      yield* ask(MemoryDelete, { ...space, memory_key: "ferry" })
      yield* look()
      assert.deepStrictEqual(yield* digests(space), [])
      yield* ask(MemoryRestore, { ...space, memory_key: "ferry" })
      yield* look()
      // Two are enough to go on, not to begin.
      assert.deepStrictEqual(yield* digests(space), [])
      yield* ask(MemoryRestore, { ...space, memory_key: "apples" })
      yield* look()
      assert.deepStrictEqual((yield* digests(space)).map((one) => one.digest_id), [first?.digest_id])
    }))

  it.effect("holds nothing that is withheld, not searched or on trial", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* three(space)
      yield* set(space, "secret", "The code is zanzibar.", { sensitivity: "high" })
      yield* set(space, "episode", "An episode of kites.", { memory_type: "episodic" })
      yield* set(space, "lesson", "A lesson of tigers.", { memory_type: "reflection" })
      yield* set(space, "trial", "A proposal of lions.", { proposed: true })
      const prompts: Array<ModelPrompt> = []
      yield* look(saying("Sold out.", prompts))
      const [digest] = yield* digests(space)
      assert.deepStrictEqual(digest?.memory_keys, ["harbour", "apples", "ferry"])
      assert.notMatch(JSON.stringify([digest, prompts]), /zanzibar|kites|tigers|lions/)
      yield* ask(MemoryUpdate, { ...space, memory_key: "ferry", sensitivity: "high" })
      assert.deepStrictEqual(yield* digests(space), [])
      yield* look()
      assert.deepStrictEqual((yield* digests(space)).map((one) => one.memory_keys), [["harbour", "apples"]])
    }))

  it.effect("shows a caller the digests of nobody else", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* three(space)
      yield* three(space, { user_id: "grace", session_id: "s2" })
      yield* look()
      const users = (found: ReadonlyArray<{ readonly user_id: string }>) => found.map(({ user_id }) => user_id)
      assert.deepStrictEqual(users(yield* digests(space)), ["ada", "grace"])
      assert.deepStrictEqual(users(yield* digests(space, { session_id: "s2" })), ["grace"])
      const bound = { ...localCaller, boundUser: "grace" }
      assert.deepStrictEqual(users(yield* digests(space, {}, bound)), ["grace"])
      assert.deepStrictEqual(yield* digests(space, { user_id: "ada" }, bound), [])
      const page = yield* ask(MemoryDigests, { ...space, limit: 1 })
      assert.deepStrictEqual(users(page.digests), ["ada"])
      const rest = yield* ask(MemoryDigests, { ...space, limit: 1, cursor: page.next_cursor ?? "" })
      assert.deepStrictEqual([users(rest.digests), rest.next_cursor], [["grace"], null])
    }))

  it.effect("takes a model's words where they keep to the memories, else the sentences", () =>
    Effect.gen(function*() {
      const sentences = "The harbour opens at six.\nApples are sold out.\nA ferry leaves for Bergen."
      const replies: ReadonlyArray<readonly [string | null, string]> = [
        ["A ferry to Bergen, opening hours and fruit.", "A ferry to Bergen, opening hours and fruit."],
        ["A ferry to Oslo and fruit.", sentences],
        ["Twelve ferries at 12.", sentences],
        [null, sentences]
      ]
      for (const [reply, text] of replies) {
        const space = fresh()
        yield* three(space)
        const prompts: Array<ModelPrompt> = []
        yield* look(saying(reply, prompts))
        assert.deepStrictEqual((yield* digests(space)).map((one) => one.text), [text], reply ?? "no reply")
        const own = prompts.filter(({ scope }) => scope.namespace === space.namespace)
        assert.deepInclude(own[0], { purpose: "digest", scope: space })
        yield* look(saying(reply, prompts))
        assert.strictEqual(prompts.filter(({ scope }) => scope.namespace === space.namespace).length, 1)
      }
    }))

  it.effect("makes one digest, wherever it is cut short", () =>
    Effect.gen(function*() {
      for (const point of ["digests.before_put", "digests.after_put"]) {
        const space = fresh()
        yield* three(space)
        crash.at = point
        assert.strictEqual((yield* Effect.exit(look()))._tag, "Failure", point)
        yield* look()
        assert.strictEqual((yield* digests(space)).length, 1, point)
        assert.strictEqual(yield* rowsKept(space), 1, point)
      }
      const space = fresh()
      yield* three(space)
      yield* look()
      yield* ask(MemoryDelete, { ...space, memory_key: "apples" })
      yield* ask(MemoryDelete, { ...space, memory_key: "ferry" })
      crash.at = "digests.before_end"
      assert.strictEqual((yield* Effect.exit(look()))._tag, "Failure")
      assert.deepStrictEqual(yield* digests(space), [])
      yield* look()
      assert.deepStrictEqual(yield* digests(space), [])
    }))
})
