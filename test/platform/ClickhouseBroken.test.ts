/** Servers that answer as no server should: each must come out as a typed failure, never as no rows. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createServer, type ServerResponse } from "node:http"
import { ch, Clickhouse, layerUrl } from "../../src/platform/Clickhouse.ts"
import { quiet } from "./ClickhouseTemp.ts"

const whole = JSON.stringify({ meta: [{ name: "one", type: "UInt8" }], data: [[1], [2]], rows: 2 })

/** A server that answers the greeting of the client and gives every other query to `answer`. */
const layerFake = (answer: (response: ServerResponse) => void) =>
  Layer.unwrapScoped(
    Effect.acquireRelease(
      Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const query = Buffer.concat(chunks).toString()
            if (/^(KILL QUERY|SELECT 1$)/.test(query)) response.end("1\n")
            else answer(response)
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          const close = () => {
            server.close()
            server.closeAllConnections()
          }
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ).pipe(Effect.map(({ url }) => layerUrl({ url })))
  ).pipe(Layer.provide(quiet))

const One = Schema.Struct({ one: Schema.Number })

const ask = (answer: (response: ServerResponse) => void) =>
  Effect.flatMap(Clickhouse, ({ query }) => Effect.either(query(ch.sql("test.ask")`SELECT number FROM t`, One))).pipe(
    Effect.provide(Layer.merge(layerFake(answer), quiet))
  )

const failures: Record<string, (response: ServerResponse) => void> = {
  "a document that ends in the middle": (response) => void response.end(whole.slice(0, -12)),
  "no body": (response) => void response.end(""),
  "an empty document": (response) => void response.end("{}"),
  "a page of a proxy": (response) => void response.end("<html>Bad gateway</html>"),
  "fewer rows than it counts": (response) => void response.end(whole.replace("[1],", "")),
  "a row that lacks a column": (response) => void response.end(whole.replace("[1]", "[]")),
  "a whole document with an exception in it": (response) =>
    void response.end(whole.replace(/}$/, ",\"exception\":\"Code: 241. DB::Exception: memory\"}")),
  "an exception after the first rows": (response) =>
    void response.end(
      `${whole.slice(0, -12)}\nCode: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)`
    ),
  "a socket cut in the middle of a known length": (response) => {
    response.writeHead(200, { "Content-Length": whole.length })
    response.write(whole.slice(0, 20), () => response.destroy())
  },
  "a socket cut in the middle of chunks": (response) => {
    response.writeHead(200, { "Transfer-Encoding": "chunked" })
    response.write(whole.slice(0, 20), () => response.destroy())
  },
  "a socket cut after a whole document": (response) => {
    response.writeHead(200, { "Content-Length": whole.length + 1 })
    response.write(whole, () => response.destroy())
  },
  "a status of failure": (response) => {
    response.writeHead(500, { "X-ClickHouse-Exception-Code": 60 })
    response.end("Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)")
  },
  "a socket cut before the headers": (response) => void response.destroy()
}

describe("an answer that breaks", () => {
  it.live("is read when it does not", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* Effect.map(ask((response) => void response.end(whole)), (either) => either._tag),
        "Right"
      )
    }))

  for (const [name, answer] of Object.entries(failures)) {
    it.live(`is Unavailable: ${name}`, () =>
      Effect.gen(function*() {
        const outcome = yield* ask(answer)
        assert.strictEqual(outcome._tag === "Left" ? outcome.left._tag : JSON.stringify(outcome.right), "Unavailable")
      }))
  }

  it.live("is Unavailable when nobody listens, and the layer says so", () =>
    Effect.gen(function*() {
      const outcome = yield* Effect.either(
        Effect.provide(Effect.void, Layer.provide(layerUrl({ url: "http://127.0.0.1:1" }), quiet))
      )
      assert.strictEqual(outcome._tag === "Left" ? outcome.left._tag : "connected", "Unavailable")
    }))
})
