/**
 * A server on a real socket that speaks the chat completions protocol as a test tells it to: what it was asked is kept, and
 * each answer is the test's own.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { createServer } from "node:http"

export interface ChatAsked {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly model: string
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
    readonly temperature: number
    readonly max_tokens: number
    readonly stream: boolean
  }
}

export type Behave = (asked: ChatAsked, response: ServerResponse, turn: number) => void

export interface ChatServer {
  /** The base, as LOOM_LLM_URL takes it. */
  readonly url: string
  readonly asked: Array<ChatAsked>
  /** How it answers from now on. */
  readonly behave: (behave: Behave) => void
}

/** Answers with a text, as the protocol says. */
export const saying = (text: string | ((asked: ChatAsked) => string)): Behave => (asked, response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    model: `${asked.body.model}-2026`,
    choices: [{
      index: 0,
      finish_reason: "stop",
      message: { role: "assistant", content: typeof text === "string" ? text : text(asked) }
    }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
  }))
}

export const start = (first: Behave): Effect.Effect<ChatServer, never, Scope> =>
  Effect.gen(function*() {
    const asked: Array<ChatAsked> = []
    let current = first
    const server = createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        const body: ChatAsked["body"] = JSON.parse(Buffer.concat(parts).toString())
        const one = { path: request.url, headers: request.headers, body }
        asked.push(one)
        current(one, response, asked.length)
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.async<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      url: `http://127.0.0.1:${port}/v1`,
      asked,
      behave: (behave) => {
        current = behave
      }
    }
  })
