/**
 * A server of one evaluation alone, in this process, on any free port, in a folder that goes with it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cliFailure } from "../../services/cli/CliFailure.ts"
import * as CliSettings from "../../services/cli/CliSettings.ts"
import * as CommonOptions from "../../services/cli/CommonOptions.ts"
import { startFailure } from "../../services/cli/StartFailure.ts"
import { version } from "../../services/cli/Version.ts"
import * as Serve from "../../services/serve/Serve.ts"

/** The address of a server that ends with the scope. */
export const make = (folder: string) =>
  Effect.gen(function*() {
    if (Option.isSome(yield* CliSettings.clickhouseUrl)) {
      return yield* cliFailure("usage", "USAGE", "LOOM_CLICKHOUSE_URL is set: unset it, or ask a server with --server")
    }
    const settings = yield* Serve.settings
    const context = yield* Layer.build(Serve.layer(settings, version))
    return yield* Effect.provide(Serve.address, context)
  }).pipe(
    Effect.catchAll((error) => Effect.fail(error._tag === "CliFailure" ? error : startFailure(error))),
    (start) =>
      CommonOptions.withOverrides(start, {
        LOOM_DATA: Option.some(folder),
        LOOM_HOST: Option.some("127.0.0.1"),
        LOOM_PORT: Option.some("0"),
        LOOM_MODE: Option.some("single")
      })
  )

/** A folder that is removed with the scope. */
export const tempFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "loom-eval-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
