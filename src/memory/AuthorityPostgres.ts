/**
 * What a change of authority does in Postgres beside commits: it empties a copy of before, sets the counters of a namespace,
 * and looks whether a cluster is still running.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { Postgres } from "../platform/Postgres.ts"
import { PREFIX } from "../platform/PostgresCluster.ts"
import { commitTo } from "./MemoryCommitPostgres.ts"
import type { Commit, Position } from "./MemoryStore.ts"

/** Takes away every head, kept answer and waiting copy, of an earlier time under Postgres. */
export const clear: Effect.Effect<void, StoreError, Postgres> = Effect.flatMap(
  Postgres,
  ({ command, sql }) => command("Authority.clear", sql`TRUNCATE loom.heads, loom.answers, loom.outbox`)
)

/** Lays down what ClickHouse has already, so nothing of it is to be copied there. */
export const layDown = (commit: Commit): Effect.Effect<void, StoreError, Postgres> =>
  Effect.flatMap(Postgres, (postgres) =>
    Effect.flatMap(commitTo(postgres, commit, []), (sent) =>
      postgres.command(
        "Authority.layDown",
        postgres.sql`DELETE FROM loom.outbox WHERE id = ANY(${sent.map(({ id }) => String(id))}::bigint[])`
      )))

/** Sets the counters of a namespace: no version at or below is handed out again, and the chain goes on from its last link. */
export const setPosition = (
  { namespace, org }: Scope,
  { audit_hash, version }: Position
): Effect.Effect<void, StoreError, Postgres> =>
  Effect.flatMap(Postgres, ({ command, sql }) =>
    command(
      "Authority.setPosition",
      sql`UPDATE loom.fence SET last_version = greatest(last_version, ${String(version)}::bigint),
          audit_at = ${String(version)}::numeric, audit_hash = ${audit_hash}
        WHERE org = ${org} AND namespace = ${namespace}`
    ))

const RunnerRow = Schema.Struct({ address: Schema.String })

/** The runners that gave a sign of life lately; none where there never was a cluster. */
export const runners: Effect.Effect<ReadonlyArray<string>, StoreError, Postgres> = Effect.gen(function*() {
  const { query, sql } = yield* Postgres
  const table = `${PREFIX}_runners`
  const [found] = yield* query(
    "Authority.runners",
    sql`SELECT to_regclass(${table}) IS NOT NULL AS made`,
    Schema.Struct({ made: Schema.Boolean })
  )
  if (found?.made !== true) return []
  const rows = yield* query(
    "Authority.runners",
    // The library writes them by its own clock, without a zone; they are refreshed every few seconds.
    sql`SELECT address FROM ${sql(table)} WHERE last_heartbeat > now() - interval '30 seconds'`,
    RunnerRow
  )
  return rows.map(({ address }) => address)
})
