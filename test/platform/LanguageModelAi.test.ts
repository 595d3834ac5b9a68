import * as AiError from "@effect/ai/AiError"
import * as Ai from "@effect/ai/LanguageModel"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as LanguageModelAi from "../../src/platform/LanguageModelAi.ts"

const prompt = {
  purpose: "ask",
  scope: { org: "acme", namespace: "team" },
  system: "the rules",
  user: "secret-prompt",
  maxTokens: 50
} as const

const through = (generateText: Ai.ConstructorParams["generateText"]) =>
  Effect.gen(function*() {
    const ai = yield* Ai.make({ generateText, streamText: () => Stream.empty })
    const model = yield* Effect.provideService(
      LanguageModelAi.make({ model: "theirs", timeout: "2 seconds" }),
      Ai.LanguageModel,
      ai
    )
    return yield* model.generate(prompt)
  })

describe("LanguageModelAi", () => {
  it.effect("asks with our rules and material apart, and tells text and tokens", () =>
    Effect.gen(function*() {
      let asked: unknown
      const reply = yield* through(({ prompt }) => {
        asked = prompt.content.map(({ role }) => role)
        return Effect.succeed([
          { type: "text", text: "An answer." },
          { type: "finish", reason: "stop", usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 } }
        ])
      })
      assert.deepStrictEqual(reply, {
        text: "An answer.",
        model: "theirs",
        tokensIn: 11,
        tokensOut: 7,
        truncated: false
      })
      assert.deepStrictEqual(asked, ["system", "user"])
    }))

  it.effect("is unavailable when the provider fails or is late, and logs the kind alone", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const kept = Logger.replace(
        Logger.defaultLogger,
        Logger.map(Logger.structuredLogger, (line) => void lines.push(line))
      )
      const fails = () =>
        Effect.fail(new AiError.UnknownError({ module: "m", method: "n", description: "secret-prompt was refused" }))
      assert.strictEqual((yield* Effect.flip(through(fails)).pipe(Effect.provide(kept)))._tag, "Unavailable")
      const late = yield* Effect.fork(Effect.flip(through(() => Effect.never)).pipe(Effect.provide(kept)))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(late))._tag, "Unavailable")
      assert.lengthOf(lines, 2)
      assert.notInclude(JSON.stringify(lines), "secret")
    }))
})
