/**
 * A language model on a real socket, as a script tells it: it speaks chat completions (`/v1/chat/completions`), the responses
 * of OpenAI (`/v1/responses`) and the messages of Anthropic (`/v1/messages`), keeps what it was asked, and answers each
 * question with an act of the script: a text, one dressed as models dress it (`ModelDress`), a refusal, silence.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import * as JsonServer from "./JsonServer.ts"
import * as Protocols from "./ModelProtocols.ts"
import type { Protocol, Said } from "./ModelProtocols.ts"

/** What was asked, whatever the protocol. */
export interface Question {
  readonly protocol: Protocol
  readonly model: string
  readonly system: string
  /** The material: the first turn of the user. */
  readonly user: string
  /** What the model said before and was told of it; null when it is asked for the first time. */
  readonly correction: { readonly said: string; readonly why: string } | null
  /** The form that the server is to hold the model to. */
  readonly form: { readonly name: string; readonly schema: unknown } | null
  readonly maxTokens: number | null
  /** Counted from 1. */
  readonly turn: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** As it came. */
  readonly body: unknown
}

/** What the server does about a question. */
export type Act = (question: Question, response: ServerResponse) => void

export type Script = (question: Question) => Act

export interface ModelServer {
  /** The base of chat completions and of responses, as LOOM_LLM_URL takes it. */
  readonly url: string
  /** The base of messages. */
  readonly anthropicUrl: string
  readonly asked: ReadonlyArray<Question>
  /** How it answers from now on. */
  readonly script: (script: Script) => void
  /** The most questions that were open at once. */
  readonly mostAtOnce: () => number
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

/** Says a text. */
export const says = (text: string, more: Partial<Omit<Said, "text">> = {}): Act => (question, response) =>
  json(response, 200, Protocols.answers[question.protocol](question, { text, ...more }))

/** Says a value, as JSON and nothing else. */
export const gives = (value: unknown, more: Partial<Omit<Said, "text">> = {}): Act => says(JSON.stringify(value), more)

/** Fails with a status; the words quote the question, as servers do that should not. */
export const fails = (status: number, message = "it failed"): Act => (question, response) =>
  json(response, status, Protocols.failure(status, `${message}: ${question.user.slice(0, 200)}`))

/** Has too much to do, and says for how long where `seconds` are given. */
export const limits = (seconds?: number): Act => (_, response) =>
  json(response, 429, Protocols.failure(429, "slow down"), seconds === undefined ? {} : { "retry-after": `${seconds}` })

/** Cannot hold a model to a form: refuses what has one, and does as told about anything else. */
export const withoutForms = (otherwise: Act, status = 400): Act => (question, response) =>
  question.form === null
    ? otherwise(question, response)
    : json(response, status, Protocols.failure(status, "Unknown parameter: response_format"))

/** Closes the connection without an answer. */
export const breaks: Act = (_, response) => void response.destroy()

/** Breaks off within the answer. */
export const breaksWithin: Act = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.write("{\"id\": \"half", () => response.destroy())
}

/** Never answers. */
export const silent: Act = () => {}

/** Does it after a while. */
export const slowly = (millis: number, act: Act): Act => (question, response) =>
  void setTimeout(() => act(question, response), millis)

/** One after the other, the last for ever. */
export const inTurn = (...acts: readonly [Act, ...ReadonlyArray<Act>]): Script => {
  let turn = 0
  return () => acts[Math.min(turn++, acts.length - 1)] ?? acts[0]
}

/** The first act until the model is told that its reply was no good, then the second. */
export const onceCorrected = (before: Act, after: Act): Script => ({ correction }) =>
  correction === null ? before : after

export const start = (script: Script): Effect.Effect<ModelServer, never, Scope> =>
  Effect.gen(function*() {
    let current = script
    let [open, most] = [0, 0]
    const asked: Array<Question> = []
    const { port } = yield* JsonServer.start<unknown>(({ body, headers, path = "" }, response, turn) => {
      const protocol = Protocols.protocolOf(path)
      if (protocol === undefined) return json(response, 404, Protocols.failure(404, "no such place"))
      const question: Question = { ...Protocols.questions[protocol](body), protocol, turn, path, headers, body }
      asked.push(question)
      most = Math.max(most, ++open)
      response.once("close", () => open--)
      current(question)(question, response)
    })
    return {
      url: `http://127.0.0.1:${port}/v1`,
      anthropicUrl: `http://127.0.0.1:${port}`,
      asked,
      script: (script) => {
        current = script
      },
      mostAtOnce: () => most
    }
  })
