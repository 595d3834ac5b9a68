/**
 * One Postgres server for a whole test run. It starts when the first test file asks for it, over a socket whose path the
 * test processes inherit, so that a run which needs none starts none; it ends with the run. `LOOM_TEST_POSTGRES_URL`
 * takes a server that is there already, `LOOM_TEST_POSTGRES=embedded` or `host` says whose programs to use.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"

export const DOOR = "LOOM_TEST_POSTGRES_DOOR"

const origins = { host: "host", embedded: "package" } as const

/** Called by vitest before the first test; what it returns, after the last. */
export const setup = (): () => Promise<void> => {
  if (process.env["LOOM_TEST_POSTGRES_URL"] !== undefined) return () => Promise.resolve()
  const folder = mkdtempSync(join(tmpdir(), "loom-postgres-door-"))
  const scope = Effect.runSync(Scope.make())
  const wanted = process.env["LOOM_TEST_POSTGRES"]
  const origin = wanted === "host" || wanted === "embedded" ? origins[wanted] : undefined
  let starting: Promise<string> | undefined
  const start = () =>
    starting ??= Effect.runPromise(
      PostgresServer.make({ origin }).pipe(
        Scope.extend(scope),
        Effect.match({
          onFailure: (error) => JSON.stringify({ error: error.message }),
          onSuccess: ({ url }) => JSON.stringify({ url: Redacted.value(url("postgres")) })
        })
      )
    )
  const door = createServer((socket) => {
    socket.on("error", () => {})
    void start().then((answer) => socket.end(answer))
  })
  // Those who then knock are told that nobody is there.
  door.on("error", () => {})
  process.env[DOOR] = join(folder, "door")
  door.listen(process.env[DOOR])
  return async () => {
    door.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}
