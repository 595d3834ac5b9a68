/**
 * A cluster as its Postgres knows it: the runners that gave a sign of life, the advisory lock of each shard by the session
 * that holds it, the fence's rows and open intents; and, asked of the runners themselves, what waits in their mailboxes.
 */
import * as EntityId from "@effect/cluster/EntityId"
import { Sharding } from "@effect/cluster/Sharding"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Waiting } from "../kernel/ActorLoad.ts"
import { actorId } from "../kernel/Identity.ts"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import type { MigrationInvalid } from "../platform/Migrations.ts"
import { Postgres } from "../platform/Postgres.ts"
import { APPLICATION, FIRST_LOCK, PREFIX, SHARD_GROUP, SHARDS } from "../platform/PostgresCluster.ts"
import { Int8, json, Timestamp } from "../platform/PostgresValue.ts"
import type { Reach } from "../work/WorkerModel.ts"
import { ClusterLook } from "./ClusterLook.ts"
import { MOST_MESSAGES, MOST_RUNNERS } from "./ClusterModel.ts"
import type { ClusterView } from "./ClusterModel.ts"
import { asker } from "./RunnerReport.ts"
import * as SchemaVersions from "./SchemaVersions.ts"

const RunnerRow = Schema.Struct({
  address: Schema.String,
  healthy: Schema.NullOr(Schema.Boolean),
  silent: Schema.NullOr(Schema.Number),
  since: Schema.NullOr(Timestamp),
  shards: Schema.Array(Schema.Int)
})

const NamespaceRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  epoch: Int8,
  holder: Schema.String,
  taken_at: Timestamp,
  intents: Schema.NumberFromString
})

const TotalsRow = Schema.Struct({
  namespaces: Schema.NumberFromString,
  intents: Schema.NumberFromString,
  oldest: Schema.NullOr(Schema.Number)
})

const MessagesRow = Schema.Struct({ unprocessed: Schema.NumberFromString, kept: Schema.NumberFromString })
const RelayRow = Schema.Struct({ commits: Schema.NumberFromString, oldest: Schema.NullOr(Schema.Number) })

// As many bytes of a name as the server keeps of a session's.
const NAME_BYTES = 63

export interface LookOptions {
  /** After how long without a sign of life a runner counts no more. */
  readonly expiry: Duration.Duration
}

