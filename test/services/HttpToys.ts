/**
 * A server for the tests of the HTTP edge: real sockets, the real access slice over a store in memory, and toy verbs that
 * say what they were given or fail in every way. Requests go out as bytes where `fetch` would mend them.
 */
import type * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { connect } from "node:net"
import { Dispatch, make } from "../../services/gateway/Dispatch.ts"
import { Readiness } from "../../services/gateway/Health.ts"
import type { HttpOptions } from "../../services/gateway/Http.ts"
import { layerHttp } from "../../services/gateway/Http.ts"
import * as Authenticator from "../../src/access/Authenticator.ts"
import * as RootToken from "../../src/access/RootToken.ts"
import * as TokenCache from "../../src/access/TokenCache.ts"
import * as TokenHandlers from "../../src/access/TokenHandlers.ts"
import * as TokenStore from "../../src/access/TokenStore.ts"
import { readableUser, resolveScope, resolveUser } from "../../src/kernel/Caller.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { Corrupt, Overloaded, refuse, Unavailable } from "../../src/kernel/LoomError.ts"
import * as Verb from "../../src/kernel/Verb.ts"
import { scopeFields, writeFields } from "../../src/memory/MemoryFields.ts"
import * as Cursors from "../../src/platform/Cursors.ts"

const teaching = { what: "A toy.", when: "In tests.", whenNot: "Elsewhere." }
const read = { access: "read", idempotent: true, writes: false, listed: false, teaching } as const

const ToyEcho = Verb.make("toy.echo", {
  ...read,
  payload: Schema.Struct({
    text: Schema.optional(Schema.String),
    number: Schema.optional(Schema.Number),
    list: Schema.optional(Schema.Array(Schema.Boolean)),
    value: Schema.optional(Schema.Unknown)
  }),
  answer: Schema.Struct({ got: Schema.Unknown })
})

const ToyWho = Verb.make("toy.who", {
  ...read,
  payload: Schema.Struct({ ...scopeFields, user_id: Schema.optional(Schema.String) }),
  answer: Schema.Struct({
    actor: Schema.String,
    org: Schema.String,
    namespace: Schema.String,
    reads: Schema.NullOr(Schema.String)
  })
})

const ToyWrite = Verb.make("toy.write", {
  ...read,
  access: "write",
  idempotent: false,
  writes: true,
  payload: Schema.Struct({
    ...scopeFields,
    idempotency_key: writeFields.idempotency_key,
    user_id: Schema.optional(Schema.String)
  }),
  answer: Schema.Struct({ key: Schema.NullOr(Schema.String), user: Schema.String })
})

const ToyKeyless = Verb.make("toy.keyless", {
  ...read,
  idempotent: false,
  writes: true,
  payload: Schema.Struct(scopeFields),
  answer: Schema.Struct({})
})

const ToyAdmin = Verb.make("toy.admin", {
  ...read,
  access: "admin",
  payload: Schema.Struct(scopeFields),
  answer: Schema.Struct({})
})

const ToyFail = Verb.make("toy.fail", {
  ...read,
  payload: Schema.Struct({
    how: Schema.Literal("refused", "unavailable", "overloaded", "corrupt", "bug", "answer", "interrupt")
  }),
  answer: Schema.Struct({ count: Schema.Number })
})

/** Waits until the test lets it go. */
const ToySlow = Verb.make("toy.slow", { ...read, payload: Schema.Struct(scopeFields), answer: Schema.Struct({}) })

export const SECRET = "the-inner-words-of-the-server"

const failures: Record<typeof ToyFail.payload.Type["how"], Effect.Effect<{ readonly count: number }, LoomError>> = {
  refused: Effect.fail(refuse("LOCKED", "The memory is locked", { reason: "audit" })),
  unavailable: Effect.fail(new Unavailable({ operation: "store" })),
  overloaded: Effect.fail(new Overloaded({ retry_after_s: 1.2 })),
  corrupt: Effect.fail(new Corrupt({ operation: "store" })),
  bug: Effect.die(new Error(SECRET)),
  // Has no form in JSON Schema's numbers, so the answer does not encode.
  answer: Effect.sync(() => ({
    get count(): number {
      throw new Error(SECRET)
    }
  })),
  interrupt: Effect.interrupt
}

export class SlowGate {
  entered = () => {}
  release = () => {}
  readonly started: Promise<void> = new Promise((resolve) => {
    this.entered = resolve
  })
  readonly released: Promise<void> = new Promise((resolve) => {
    this.release = resolve
  })
}

