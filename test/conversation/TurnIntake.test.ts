/** From messages to stored turns: receipts, ids, sensitivity, refused patterns, and what a failing embedder leaves. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BlacklistCache, matcherOf } from "../../src/blacklist/BlacklistCache.ts"
import * as TurnIntake from "../../src/conversation/TurnIntake.ts"
import type { TurnWriter } from "../../src/conversation/TurnModel.ts"
import { anyTurn, TurnStore } from "../../src/conversation/TurnStore.ts"
import * as TurnStoreMemory from "../../src/conversation/TurnStoreMemory.ts"
import * as SensitivityPolicy from "../../src/memory/SensitivityPolicy.ts"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as EmbedderTest from "../../src/platform/EmbedderTest.ts"
import { freshScope } from "../memory/MemoryFixture.ts"

const seen: Array<string> = []

/** The test embedder, which here tells what it was given. */
const listening = Layer.effect(
  Embedder,
  Effect.sync(() => {
    const embedder = EmbedderTest.make()
    return {
      ...embedder,
      embed: (texts: ReadonlyArray<string>) => {
        seen.push(...texts)
        return embedder.embed(texts)
      }
    }
  })
)

const patterns = Layer.succeed(BlacklistCache, {
  matcher: () =>
    Effect.succeed({ ...matcherOf([]), match: (text: string) => text.includes("HERON-77") ? hit : undefined }),
  advance: () => Effect.void,
  confirmed: () => Effect.succeed(true)
})

const hit = { pattern_id: "blk_1", reason: "", scope: "namespace" } as const

const house = TurnIntake.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(TurnStoreMemory.layer, listening, SensitivityPolicy.layerDetect, patterns))
)

const freshWriter = (): TurnWriter => ({ ...freshScope(), agent: "", user_id: "ada", session_id: "s1" })

const take = (
  writer: TurnWriter,
  messages: ReadonlyArray<unknown>,
  more: Partial<TurnIntake.IntakeRequest> = {}
) =>
  Effect.flatMap(
    TurnIntake.TurnIntake,
    (intake) => intake.take({ writer, messages, actor: "human:ada", run_id: "", are: "added", idem_hash: "", ...more })
  )

const outcomes = ({ receipts }: TurnIntake.Taken) =>
  receipts.map((one) => one.outcome === "refused" ? one.error.code : one.outcome)

const stored = (writer: TurnWriter) =>
  Effect.flatMap(
    TurnStore,
    (store) => store.page(writer, anyTurn, { by: "session", backwards: false, after: null, limit: 100 })
  )

const dated = (content: string, second = 0) => ({
  role: "user",
  content,
  at: `2026-03-01T09:00:${String(second).padStart(2, "0")}Z`
})