const make = ({ expiry }: LookOptions) =>
  Effect.gen(function*() {
    const { query, sql } = yield* Postgres
    const sharding = yield* Sharding
    const ask = yield* asker
    const schemas = Effect.all([yield* SchemaVersions.clickhouse, yield* SchemaVersions.postgres])

    // A slash is refused in the name of a namespace: such places are those of workers.
    const within = (reach: Reach) =>
      reach === "everything"
        ? sql`namespace NOT LIKE '%/%'`
        : reach.namespaces === "*"
        ? sql`org = ${reach.org} AND namespace NOT LIKE '%/%'`
        : sql`org = ${reach.org} AND namespace = ANY(${[...reach.namespaces]}::text[]) AND namespace NOT LIKE '%/%'`

    const runners = query(
      "ClusterLook.runners",
      sql`
        WITH held AS (
          SELECT activity.application_name AS application, min(activity.backend_start) AS since,
            array_agg(DISTINCT locks.objid::bigint::int - ${FIRST_LOCK}::int) AS shards
          FROM pg_locks AS locks JOIN pg_stat_activity AS activity ON activity.pid = locks.pid
          WHERE locks.locktype = 'advisory' AND locks.granted AND locks.classid = 0 AND locks.objsubid = 1
            AND activity.datname = current_database()
            AND locks.objid::bigint BETWEEN ${FIRST_LOCK}::int + 1 AND ${FIRST_LOCK}::int + ${SHARDS}::int
            AND starts_with(activity.application_name, ${APPLICATION})
          GROUP BY 1
        )
        SELECT coalesce(runner.address, substr(held.application, length(${APPLICATION}::text) + 1)) AS address,
          runner.healthy,
          extract(epoch FROM now()::timestamp - runner.last_heartbeat)::double precision AS silent,
          held.since, coalesce(held.shards, '{}') AS shards
        FROM ${sql(`${PREFIX}_runners`)} AS runner
        FULL JOIN held ON held.application = left(${APPLICATION}::text || runner.address, ${NAME_BYTES}::int)
        ORDER BY address`,
      RunnerRow
    )

    const namespaces = (reach: Reach, limit: number, full: ReadonlyArray<Waiting>) =>
      query(
        "ClusterLook.namespaces",
        sql`
          SELECT fence.org, fence.namespace, fence.epoch, fence.holder, fence.taken_at, coalesce(open.intents, 0) AS intents
          FROM (SELECT * FROM loom.fence WHERE ${within(reach)}) AS fence
          LEFT JOIN (
            SELECT org, namespace, count(*) AS intents FROM loom.intents
            WHERE ${within(reach)} AND state IN ('open', 'doomed') GROUP BY org, namespace
          ) AS open USING (org, namespace)
          LEFT JOIN jsonb_to_recordset(${
          json(full.map(({ scope, waiting }) => ({ ...scope, waiting })))
        }::jsonb) AS full_of(org text, namespace text, waiting int) USING (org, namespace)
          ORDER BY coalesce(full_of.waiting, 0) DESC, coalesce(open.intents, 0) DESC, fence.taken_at DESC,
            fence.org, fence.namespace
          LIMIT ${limit}`,
        NamespaceRow
      )

    const totals = (reach: Reach) =>
      query(
        "ClusterLook.totals",
        sql`
          SELECT (SELECT count(*) FROM loom.fence WHERE ${within(reach)}) AS namespaces, count(*) AS intents,
            extract(epoch FROM now() - min(reserved_at))::double precision AS oldest
          FROM loom.intents WHERE ${within(reach)} AND state IN ('open', 'doomed')`,
        TotalsRow
      )

    // Their places are of no org that a request can name.
    const workers = query(
      "ClusterLook.workers",
      sql`SELECT org, substr(namespace, length('worker/') + 1) AS namespace, epoch, holder, taken_at, 0::bigint AS intents
        FROM loom.fence WHERE org = '-' AND starts_with(namespace, 'worker/') ORDER BY namespace LIMIT 100`,
      NamespaceRow
    )

    const counted = (condition: ReturnType<typeof within>) =>
      sql`(SELECT count(*) FROM (
        SELECT FROM ${sql(`${PREFIX}_messages`)} WHERE ${condition} LIMIT ${MOST_MESSAGES}) AS found)`
    const messages = query(
      "ClusterLook.messages",
      sql`SELECT ${counted(sql`NOT processed`)} AS unprocessed, ${counted(sql`true`)} AS kept`,
      MessagesRow
    )

    // Empty where ClickHouse is the authority.
    const relay = query(
      "ClusterLook.relay",
      sql`SELECT count(*) AS commits, extract(epoch FROM now() - min(at))::double precision AS oldest FROM loom.outbox`,
      RelayRow
    ).pipe(Effect.map(([waiting]) => ({
      commits: waiting?.commits ?? 0,
      oldest_seconds: rounded(waiting?.oldest ?? null)
    })))

    const look = Effect.fn("ClusterLook.look")(function*(reach: Reach, limit: number) {
      const found = yield* runners
      const holding = found.filter(({ shards }) => shards.length > 0)
      const answers = yield* Effect.forEach(
        holding.flatMap(({ shards: [first] }) => first === undefined ? [] : [first]),
        ask,
        { concurrency: "unbounded" }
      )
      // While shards move one runner may answer for two of them.
      const reportOf = new Map(answers.flatMap((one) => one === undefined ? [] : [[one.address, one] as const]))
      const reports = [...reportOf.values()]
      const holderOf = new Map(found.flatMap(({ address, shards }) => shards.map((shard) => [shard, address] as const)))
      const waitingOf = new Map(
        reports.flatMap(({ namespaces }) => namespaces.map((one) => [actorId(one.scope), one] as const))
      )
      const [sum] = yield* totals(reach)
      const [stored] = yield* messages
      const rows = yield* namespaces(reach, limit, [...waitingOf.values()])
      const view: ClusterView = {
        kind: "cluster",
        runners: found.slice(0, MOST_RUNNERS).map(({ address, healthy, shards, silent, since }) => {
          const own = reportOf.get(address)
          return {
            address,
            healthy: healthy === true && silent !== null && silent <= Duration.toSeconds(expiry),
            version: own?.version ?? null,
            since: since?.toISOString() ?? null,
            silent_seconds: rounded(silent),
            shards: [...shards].sort((left, right) => left - right),
            actors: own?.actors ?? null,
            waiting: own?.waiting ?? null,
            waiting_most: own?.most ?? null
          }
        }),
        runners_left_out: Math.max(0, found.length - MOST_RUNNERS),
        shards_unheld: Array.from({ length: SHARDS }, (_, index) => index + 1).filter((shard) => !holderOf.has(shard)),
        workers: (yield* workers).map(({ epoch, holder, namespace, taken_at }) => ({
          name: namespace,
          holder,
          epoch_text: epoch.toString(),
          taken_at: taken_at.toISOString()
        })),
        namespaces: rows.map(({ epoch, holder, intents, namespace, org, taken_at }) => {
          const id = actorId({ org, namespace })
          const { id: shard } = sharding.getShardId(EntityId.make(id), SHARD_GROUP)
          const runner = holderOf.get(shard) ?? null
          return {
            org,
            namespace,
            shard,
            runner,
            epoch_text: epoch.toString(),
            holder: holder.startsWith(APPLICATION) ? holder.slice(APPLICATION.length) : holder,
            taken_at: taken_at.toISOString(),
            waiting: waitingOf.get(id)?.waiting ?? (runner !== null && reportOf.has(runner) ? 0 : null),
            open_intents: intents
          }
        }),
        namespaces_left_out: Math.max(0, (sum?.namespaces ?? 0) - rows.length),
        open_intents: sum?.intents ?? 0,
        open_intents_oldest_seconds: rounded(sum?.oldest ?? null),
        messages: stored ?? null,
        relay: yield* relay,
        pruning: reports.flatMap(({ pruning }) => pruning),
        schemas: yield* schemas,
        degraded: holding.every(({ address }) => reportOf.has(address)) ? [] : ["runners_silent"]
      }
      return view
    })

    return ClusterLook.of({ look })
  })

const rounded = (seconds: number | null): number | null => seconds === null ? null : Math.round(seconds * 1000) / 1000

/** The cluster of which this process is a member or a client. */
export const layer = (
  options: LookOptions
): Layer.Layer<ClusterLook, MigrationInvalid, Postgres | Clickhouse | Sharding> =>
  Layer.effect(ClusterLook, make(options))
