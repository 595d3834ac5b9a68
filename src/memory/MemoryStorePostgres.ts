/**
 * `MemoryStore` under the authority of Postgres. A commit is one statement there (`MemoryCommitPostgres`), then a copy to
 * ClickHouse that its caller waits for, though not for long. What is so comes from Postgres; vectors and the past come from
 * ClickHouse, once all that waits of the namespace is copied. Nothing is ever undecided here, so nothing is voided.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { faultPoint } from "../kernel/FaultPoint.ts"
import type { Scope } from "../kernel/Identity.ts"
import { IndexLag } from "../kernel/IndexLag.ts"
import { Corrupt, Unavailable } from "../kernel/LoomError.ts"
import { Postgres } from "../platform/Postgres.ts"
import { Int8 } from "../platform/PostgresValue.ts"
import { LIMIT } from "./IndexLagPostgres.ts"
import { commitTo, lostOf } from "./MemoryCommitPostgres.ts"
import type { Sent } from "./MemoryCommitPostgres.ts"
import { MemoryProjection } from "./MemoryProjection.ts"
import { Body, placeOf, StoredEntry, Utf8 } from "./MemoryRowsPostgres.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Probes } from "./MemoryStore.ts"
import { COPY_LIMIT, Outbox } from "./Outbox.ts"
import { WRITE_KEY_PREFIX } from "./WriteKeys.ts"

export interface Options {
  /** How long a commit waits for its copy. */
  readonly patience: Duration.DurationInput
}

export const defaultOptions: Options = { patience: LIMIT }

const VersionRow = Schema.Struct({ version: Int8 })
const PositionRow = Schema.Struct({ version: Int8, audit_hash: Schema.String, rows: Schema.NumberFromString })
const IdemHash = Schema.Struct({ idem_hash: Schema.String })
const ScopeRow = Schema.Struct({ org: Schema.String, namespace: Schema.String })
const Kept = Schema.Struct({
  payload_hash: Schema.String,
  write_id: Schema.String,
  answer: Utf8,
  at: Schema.NumberFromString
})

