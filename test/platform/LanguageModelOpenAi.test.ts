import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it, layer } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { toWire } from "../../src/kernel/LoomError.ts"
import { LanguageModel, layerNone } from "../../src/platform/LanguageModel.ts"
import * as LanguageModelConfig from "../../src/platform/LanguageModelConfig.ts"
import * as OpenAi from "../../src/platform/LanguageModelOpenAi.ts"
import * as ChatServer from "../support/ChatServer.ts"

const prompt = {
  purpose: "ask",
  scope: { org: "acme", namespace: "team" },
  system: "the rules",
  user: "secret-prompt",
  maxTokens: 50
} as const

const rig = (behave: ChatServer.Behave, options: Partial<OpenAi.OpenAiOptions> = {}) =>
  Effect.gen(function*() {
    const server = yield* ChatServer.start(behave)
    const model = yield* OpenAi.make({
      url: `${server.url}/`,
      key: Redacted.make("sk-secret"),
      model: "small",
      timeout: "5 seconds",
      ...options
    })
    return { ...server, model }
  })

// Real sockets and a real pause before the second try, hence the real clock.
layer(NodeHttpClient.layerUndici, { excludeTestServices: true })("LanguageModelOpenAi", (it) => {
  it.scoped("asks as the protocol says and tells what came", () =>
    Effect.gen(function*() {
      const { asked, model } = yield* rig(ChatServer.saying("An answer."))
      assert.strictEqual(model.model, "small")
      assert.deepStrictEqual(yield* model.generate(prompt), {
        text: "An answer.",
        model: "small-2026",
        tokensIn: 11,
        tokensOut: 7,
        truncated: false
      })
      assert.strictEqual(asked[0]?.path, "/v1/chat/completions")
      assert.strictEqual(asked[0]?.headers.authorization, "Bearer sk-secret")
      assert.isUndefined(asked[0]?.headers["traceparent"])
      assert.deepStrictEqual<unknown>(asked[0]?.body, {
        model: "small",
        messages: [{ role: "system", content: "the rules" }, { role: "user", content: "secret-prompt" }],
        max_tokens: 50,
        temperature: 0,
        stream: false
      })
    }))

  it.scoped("sends no key where there is none, and needs neither model nor usage in the answer", () =>
    Effect.gen(function*() {
      const { asked, model } = yield* rig(
        (_, response) => response.writeHead(200).end("{\"choices\":[{\"message\":{\"content\":\"yes\"}}]}"),
        { key: undefined }
      )
      assert.deepStrictEqual(yield* model.generate(prompt), {
        text: "yes",
        model: "small",
        tokensIn: null,
        tokensOut: null
      })
      assert.isUndefined(asked[0]?.headers.authorization)
    }))

  const passing: ReadonlyArray<readonly [string, ChatServer.Behave]> = [
    ["500", (_, response) => response.writeHead(500).end("{\"error\":\"secret detail\"}")],
    ["429", (_, response) => response.writeHead(429, { "retry-after": "0" }).end()],
    ["a broken connection", (_, response) => response.destroy()],
    ["half an answer", (_, response) => response.writeHead(200).write("{\"choices\":[", () => response.destroy())]
  ]
  for (const [what, fault] of passing) {
    it.scoped(`tries once more after ${what}`, () =>
      Effect.gen(function*() {
        const { asked, model } = yield* rig((one, response, turn) =>
          (turn === 1 ? fault : ChatServer.saying("late but there"))(one, response, turn)
        )
        assert.strictEqual((yield* model.generate(prompt)).text, "late but there")
        assert.lengthOf(asked, 2)
      }))
  }

  const lasting: ReadonlyArray<readonly [string, number, ChatServer.Behave]> = [
    ["500 twice", 2, (_, response) => response.writeHead(500).end("secret detail")],
    ["401", 1, (_, response) => response.writeHead(401).end("secret detail")],
    ["400", 1, (_, response) => response.writeHead(400).end("secret detail")],
    ["no choice", 1, (_, response) => response.writeHead(200).end("{\"choices\":[]}")],
    ["no text", 1, (_, response) => response.writeHead(200).end("{\"choices\":[{\"message\":{\"content\":null}}]}")]
  ]
  for (const [what, times, fault] of lasting) {
    it.scoped(`is unavailable after ${what}, and tells nobody key, prompt or answer`, () =>
      Effect.gen(function*() {
        const lines: Array<unknown> = []
        const { asked, model } = yield* rig(fault)
        const error = yield* Effect.flip(model.generate(prompt)).pipe(
          Effect.provide(
            Logger.replace(Logger.defaultLogger, Logger.map(Logger.structuredLogger, (line) => void lines.push(line)))
          )
        )
        assert.deepInclude(toWire(error), { status: 503 })
        assert.lengthOf(asked, times)
        assert.lengthOf(lines, 1)
        assert.notMatch(JSON.stringify([lines, toWire(error)]), /secret/)
      }))
  }

  const limited: ReadonlyArray<readonly [string, Record<string, string>, number]> = [
    ["a long pause", { "retry-after": "60" }, 60],
    ["no word of a pause, twice", {}, 15]
  ]
  for (const [what, headers, seconds] of limited) {
    it.scoped(`is overloaded after ${what}`, () =>
      Effect.gen(function*() {
        const { model } = yield* rig((_, response) => response.writeHead(429, headers).end("secret detail"))
        const error = yield* Effect.flip(model.generate(prompt)).pipe(
          Effect.provide(Logger.remove(Logger.defaultLogger))
        )
        assert.deepInclude(toWire(error).body.detail, { code: "OVERLOADED", retry_after_s: seconds })
      }))
  }

  it.scoped("is unavailable when a reply does not come in time", () =>
    Effect.gen(function*() {
      const { model } = yield* rig(() => {}, { timeout: "100 millis" })
      const error = yield* Effect.flip(model.generate(prompt)).pipe(
        Effect.provide(Logger.remove(Logger.defaultLogger))
      )
      assert.strictEqual(error._tag, "Unavailable")
    }))
})

