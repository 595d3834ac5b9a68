/**
 * The server that a black-box test asks over HTTP. What stands behind it is the house of the run (LoomHouse): `loom serve`
 * over its embedded engine by default.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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

interface Shared {
  /** Starts it for the first who asks. */
  readonly get: Effect.Effect<LoomProcess.LoomProcess, HouseFailed>
  readonly scope: Scope.CloseableScope
  users: number
  end: NodeJS.Timeout | undefined
}

const shared = globalValue("loom/test/support/LoomServer", () => new Map<string, Shared>())

// The next file asks as soon as it is loaded, which takes some ten seconds on a busy machine; a server that nobody asks any
// more still works, and takes the others' time.
const UNUSED_MILLIS = 30_000

const entryOf = (key: string, env: Readonly<Record<string, string>>): Effect.Effect<Shared> =>
  Effect.gen(function*() {
    const known = shared.get(key)
    if (known !== undefined) return known
    const scope = yield* Scope.make()
    const entry = { get: yield* Effect.cached(Scope.extend(started(env), scope)), scope, users: 0, end: undefined }
    shared.set(key, entry)
    return entry
  })

/**
 * One server for all files of a test process that ask for these settings; it ends when none has asked for a while. A test
 * that uses it keeps to namespaces of its own, and neither stops the server nor counts what is in it. A start takes seconds,
 * and a server that has answered for a while answers several times as fast as one that has not.
 */
export const layerShared = (env: Readonly<Record<string, string>> = {}): Layer.Layer<LoomServer, HouseFailed> => {
  const key = JSON.stringify(env)
  const take = Effect.tap(entryOf(key, env), (entry) =>
    Effect.sync(() => {
      entry.users += 1
      clearTimeout(entry.end)
    }))
  const leave = (entry: Shared) =>
    Effect.sync(() => {
      entry.users -= 1
      if (entry.users > 0) return
      entry.end = setTimeout(() => {
        shared.delete(key)
        Effect.runFork(Scope.close(entry.scope, Exit.void))
      }, UNUSED_MILLIS)
      entry.end.unref()
    })
  return Layer.scoped(LoomServer, Effect.flatMap(Effect.acquireRelease(take, leave), ({ get }) => get))
}
