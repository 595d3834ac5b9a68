/**
 * The token verbs on the configured store itself, for the operator while no server runs. An embedded store is brought to
 * the schema of this build first; a shared server is not changed on the way, it must have it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import { rootCaller } from "../../src/access/RootToken.ts"
import * as TokenCache from "../../src/access/TokenCache.ts"
import * as TokenHandlers from "../../src/access/TokenHandlers.ts"
import * as TokenStoreClickhouse from "../../src/access/TokenStoreClickhouse.ts"
import { localFailure } from "../../src/client/LoomApiError.ts"
import { toWire } from "../../src/kernel/LoomError.ts"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"
import * as CursorKeysClickhouse from "../../src/platform/CursorKeysClickhouse.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import { make as makeDispatch } from "../gateway/Dispatch.ts"
import type { CliFailure } from "./CliFailure.ts"
import { callFailed } from "./CliFailure.ts"
import * as CliSettings from "./CliSettings.ts"
import * as FolderOwner from "./FolderOwner.ts"
import { startFailure } from "./StartFailure.ts"

/** Calls a token verb with a request; answers JSON. */
export type TokenCall = (tag: string, request: object) => Effect.Effect<unknown, CliFailure>

const layerSchema = Layer.effectDiscard(Effect.gen(function*() {
  const url = yield* CliSettings.clickhouseUrl
  const migrations = yield* ClickhouseMigrations.load()
  yield* Option.isSome(url) ? ClickhouseMigrator.requireCurrent(migrations) : ClickhouseMigrator.run(migrations)
}))

const layerTokens = TokenCache.layer.pipe(
  Layer.provideMerge(Layer.merge(TokenStoreClickhouse.layer, Layer.provide(Cursors.layer, CursorKeysClickhouse.layer))),
  Layer.provideMerge(layerSchema),
  Layer.provide(Clickhouse.layerConfig)
)

/** Opens the store until the scope ends. */
export const open = Effect.gen(function*() {
  const data = yield* CliSettings.data
  if (Option.isNone(yield* CliSettings.clickhouseUrl)) yield* FolderOwner.refuseIfServed(resolve(data))
  const context = yield* Layer.build(layerTokens)
  const verbs = makeDispatch(yield* Effect.provide(TokenHandlers.make, context))
  const call: TokenCall = (tag, request) =>
    Effect.mapError(
      verbs.call(tag, request, rootCaller),
      (error) => callFailed(localFailure(error, toWire(error).status), "")
    )
  return call
}).pipe(Effect.mapError((error) => startFailure(error)))
