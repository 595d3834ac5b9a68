/**
 * The server that a command calls, over HTTP: its address and token from the options or the configuration. A failed call
 * becomes the command's failure, in the server's words.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { CallFailure } from "../../src/client/LoomApiError.ts"
import * as Calls from "../../src/client/LoomCalls.ts"
import type { LoomCalls } from "../../src/client/LoomCalls.ts"
import * as LoomHttp from "../../src/client/LoomHttp.ts"
import type { LoomIdentity } from "../../src/client/LoomIdentity.ts"
import * as RetryPolicy from "../../src/client/RetryPolicy.ts"
import type { RetryOptions } from "../../src/client/RetryPolicy.ts"
import type { CliFailure } from "./CliFailure.ts"
import { callFailed } from "./CliFailure.ts"
import * as CliSettings from "./CliSettings.ts"
import { startFailure } from "./StartFailure.ts"

export interface Remote {
  readonly baseUrl: string
  /** What to say when the server does not take the token that is sent. */
  readonly token: string
  /** The scope that the configuration names. */
  readonly scope: Pick<LoomIdentity, "org" | "namespace">
  readonly calls: LoomCalls
  readonly get: (path: string) => Effect.Effect<unknown, CallFailure>
}

export interface RemoteOptions {
  readonly baseUrl?: string | undefined
  readonly apiKey?: Redacted.Redacted | undefined
  /** What to say when the server takes no such token; by default that of LOOM_API_KEY is meant. */
  readonly tokenWords?: string
  /** Changes to the client's retry rule. */
  readonly retry?: Partial<RetryOptions>
}

/** The server of the configuration; options win. */
export const make = (options: RemoteOptions = {}): Effect.Effect<Remote, CliFailure, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const settings = yield* Effect.mapError(CliSettings.client, (error) => startFailure(error))
    const baseUrl = options.baseUrl ?? settings.baseUrl ?? CliSettings.LOCAL_SERVER
    const apiKey = options.apiKey ?? settings.apiKey
    const http = LoomHttp.make(yield* HttpClient.HttpClient, {
      baseUrl,
      apiKey: apiKey === undefined ? undefined : Redacted.value(apiKey),
      retry: { ...RetryPolicy.defaults, ...options.retry }
    })
    return {
      baseUrl,
      token: options.tokenWords ?? (apiKey === undefined
        ? `the server at ${baseUrl} needs a token and none was sent: put one into LOOM_API_KEY (\`loom mint-token\` makes one)`
        : `the server at ${baseUrl} does not take the token in LOOM_API_KEY: it is wrong, revoked or expired, or of another server`),
      scope: { org: settings.org, namespace: settings.namespace },
      calls: Calls.make(http),
      get: http.get
    }
  })

/** A call whose failure ends the command. */
export const orFail = <A>(remote: Remote, call: Effect.Effect<A, CallFailure>): Effect.Effect<A, CliFailure> =>
  Effect.mapError(call, (failure) => callFailed(failure, remote.baseUrl, remote.token))
