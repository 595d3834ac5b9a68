/**
 * The socket that HTTP is served on, and its end: it stops accepting, lets requests finish, then cuts what is left. Plain
 * driver code around `node:http`. While no application is attached (before the routes are built and after they are gone)
 * a request is told to come again instead of waiting for ever.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import type { ServeError } from "@effect/platform/HttpServerError"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { createServer, STATUS_CODES } from "node:http"
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { toWire, Unavailable } from "../../src/kernel/LoomError.ts"
import type { WireError } from "../../src/kernel/LoomError.ts"
import { edgeError } from "./HttpError.ts"

export interface ListenOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** How long requests may still run when the server goes; 10 seconds by default. */
  readonly drainTime?: Duration.DurationInput
}

export class HttpListener extends Context.Tag("loom/services/gateway/HttpListener")<HttpListener, {
  readonly isDraining: () => boolean
  /** Stops accepting and waits for running requests, as long as the drain time allows. */
  readonly drain: Effect.Effect<void>
  /** Cuts every connection that does not end by itself within a second. */
  readonly cut: Effect.Effect<void>
}>() {}

// Longer than the idle time of common proxies and clients (60 s), so that it is they who close an idle connection and no
// request is sent into a closing one.
const KEEP_ALIVE_MILLIS = 65_000
// A whole request, a 4 MiB body over a slow line included.
const REQUEST_MILLIS = 60_000
// A web socket's peer answers the close frame within a round trip.
const CLOSE_TIME = "1 second"

// No application has seen the request, so its id is made here; every answer carries one.
const newRequestId = (): string => `req_${randomUUID()}`

const rawAnswer = ({ body, status }: WireError): string => {
  const text = JSON.stringify(body)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\ncontent-type: application/json\r\n` +
    `x-request-id: ${newRequestId()}\r\n` +
    `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`
}

const unreadable = (code: string | undefined): WireError =>
  code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? edgeError("REQUEST_TIMEOUT", "The request did not come in time")
    : code === "HPE_HEADER_OVERFLOW"
    ? edgeError("HEADERS_TOO_LARGE", "The headers are too large")
    : edgeError("BAD_REQUEST", "The request is not well-formed HTTP")

// The two of this module that wait for `upgrade`: the one below and the one that tracks connections.
const listenersOfOurs = 2

const makeServer = (): Server => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLIS, requestTimeout: REQUEST_MILLIS })
  server.on("request", (_, response) => {
    if (server.listenerCount("request") > 1) return
    const { body, status } = toWire(new Unavailable({ operation: "The server" }))
    const headers = { "content-type": "application/json", "x-request-id": newRequestId(), connection: "close" }
    response.writeHead(status, headers)
    response.end(JSON.stringify(body))
  })
  server.on("upgrade", (_, socket) => {
    if (server.listenerCount("upgrade") > listenersOfOurs) return
    socket.end(rawAnswer(toWire(new Unavailable({ operation: "The server" }))))
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy()
    socket.end(rawAnswer(unreadable(error.code)))
  })
  return server
}

/** The open connections, and a wait for the end of those that speak HTTP. */
const trackSockets = (server: Server) => {
  const all = new Set<Socket>()
  const http = new Set<Duplex>()
  let ended = () => {}
  const leave = (socket: Duplex) => {
    http.delete(socket)
    if (http.size === 0) ended()
  }
  server.on("connection", (socket: Socket) => {
    all.add(socket)
    http.add(socket)
    socket.once("close", () => {
      all.delete(socket)
      leave(socket)
    })
  })
  server.on("upgrade", (_, socket) => leave(socket))
  return {
    all,
    allClosed: Effect.async<void>((resume) => {
      if (all.size === 0) return resume(Effect.void)
      for (const socket of all) socket.once("close", () => all.size === 0 && resume(Effect.void))
    }),
    httpEnded: Effect.async<void>((resume) => {
      ended = () => resume(Effect.void)
      if (http.size === 0) ended()
    })
  }
}

// A finalizer runs uninterruptibly, and what cannot be interrupted cannot run out of time.
const within = (time: Duration.DurationInput) => (wait: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(Effect.interruptible(wait), time))

const make = ({ drainTime = "10 seconds", host, port }: ListenOptions) =>
  Effect.gen(function*() {
    const server = makeServer()
    const sockets = trackSockets(server)
    let draining = false
    const http = yield* NodeHttpServer.make(() => server, { host, port })
    const cut = Effect.zipRight(
      within(CLOSE_TIME)(sockets.allClosed),
      Effect.sync(() => sockets.all.forEach((socket) => socket.destroy()))
    )
    const drain = Effect.sync(() => {
      draining = true
      server.close()
      // Idle connections close with it; one that is busy closes after its answer, which says so.
    }).pipe(
      Effect.zipRight(within(drainTime)(sockets.httpEnded)),
      Effect.withSpan("HttpListener.drain")
    )
    return Context.make(HttpServer.HttpServer, http).pipe(
      Context.add(HttpListener, { isDraining: () => draining, drain, cut })
    )
  })

// A layer of its own, since the server's own end (its web sockets' too) waits for connections and must come after.
const cutBeforeClose = Layer.scopedDiscard(
  Effect.flatMap(HttpListener, ({ cut }) => Effect.addFinalizer(() => cut))
)

/** The socket; an application attached to it is detached first, then what still hangs on is cut. */
export const layer = (options: ListenOptions): Layer.Layer<HttpServer.HttpServer | HttpListener, ServeError> =>
  Layer.provideMerge(cutBeforeClose, Layer.scopedContext(make(options)))
