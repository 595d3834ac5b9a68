/** A data folder of a test's own, removed afterwards, and the layers on it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseEmbedded from "../../src/platform/ClickhouseEmbedded.ts"
import * as ClickhouseEngineServer from "../../src/platform/ClickhouseEngineServer.ts"

export const tempFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "loom-clickhouse-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

// Refused statements are what many tests are about; their warnings would drown the report.
export const quiet = Logger.remove(Logger.defaultLogger)

/** The port on an embedded engine. */
export const layerTemp = (options: Clickhouse.ClickhouseOptions = {}) =>
  Layer.unwrapScoped(Effect.map(tempFolder, (path) => Clickhouse.layerEmbedded({ path, ...options }))).pipe(
    Layer.provideMerge(quiet)
  )

export const token = Redacted.make("a-token-of-the-tests")

/** An engine and its HTTP server. */
export const layerServer = (options: Partial<ClickhouseEngineServer.ServerOptions> = {}) =>
  ClickhouseEngineServer.layer({ port: 0, token, ...options }).pipe(
    Layer.provideMerge(Layer.unwrapScoped(Effect.map(tempFolder, (path) => ClickhouseEmbedded.layer({ path })))),
    Layer.provideMerge(quiet)
  )

/** The port over HTTP, on an embedded engine that this process serves. */
export const layerTempUrl = (options: Clickhouse.ClickhouseOptions = {}) =>
  Layer.unwrapEffect(
    Effect.map(ClickhouseEngineServer.ClickhouseEngineServer, ({ url }) =>
      Clickhouse.layerUrl({ url, password: token, ...options }))
  ).pipe(Layer.provideMerge(layerServer()))
