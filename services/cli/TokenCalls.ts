/**
 * Who carries out a token verb for the operator: with LOOM_API_KEY the server it is for; else the running server of the
 * data folder, with the folder's root token; else the server of LOOM_BASE_URL; else this process, which opens the store
 * itself. The root token goes to the folder's own server alone, never to an address from the environment.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { join, resolve } from "node:path"
import * as RootToken from "../../src/access/RootToken.ts"
import type { CliFailure } from "./CliFailure.ts"
import * as CliSettings from "./CliSettings.ts"
import * as Logging from "./Logging.ts"
import * as Remote from "./Remote.ts"
import * as ServerFile from "./ServerFile.ts"
import { startFailure } from "./StartFailure.ts"
import type { TokenCall } from "./TokenFolder.ts"

const config = Config.all({ data: CliSettings.data, client: CliSettings.client, logging: Logging.config })

const remoteCall = (options: Remote.RemoteOptions): Effect.Effect<TokenCall, CliFailure, HttpClient.HttpClient> =>
  Effect.map(
    Remote.make(options),
    (remote): TokenCall => (tag, request) => Remote.orFail(remote, remote.calls.raw({}, tag, request))
  )

/** The one who carries out token verbs here; a store that was opened for it closes with the scope. */
export const make: Effect.Effect<TokenCall, CliFailure, HttpClient.HttpClient | Scope.Scope> = Effect.gen(function*() {
  const settings = yield* Effect.mapError(config, (error) => startFailure(error))
  const { apiKey, baseUrl } = settings.client
  const folder = resolve(settings.data)
  const server = Option.getOrUndefined(yield* ServerFile.read(folder))?.url
  if (apiKey !== undefined) return yield* remoteCall({ baseUrl: baseUrl ?? server })
  if (server !== undefined && (baseUrl === undefined || baseUrl === server)) {
    const root = yield* Effect.mapError(RootToken.read(join(folder, "root.token")), (error) => startFailure(error))
    const tokenWords =
      `the server at ${server} does not take the root token in ${join(folder, "root.token")}: LOOM_DATA ` +
      "names another folder than the one it was started with, or the file was replaced since"
    return yield* remoteCall({ baseUrl: server, apiKey: Redacted.make(root), tokenWords })
  }
  if (baseUrl !== undefined) {
    const tokenWords =
      `no token was sent: LOOM_API_KEY is not set, and the data folder ${folder} is not the one that ` +
      `${baseUrl} serves; set LOOM_DATA to the server's folder, or LOOM_API_KEY to an admin's token`
    return yield* remoteCall({ baseUrl, tokenWords })
  }
  const TokenFolder = yield* Effect.promise(() => import("./TokenFolder.ts"))
  return yield* Effect.provide(TokenFolder.open, Logging.layer(settings.logging))
})
