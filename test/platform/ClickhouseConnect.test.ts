import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { createServer } from "node:http"
import { layerUrl } from "../../src/platform/Clickhouse.ts"

/** What is logged when no connection comes about. */
const logged = (url: string) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.logfmtLogger, (line) => void lines.push(line))
    const failure = yield* Layer.build(layerUrl({ url })).pipe(
      Effect.scoped,
      Effect.flip,
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    assert.strictEqual(failure._tag, "Unavailable")
    return lines.join("\n")
  })

describe("a ClickHouse that lets nobody in", () => {
  it.live("that is down is told by its address, without a stack trace", () =>
    Effect.gen(function*() {
      const line = yield* logged("http://ann:hidden@127.0.0.1:1")
      assert.match(line, /does not answer \(ECONNREFUSED\): check LOOM_CLICKHOUSE_URL/)
      assert.include(line, "url=http://127.0.0.1:1/")
      assert.notMatch(line, /node_modules|hidden/)
      assert.notInclude(line, "\n")
    }))

  it.scopedLive("that refuses the password is told from one that is down", () =>
    Effect.gen(function*() {
      const server = createServer((_, response) => {
        response.writeHead(403, { "x-clickhouse-exception-code": "516" })
        response.end("Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)")
      })
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close())
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const line = yield* logged(`http://127.0.0.1:${port}`)
      assert.match(line, /refuses the user: check LOOM_CLICKHOUSE_USER and LOOM_CLICKHOUSE_PASSWORD/)
      assert.notInclude(line, "node_modules")
    }))
})
