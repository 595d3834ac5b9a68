/**
 * The public RPC edge over real sockets: typed calls, the same refusals as HTTP whatever the payload, callers by token,
 * and a server that outlives garbage.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Socket from "@effect/platform/Socket"
import * as Rpc from "@effect/rpc/Rpc"
import * as RpcClient from "@effect/rpc/RpcClient"
import * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import { assert, describe, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { get } from "node:http"
import * as LoomRpcClient from "../../src/client/LoomRpcClient.ts"
import { LoomError, toWire } from "../../src/kernel/LoomError.ts"
import { address, layerServer, layerSingleUser, layerTeam } from "./RpcToys.ts"

const raw = (tag: string) => Rpc.make(tag, { payload: Schema.Unknown, success: Schema.Unknown, error: LoomError })
const rawGroup = RpcGroup.make(
  raw("memory.set"),
  raw("memory.get"),
  raw("toy.who"),
  raw("toy.fail"),
  raw("toy.admin"),
  raw("memory.not_here")
)

type Transport = "websocket" | "http"

const protocol = (transport: Transport, at: string, token: string | undefined) =>
  transport === "websocket"
    ? LoomRpcClient.layerProtocol({ url: `ws://${at}/rpc`, apiKey: token })
    : RpcClient.layerProtocolHttp({ url: `http://${at}/rpc/http` }).pipe(
      Layer.provide([FetchHttpClient.layer, RpcSerialization.layerNdjson])
    )

/** Calls a verb with any payload and gives its answer, or the `detail` of its error. */
const call = (transport: Transport, tag: string, payload: unknown, token = "member") =>
  Effect.gen(function*() {
    const at = yield* address
    return yield* Effect.gen(function*() {
      const client = yield* RpcClient.make(rawGroup, { flatten: true })
      const either = yield* Effect.either(client(tag, payload, { headers: { authorization: `Bearer ${token}` } }))
      return Either.match(either, {
        onLeft: (error) => error._tag === "RpcClientError" ? { code: "RPC" } : toWire(error).body.detail,
        onRight: (answer) => answer
      })
    }).pipe(Effect.provide(protocol(transport, at, undefined)))
  }).pipe(Effect.scoped)

