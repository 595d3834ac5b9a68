/**
 * The authority as Postgres knows it, where it is decided wherever there is a Postgres: whoever takes a namespace reads it in the
 * statement that takes. A mover holds it for some seconds at a time; one that vanished in the middle has changed nothing, and
 * what it closed opens by itself. Beside it, what a move does in Postgres: it empties a copy of before, lays rows down, sets the
 * counters of a namespace.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { Postgres } from "../platform/Postgres.ts"
import type { PostgresStatement } from "../platform/Postgres.ts"
import { Int8 } from "../platform/PostgresValue.ts"
import type { Top } from "./AuthorityClickhouse.ts"
import { Authority, MoveStopped } from "./AuthorityModel.ts"
import { enduringOf } from "./FencePostgres.ts"
import { commitTo } from "./MemoryCommitPostgres.ts"
import type { Commit, Position } from "./MemoryStore.ts"

// Ten signs of life, so that a slow statement does not cost a move; and what writers wait for one that was killed.
const LEASE = "10 seconds"

const Row = Schema.Struct({ authority: Schema.Union(Authority, Schema.Literal("")) })
const One = Schema.Struct({ one: Schema.Number })

/** What was decided last; undefined when nobody decided, which means ClickHouse. */
export const decided: Effect.Effect<Authority | undefined, StoreError, Postgres> = Effect.flatMap(
  Postgres,
  ({ query, sql }) =>
    Effect.map(
      query("Authority.decided", sql`SELECT authority FROM loom.authorities WHERE part = 'memory'`, Row),
      ([row]) => row === undefined || row.authority === "" ? undefined : row.authority
    )
)

/** Decides where nobody has. */
export const decideFirst = (authority: Authority): Effect.Effect<void, StoreError, Postgres> =>
  Effect.flatMap(Postgres, ({ command, sql }) =>
    command(
      "Authority.decide",
      sql`UPDATE loom.authorities SET authority = ${authority} WHERE part = 'memory' AND authority = ''`
    ))

/** Whether the one row was as a condition says, which a change of it may rest on. */
const changed = (operation: string, of: (sql: Postgres["Type"]["sql"]) => PostgresStatement) =>
  Effect.flatMap(Postgres, ({ query, sql }) => Effect.map(query(operation, of(sql), One), (rows) => rows.length > 0))

const orStopped = <R>(reason: MoveStopped["reason"], did: Effect.Effect<boolean, StoreError, R>) =>
  Effect.flatMap(did, (done) => done ? Effect.void : Effect.fail(new MoveStopped({ reason })))

/** Begins a move, unless another is under way; answers the name of the mover. */
export const claim: Effect.Effect<string, StoreError | MoveStopped, Postgres> = Effect.suspend(() => {
  const mover = randomUUID()
  return Effect.as(
    orStopped(
      "busy",
      changed("Authority.claim", (sql) =>
        sql`UPDATE loom.authorities
          SET mover = ${mover}, moving_until = clock_timestamp() + ${LEASE}::interval, closed = false
          WHERE part = 'memory' AND coalesce(moving_until <= clock_timestamp(), true) RETURNING 1 AS one`)
    ),
    mover
  )
})

type Step = (mover: string) => Effect.Effect<void, StoreError | MoveStopped, Postgres>

const held = (sql: Postgres["Type"]["sql"], mover: string) =>
  sql`part = 'memory' AND mover = ${mover} AND moving_until > clock_timestamp()`

/** A sign of life; fails once the mover was taken for gone. */
export const renew: Step = (mover) =>
  orStopped(
    "late",
    changed("Authority.renew", (sql) =>
      sql`UPDATE loom.authorities SET moving_until = clock_timestamp() + ${LEASE}::interval
        WHERE ${held(sql, mover)} RETURNING 1 AS one`)
  )

/**
 * From here on nobody takes a namespace, and whoever had one has lost it: what he has under way is in, or refused. Waits for
 * takings that have begun.
 */