const make = ({ patience }: Options) =>
  Effect.gen(function*() {
    const postgres = yield* Postgres
    const projection = yield* MemoryProjection
    const outbox = yield* Outbox
    const lag = yield* IndexLag
    const life = yield* Effect.scope
    const { query, sql } = postgres

    const noteAll = (sent: ReadonlyArray<Sent>) =>
      Effect.forEach(sent, ({ scope }) => lag.note(scope), { discard: true })

    /** Waits for the copy as long as a caller may be kept waiting; it goes on meanwhile. */
    const projected = (sent: ReadonlyArray<Sent>, isSecret: boolean) =>
      Effect.gen(function*() {
        const copying = yield* Effect.forkIn(
          Effect.interruptible(outbox.project(sent)).pipe(
            Effect.tapError(() => noteAll(sent)),
            Effect.catchAll(({ operation }) =>
              Effect.logWarning("A commit waits for its copy in ClickHouse").pipe(
                Effect.annotateLogs({ operation, namespaces: sent.length })
              )
            )
          ),
          life
        )
        const inTime = yield* Effect.timeoutOption(
          Effect.disconnect(Effect.interruptible(Fiber.join(copying))),
          isSecret ? COPY_LIMIT : patience
        )
        if (Option.isNone(inTime)) yield* noteAll(sent)
      })

    const probe = ({ namespace, org }: Scope, { canonical, content, ids, keys, linked }: Probes) => {
      const inScope = sql`h.org = ${org} AND h.namespace = ${namespace}`
      // Each by its index, from what is asked for; the conditions on what is empty are those of the indexes.
      return sql`
        WITH wanted AS MATERIALIZED (
          SELECT h.place FROM unnest(${keys}::text[]) AS g(memory_key)
            JOIN loom.heads AS h ON ${inScope} AND md5(h.memory_key) = md5(g.memory_key)
              AND h.memory_key = g.memory_key
          UNION
          SELECT h.place FROM unnest(${ids}::text[]) AS g(memory_id)
            JOIN loom.heads AS h ON ${inScope} AND h.memory_id = g.memory_id
          UNION
          SELECT h.place
          FROM unnest(${canonical.map(({ sha256 }) => sha256)}::text[],
            ${canonical.map(({ memory_type }) => memory_type)}::text[],
            ${canonical.map(({ user_id }) => user_id)}::text[]) AS g(sha256, memory_type, user_id)
            JOIN loom.heads AS h ON ${inScope} AND h.canonical_sha256 = g.sha256 AND h.canonical_sha256 <> ''
              AND h.memory_type = g.memory_type AND h.user_id = g.user_id
          UNION
          SELECT h.place
          FROM unnest(${content.map(({ sha256 }) => sha256)}::text[],
            ${content.map(({ user_id }) => user_id)}::text[]) AS g(sha256, user_id)
            JOIN loom.heads AS h ON ${inScope} AND h.content_sha256 = g.sha256 AND h.user_id = g.user_id
          UNION
          SELECT h.place FROM unnest(${linked}::text[]) AS g(memory_id)
            JOIN loom.heads AS h ON ${inScope} AND h.duplicate_of = g.memory_id AND h.duplicate_of <> ''
          UNION
          SELECT h.place FROM loom.heads AS h
          WHERE ${inScope} AND h.conflict_with <> '{}' AND h.conflict_with && ${linked}::text[]
        )
        SELECT h.body FROM wanted AS w JOIN loom.heads AS h ON ${inScope} AND h.place = w.place`
    }

    /** Something ClickHouse is asked, once it knows all that is committed. */
    const drained = <A extends ReadonlyArray<unknown>, B, E>(
      ask: (scope: Scope, ...rest: A) => Effect.Effect<B, E>
    ) =>
    (scope: Scope, ...rest: A) => Effect.zipRight(outbox.drain(scope), ask(scope, ...rest))

    return MemoryStore.of({
      commit: Effect.fn("MemoryStore.commit")(function*(commit, owners = []) {
        const sent = yield* commitTo(postgres, commit, owners).pipe(
          Effect.mapError(({ operation }) => new Unavailable({ operation }))
        )
        yield* faultPoint("commit.after_transaction")
        // What may no longer be shown is shown by a late copy.
        const isSecret = commit.rows.some(({ sensitivity }) => sensitivity === "high")
        if (sent.length > 0) yield* projected(sent, isSecret)
        return lostOf(owners, sent)
      }),
      // Heads have their last versions, commits that wait all of theirs, and the history every other: asked in this order,
      // since a commit leaves the outbox when it is in the history.
      committed: Effect.fn("MemoryStore.committed")(function*(scope, versions) {
        const wanted = new Set(versions)
        if (wanted.size === 0) return true
        const found = yield* query(
          "MemoryStore.committed",
          sql`
            WITH wanted AS (SELECT unnest(${[...wanted].map(String)}::numeric[]) AS version)
            SELECT version FROM wanted WHERE version IN (
              SELECT version FROM loom.heads WHERE org = ${scope.org} AND namespace = ${scope.namespace}
              UNION ALL
              SELECT unnest(versions) FROM loom.outbox WHERE org = ${scope.org} AND namespace = ${scope.namespace})`,
          VersionRow
        )
        for (const { version } of found) wanted.delete(version)
        return wanted.size === 0 ? true : yield* projection.committed(scope, [...wanted])
      }),
      repair: drained(projection.repair),
      disown: Effect.fn("MemoryStore.disown")(() => Effect.fail(new Corrupt({ operation: "MemoryStore.disown" }))),
      position: Effect.fn("MemoryStore.position")(function*(scope) {
        const [row] = yield* query(
          "MemoryStore.position",
          sql`SELECT last_version AS version, audit_hash,
              (SELECT count(*) FROM loom.heads AS m WHERE m.org = f.org AND m.namespace = f.namespace) AS rows
            FROM loom.fence AS f WHERE org = ${scope.org} AND namespace = ${scope.namespace}`,
          PositionRow
        )
        return row ?? { version: 0n, audit_hash: "", rows: 0 }
      }),
      entries: Effect.fn("MemoryStore.entries")(function*(scope) {
        return yield* query(
          "MemoryStore.entries",
          sql`SELECT agent, user_id, session_id, memory_key, memory_id, memory_type, status, content_sha256,
              canonical_sha256, version, expires_at, valid_to, duplicate_of, conflict_with
            FROM loom.heads WHERE org = ${scope.org} AND namespace = ${scope.namespace}`,
          StoredEntry
        )
      }),
      rows: Effect.fn("MemoryStore.rows")(function*(scope, identities) {
        if (identities.length === 0) return []
        const rows = yield* query(
          "MemoryStore.rows",
          sql`SELECT body FROM loom.heads WHERE org = ${scope.org} AND namespace = ${scope.namespace}
            AND place = ANY(${[...new Set(identities.map(placeOf))]}::text[])`,
          Body
        )
        return rows.map(({ body }) => body)
      }),
      heads: Effect.fn("MemoryStore.heads")(function*(scope, { after, limit, longest }) {
        const rows = yield* query(
          "MemoryStore.heads",
          sql`SELECT body FROM loom.heads WHERE org = ${scope.org} AND namespace = ${scope.namespace}
              AND place > ${after === null ? "" : placeOf(after)} AND value_bytes <= ${longest}
            ORDER BY place LIMIT ${limit}`,
          Body
        )
        return rows.map(({ body }) => body)
      }),
      probe: Effect.fn("MemoryStore.probe")(function*(scope, probes) {
        const isEmpty = Object.values(probes).every((list: ReadonlyArray<unknown>) => list.length === 0)
        if (isEmpty) return []
        const rows = yield* query("MemoryStore.probe", probe(scope, probes), Body)
        return rows.map(({ body }) => body)
      }),
      lastWords: drained(projection.lastWords),
      near: drained(projection.near),
      vectors: drained(projection.vectors),
      vectorsOf: drained(projection.vectorsOf),
      idempotencyKeys: Effect.fn("MemoryStore.idempotencyKeys")(function*(scope, since, writesSince) {
        const rows = yield* query(
          "MemoryStore.idempotencyKeys",
          sql`SELECT DISTINCT idem_hash FROM loom.answers
            WHERE org = ${scope.org} AND namespace = ${scope.namespace}
              AND at >= CASE WHEN starts_with(idem_hash, ${WRITE_KEY_PREFIX}) THEN ${writesSince}::bigint
                ELSE ${since}::bigint END`,
          IdemHash
        )
        return rows.map(({ idem_hash }) => idem_hash)
      }),
      keptAnswer: Effect.fn("MemoryStore.keptAnswer")(function*(scope, idemHash, since = 0) {
        const [row] = yield* query(
          "MemoryStore.keptAnswer",
          sql`SELECT payload_hash, write_id, answer, at FROM loom.answers
            WHERE org = ${scope.org} AND namespace = ${scope.namespace} AND idem_hash = ${idemHash}
              AND at >= ${since}::bigint AND answer <> ''
            ORDER BY version LIMIT 1`,
          Kept
        )
        return Option.fromNullable(row)
      }),
      // By the fences, since every namespace has one and a look at all heads would read them all.
      scopes: query(
        "MemoryStore.scopes",
        sql`SELECT org, namespace FROM loom.fence AS f
          WHERE EXISTS (SELECT FROM loom.heads AS m WHERE m.org = f.org AND m.namespace = f.namespace)`,
        ScopeRow
      ).pipe(Effect.withSpan("MemoryStore.scopes"))
    })
  })

export const layer = (
  options: Options = defaultOptions
): Layer.Layer<MemoryStore, never, Postgres | MemoryProjection | Outbox> => Layer.scoped(MemoryStore, make(options))
