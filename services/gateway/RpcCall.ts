/**
 * How the RPC and MCP edges run a verb: find the caller of the headers, hand the raw payload to `Dispatch`, and turn a
 * bug into `INTERNAL` with its cause in the log alone.
 */
import type * as Headers from "@effect/platform/Headers"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { Authenticator } from "../../src/access/Authenticator.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { Corrupt } from "../../src/kernel/LoomError.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { Dispatch } from "./Dispatch.ts"

export interface RpcCall {
  readonly verbs: ReadonlyArray<VerbFacts>
  /** The caller that the headers of a request prove. */
  readonly caller: (headers: Headers.Headers) => Effect.Effect<Caller, LoomError>
  /** Runs a verb on a raw payload; answers encoded JSON. */
  readonly run: (tag: string, payload: unknown, caller: Caller) => Effect.Effect<unknown, LoomError>
}

export const make: Effect.Effect<RpcCall, never, Authenticator | Dispatch> = Effect.gen(function*() {
  const { authenticate } = yield* Authenticator
  const dispatch = yield* Dispatch
  return {
    verbs: dispatch.verbs,
    caller: (headers) => authenticate(headers["authorization"]),
    run: (tag, payload, caller) => defectsToCorrupt(tag, dispatch.call(tag, payload, caller))
  }
})

const defectsToCorrupt = <A>(operation: string, effect: Effect.Effect<A, LoomError>): Effect.Effect<A, LoomError> =>
  Effect.catchAllCause(effect, (cause) =>
    Cause.isInterrupted(cause) || !Cause.isDie(cause)
      ? Effect.failCause(cause)
      : Effect.logError("A verb met a bug", cause).pipe(
        Effect.annotateLogs({ verb: operation }),
        Effect.zipRight(Effect.fail(new Corrupt({ operation })))
      ))
