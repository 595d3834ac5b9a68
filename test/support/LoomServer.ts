/**
 * The server that a black-box test asks over HTTP. What stands behind it is the house of the run (LoomHouse): `loom serve`
 * over its embedded engine by default.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import * as LoomHouse from "./LoomHouse.ts"
import type { HouseFailed } from "./LoomHouse.ts"
import * as LoomProcess from "./LoomProcess.ts"

/** One server for the tests of a file. */
export class LoomServer extends Context.Tag("loom/test/support/LoomServer")<LoomServer, LoomProcess.LoomProcess>() {}

/** Starts a server and waits until it listens; what still runs at the end of the scope is killed then. */
export const start = (
  options: LoomHouse.ServerOptions
): Effect.Effect<LoomProcess.LoomProcess, HouseFailed, Scope> => LoomHouse.start(options)

export const layer = (env: Readonly<Record<string, string>> = {}): Layer.Layer<LoomServer, HouseFailed> =>
  Layer.scoped(LoomServer, Effect.flatMap(LoomProcess.tempFolder, (data) => start({ data, env })))