layer(layerServer(layerTeam))("in team mode", (it) => {
  describe.each(["websocket", "http"] as const)("over %s", (transport) => {
    it.effect("a sound call is answered", () =>
      Effect.gen(function*() {
        const answer = yield* call(transport, "memory.set", { memory_key: "a/b/c", value: { n: 1 } })
        assert.propertyVal(answer, "memory_key", "a/b/c")
        assert.propertyVal(answer, "namespace", "eng")
        assert.deepInclude(yield* call(transport, "memory.get", { memory_key: "a/b/c" }), {
          found: true,
          value: { n: 1 }
        })
      }))

    it.effect("bad payloads are the refusals of HTTP, unknown fields by name", () =>
      Effect.gen(function*() {
        const refused = yield* Effect.forEach(
          [
            [{ memory_key: "a/b/c", value: 1, colour: "red" }, "UNKNOWN_FIELD", "colour"],
            [{ memory_key: 7, value: 1 }, "INVALID_ARGUMENT", "memory_key"],
            [{ value: 1 }, "INVALID_ARGUMENT", "memory_key"],
            [null, "INVALID_ARGUMENT", "(body)"],
            ["text", "INVALID_ARGUMENT", "(body)"],
            [[1, 2], "INVALID_ARGUMENT", "(body)"],
            [{ memory_key: "a/b/c", value: 1, "x'; DROP TABLE memory": 1 }, "UNKNOWN_FIELD", "x'; DROP TABLE memory"]
          ] as const,
          ([payload, code, field]) =>
            Effect.map(call(transport, "memory.set", payload), (detail) => [detail, code, field] as const)
        )
        for (const [detail, code, field] of refused) assert.deepInclude(detail, { code, field })
      }))

    it.effect("JSON that a double or UTF-8 cannot hold is refused to its own caller", () =>
      Effect.gen(function*() {
        const deep = JSON.parse("[".repeat(200) + "]".repeat(200))
        for (const value of ["\ud800", deep]) {
          assert.deepInclude(yield* call(transport, "toy.who", { note: value }), {
            code: "INVALID_ARGUMENT"
          })
        }
      }))

    it.effect("errors of every kind arrive typed, a bug without its words", () =>
      Effect.gen(function*() {
        const kinds = [
          ["refused", "LOCKED"],
          ["unavailable", "UNAVAILABLE"],
          ["overloaded", "OVERLOADED"],
          ["corrupt", "INTERNAL"],
          ["bug", "INTERNAL"]
        ] as const
        for (const [how, code] of kinds) {
          const detail = yield* call(transport, "toy.fail", { how })
          assert.deepInclude(detail, { code })
          assert.notInclude(JSON.stringify(detail), "secret")
        }
      }))

    it.effect("a verb the server lacks is UNKNOWN_VERB", () =>
      Effect.gen(function*() {
        assert.deepInclude(yield* call(transport, "memory.not_here", {}), { code: "UNKNOWN_VERB" })
      }))

    it.effect("the token says who calls and what it may", () =>
      Effect.gen(function*() {
        assert.deepInclude(yield* call(transport, "toy.who", {}), { actor: "process:member", namespace: "eng" })
        assert.deepInclude(yield* call(transport, "toy.who", { namespace: "ops" }, "reader"), { actor: "human:reader" })
        assert.deepInclude(yield* call(transport, "toy.who", { namespace: "other" }), { code: "FORBIDDEN" })
        assert.deepInclude(yield* call(transport, "memory.set", { memory_key: "a/b", value: 1 }, "reader"), {
          code: "FORBIDDEN"
        })
        assert.deepInclude(yield* call(transport, "toy.admin", {}), { code: "FORBIDDEN" })
        assert.deepInclude(yield* call(transport, "toy.who", {}, "nobody"), { code: "UNAUTHENTICATED" })
      }))
  })

  it.effect("the typed client speaks it, token and all", () =>
    Effect.gen(function*() {
      const at = yield* address
      yield* Effect.gen(function*() {
        const client = yield* LoomRpcClient.LoomRpcClient
        const answers = yield* Effect.forEach(
          Array.from({ length: 64 }, (_, index) => index),
          (index) => client("memory.set", { memory_key: `many/keys/${index}`, value: index }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          answers.map((answer) => answer.memory_key),
          answers.map((_, index) => `many/keys/${index}`)
        )
        const refused = yield* Effect.flip(client("namespace.list", {}))
        assert.deepInclude(refused, { _tag: "Refusal", code: "UNKNOWN_VERB" })
      }).pipe(Effect.provide(LoomRpcClient.layer({ url: `ws://${at}/rpc`, apiKey: "member" })))
    }))

  it.effect("frames that are no messages end at most their own connection", () =>
    Effect.gen(function*() {
      const at = yield* address
      for (const frame of garbage) {
        const overSocket = yield* sendFrame(at, frame)
        const overHttp = yield* Effect.promise(() => post(`http://${at}/rpc/http`, frame))
        assert.isBelow(overHttp.status, 500, frame.slice(0, 40))
        for (const text of [overSocket, overHttp.text]) assert.notMatch(text, /\.ts|\.js|node_modules|Expected/)
      }
      assert.deepInclude(yield* call("websocket", "toy.who", {}), { actor: "process:member" })
    }))

  it.effect("a body that holds no request is a 400 that says so, never an empty 200", () =>
    Effect.gen(function*() {
      const at = yield* address
      const send = (body: string) => Effect.promise(() => post(`http://${at}/rpc/http`, body))
      const ping = JSON.stringify({ _tag: "Ping" })
      for (const body of ["", "\n", "{", "{\n", "[]", "null", "\u0000", ping, `${JSON.stringify(request)}\n{`]) {
        const { status, text } = yield* send(body)
        assert.strictEqual(status, 400, body)
        assert.strictEqual(JSON.parse(text).detail.code, "BAD_JSON", body)
      }
      const sound = yield* send(JSON.stringify(request))
      assert.strictEqual(sound.status, 200)
      assert.include(sound.text, "process:member")
    }))

  it.effect("a body over 4 MiB is 413, a plain GET of the websocket 426", () =>
    Effect.gen(function*() {
      const at = yield* address
      const long = yield* Effect.promise(() => post(`http://${at}/rpc/http`, "x".repeat(10_000_000)))
      assert.strictEqual(long.status, 413)
      const plain = yield* Effect.promise(() => fetch(`http://${at}/rpc`))
      assert.strictEqual(plain.status, 426)
    }))
})

layer(layerServer(layerSingleUser))("in single-user mode", (it) => {
  it.effect("no token is needed", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* call("websocket", "toy.who", {}), { actor: "human:local", namespace: "local" })
    }))

  it.effect("a page of another site gets no websocket", () =>
    Effect.gen(function*() {
      const at = yield* address
      assert.strictEqual(yield* Effect.promise(() => upgrade(at, { origin: "http://evil.example" })), 403)
      assert.strictEqual(yield* Effect.promise(() => upgrade(at, { origin: "http://localhost:3000" })), 101)
    }))
})

