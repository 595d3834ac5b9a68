/**
 * Runs a program with the stores of a cluster in its environment: `WithStores.ts node program.js` starts a Postgres and an
 * engine of its own, migrates both, and ends as the program ends. Where no Postgres is installed it says so and ends with 0.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Output from "../../services/cli/Output.ts"
import * as Stop from "../../services/cli/Stop.ts"
import * as DemoProcess from "../../services/demo/DemoProcess.ts"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "loom-with-stores-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const stores = Effect.gen(function*() {
  const data = yield* folder
  const server = yield* PostgresServer.make()
  const postgres = yield* server.createDatabase("loom")
  const engine = yield* DemoProcess.start(["engine", "--port", "0", "--data", data], {})
  const env = {
    LOOM_CLICKHOUSE_URL: engine.url,
    LOOM_CLICKHOUSE_PASSWORD: engine.token_file === undefined ? "" : readFileSync(engine.token_file, "utf8").trim(),
    LOOM_POSTGRES_URL: Redacted.value(postgres),
    LOOM_RUNNER_PORT: "0"
  }
  yield* DemoProcess.run(["migrate"], env)
  return env
})

/** Runs it to its end, or ends it when this is ended; answers its exit code. */
const run = ([command = "", ...args]: ReadonlyArray<string>, env: DemoProcess.Env): Effect.Effect<number> =>
  Effect.async((resume) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: "inherit" })
    child.on("error", () => resume(Effect.succeed(1)))
    child.on("exit", (code) => resume(Effect.succeed(code ?? 1)))
    return Effect.sync(() => child.kill("SIGTERM"))
  })

const program = Effect.flatMap(stores, (env) => run(process.argv.slice(2), env)).pipe(
  Effect.scoped,
  Effect.catchTag("PostgresNotInstalled", (error) => Effect.as(Output.note(`not run: ${error.message}`), 0)),
  Effect.catchAll((error) => Effect.as(Output.note(error.message), 1))
)

Stop.runMain(program)
