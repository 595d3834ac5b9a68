/**
 * Requests to a server under test, as any HTTP client makes them. `ok` expects a 200 and reads the answer by the schema of
 * the verb; `refusal` expects an error in the one shape that errors have; `post` takes whatever comes.
 */
import { assert } from "@effect/vitest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LoomServer } from "./LoomServer.ts"

export interface Reply {
  readonly status: number
  readonly text: string
  /** Undefined when the body is not JSON. */
  readonly json: unknown
  readonly headers: { readonly [name: string]: string }
}

/** What a test may say beside the body. */
export interface CallOptions {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The connection broke before the whole answer was there: nobody can tell whether the request was carried out. */
export class Broken extends Data.TaggedError("Broken")<{ readonly cause: unknown }> {}

/** One request; it is cancelled with its fiber. */
export const trySend = (
  url: string,
  method: string,
  path: string,
  body: string | Uint8Array | undefined,
  { headers = {}, token }: CallOptions = {}
): Effect.Effect<Reply, Broken> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}${path}`, {
        method,
        signal,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers
        },
        ...(body === undefined ? {} : { body })
      })
      const text = await response.text()
      return { status: response.status, text, json: parse(text), headers: Object.fromEntries(response.headers) }
    },
    catch: (cause) => new Broken({ cause })
  })

/** One request to a server that must answer. */
export const send = (...request: Parameters<typeof trySend>): Effect.Effect<Reply> => Effect.orDie(trySend(...request))

const withServer = <A>(use: (url: string) => Effect.Effect<A>): Effect.Effect<A, never, LoomServer> =>
  Effect.flatMap(LoomServer, ({ url }) => use(url))

export const get = (path: string, options: CallOptions = {}) =>
  withServer((url) => send(url, "GET", path, undefined, options))

/** A verb's request with a body as it stands. */
export const postRaw = (verb: string, body: string | Uint8Array, options: CallOptions = {}) =>
  withServer((url) => send(url, "POST", `/v1/${verb}`, body, options))

export const post = (verb: string, body: unknown, options: CallOptions = {}) =>
  postRaw(verb, JSON.stringify(body), options)

/** A verb by its declaration: its name and the schema of its answer. */
export interface AnsweringVerb<A, I> {
  readonly tag: string
  readonly answer: Schema.Schema<A, I>
}

const told = (verb: string, reply: Reply) => `${verb} answered ${reply.status}: ${reply.text.slice(0, 600)}`

export const answerOf = <A, I>(verb: AnsweringVerb<A, I>, reply: Reply): A => {
  assert.strictEqual(reply.status, 200, told(verb.tag, reply))
  return Schema.decodeUnknownSync(verb.answer)(reply.json)
}

/** The answer of a request that must succeed. */
export const ok = <A, I>(verb: AnsweringVerb<A, I>, body: object, options: CallOptions = {}) =>
  Effect.map(post(verb.tag, body, options), (reply) => answerOf(verb, reply))

const ErrorBody = Schema.Struct({
  detail: Schema.Struct(
    { code: Schema.String, message: Schema.String, category: Schema.String, retryable: Schema.Boolean },
    { key: Schema.String, value: Schema.Unknown }
  )
})

export interface Refused {
  readonly status: number
  readonly code: string
  readonly detail: typeof ErrorBody.Type["detail"]
}

/** An error answer, after a look at its whole shape. */
export const refusedBy = (verb: string, reply: Reply): Refused => {
  assert.isAtLeast(reply.status, 400, told(verb, reply))
  const { detail } = Schema.decodeUnknownSync(ErrorBody, { onExcessProperty: "error" })(reply.json)
  return { status: reply.status, code: detail.code, detail }
}

/** What a request that must be refused was told. */
export const refusal = (verb: string, body: unknown, options: CallOptions = {}) =>
  Effect.map(post(verb, body, options), (reply) => refusedBy(verb, reply))

let spaces = 0
/** A namespace that no other test of this process uses. */
export const freshNamespace = (): string => `case-${process.pid}-${++spaces}`