const request = { _tag: "Request", id: "1", tag: "toy.who", payload: {}, headers: [] }

const garbage = [
  "null\n",
  "5\n",
  "[[[[\n",
  "{}\n",
  `${JSON.stringify({ ...request, id: "x" })}\n`,
  `${JSON.stringify({ ...request, id: undefined })}\n`,
  `${JSON.stringify({ ...request, headers: "no" })}\n`,
  `${JSON.stringify({ ...request, tag: "__proto__" })}\n`,
  `${JSON.stringify({ ...request, tag: "constructor" })}\n`,
  `${JSON.stringify({ _tag: "Interrupt" })}\n`,
  `${JSON.stringify({ _tag: "Ack", requestId: "99" })}\n`,
  `${JSON.stringify({ _tag: "Defect", defect: 1 })}\n`,
  `${JSON.stringify({ _tag: "Request", id: "1", tag: "toy.who" })}\n`,
  "\u0000\u0001\n",
  "x".repeat(5_000_000)
]

interface Posted {
  readonly status: number
  readonly text: string
}

const post = async (url: string, body: string): Promise<Posted> => {
  const response = await fetch(url, { method: "POST", body, headers: { authorization: "Bearer member" } })
  return { status: response.status, text: await response.text() }
}

/** Sends one frame over a fresh websocket and gives the first answer to it or to the ping after it, if one comes. */
const sendFrame = (at: string, frame: string) =>
  Effect.gen(function*() {
    const socket = yield* Socket.makeWebSocket(`ws://${at}/rpc`)
    const answered = yield* Deferred.make<string>()
    const write = yield* socket.writer
    const read = socket.runRaw(
      (data) => Deferred.succeed(answered, typeof data === "string" ? data : Buffer.from(data).toString()),
      {
        onOpen: Effect.ignore(Effect.zipRight(write(frame), write(`${JSON.stringify({ _tag: "Ping" })}\n`)))
      }
    )
    return yield* Effect.raceFirst(Deferred.await(answered), Effect.as(Effect.ignore(read), "closed"))
  }).pipe(Effect.scoped, Effect.provide(NodeSocket.layerWebSocketConstructor))

/** The status that an upgrade to a websocket is answered with. */
const upgrade = (at: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const attempt = get(`http://${at}/rpc`, {
      agent: false,
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        ...headers
      }
    })
    attempt.on("upgrade", (response, socket) => {
      socket.destroy()
      resolve(response.statusCode ?? 0)
    })
    attempt.on("response", (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    attempt.on("error", reject)
  })
