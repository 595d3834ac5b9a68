/**
 * A whole cluster of real processes for tests: a Postgres database, an engine, both migrated, and as many runners and
 * gateways as a test starts. Everything ends with the scope.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Scope } from "effect/Scope"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { tokenFile } from "../../services/engine/Engine.ts"
import type { PostgresServerFailed } from "../../src/platform/PostgresServer.ts"
import * as LoomProcess from "./LoomProcess.ts"
import type { StartFailed } from "./LoomProcess.ts"
import * as PostgresHouse from "./PostgresHouse.ts"

type Env = Readonly<Record<string, string>>

/** Under which authority a cluster is that a test does not name one for: `LOOM_TEST_AUTHORITY`. */
const authority = process.env["LOOM_TEST_AUTHORITY"] ?? "clickhouse"

export interface LoomCluster {
  readonly engine: LoomProcess.LoomProcess
  /** What a process needs to find both stores. */
  readonly env: Env
  readonly runner: (env?: Env) => Effect.Effect<LoomProcess.LoomProcess, StartFailed, Scope>
  readonly gateway: (env?: Env) => Effect.Effect<LoomProcess.LoomProcess, StartFailed, Scope>
}

/** The stores of a cluster, migrated; nobody uses them yet. */
export const make: Effect.Effect<LoomCluster, StartFailed | PostgresServerFailed, Scope> = Effect.gen(function*() {
  const [data, postgres] = yield* Effect.all([LoomProcess.tempFolder, PostgresHouse.database])
  const engine = yield* LoomProcess.start({ data, command: "engine" })
  const env = {
    LOOM_CLICKHOUSE_URL: engine.url,
    LOOM_CLICKHOUSE_PASSWORD: readFileSync(tokenFile(join(data, "clickhouse")), "utf8").trim(),
    LOOM_POSTGRES_URL: Redacted.value(postgres),
    LOOM_AUTHORITY: authority
  }
  yield* LoomProcess.run(["migrate"], { data, env })
  const started = (command: "gateway" | "runner") => (more: Env = {}) =>
    Effect.flatMap(LoomProcess.tempFolder, (data) => LoomProcess.start({ data, command, env: { ...env, ...more } }))
  return { engine, env, runner: started("runner"), gateway: started("gateway") }
})
