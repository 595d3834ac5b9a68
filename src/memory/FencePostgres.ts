/**
 * The fence in Postgres. Each step is one statement that locks the row of its namespace before it looks at anything else,
 * so a step and a taking that meet come one after the other. Rows of several namespaces are locked in one order, so two
 * merged commits never wait for each other. Everything endures once it is answered, whatever the server was told about
 * waiting for its disk, but for confirmations: one that a crash takes back leaves an open intent whose rows are in, which
 * the next owner adopts.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { actorId, Writer } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { Postgres } from "../platform/Postgres.ts"
import { Int8, json } from "../platform/PostgresValue.ts"
import { Authority } from "./AuthorityModel.ts"
import { closed, Fence } from "./Fence.ts"
import type { Intent, OpenIntent, Taken, Tenancy } from "./Fence.ts"

type Pair = Tenancy & { readonly seq: bigint }

/** Which intent, as the server names it. */
const PairRow = Schema.Struct({ org: Schema.String, namespace: Schema.String, epoch: Int8, seq: Int8 })

const TakenRow = Schema.Struct({ epoch: Int8, version: Int8, authority: Schema.Union(Authority, Schema.Literal("")) })

const OpenRow = Schema.Struct({
  epoch: Int8,
  seq: Int8,
  state: Schema.Literal("open", "doomed"),
  rows: Schema.Array(Schema.Struct({
    ...Writer.fields,
    memory_key: Schema.String,
    memory_id: Schema.String,
    version: Int8,
    hides: Schema.Boolean
  })),
  links: Schema.Array(Int8),
  answers: Schema.Array(Schema.String),
  top: Int8
})

const Decided = Schema.Struct({ decided: Schema.Boolean })
const FirstVersion = Schema.Struct({ version: Int8 })

const pairKey = ({ epoch, scope, seq }: Pair): string => `${actorId(scope)} ${epoch} ${seq}`

const rowKey = ({ epoch, namespace, org, seq }: typeof PairRow.Type): string =>
  pairKey({ scope: { org, namespace }, epoch, seq })

const plainPair = ({ epoch, scope, seq }: Pair) => ({ ...scope, epoch, seq })

const plainIntent = ({ answers, links, rows, top, ...pair }: Intent) => ({
  ...plainPair(pair),
  top,
  rows: rows.map(({ agent, hides, memory_id, memory_key, session_id, user_id, version }) => ({
    agent,
    user_id,
    session_id,
    memory_key,
    memory_id,
    version,
    hides
  })),
  links,
  answers
})

/** For each of what was given, in its order, whether the server accepted it. */
const accepted = (given: ReadonlyArray<Pair>, rows: ReadonlyArray<typeof PairRow.Type>): ReadonlyArray<boolean> => {
  const keys = new Set(rows.map(rowKey))
  return given.map((pair) => keys.has(pairKey(pair)))
}

/**
 * In what a statement answers: it endures before it is answered. Of the transaction of the statement alone. A server that
 * waits for more than its own disk goes on doing so.
 */
export const enduringOf = (sql: Postgres["Type"]["sql"]) =>
  sql`set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)`

