/**
 * From an `Authorization` header to the caller. Every edge asks here and nowhere else. An unknown, wrong, revoked or
 * expired token meets the same refusal in the same words, so that nothing can be learnt by trying.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Caller } from "../kernel/Caller.ts"
import { localCaller } from "../kernel/Caller.ts"
import type { Refusal, StoreError } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import { rootCaller, RootToken } from "./RootToken.ts"
import { TokenCache } from "./TokenCache.ts"
import { callerOf, isLive, parseToken, secretMatches } from "./TokenModel.ts"

export class Authenticator extends Context.Tag("loom/access/Authenticator")<Authenticator, {
  /** True in single-user mode: whoever reaches the server is let in, so an edge may listen on loopback alone. */
  readonly open: boolean
  /** The caller of a request with this `Authorization` header; `UNAUTHENTICATED` when it names no live token. */
  readonly authenticate: (authorization: string | undefined) => Effect.Effect<Caller, Refusal | StoreError>
}>() {}

const unauthenticated = Effect.suspend(() =>
  Effect.fail(refuse("UNAUTHENTICATED", "The request carries no token that is live"))
)

/** The token of `Bearer <token>`, whatever the case of the scheme. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : /^bearer +([^\s]+)\s*$/i.exec(authorization)?.[1]

/** The caller that a token names: the root token's, or that of a token in store that is live. */
const callerBy = (root: typeof RootToken.Service, cache: typeof TokenCache.Service) =>
  Effect.fn("Authenticator.authenticate")(function*(text: string) {
    if (root.matches(text)) return rootCaller
    const presented = parseToken(text)
    if (presented === undefined) return yield* unauthenticated
    const token = yield* cache.find(presented.id)
    const now = yield* Clock.currentTimeMillis
    return Option.isSome(token) && secretMatches(token.value, presented.secret) && isLive(token.value, now)
      ? callerOf(token.value)
      : yield* unauthenticated
  })

/**
 * Whoever brings no token is the local admin of org `dev`. A token of ours binds here too, and one that is not live is
 * refused: who presents a bound token means to be held to it. What never was one (a placeholder that a client insists on
 * sending) says nothing.
 */
export const layerSingleUser: Layer.Layer<Authenticator, never, RootToken | TokenCache> = Layer.effect(
  Authenticator,
  Effect.map(Effect.all([RootToken, TokenCache]), ([root, cache]) => {
    const named = callerBy(root, cache)
    return {
      open: true,
      authenticate: (authorization: string | undefined): Effect.Effect<Caller, Refusal | StoreError> => {
        const text = bearerOf(authorization)
        return text !== undefined && (/^loom_/i.test(text) || root.matches(text))
          ? named(text)
          : Effect.succeed(localCaller)
      }
    }
  })
)

/** Callers are who their token says. */
export const layerTeam: Layer.Layer<Authenticator, never, RootToken | TokenCache> = Layer.effect(
  Authenticator,
  Effect.gen(function*() {
    const named = callerBy(yield* RootToken, yield* TokenCache)
    const authenticate = (authorization: string | undefined): Effect.Effect<Caller, Refusal | StoreError> => {
      const text = bearerOf(authorization)
      return text === undefined ? unauthenticated : named(text)
    }
    return { open: false, authenticate }
  })
)
