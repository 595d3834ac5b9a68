/**
 * A typed RPC client of a Loom server over one websocket: `client("memory.set", payload)`. It multiplexes any number of
 * calls and reconnects by itself; a call in flight when the socket breaks fails with `RpcClientError` and is not sent
 * again, so a write that must survive that carries an `idempotency_key`.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as RpcClient from "@effect/rpc/RpcClient"
import type { RpcClientError } from "@effect/rpc/RpcClientError"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LoomRpcs } from "./LoomRpcs.ts"

export interface Options {
  /** `ws://host:port/rpc` or `wss://…`. */
  readonly url: string
  /** The bearer token; left out in single-user mode. */
  readonly apiKey?: string | undefined
}

export class LoomRpcClient extends Context.Tag("loom/client/LoomRpcClient")<
  LoomRpcClient,
  RpcClient.RpcClient.Flat<RpcGroup.Rpcs<typeof LoomRpcs>, RpcClientError>
>() {}

/** Over any RPC protocol. */
export const layerClient: Layer.Layer<LoomRpcClient, never, RpcClient.Protocol> = Layer.scoped(
  LoomRpcClient,
  RpcClient.make(LoomRpcs, { flatten: true })
)

/** One websocket with ndjson frames (measured faster than msgpack for these payloads, and JSON alone). */
export const layerProtocol = (options: Options): Layer.Layer<RpcClient.Protocol> =>
  (options.apiKey === undefined ? layerSocket : withToken(options.apiKey).pipe(Layer.provide(layerSocket))).pipe(
    Layer.provide(NodeSocket.layerWebSocket(options.url))
  )

export const layer = (options: Options): Layer.Layer<LoomRpcClient> =>
  Layer.provide(layerClient, layerProtocol(options))

const layerSocket = RpcClient.layerProtocolSocket({ retryTransientErrors: true }).pipe(
  Layer.provide(RpcSerialization.layerNdjson)
)

// A websocket's upgrade cannot carry headers in every runtime, so the token rides in each call's own headers.
const withToken = (apiKey: string) =>
  Layer.effect(
    RpcClient.Protocol,
    Effect.map(RpcClient.Protocol, (protocol) =>
      RpcClient.Protocol.of({
        ...protocol,
        send: (request, transferables) =>
          protocol.send(
            request._tag === "Request"
              ? { ...request, headers: [...request.headers, ["authorization", `Bearer ${apiKey}`]] }
              : request,
            transferables
          )
      }))
  )
