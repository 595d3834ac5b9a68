/**
 * A server on a real socket that speaks the chat completions protocol as a test tells it to: what it was asked is kept, and
 * each answer is the test's own.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import * as JsonServer from "./JsonServer.ts"

export interface ChatBody {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly temperature: number
  readonly max_tokens: number
  readonly stream: boolean
}

export type ChatAsked = JsonServer.Asked<ChatBody>
export type Behave = JsonServer.Behave<ChatBody>

export interface ChatServer {
  /** The base, as LOOM_LLM_URL takes it. */
  readonly url: string
  readonly asked: ReadonlyArray<ChatAsked>
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
    let current = first
    const { asked, port } = yield* JsonServer.start<ChatBody>((one, response, turn) => current(one, response, turn))
    return {
      url: `http://127.0.0.1:${port}/v1`,
      asked,
      behave: (behave) => {
        current = behave
      }
    }
  })
