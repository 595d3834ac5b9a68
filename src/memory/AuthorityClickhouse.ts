/**
 * The authority as ClickHouse remembers it, where every process looks before it does anything else. Stores that hold nothing
 * yet take the one that the first process names.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag, UInt64 } from "../platform/ClickhouseValue.ts"
import { Authority, AuthorityRefused } from "./AuthorityModel.ts"
import { inScope } from "./MemoryRowsClickhouse.ts"
import type { KeptAnswer } from "./MemoryStore.ts"

const Row = Schema.Struct({ authority: Authority })
const Holds = Schema.Struct({ holds: Flag })

const MEMORY = "memory"

/** What was decided last; undefined when nobody decided, which means ClickHouse. */
export const decided: Effect.Effect<Authority | undefined, StoreError, Clickhouse> = Effect.flatMap(
  Clickhouse,
  (clickhouse) =>
    Effect.map(
      clickhouse.query(
        ch.sql("Authority.decided")`SELECT authority FROM loom.authority FINAL WHERE part = ${ch.string(MEMORY)}`,
        Row
      ),
      ([row]) => row?.authority
    )
)

export const decide = (authority: Authority): Effect.Effect<void, StoreError, Clickhouse> =>
  Effect.flatMap(Clickhouse, (clickhouse) => clickhouse.insert("loom.authority", [{ part: MEMORY, authority }]))

const ScopeRow = Schema.Struct({ org: Schema.String, namespace: Schema.String })

/** Every namespace that ever had a number given out. */
export const scopes: Effect.Effect<ReadonlyArray<Scope>, StoreError, Clickhouse> = Effect.flatMap(
  Clickhouse,
  (clickhouse) =>
    clickhouse.query(
      ch.sql("Authority.scopes")`SELECT DISTINCT org, namespace FROM (
        SELECT org, namespace FROM loom.memory UNION ALL SELECT org, namespace FROM loom.namespace_counters
        UNION ALL SELECT org, namespace FROM loom.journal UNION ALL SELECT org, namespace FROM loom.idempotency)
        ORDER BY org, namespace`,
      ScopeRow
    )
)

const AnswerRow = Schema.Struct({
  idem_hash: Schema.String,
  payload_hash: Schema.String,
  write_id: Schema.String,
  answer: Schema.String,
  at: EpochMillis,
  version: UInt64
})

/** Every use of an idempotency key since a time (milliseconds), with the answer where it was kept. */
export const answers = (
  scope: Scope,
  since: number
): Effect.Effect<ReadonlyArray<KeptAnswer>, StoreError, Clickhouse> =>
  Effect.flatMap(Clickhouse, (clickhouse) =>
    Effect.map(
      clickhouse.query(
        ch.sql("Authority.answers")`SELECT idem_hash, payload_hash, write_id, answer, at, version FROM (
          SELECT idem_hash, payload_hash, write_id, answer, updated_at AS at, version FROM loom.memory_versions FINAL
            WHERE ${inScope(scope)} AND idem_hash != '' AND status != 'void'
          UNION ALL
          SELECT idem_hash, payload_hash, write_id, answer, at, version FROM loom.idempotency FINAL
            WHERE ${inScope(scope)})
          WHERE at >= ${ch.dateTime64(since)} ORDER BY version, idem_hash`,
        AnswerRow
      ),
      (rows) => rows.map((row) => ({ ...row, scope }))
    ))

/** Whether ClickHouse holds any memory. */
const holdsAny: Effect.Effect<boolean, StoreError, Clickhouse> = Effect.flatMap(
  Clickhouse,
  (clickhouse) =>
    Effect.map(
      clickhouse.query(
        ch.sql("Authority.holds")`SELECT count() > 0 AS holds FROM (SELECT 1 FROM loom.memory LIMIT 1)`,
        Holds
      ),
      ([row]) => row?.holds === true
    )
)

/** For a process under ClickHouse. */
export const requireClickhouse: Effect.Effect<void, AuthorityRefused | StoreError, Clickhouse> = Effect.flatMap(
  decided,
  (found) =>
    found === "postgres" ? Effect.fail(new AuthorityRefused({ told: "clickhouse", reason: "other" })) : Effect.void
)

/** For a process under Postgres; `original` tells whether that Postgres holds any memory. */
export const requirePostgres = <R>(
  original: Effect.Effect<boolean, StoreError, R>
): Effect.Effect<void, AuthorityRefused | StoreError, Clickhouse | R> =>
  Effect.gen(function*() {
    const found = yield* decided
    const holds = yield* holdsAny
    if (found === "clickhouse" || (found === undefined && holds)) {
      return yield* new AuthorityRefused({ told: "postgres", reason: "other" })
    }
    if (holds && !(yield* original)) return yield* new AuthorityRefused({ told: "postgres", reason: "stranger" })
    if (found === undefined) yield* decide("postgres")
  })
