/**
 * A small server for the tests of the edges: real sockets, a real authenticator port with two tokens, and a `Dispatch`
 * of the real memory.set and memory.get over a map, beside toy verbs that fail in every way.
 */
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Dispatch, make } from "../../services/gateway/Dispatch.ts"
import { Readiness } from "../../services/gateway/Health.ts"
import * as Http from "../../services/gateway/Http.ts"
import * as Mcp from "../../services/gateway/Mcp.ts"
import * as Rpc from "../../services/gateway/Rpc.ts"
import { Authenticator, bearerOf } from "../../src/access/Authenticator.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { localCaller, resolveScope } from "../../src/kernel/Caller.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { Corrupt, Overloaded, refuse, Unavailable } from "../../src/kernel/LoomError.ts"
import * as Verb from "../../src/kernel/Verb.ts"
import { MemoryGet, MemorySet } from "../../src/memory/MemoryVerbs.ts"

const teaching = { what: "A toy.", when: "In tests.", whenNot: "Elsewhere." }
const common = { access: "read", idempotent: true, writes: false, listed: false, teaching } as const

/** Says who called it, and what it got. */
export const ToyWho = Verb.make("toy.who", {
  ...common,
  payload: Schema.Struct({ note: Schema.optional(Schema.Unknown), namespace: Schema.optional(Schema.String) }),
  answer: Schema.Struct({ actor: Schema.String, namespace: Schema.String, note: Schema.Unknown })
})

export const ToyFail = Verb.make("toy.fail", {
  ...common,
  listed: true,
  destructive: true,
  writes: true,
  payload: Schema.Struct({ how: Schema.Literal("refused", "unavailable", "overloaded", "corrupt", "bug") }),
  answer: Schema.Struct({})
})

export const ToyAdmin = Verb.make("toy.admin", {
  ...common,
  access: "admin",
  payload: Schema.Struct({}),
  answer: Schema.Struct({})
})

const failures: Record<typeof ToyFail.payload.Type["how"], Effect.Effect<never, LoomError>> = {
  refused: Effect.fail(refuse("LOCKED", "The memory is locked", { reason: "audit" })),
  unavailable: Effect.fail(new Unavailable({ operation: "store" })),
  overloaded: Effect.fail(new Overloaded({ retry_after_s: 2 })),
  corrupt: Effect.fail(new Corrupt({ operation: "store" })),
  bug: Effect.die(new Error("secret internals"))
}

const bindings = Effect.sync(() => {
  const rows = new Map<string, typeof MemorySet.payload.Type>()
  return [
    Verb.bind(ToyWho, ({ note, namespace }, caller) =>
      Effect.map(resolveScope(caller, { namespace }), (scope) => ({
        actor: caller.actor,
        namespace: scope.namespace,
        note: note ?? null
      }))),
    Verb.bind(ToyFail, ({ how }) => failures[how]),
    Verb.bind(ToyAdmin, () => Effect.succeed({})),
    Verb.bind(MemorySet, (payload, caller) =>
      Effect.map(resolveScope(caller, payload), ({ namespace }) => {
        rows.set(`${namespace} ${payload.memory_key}`, payload)
        return {
          memory_id: "mem_1",
          memory_key: payload.memory_key,
          namespace,
          version: 1,
          version_text: "1",
          content_sha256: "0".repeat(64),
          status: "active",
          pinned: false,
          conflict_verdict: "clear" as const,
          peers: [],
          merged_into_key: null,
          duplicate_of: null,
          superseded_by: null,
          conflict_with: [],
          retired: [],
          reinforcement_count: 1,
          retyped_from: null,
          next: null,
          noop: false,
          dry_run: payload.dry_run ?? false,
          advisories: [],
          degraded: [],
          chunks_written: 0
        }
      })),
    Verb.bind(MemoryGet, (payload, caller) =>
      Effect.map(resolveScope(caller, payload), ({ namespace }) => {
        const row = rows.get(`${namespace} ${payload.memory_key}`)
        return row === undefined
          ? { found: false, degraded: [] }
          : { found: true, degraded: [], memory_key: row.memory_key, value: row.value }
      }))
  ]
})

export const layerDispatch = Layer.effect(Dispatch, Effect.map(bindings, make))

const member: Caller = {
  ...localCaller,
  actor: "process:member",
  org: "acme",
  role: "write",
  namespaces: ["eng"],
  defaultNamespace: "eng"
}
const reader: Caller = {
  ...member,
  actor: "human:reader",
  role: "read",
  namespaces: ["eng", "ops"],
  defaultNamespace: null
}

/** Two tokens: `member` writes namespace eng of acme, `reader` reads eng and ops. */
export const layerTeam = Layer.succeed(Authenticator, {
  open: false,
  authenticate: (authorization) => {
    const token = bearerOf(authorization)
    return token === "member"
      ? Effect.succeed(member)
      : token === "reader"
      ? Effect.succeed(reader)
      : Effect.fail(refuse("UNAUTHENTICATED", "The request carries no token that is live"))
  }
})

export const layerSingleUser = Layer.succeed(Authenticator, {
  open: true,
  authenticate: () => Effect.succeed(localCaller)
})

const layerReady = Layer.succeed(Readiness, { check: Effect.succeed({ ready: true, checks: [] }) })

const version = "0.0.0-test"

/** All edges on a free loopback port; `HttpServer` tells which. */
export const layerServer = (
  access: Layer.Layer<Authenticator>,
  dispatch: Layer.Layer<Dispatch> = layerDispatch
) =>
  Http.layerHttp(
    { host: "127.0.0.1", port: 0, version },
    Layer.merge(Rpc.layerRoutes, Mcp.layerRoutes(version))
  ).pipe(Layer.provide([dispatch, access, layerReady]))

/** `127.0.0.1:port` of the server. */
export const address = Effect.map(
  HttpServer.HttpServer,
  (server) => server.address._tag === "TcpAddress" ? `127.0.0.1:${server.address.port}` : ""
)
