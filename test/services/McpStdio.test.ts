/**
 * MCP over a pipe in memory: lines in, lines out, whatever the lines hold; a cancelled call ends and is not answered.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as McpStdio from "../../services/gateway/McpStdio.ts"
import { LoomClient } from "../../src/client/LoomClient.ts"
import { make } from "../client/FaultyServer.ts"

/** What the session writes for these lines, parsed. */
const talk = (baseUrl: string, lines: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const written = yield* Ref.make("")
    yield* McpStdio.serve("0.0.0-test", {
      stdin: Stream.encodeText(Stream.fromIterable(lines.map((line) => `${line}\n`))),
      stdout: Sink.forEachChunk((chunk: Chunk.Chunk<string>) =>
        Ref.update(written, (before) => before + Chunk.join(chunk, ""))
      )
    }).pipe(Effect.provide(LoomClient.layer({ baseUrl }).pipe(Layer.provide(FetchHttpClient.layer))))
    const text = yield* Ref.get(written)
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
  })

const message = (id: unknown, method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

it.scopedLive("a cancelled call is given up", () =>
  Effect.gen(function*() {
    const server = yield* make
    server.script({ kind: "hang" })
    const answers = yield* talk(server.url, [
      message("call", "tools/call", { name: "loom_memory_get", arguments: { memory_key: "a/b" } }),
      message(undefined, "notifications/cancelled", { requestId: "call" }),
      message(7, "ping")
    ])
    assert.deepStrictEqual(answers, [{ jsonrpc: "2.0", id: 7, result: {} }])
  }))

it.scopedLive("lines that are no messages are answered as such, and the session goes on", () =>
  Effect.gen(function*() {
    const answers = yield* talk("http://127.0.0.1:9", [
      "{",
      "",
      "null",
      "[]",
      `{"jsonrpc":"2.0"}`,
      message("p", "ping")
    ])
    assert.sameDeepMembers(answers.map(({ error, id }) => [id, error?.code]), [
      [null, -32700],
      [null, -32600],
      [null, -32600],
      ["p", undefined]
    ])
  }))
