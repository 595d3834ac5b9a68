import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { connect } from "node:net"
import * as HttpListener from "../../services/gateway/HttpListener.ts"
import { layerSingleUser, SlowGate } from "./HttpToys.ts"

/** A web socket that stays open until one side ends it. */
const socketRoute = HttpLayerRouter.add(
  "GET",
  "/socket",
  Effect.flatMap(
    Effect.orDie(HttpServerRequest.upgrade),
    (socket) => Effect.ignore(socket.runRaw(() => Effect.void)).pipe(Effect.as(HttpServerResponse.empty()))
  )
)

/** A server in a scope of its own, which the test closes. */
const start = (gate: SlowGate, drainTime: number, routes: typeof socketRoute = Layer.empty) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layerSingleUser(gate, true, { drainTime }, routes), scope)
    const { address } = Context.get(context, HttpServer.HttpServer)
    return { scope, port: address._tag === "TcpAddress" ? address.port : 0 }
  })

const request = (verb: string) => `POST /v1/${verb} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`

/** A connection that sends `text`; `closed` gives all that was answered. */
const open = (port: number, text: string) => {
  const socket = connect(port, "127.0.0.1", () => socket.write(text))
  let answer = ""
  let answered = () => {}
  const first = new Promise<void>((resolve) => {
    answered = resolve
  })
  socket.on("data", (data) => {
    answer += data.toString("latin1")
    answered()
  })
  socket.on("error", () => {})
  const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(answer)))
  return { first: Effect.promise(() => first), closed: Effect.promise(() => closed), socket }
}

const refusesConnections = (port: number) =>
  Effect.async<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.on("error", () => resume(Effect.succeed(true)))
  })

const MINUTE = 60_000

// Live, since sockets do not wait for a test clock; no test waits for time to pass.
describe("the end of a server", () => {
  it.live("lets a running request finish, accepts no other, and closes idle connections", () =>
    Effect.gen(function*() {
      const gate = new SlowGate()
      const { port, scope } = yield* start(gate, MINUTE)
      const idle = open(port, request("toy.echo"))
      yield* idle.first
      const busy = open(port, request("toy.slow"))
      yield* Effect.promise(() => gate.started)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      assert.match(yield* idle.closed, /^HTTP\/1\.1 200 /)
      assert.isTrue(yield* refusesConnections(port))
      gate.release()
      const answer = yield* busy.closed
      assert.match(answer, /^HTTP\/1\.1 200 /)
      assert.match(answer, /connection: close/i)
      yield* Fiber.join(closing)
    }))

  it.live("waits no longer than the drain time", () =>
    Effect.gen(function*() {
      const gate = new SlowGate()
      const { port, scope } = yield* start(gate, 50)
      const busy = open(port, request("toy.slow"))
      yield* Effect.promise(() => gate.started)
      const half = open(port, "POST /v1/toy.echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* busy.closed, "")
      yield* half.closed
      gate.release()
    }))

  it.live("does not wait for a web socket whose peer is gone silent", () =>
    Effect.gen(function*() {
      const { port, scope } = yield* start(new SlowGate(), MINUTE, socketRoute)
      const socket = open(
        port,
        "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
          "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
      )
      yield* socket.first
      yield* Scope.close(scope, Exit.void)
      assert.match(yield* socket.closed, /^HTTP\/1\.1 101 /)
    }))

  it.live("says that a port is taken", () =>
    Effect.gen(function*() {
      const { port, scope } = yield* start(new SlowGate(), 50)
      const second = yield* Effect.exit(Effect.scoped(Layer.build(layerSingleUser(undefined, true, { port }))))
      assert.include(String(second), "ServeError")
      yield* Scope.close(scope, Exit.void)
    }))
})

describe("a socket without an application", () => {
  it.scopedLive("tells a request to come again", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(HttpListener.layer({ host: "127.0.0.1", port: 0 }))
      const { address } = Context.get(context, HttpServer.HttpServer)
      const upgrade = "GET /rpc HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"
      for (const text of [request("toy.echo"), upgrade]) {
        const answer = yield* open(address._tag === "TcpAddress" ? address.port : 0, text).closed
        assert.match(answer, /^HTTP\/1\.1 503 /)
        assert.match(answer, /x-request-id: req_/i)
        assert.include(answer, "\"code\":\"UNAVAILABLE\"")
      }
    }))
})