const toys = (gate: SlowGate) => [
  Verb.bind(ToyEcho, (got) => Effect.succeed({ got })),
  Verb.bind(ToyWho, (request, caller) =>
    Effect.map(resolveScope(caller, request), (scope) => ({
      actor: caller.actor,
      ...scope,
      reads: readableUser(caller, request.user_id).none ? "none" : readableUser(caller, request.user_id).user
    }))),
  Verb.bind(
    ToyWrite,
    (request, caller) =>
      Effect.flatMap(
        resolveScope(caller, request),
        () =>
          Effect.map(resolveUser(caller, request.user_id), (user) => ({ key: request.idempotency_key ?? null, user }))
      )
  ),
  Verb.bind(ToyKeyless, () => Effect.succeed({})),
  Verb.bind(ToyAdmin, () => Effect.succeed({})),
  Verb.bind(ToyFail, ({ how }) => failures[how]),
  Verb.bind(ToySlow, () =>
    Effect.promise(() => {
      gate.entered()
      return gate.released
    }).pipe(Effect.as({})))
]

const access = (root: Layer.Layer<RootToken.RootToken, RootToken.RootTokenUnreadable>) =>
  Layer.mergeAll(root, TokenCache.layer, Cursors.layerMemory).pipe(Layer.provideMerge(TokenStore.layerMemory))

export const readyLayer = (ready: boolean) =>
  Layer.succeed(Readiness, { check: Effect.succeed({ ready, checks: [{ name: "store", ready }] }) })

export const options: HttpOptions = { host: "127.0.0.1", port: 0, version: "0.0.0-test" }

const dispatch = (gate: SlowGate) =>
  Layer.effect(Dispatch, Effect.map(TokenHandlers.make, (tokens) => make([...toys(gate), ...tokens])))

/** Every request is the local admin's. */
export const layerSingleUser = (
  gate = new SlowGate(),
  ready = true,
  more: Partial<HttpOptions> = {},
  routes: Layer.Layer<never, never, HttpLayerRouter.HttpRouter> = Layer.empty
) =>
  layerHttp({ ...options, ...more }, routes).pipe(
    Layer.provide([dispatch(gate), Authenticator.layerSingleUser, readyLayer(ready)]),
    Layer.provide(access(RootToken.layerNone))
  )

/** Requests need tokens; the root token is in the file `root`. */
export const layerTeam = (
  root: string,
  routes: Layer.Layer<never, never, HttpLayerRouter.HttpRouter | Authenticator.Authenticator> = Layer.empty
) =>
  layerHttp(options, routes).pipe(
    Layer.provide([dispatch(new SlowGate()), Authenticator.layerTeam, readyLayer(true)]),
    Layer.provideMerge(access(RootToken.layerFile(root)))
  )

/** The port of the server. */
export const port = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => address._tag === "TcpAddress" ? address.port : 0
)

export interface Reply {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly text: string
  readonly json: unknown
}

const parseReply = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One request by `fetch`. */
export const send = (method: string, path: string, init: RequestInit = {}) =>
  Effect.flatMap(port, (port) =>
    Effect.promise(async (): Promise<Reply> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: "manual", ...init })
      const text = await response.text()
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text,
        json: parseReply(text)
      }
    }))

export const post = (verb: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  send("POST", `/v1/${verb}`, { body, headers })

export const call = (verb: string, body: unknown, headers: Record<string, string> = {}) =>
  post(verb, JSON.stringify(body), headers)

/** The code of an error answer, after a look at its whole shape. */
export const codeOf = (reply: Reply): string => {
  const shape = Schema.Struct({
    detail: Schema.Struct(
      {
        code: Schema.String,
        message: Schema.String,
        category: Schema.String,
        retryable: Schema.Boolean
      },
      { key: Schema.String, value: Schema.Unknown }
    )
  })
  return Schema.decodeUnknownSync(shape, { onExcessProperty: "error" })(reply.json).detail.code
}

/** Sends bytes over one connection and gives back all that came until the server, or `until`, ends it. */
export const raw = (chunks: ReadonlyArray<string | Uint8Array>, until: (text: string) => boolean = () => false) =>
  Effect.flatMap(port, (port) =>
    Effect.async<string>((resume) => {
      const socket = connect(port, "127.0.0.1")
      let text = ""
      socket.on("data", (data) => {
        text += data.toString("latin1")
        if (until(text)) socket.destroy()
      })
      socket.on("error", () => {})
      socket.on("close", () => resume(Effect.succeed(text)))
      for (const chunk of chunks) socket.write(chunk)
      return Effect.sync(() => socket.destroy())
    }))

/** Sends the beginning of a request and goes away; gives back what came all the same. */
export const breakOff = (beginning: string) =>
  Effect.flatMap(port, (port) =>
    Effect.async<string>((resume) => {
      let text = ""
      const socket = connect(port, "127.0.0.1", () => socket.write(beginning, () => socket.destroy()))
      socket.on("data", (data) => {
        text += data.toString("latin1")
      })
      socket.on("close", () => resume(Effect.succeed(text)))
    }))
