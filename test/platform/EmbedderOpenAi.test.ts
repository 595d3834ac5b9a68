import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import type { ServerResponse } from "node:http"
import { toWire } from "../../src/kernel/LoomError.ts"
import * as OpenAi from "../../src/platform/EmbedderOpenAi.ts"
import * as JsonServer from "../support/JsonServer.ts"

type Asked = JsonServer.Asked<
  { readonly model: string; readonly input: ReadonlyArray<string>; readonly dimensions?: number }
>

const vectorOf = (text: string) => [text.length, 1, 0]

const answering =
  (change: (answer: { data: Array<unknown> }) => unknown) => ({ body }: Asked, response: ServerResponse) => {
    const data = body.input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }))
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify(change({ data })))
  }
const good = answering((answer) => answer)

/** A server on a real socket that speaks the protocol, and an embedder in front of it. */
const rig = (
  behave: (asked: Asked, response: ServerResponse, turn: number) => void,
  options: Partial<OpenAi.OpenAiOptions> = {}
) =>
  Effect.gen(function*() {
    const { asked, port, server } = yield* JsonServer.start<Asked["body"]>(behave)
    const embedder = yield* OpenAi.make({
      url: `http://127.0.0.1:${port}/v1/`,
      key: Redacted.make("sk-secret"),
      model: "small",
      dimensions: 3,
      ...options
    })
    return { asked, embedder, server }
  })

const unit = (text: string) => {
  const vector = vectorOf(text)
  const length = Math.hypot(...vector)
  return vector.map((x) => x / length)
}
const close = (vector: Float32Array | undefined, expected: ReadonlyArray<number>) =>
  expected.forEach((x, i) => assert.approximately(vector?.[i] ?? Number.NaN, x, 1e-6))

const quietClient = Layer.merge(NodeHttpClient.layerUndici, Logger.minimumLogLevel(LogLevel.None))

