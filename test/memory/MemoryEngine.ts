/**
 * The embedded engine on a new folder with every migration applied, for one test file; the folder goes when it ends.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clickhouse from "../../src/platform/Clickhouse.ts"
import * as ClickhouseMigrations from "../../src/platform/ClickhouseMigrations.ts"
import * as ClickhouseMigrator from "../../src/platform/ClickhouseMigrator.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "loom-memory-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

export const layerEngine = Layer.unwrapScoped(
  Effect.map(folder, (path) =>
    Layer.effectDiscard(Effect.flatMap(ClickhouseMigrations.load(), ClickhouseMigrator.run)).pipe(
      Layer.provideMerge(Clickhouse.layerEmbedded({ path }))
    ))
)