layer(house)("TurnIntake", (it) => {
  it.effect("answers each message on its own, in order, and stores the good ones in theirs", () =>
    Effect.gen(function*() {
      const writer = freshWriter()
      const taken = yield* take(writer, [
        { role: "user", content: "I moved to Berlin", speaker: "Mira", at: "2026-03-01T09:00:00" },
        { role: "user", content: "" },
        { role: "user", content: " \t\n" },
        { role: "user", content: "\u200b" },
        { role: "user", content: "\u0301" },
        { role: "user", content: "." },
        "hello",
        null,
        { role: "user" },
        { role: "robot", content: "x" },
        { role: "user", content: "x", mood: "sad" },
        { role: "user", content: "x", at: "2026-02-30" },
        { role: "user", content: "lone \ud83d" },
        { role: "user", content: "x".repeat(1024 * 1024 + 1) },
        { role: "user", content: "the code is HERON-77" },
        { role: "user", content: "x", source_resource_id: "https://ada:hunter2secret@example.org/" },
        { role: "assistant", content: "family \u{1f468}\u200d\u{1f469}\u200d\u{1f467} e\u0301 \ufeff\u0000", at: null }
      ])
      assert.deepStrictEqual(outcomes(taken), [
        "stored",
        ...Array<string>(4).fill("INVALID_ARGUMENT"),
        "stored",
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
        "UNKNOWN_FIELD",
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
        "PAYLOAD_TOO_LARGE",
        "BLACKLISTED",
        "INVALID_ARGUMENT",
        "stored"
      ])
      const turns = yield* stored(writer)
      assert.deepStrictEqual(turns.map(({ content }) => content), [
        "I moved to Berlin",
        ".",
        "family \u{1f468}\u200d\u{1f469}\u200d\u{1f467} e\u0301 \ufeff\u0000"
      ])
      assert.deepStrictEqual(turns.map(({ at }) => at), [Date.UTC(2026, 2, 1, 9), null, null])
      assert.deepStrictEqual(taken.advisories, ["at named no offset and was read as UTC (messages 0)"])
    }))

  it.effect("knows dated turns again, alone, in part and beside new ones, and keeps their places", () =>
    Effect.gen(function*() {
      const writer = freshWriter()
      const first = [dated("yes"), dated("yes"), dated("no", 1)]
      assert.deepStrictEqual(outcomes(yield* take(writer, first)), ["stored", "stored", "stored"])
      const before = yield* stored(writer)
      assert.deepStrictEqual(outcomes(yield* take(writer, first)), ["known", "known", "known"])
      assert.deepStrictEqual(outcomes(yield* take(writer, [...first, dated("maybe", 2)])), [
        "known",
        "known",
        "known",
        "stored"
      ])
      const after = yield* stored(writer)
      assert.deepStrictEqual(after.slice(0, 3), before)
      assert.strictEqual(after.length, 4)
      // Another session is another conversation.
      assert.deepStrictEqual(outcomes(yield* take({ ...writer, session_id: "s2" }, first)), [
        "stored",
        "stored",
        "stored"
      ])
    }))

  it.effect("stores undated turns anew, once under a key, and refuses another message under it", () =>
    Effect.gen(function*() {
      const writer = freshWriter()
      const messages = [{ role: "user", content: "yes" }, { role: "user", content: "yes" }]
      for (const _ of [1, 2]) assert.deepStrictEqual(outcomes(yield* take(writer, messages)), ["stored", "stored"])
      const keyed = { idem_hash: "k1" }
      assert.deepStrictEqual(outcomes(yield* take(writer, messages, keyed)), ["stored", "stored"])
      assert.deepStrictEqual(outcomes(yield* take(writer, messages, keyed)), ["known", "known"])
      const other = [messages[0], { role: "user", content: "no" }]
      assert.deepStrictEqual(outcomes(yield* take(writer, other, keyed)), ["known", "IDEMPOTENCY_CONFLICT"])
      assert.strictEqual((yield* stored(writer)).length, 6)
    }))

  it.effect("takes a whole transcript once, however often and however much longer it comes again", () =>
    Effect.gen(function*() {
      const writer = freshWriter()
      const messages = [
        { role: "user", content: "I live in Delhi" },
        { role: "user", content: "" },
        { role: "assistant", content: "yes" },
        { role: "user", content: "yes" },
        dated("I moved to Berlin", 9)
      ]
      for (const end of [2, 4, 5, 5]) yield* take(writer, messages.slice(0, end), { are: "transcript" })
      assert.deepStrictEqual((yield* stored(writer)).map(({ content }) => content), [
        "I live in Delhi",
        "yes",
        "yes",
        "I moved to Berlin"
      ])
      assert.deepStrictEqual(outcomes(yield* take(writer, [messages[4]])), ["known"])
    }))

  it.effect("a turn of high sensitivity is kept and reaches no embedder and no index", () =>
    Effect.gen(function*() {
      const writer = freshWriter()
      seen.length = 0
      const taken = yield* take(writer, [
        { role: "user", content: "password: hunter2-Xy7!pq" },
        { role: "user", content: "write me at ada@example.org" }
      ])
      assert.deepStrictEqual(outcomes(taken), ["stored", "stored"])
      assert.deepStrictEqual(seen, ["write me at ada@example.org"])
      assert.deepStrictEqual((yield* stored(writer)).map(({ sensitivity }) => sensitivity), ["high", "medium"])
      assert.strictEqual(taken.advisories.length, 1)
      assert.notInclude(JSON.stringify(taken.advisories), "hunter2")
    }))

  it.effect("cuts long turns into parts that cover them, and embeds the speaker with each", () =>
    Effect.gen(function*() {
      const writer = freshWriter()
      const content = "We had some tea and talked. ".repeat(100)
      seen.length = 0
      const intake = yield* TurnIntake.TurnIntake
      const { indexed } = yield* intake.prepare({
        writer,
        messages: [{ role: "user", content, speaker: "Mira" }],
        actor: "human:ada",
        run_id: "",
        are: "added",
        idem_hash: ""
      })
      const parts = indexed[0]?.chunks ?? []
      assert.isAbove(parts.length, 2)
      assert.strictEqual(parts[0]?.start, 0)
      assert.strictEqual(parts.at(-1)?.end, content.length)
      for (const [at, { end }] of parts.slice(0, -1).entries()) assert.isAtLeast(end, parts[at + 1]?.start ?? Infinity)
      assert.isTrue(seen.every((text) => text.startsWith("Mira: ")))
      // A preparation writes nothing.
      assert.deepStrictEqual(yield* stored(writer), [])
    }))

  it.effect("writes nothing when the embedder fails", () =>
    Effect.gen(function*() {
      const writer = freshWriter()
      const messages = [dated("fine"), dated(`not ${EmbedderTest.failingText}`)]
      const failed = yield* Effect.flip(take(writer, messages))
      assert.strictEqual(failed._tag, "Unavailable")
      assert.deepStrictEqual(yield* stored(writer), [])
    }))

  it.effect("does not store again what was deleted", () =>
    Effect.gen(function*() {
      const writer = freshWriter()
      const store = yield* TurnStore
      yield* take(writer, [dated("yes"), dated("no", 1)])
      const [first] = yield* stored(writer)
      if (first === undefined) return assert.fail("nothing was stored")
      yield* store.remove([first], { actor: "human:ada", reason: "", at: 0 })
      assert.deepStrictEqual(outcomes(yield* take(writer, [dated("yes"), dated("no", 1)])), ["SUPPRESSED", "known"])
      assert.strictEqual((yield* stored(writer)).length, 1)
    }))
})
