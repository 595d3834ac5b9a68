/**
 * The server that a black-box test asks over HTTP. What stands behind it is the house of the run (LoomHouse): `loom serve`
 * over its embedded engine by default.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as LoomHouse from "./LoomHouse.ts"
import type { HouseFailed } from "./LoomHouse.ts"
import * as LoomProcess from "./LoomProcess.ts"

/** The server of a test. */
export class LoomServer extends Context.Tag("loom/test/support/LoomServer")<LoomServer, LoomProcess.LoomProcess>() {}

/** Starts a server and waits until it listens; what still runs at the end of the scope is killed then. */
export const start = (
  options: LoomHouse.ServerOptions
): Effect.Effect<LoomProcess.LoomProcess, HouseFailed, Scope.Scope> => LoomHouse.start(options)

const started = (env: Readonly<Record<string, string>>) =>
  Effect.flatMap(LoomProcess.tempFolder, (data) => start({ data, env }))

/** One server for the tests of a file. */
export const layer = (env: Readonly<Record<string, string>> = {}): Layer.Layer<LoomServer, HouseFailed> =>
  Layer.scoped(LoomServer, started(env))

const shared = globalValue(
  "loom/test/support/LoomServer",
  () => new Map<string, Effect.Effect<LoomProcess.LoomProcess, HouseFailed>>()
)

/**
 * One server for all files of a test process that ask for these settings; it ends with the process. A test that uses it
 * keeps to namespaces of its own, and neither stops the server nor counts what is in it. A start takes seconds, and a
 * server that has answered for a while answers several times as fast as one that has not.
 */
export const layerShared = (env: Readonly<Record<string, string>> = {}): Layer.Layer<LoomServer, HouseFailed> => {
  const key = JSON.stringify(env)
  const get = shared.get(key) ??
    Effect.runSync(Effect.cached(Effect.flatMap(Scope.make(), (scope) => Scope.extend(started(env), scope))))
  shared.set(key, get)
  return Layer.effect(LoomServer, get)
}