// Real sockets and real pauses between tries, hence the real clock; the longest of them waits 2.6 seconds.
layer(quietClient, { excludeTestServices: true })("EmbedderOpenAi", (it) => {
  it.scoped("asks as the protocol says, in shared requests, and scales to length one", () =>
    Effect.gen(function*() {
      const { asked, embedder } = yield* rig(answering(({ data }) => ({ data: data.reverse() })))
      const answers = yield* Effect.all([embedder.embed(["alpha", "be"]), embedder.embed(["gamma ray", "be"])], {
        concurrency: "unbounded"
      })
      answers[0].forEach((vector, i) => close(vector, unit(["alpha", "be"][i]!)))
      answers[1].forEach((vector, i) => close(vector, unit(["gamma ray", "be"][i]!)))
      close(yield* embedder.embedQuery("be"), unit("be"))
      yield* embedder.embed([""])
      assert.deepStrictEqual(asked.map((one) => one.body.input), [["alpha", "be", "gamma ray"], [" "]])
      assert.strictEqual(asked[0]?.path, "/v1/embeddings")
      assert.strictEqual(asked[0]?.headers.authorization, "Bearer sk-secret")
      assert.isUndefined(asked[0]?.headers["traceparent"])
      assert.deepStrictEqual({ ...asked[0]?.body, input: [] }, { model: "small", encoding_format: "float", input: [] })
      assert.strictEqual(embedder.id, "openai:small/3/v1")
    }))

  it.scoped("sends the length only when told to, and no key when there is none", () =>
    Effect.gen(function*() {
      const { asked, embedder } = yield* rig(good, { key: undefined, sendDimensions: true })
      yield* embedder.embed(["a"])
      assert.strictEqual(asked[0]?.body.dimensions, 3)
      assert.isUndefined(asked[0]?.headers.authorization)
    }))

  it.scoped("cuts a large call into requests", () =>
    Effect.gen(function*() {
      const { asked, embedder } = yield* rig(good)
      const texts = Array.from({ length: 200 }, (_, i) => "x".repeat(40 + (i % 5)) + i)
      const vectors = yield* embedder.embed(texts)
      vectors.forEach((vector, i) => close(vector, unit(texts[i]!)))
      for (const one of asked) assert.isAtMost(one.body.input.length, 64)
      assert.strictEqual(asked.reduce((sum, one) => sum + one.body.input.length, 0), 200)
    }))

  const passing: ReadonlyArray<readonly [string, (response: ServerResponse, one: Asked) => void]> = [
    ["500", (response) => response.writeHead(500).end("{\"error\":\"secret detail\"}")],
    ["429", (response) => response.writeHead(429, { "retry-after": "0" }).end()],
    ["408", (response) => response.writeHead(408).end()],
    ["a connection that breaks", (response) => response.destroy()],
    ["a body that breaks off", (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" })
      response.write("{\"data\":[{\"index\":0,")
      setImmediate(() => response.destroy())
    }],
    ["a body that is no JSON", (response) => response.writeHead(200).end("<html>")]
  ]
  for (const [name, fault] of passing) {
    it.scoped(`tries again after ${name}`, () =>
      Effect.gen(function*() {
        const { asked, embedder } = yield* rig((one, response, turn) =>
          turn === 1 ? fault(response, one) : good(one, response)
        )
        close((yield* embedder.embed(["a"]))[0], unit("a"))
        assert.strictEqual(asked.length, 2)
      }))
  }

  it.scoped("waits as long as the server asks", () =>
    Effect.gen(function*() {
      const { embedder } = yield* rig((one, response, turn) =>
        turn === 1 ? response.writeHead(429, { "retry-after": "1" }).end() : good(one, response)
      )
      const start = performance.now()
      yield* embedder.embed(["a"])
      assert.isAbove(performance.now() - start, 990)
    }))

  it.scoped(
    "gives up after three more tries, and at once where the server asks for too long a wait",
    () =>
      Effect.gen(function*() {
        const ill = yield* rig((_, response) => response.writeHead(503).end())
        assert.strictEqual((yield* Effect.flip(ill.embedder.embed(["a"])))._tag, "Unavailable")
        assert.strictEqual(ill.asked.length, 4)
        const busy = yield* rig((_, response) => response.writeHead(429, { "retry-after": "120" }).end())
        const failure = yield* Effect.flip(busy.embedder.embed(["a"]))
        assert.strictEqual(failure._tag === "Overloaded" ? failure.retry_after_s : failure._tag, 120)
        assert.strictEqual(busy.asked.length, 1)
      }),
    20_000
  )

  it.scoped("asks once where trying again cannot help", () =>
    Effect.gen(function*() {
      for (const status of [401, 403, 404, 400, 422]) {
        const { asked, embedder } = yield* rig((_, response) => response.writeHead(status).end("sk-secret"))
        const failure = yield* Effect.flip(embedder.embed(["a"]))
        const code = status === 400 || status === 422 ? "EMBEDDING_REFUSED" : "EMBEDDER_MISCONFIGURED"
        assert.deepInclude(failure, { _tag: "Refusal", code })
        assert.isFalse(toWire(failure).body.detail.retryable)
        assert.include(failure.message, String(status))
        assert.notInclude(JSON.stringify(failure), "sk-secret")
        assert.strictEqual(asked.length, 1, `${status}`)
      }
    }))

  const corrupt: ReadonlyArray<readonly [string, (answer: { data: Array<unknown> }) => unknown]> = [
    ["vectors of another length", () => ({ data: [{ index: 0, embedding: [1, 2] }] })],
    ["too few vectors", () => ({ data: [] })],
    ["another place", () => ({ data: [{ index: 7, embedding: [1, 2, 3] }] })],
    ["a vector of zeros", () => ({ data: [{ index: 0, embedding: [0, 0, 0] }] })],
    ["no numbers", () => ({ data: [{ index: 0, embedding: ["1", 2, 3] }] })],
    ["another shape", () => ({ vectors: [] })]
  ]
  for (const [name, change] of corrupt) {
    it.scoped(`refuses ${name}`, () =>
      Effect.gen(function*() {
        const { asked, embedder } = yield* rig(answering(change))
        const failure = yield* Effect.flip(embedder.embed(["a"]))
        assert.deepInclude(failure, { _tag: "Refusal", code: "EMBEDDER_MISCONFIGURED" })
        assert.match(failure.message, /LOOM_EMBEDDINGS_/)
        assert.strictEqual(asked.length, 1)
      }))
  }

  it.scoped("the log names address, lengths and setting, and no secret", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.map(Logger.logfmtLogger, (line) => void lines.push(line))
      )
      const log = Layer.merge(logger, Logger.minimumLogLevel(LogLevel.Info))
      const told = (behave: Parameters<typeof rig>[0]) =>
        Effect.gen(function*() {
          const { server } = yield* rig(behave)
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          const embedder = yield* OpenAi.make({
            url: `http://ann:hidden@127.0.0.1:${port}/v1?token=hidden`,
            key: Redacted.make("sk-secret"),
            model: "small",
            dimensions: 3
          })
          yield* Effect.flip(embedder.embed(["private words"]))
          const line = lines.splice(0).join("\n")
          assert.include(line, `url=http://127.0.0.1:${port}/v1 `)
          assert.notMatch(line, /hidden|sk-secret|private words/)
          return line
        }).pipe(Effect.provide(log))
      const short = yield* told(answering(() => ({ data: [{ index: 0, embedding: [1, 2] }] })))
      for (const part of ["LOOM_EMBEDDINGS_DIMS", "expected_dimensions=3", "received_dimensions=2"]) {
        assert.include(short, part)
      }
      assert.match(yield* told((_, response) => response.writeHead(401).end()), /check LOOM_EMBEDDINGS_KEY/)
      assert.match(yield* told((_, response) => response.writeHead(400).end()), /refuses a text for good/)
      assert.match(yield* told((_, response) => response.destroy()), /is it up at LOOM_EMBEDDINGS_URL/)
    }), 20_000)

  it.scoped("takes answers without places in their order", () =>
    Effect.gen(function*() {
      const { embedder } = yield* rig((one, response) =>
        answering(() => ({ data: one.body.input.map((text) => ({ embedding: vectorOf(text) })) }))(one, response)
      )
      const vectors = yield* embedder.embed(["a", "bbb"])
      close(vectors[1], unit("bbb"))
    }))

  it.scoped("one refused text fails its own caller alone", () =>
    Effect.gen(function*() {
      const { embedder } = yield* rig((one, response) =>
        one.body.input.includes("bad") ? response.writeHead(400).end() : good(one, response)
      )
      const texts = ["a", "bb", "bad", "dddd", "eeeee"]
      const tags = yield* Effect.forEach(
        texts,
        (text) => Effect.match(embedder.embed([text]), { onFailure: (e) => e._tag, onSuccess: () => "ok" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(tags, ["ok", "ok", "Refusal", "ok", "ok"])
    }))

  it.scoped("is unavailable where nobody listens", () =>
    Effect.gen(function*() {
      const { embedder, server } = yield* rig(good)
      server.closeAllConnections()
      yield* Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
      assert.strictEqual((yield* Effect.flip(embedder.embed(["a"])))._tag, "Unavailable")
    }), 20_000)
})

layer(quietClient)("EmbedderOpenAi by the test clock", (it) => {
  it.scoped("gives up on a server that is too slow", () =>
    Effect.gen(function*() {
      // It never answers; the clock is moved past each time-out instead of waiting for it.
      const { asked, embedder } = yield* rig(() => undefined)
      const slow = yield* Effect.fork(Effect.flip(embedder.embed(["a"])))
      for (let turn = 1; turn <= 4; turn++) {
        yield* Effect.async<void>((resume) => {
          const look = () => asked.length >= turn ? resume(Effect.void) : void setImmediate(look)
          look()
        })
        yield* TestClock.adjust("10 seconds")
        yield* TestClock.adjust("5 seconds")
      }
      assert.strictEqual((yield* Fiber.join(slow))._tag, "Unavailable")
    }), 20_000)
})