export const close: Step = (mover) =>
  Effect.zipRight(
    orStopped(
      "late",
      changed("Authority.close", (sql) =>
        sql`UPDATE loom.authorities SET closed = true, moving_until = clock_timestamp() + ${LEASE}::interval
          WHERE ${held(sql, mover)} RETURNING 1 AS one, ${enduringOf(sql)} AS enduring`)
    ),
    Effect.flatMap(Postgres, ({ command, sql }) =>
      // In one order, as commits lock them.
      command(
        "Authority.fence",
        sql`WITH held AS (SELECT org, namespace FROM loom.fence ORDER BY org, namespace FOR UPDATE)
          UPDATE loom.fence AS f SET epoch = f.epoch + 1, seq = 0, taken_at = now(), holder = 'loom authority'
          FROM held WHERE f.org = held.org AND f.namespace = held.namespace`
      ))
  )

/** Changes the authority, which stays closed. */
export const turn = (mover: string, to: Authority): Effect.Effect<void, StoreError | MoveStopped, Postgres> =>
  orStopped(
    "late",
    changed("Authority.turn", (sql) =>
      sql`UPDATE loom.authorities SET authority = ${to} WHERE ${held(sql, mover)}
        RETURNING 1 AS one, ${enduringOf(sql)} AS enduring`)
  )

/** Ends a move, wherever it stands. */
export const release = (mover: string): Effect.Effect<void, StoreError, Postgres> =>
  Effect.flatMap(Postgres, ({ command, sql }) =>
    command(
      "Authority.release",
      sql`UPDATE loom.authorities SET mover = '', moving_until = NULL, closed = false
        WHERE part = 'memory' AND mover = ${mover}`
    ))

/** Whether a mover is at it. */
export const isMoving: Effect.Effect<boolean, StoreError, Postgres> = changed(
  "Authority.isMoving",
  (sql) => sql`SELECT 1 AS one FROM loom.authorities WHERE part = 'memory' AND moving_until > clock_timestamp()`
)

const ScopeRow = Schema.Struct({ org: Schema.String, namespace: Schema.String })
const TopRow = Schema.Struct({ ...ScopeRow.fields, top: Int8 })

/** The namespaces with commits of memory that nobody decided. */
export const undecided: Effect.Effect<ReadonlyArray<Scope>, StoreError, Postgres> = Effect.flatMap(
  Postgres,
  ({ query, sql }) =>
    query(
      "Authority.undecided",
      sql`SELECT DISTINCT org, namespace FROM loom.intents WHERE state IN ('open', 'doomed')
        AND (rows <> '[]'::jsonb OR links <> '{}' OR answers <> '{}')`,
      ScopeRow
    )
)

/** The last number of every namespace that has memory. */
export const tops: Effect.Effect<ReadonlyArray<Top>, StoreError, Postgres> = Effect.flatMap(
  Postgres,
  ({ query, sql }) =>
    Effect.map(
      query(
        "Authority.tops",
        sql`SELECT org, namespace, last_version AS top FROM loom.fence AS f
        WHERE EXISTS (SELECT FROM loom.heads AS m WHERE m.org = f.org AND m.namespace = f.namespace)
          OR EXISTS (SELECT FROM loom.answers AS a WHERE a.org = f.org AND a.namespace = f.namespace)
          OR audit_hash <> '' ORDER BY org, namespace`,
        TopRow
      ),
      (rows) => rows.map((row) => ({ ...row, mark: String(row.top) }))
    )
)

/** Takes away every head and kept answer, of an earlier time under Postgres. */
export const clear: Effect.Effect<void, StoreError, Postgres> = Effect.flatMap(
  Postgres,
  ({ command, sql }) => command("Authority.clear", sql`TRUNCATE loom.heads, loom.answers`)
)

/** Takes away the kept answers of a namespace. */
export const clearAnswers = ({ namespace, org }: Scope): Effect.Effect<void, StoreError, Postgres> =>
  Effect.flatMap(
    Postgres,
    ({ command, sql }) =>
      command(
        "Authority.clearAnswers",
        sql`DELETE FROM loom.answers WHERE org = ${org} AND namespace = ${namespace}`
      )
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
      sql`INSERT INTO loom.fence AS f (org, namespace, epoch, last_version, audit_at, audit_hash)
        VALUES (${org}, ${namespace}, 0, ${String(version)}::bigint, ${String(version)}::numeric, ${audit_hash})
        ON CONFLICT (org, namespace) DO UPDATE SET last_version = greatest(f.last_version, excluded.last_version),
          audit_at = excluded.audit_at, audit_hash = excluded.audit_hash`
    ))
