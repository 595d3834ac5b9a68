/**
 * `loom engine`: the embedded engine alone, behind the ClickHouse HTTP interface on loopback, so that several processes of
 * one machine share a data folder. Whoever may read the folder's token file may use it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resolve } from "node:path"
import * as ClickhouseEmbedded from "../../src/platform/ClickhouseEmbedded.ts"
import type { EngineOpenError } from "../../src/platform/ClickhouseEmbedded.ts"
import * as ClickhouseEngineServer from "../../src/platform/ClickhouseEngineServer.ts"
import type { ListenFailed } from "../../src/platform/ClickhouseEngineServer.ts"
import * as ClickhouseEngineToken from "../../src/platform/ClickhouseEngineToken.ts"
import type { TokenUnreadable } from "../../src/platform/ClickhouseEngineToken.ts"

export interface EngineOptions {
  /** The engine's folder: `clickhouse` under LOOM_DATA. */
  readonly path: string
  /** 0 takes any free port. */
  readonly port: number
}

/** Where the token of the engine in this folder lies. */
export const tokenFile = (path: string): string => ClickhouseEngineToken.tokenFile(resolve(path))

/** Serves as long as the layer lives. */
export const layer = (
  { path, port }: EngineOptions
): Layer.Layer<ClickhouseEngineServer.ClickhouseEngineServer, EngineOpenError | ListenFailed | TokenUnreadable> =>
  Layer.unwrapEffect(
    Effect.map(
      ClickhouseEngineToken.readOrMake(resolve(path)),
      (token) =>
        ClickhouseEngineServer.layer({ port, token }).pipe(
          Layer.provide(ClickhouseEmbedded.layer({ path }))
        )
    )
  )
