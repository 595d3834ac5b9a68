/**
 * The authority as ClickHouse remembers it, for processes that have no Postgres: it may name Postgres a moment too early or too long,
 * never ClickHouse. Beside it, what a move reads there.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag, UInt64 } from "../platform/ClickhouseValue.ts"
import { Authority, AuthorityRefused } from "./AuthorityModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import type { Place } from "./MemoryReader.ts"
import { behind, inScope, place, rowColumns, StoredRow } from "./MemoryRowsClickhouse.ts"
import type { KeptAnswer } from "./MemoryStore.ts"

/** How far a namespace is. */
export interface Top extends Scope {
  readonly top: bigint
  /** Another as soon as anything was committed. */
  readonly mark: string
}

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

/** Remembers what was decided, if it is not what was remembered. */
export const remember = (authority: Authority): Effect.Effect<void, StoreError, Clickhouse> =>
  Effect.flatMap(decided, (found) =>
    (found ?? "clickhouse") === authority
      ? Effect.void
      : Effect.flatMap(Clickhouse, (clickhouse) => clickhouse.insert("loom.authority", [{ part: MEMORY, authority }])))

const TopRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  top: UInt64,
  links: UInt64,
  answers: UInt64
})

/**
 * Every namespace that ever had a number given out: the last version of its rows, and a mark that is another after every commit. The
 * numbers of links and answers tell nothing of rows, which come in after them.
 */
export const tops: Effect.Effect<ReadonlyArray<Top>, StoreError, Clickhouse> = Effect.flatMap(
  Clickhouse,
  (clickhouse) =>
    Effect.map(
      clickhouse.query(
        ch.sql(
          "Authority.tops"
        )`SELECT org, namespace, max(version) AS top, max(position) AS links, max(given) AS answers
        FROM (
          SELECT org, namespace, version, toUInt64(0) AS position, toUInt64(0) AS given FROM loom.memory
          UNION ALL SELECT org, namespace, 0, position, 0 FROM loom.journal
          UNION ALL SELECT org, namespace, 0, 0, version FROM loom.idempotency
          UNION ALL SELECT org, namespace, 0, 0, 0 FROM loom.namespace_counters)
        GROUP BY org, namespace ORDER BY org, namespace`,
        TopRow
      ),
      (rows) =>
        rows.map(({ answers, links, namespace, org, top }) => ({
          org,
          namespace,
          top,
          mark: `${top} ${links} ${answers}`
        }))
    )
)

/** Heads that were written after a version, `limit` behind the one given. */
export const headsSince = (
  scope: Scope,
  version: bigint,
  after: Place | null,
  limit: number
): Effect.Effect<ReadonlyArray<MemoryRow>, StoreError, Clickhouse> =>
  Effect.flatMap(Clickhouse, (clickhouse) =>
    clickhouse.query(
      ch.sql("Authority.headsSince")`SELECT ${rowColumns} FROM loom.memory FINAL
        WHERE ${inScope(scope)} ${behind(after)} AND version > ${ch.uint64(version)} ORDER BY ${place} LIMIT ${
        ch.uint32(limit)
      }`,
      StoredRow
    ))

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
export const holdsAny: Effect.Effect<boolean, StoreError, Clickhouse> = Effect.flatMap(
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

/** For a process without a Postgres. */
export const requireClickhouse: Effect.Effect<void, AuthorityRefused | StoreError, Clickhouse> = Effect.flatMap(
  decided,
  (found) =>
    found === "postgres" ? Effect.fail(new AuthorityRefused({ told: "clickhouse", reason: "other" })) : Effect.void
)