/** The fence; for a mover of the authority, who may take namespaces while all others may not. */
export const make = (postgres: Postgres["Type"], mover?: string): Fence["Type"] => {
  const { sql } = postgres
  const enduring = enduringOf(sql)
  const open = mover === undefined
    ? sql`NOT closed OR coalesce(moving_until <= clock_timestamp(), true)`
    : sql`mover = ${mover} AND moving_until > clock_timestamp()`

  /** Moves an intent from one state to another, if the owner is the one of now; again is the same as once. */
  const decide = (operation: string, { epoch, scope }: Tenancy, intent: OpenIntent, from: string, to: string) =>
    Effect.map(
      postgres.query(
        operation,
        sql`
          WITH held AS (
            SELECT epoch FROM loom.fence WHERE org = ${scope.org} AND namespace = ${scope.namespace} FOR UPDATE
          )
          UPDATE loom.intents AS i SET state = ${to}, decided_at = now()
          FROM held
          WHERE held.epoch = ${String(epoch)}::bigint
            AND i.org = ${scope.org} AND i.namespace = ${scope.namespace}
            AND i.epoch = ${String(intent.epoch)}::bigint AND i.seq = ${String(intent.seq)}::bigint
            AND i.state IN (${from}, ${to})
          RETURNING true AS decided, ${enduring} AS enduring`,
        Decided
      ),
      (rows) => rows.length > 0
    )

  return {
    take: Effect.fn("Fence.take")(function*(scope: Scope) {
      const [taken] = yield* postgres.query(
        "Fence.take",
        sql`
          WITH gate AS (
            SELECT authority FROM loom.authorities WHERE part = 'memory' AND (${open}) FOR SHARE
          )
          INSERT INTO loom.fence AS f (org, namespace, epoch, last_version, holder)
          SELECT ${scope.org}, ${scope.namespace}, 1, 0, current_setting('application_name') FROM gate
          ON CONFLICT (org, namespace)
          DO UPDATE SET epoch = f.epoch + 1, seq = 0, taken_at = now(), holder = excluded.holder
          RETURNING epoch, last_version AS version, (SELECT authority FROM gate) AS authority, ${enduring} AS enduring`,
        TakenRow
      )
      if (taken === undefined) return yield* closed()
      const { authority, epoch, version } = taken
      // By a statement of its own: one that had waited for a reservation would not see it. From the taking on no earlier
      // owner adds to these.
      const found = yield* postgres.query(
        "Fence.take",
        sql`
          SELECT epoch, seq, state, rows, links::text[] AS links, answers, top FROM loom.intents
          WHERE org = ${scope.org} AND namespace = ${scope.namespace} AND state IN ('open', 'doomed')
            AND epoch < ${String(epoch)}::bigint
          ORDER BY epoch, seq`,
        OpenRow
      )
      const result: Taken = {
        scope,
        epoch,
        version,
        open: found.map((row) => ({ scope, ...row })),
        authority: authority === "" ? "clickhouse" : authority
      }
      return result
    }),

    reserve: Effect.fn("Fence.reserve")((intents: ReadonlyArray<Intent>) =>
      intents.length === 0 ? Effect.succeed([]) : Effect.map(
        postgres.query(
          "Fence.reserve",
          // An intent that is reserved again meets its own row. Those that are decided and lie before it are not asked
          // for again: the row of the fence knows that their numbers are used up.
          sql`
            WITH given AS (
              SELECT * FROM jsonb_to_recordset(${json(intents.map(plainIntent))}::jsonb)
              AS g(org text, namespace text, epoch bigint, seq bigint, top bigint, rows jsonb, links bigint[], answers text[])
            ), held AS (
              SELECT f.org, f.namespace, f.epoch, f.seq FROM loom.fence AS f
              WHERE (f.org, f.namespace) IN (SELECT org, namespace FROM given)
              ORDER BY f.org, f.namespace FOR UPDATE OF f
            ), kept AS (
              INSERT INTO loom.intents AS i (org, namespace, epoch, seq, rows, links, answers, top)
              SELECT g.org, g.namespace, g.epoch, g.seq, g.rows, g.links, g.answers, g.top
              FROM given AS g JOIN held AS h ON h.org = g.org AND h.namespace = g.namespace
              WHERE g.epoch = h.epoch AND g.seq >= h.seq
              ON CONFLICT (org, namespace, epoch, seq) DO UPDATE SET top = excluded.top
              WHERE i.top = excluded.top AND i.rows = excluded.rows AND i.links = excluded.links
                AND i.answers = excluded.answers
              RETURNING i.org, i.namespace, i.epoch, i.seq, i.top
            ), raised AS (
              UPDATE loom.fence AS f
              SET seq = greatest(f.seq, k.seq), last_version = greatest(f.last_version, k.top)
              FROM (SELECT org, namespace, max(seq) AS seq, max(top) AS top FROM kept GROUP BY org, namespace) AS k
              WHERE f.org = k.org AND f.namespace = k.namespace
            ), cleared AS (
              DELETE FROM loom.intents AS i USING kept AS k
              WHERE i.org = k.org AND i.namespace = k.namespace AND (i.epoch, i.seq) < (k.epoch, k.seq)
                AND i.state IN ('done', 'void')
            )
            SELECT org, namespace, epoch, seq, ${enduring} AS enduring FROM kept`,
          PairRow
        ),
        (rows) => accepted(intents, rows)
      )
    ),

    confirm: Effect.fn("Fence.confirm")((pairs: ReadonlyArray<Pair>) =>
      pairs.length === 0 ? Effect.succeed([]) : Effect.map(
        postgres.query(
          "Fence.confirm",
          // Not waiting for the disk, unless no row could show that the commit is in.
          sql`
            WITH given AS (
              SELECT * FROM jsonb_to_recordset(${json(pairs.map(plainPair))}::jsonb)
              AS g(org text, namespace text, epoch bigint, seq bigint)
            ), held AS (
              SELECT f.org, f.namespace, f.epoch FROM loom.fence AS f
              WHERE (f.org, f.namespace) IN (SELECT org, namespace FROM given)
              ORDER BY f.org, f.namespace FOR UPDATE OF f
            ), confirmed AS (
              UPDATE loom.intents AS i SET state = 'done', decided_at = now()
              FROM given AS g JOIN held AS h ON h.org = g.org AND h.namespace = g.namespace AND h.epoch = g.epoch
              WHERE i.org = g.org AND i.namespace = g.namespace AND i.epoch = g.epoch AND i.seq = g.seq
                AND i.state IN ('open', 'done')
              RETURNING i.org, i.namespace, i.epoch, i.seq, i.rows = '[]'::jsonb AS rowless
            ), waiting AS (
              SELECT CASE WHEN bool_or(rowless) THEN ${enduring} ELSE set_config('synchronous_commit', 'off', true) END
              FROM confirmed
            )
            SELECT org, namespace, epoch, seq FROM confirmed CROSS JOIN waiting`,
          PairRow
        ),
        (rows) => accepted(pairs, rows)
      )
    ),

    adopt: Effect.fn("Fence.adopt")((owner: Tenancy, intent: OpenIntent) =>
      decide("Fence.adopt", owner, intent, "open", "done")
    ),

    doom: Effect.fn("Fence.doom")((owner: Tenancy, intent: OpenIntent, versions: number) =>
      Effect.map(
        postgres.query(
          "Fence.doom",
          sql`
            WITH held AS (
              SELECT epoch FROM loom.fence
              WHERE org = ${owner.scope.org} AND namespace = ${owner.scope.namespace} FOR UPDATE
            ), doomed AS (
              UPDATE loom.intents AS i SET state = 'doomed', decided_at = now()
              FROM held
              WHERE held.epoch = ${String(owner.epoch)}::bigint
                AND i.org = ${owner.scope.org} AND i.namespace = ${owner.scope.namespace}
                AND i.epoch = ${String(intent.epoch)}::bigint AND i.seq = ${String(intent.seq)}::bigint
                AND i.state IN ('open', 'doomed')
              RETURNING i.org, i.namespace
            )
            UPDATE loom.fence AS f SET last_version = f.last_version + ${versions}::integer
            FROM doomed WHERE f.org = doomed.org AND f.namespace = doomed.namespace
            RETURNING f.last_version - ${versions}::integer + 1 AS version, ${enduring} AS enduring`,
          FirstVersion
        ),
        ([row]) => Option.map(Option.fromNullable(row), ({ version }) => version)
      )
    ),

    bury: Effect.fn("Fence.bury")((owner: Tenancy, intent: OpenIntent) =>
      decide("Fence.bury", owner, intent, "doomed", "void")
    )
  }
}

export const layer: Layer.Layer<Fence, never, Postgres> = Layer.effect(
  Fence,
  Effect.map(Postgres, (postgres) => make(postgres))
)
