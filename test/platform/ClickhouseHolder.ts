/**
 * A process of its own that opens the folder in its first argument, writes a row, says so or why not, and holds the folder
 * until its stdin ends.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stdio from "node:process"
import * as ClickhouseEmbedded from "../../src/platform/ClickhouseEmbedded.ts"

const program = Effect.gen(function*() {
  const engine = yield* ClickhouseEmbedded.open({ path: Stdio.argv[2] ?? "" })
  const statements = [
    "CREATE DATABASE IF NOT EXISTS loom ENGINE = Atomic",
    "CREATE TABLE IF NOT EXISTS loom.held (one UInt8) ENGINE = MergeTree ORDER BY one",
    "INSERT INTO loom.held VALUES (1)"
  ]
  yield* Effect.forEach(statements, (sql) => Effect.promise(() => engine.run({ sql })))
  Stdio.stdout.write("open\n")
  yield* Effect.async<void>((resume) => {
    Stdio.stdin.on("end", () => resume(Effect.void)).resume()
  })
}).pipe(
  Effect.scoped,
  Effect.catchAll((error) => Effect.sync(() => Stdio.stdout.write(`${error._tag}: ${error.message}\n`))),
  Effect.provide(Logger.remove(Logger.defaultLogger))
)

void Effect.runPromise(program)