const choose = (values: Record<string, string>) =>
  Effect.withConfigProvider(
    LanguageModelConfig.config,
    ConfigProvider.fromMap(new Map(Object.entries(values)), { pathDelim: "_", seqDelim: "," })
  )
const given = { LOOM_LLM_URL: "http://127.0.0.1:9/v1", LOOM_LLM_MODEL: "small" }

describe("LanguageModelConfig", () => {
  it.effect("is none unless a server is named, and says so when it is needed", () =>
    Effect.gen(function*() {
      assert.isNull(yield* choose({}))
      const none = yield* Effect.provide(LanguageModel, layerNone)
      assert.isNull(none.model)
      const error = yield* Effect.flip(none.generate(prompt))
      assert.strictEqual(toWire(error).body.detail.code, "LANGUAGE_MODEL_REQUIRED")
    }))

  it.effect("takes server, model, key and time from the environment, the key hidden", () =>
    Effect.gen(function*() {
      const options = yield* choose({ ...given, LOOM_LLM_API_KEY: "sk-secret", LOOM_LLM_TIMEOUT_SECONDS: "3" })
      assert.deepInclude(options, { url: given.LOOM_LLM_URL, model: "small" })
      assert.strictEqual(Duration.toMillis(options?.timeout ?? 0), 3_000)
      assert.strictEqual(options?.key === undefined ? "" : Redacted.value(options.key), "sk-secret")
      assert.notInclude(JSON.stringify(options), "sk-secret")
    }))

  it.effect("takes a provider at its own address with a key, at another without", () =>
    Effect.gen(function*() {
      const own = { LOOM_LLM_PROVIDER: "anthropic", LOOM_LLM_MODEL: "small", LOOM_LLM_API_KEY: "sk-secret" }
      assert.deepInclude(yield* choose(own), { provider: "anthropic", model: "small", url: undefined })
      assert.deepInclude(yield* choose({ ...given, LOOM_LLM_PROVIDER: "openai" }), {
        provider: "openai",
        url: given.LOOM_LLM_URL,
        key: undefined
      })
    }))

  const wrong: ReadonlyArray<readonly [Record<string, string>, string]> = [
    [{ LOOM_LLM_URL: given.LOOM_LLM_URL }, "LLM_MODEL"],
    [{ ...given, LOOM_LLM_URL: "no address" }, "LLM_URL"],
    [{ ...given, LOOM_LLM_URL: "file:///etc" }, "LLM_URL"],
    [{ ...given, LOOM_LLM_TIMEOUT_SECONDS: "0" }, "LLM_TIMEOUT_SECONDS"],
    [{ ...given, LOOM_LLM_PROVIDER: "other" }, "LLM_PROVIDER"],
    [{ LOOM_LLM_PROVIDER: "openai" }, "LLM_MODEL"],
    [{ LOOM_LLM_PROVIDER: "anthropic", LOOM_LLM_MODEL: "small" }, "LLM_API_KEY"]
  ]
  for (const [values, name] of wrong) {
    it.effect(`names what is wrong: ${JSON.stringify(values)}`, () =>
      Effect.map(Effect.flip(choose(values)), (error) => assert.include(String(error), name)))
  }
})
