/**
 * A commit under the authority of Postgres: one statement, so all of it is in or none. It locks the fence of each namespace
 * first, in one order, and leaves out those that are another owner's by now; then come the heads (the higher version wins),
 * the kept answers, and one row of the outbox for each namespace, from which the rest is made in ClickHouse. Given twice
 * it is there once, but for a second row of the outbox, which makes the same again.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { actorId, identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Postgres } from "../platform/Postgres.ts"
import { Int8, json } from "../platform/PostgresValue.ts"
import { partsOf } from "./CommitParts.ts"
import type { Part } from "./CommitParts.ts"
import type { Tenancy } from "./Fence.ts"
import { enduringOf } from "./FencePostgres.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { bodyOf, columnsOf } from "./MemoryRowsPostgres.ts"
import type { Commit } from "./MemoryStore.ts"
import * as OutboxBody from "./OutboxBody.ts"

/** A part that is in, with its row of the outbox. */
export interface Sent extends Part {
  readonly id: bigint
  /** Whether the namespace had rows in the outbox before. */
  readonly behind: boolean
}

const SentRow = Schema.Struct({ org: Schema.String, namespace: Schema.String, id: Int8, behind: Schema.Boolean })

const highest = (numbers: ReadonlyArray<bigint>): bigint =>
  numbers.reduce((top, number) => number > top ? number : top, 0n)

/** The last link that a commit adds to the chain of its namespace. */
const lastLink = ({ audits, rows }: Commit): { readonly audit_at: bigint; readonly audit_hash: string } =>
  [
    ...audits.map(({ hash, position }) => ({ audit_at: position, audit_hash: hash })),
    ...rows.map(({ audit_hash, version }) => ({ audit_at: version, audit_hash }))
  ].reduce((last, link) => link.audit_at > last.audit_at ? link : last, { audit_at: 0n, audit_hash: "" })

/** No version at or below it may be handed out again. */
const topOf = ({ answers, audits, ceilings, rows }: Commit): bigint =>
  highest([
    ...rows.map(({ version }) => version),
    ...audits.map(({ position }) => position),
    ...answers.map(({ version }) => version),
    ...ceilings.map(({ ceiling }) => ceiling)
  ])

/** The last version of each memory: a statement may change a head once. */
const headsOf = (rows: ReadonlyArray<MemoryRow>): ReadonlyArray<MemoryRow> => {
  const heads = new Map<string, MemoryRow>()
  for (const row of rows) {
    const identity = `${actorId(row)} ${identityKey(row)}`
    const before = heads.get(identity)
    if (before === undefined || before.version < row.version) heads.set(identity, row)
  }
  return [...heads.values()]
}

/** Every use of an idempotency key: under it a row carries an answer, or the commit keeps one. */
const answersOf = ({ answers, rows }: Commit) => [
  ...rows.filter(({ idem_hash }) => idem_hash !== "").map(
    ({ answer, idem_hash, namespace, org, payload_hash, updated_at, version, write_id }) => ({
      row: { org, namespace, idem_hash, version, at: updated_at, payload_hash, write_id },
      answer
    })
  ),
  ...answers.map(({ answer, scope, ...rest }) => ({ row: { ...scope, ...rest }, answer }))
]

/**
 * Commits. Answers the parts that are in; of an owner whose namespace is another's by now nothing is. An owner of epoch 0,
 * or none, is the process that alone may write. After `Unavailable` it may be in or not.
 */
export const commitTo = (
  { query, sql }: Postgres["Type"],
  commit: Commit,
  owners: ReadonlyArray<Tenancy>
): Effect.Effect<ReadonlyArray<Sent>, StoreError> => {
  const epochs = new Map(owners.map(({ epoch, scope }) => [actorId(scope), epoch]))
  const parts = partsOf(commit, owners.map(({ scope }) => scope))
  if (parts.length === 0) return Effect.succeed([])
  const heads = headsOf(commit.rows)
  const answers = answersOf(commit)
  const given = parts.map(({ commit: part, scope }, n) => ({
    ...scope,
    n: n + 1,
    epoch: epochs.get(actorId(scope)) ?? 0n,
    top: topOf(part),
    ...lastLink(part),
    versions: part.rows.map(({ version }) => version)
  }))
  const numbered = (rows: ReadonlyArray<object>): string => json(rows.map((row, at) => ({ ...row, n: at + 1 })))
  return Effect.map(
    query(
      "MemoryStore.commit",
      // The bodies go beside the rest, since JSON of the server does not hold every text. A version above what its
      // integers hold is of the year 2262.
      sql`
        WITH given AS (
          SELECT * FROM jsonb_to_recordset(${json(given)}::jsonb)
          AS g(org text, namespace text, n bigint, epoch bigint, top numeric, audit_at numeric, audit_hash text,
            versions numeric[])
        ), held AS (
          INSERT INTO loom.fence AS f (org, namespace, epoch, last_version, audit_at, audit_hash)
          SELECT g.org, g.namespace, g.epoch, least(g.top, 9223372036854775807), g.audit_at, g.audit_hash
          FROM given AS g
          WHERE g.epoch = 0
            OR EXISTS (SELECT FROM loom.fence AS e WHERE e.org = g.org AND e.namespace = g.namespace)
          ORDER BY g.org, g.namespace
          ON CONFLICT (org, namespace) DO UPDATE SET
            last_version = greatest(f.last_version, excluded.last_version),
            audit_hash = CASE WHEN excluded.audit_at > f.audit_at THEN excluded.audit_hash ELSE f.audit_hash END,
            audit_at = greatest(f.audit_at, excluded.audit_at)
          WHERE excluded.epoch = 0 OR f.epoch = excluded.epoch
          RETURNING f.org, f.namespace
        ), headed AS (
          INSERT INTO loom.heads AS m (org, namespace, place, agent, user_id, session_id, memory_key, memory_id,
            memory_type, status, sensitivity, content_sha256, canonical_sha256, version, expires_at, valid_to,
            duplicate_of, conflict_with, value_bytes, body)
          SELECT r.org, r.namespace, r.place, r.agent, r.user_id, r.session_id, r.memory_key, r.memory_id,
            r.memory_type, r.status, r.sensitivity, r.content_sha256, r.canonical_sha256, r.version, r.expires_at,
            r.valid_to, r.duplicate_of, r.conflict_with, r.value_bytes, b.body
          FROM jsonb_to_recordset(${numbered(heads.map(columnsOf))}::jsonb)
            AS r(n bigint, org text, namespace text, place text, agent text, user_id text, session_id text,
              memory_key text, memory_id text, memory_type text, status text, sensitivity text, content_sha256 text,
              canonical_sha256 text, version numeric, expires_at bigint, valid_to bigint, duplicate_of text,
              conflict_with text[], value_bytes integer)
          JOIN held AS h ON h.org = r.org AND h.namespace = r.namespace
          JOIN unnest(${heads.map(bodyOf)}::bytea[]) WITH ORDINALITY AS b(body, n) ON b.n = r.n
          ON CONFLICT (org, namespace, place) DO UPDATE SET
            memory_id = excluded.memory_id, memory_type = excluded.memory_type, status = excluded.status,
            sensitivity = excluded.sensitivity, content_sha256 = excluded.content_sha256,
            canonical_sha256 = excluded.canonical_sha256, version = excluded.version,
            expires_at = excluded.expires_at, valid_to = excluded.valid_to, duplicate_of = excluded.duplicate_of,
            conflict_with = excluded.conflict_with, value_bytes = excluded.value_bytes, body = excluded.body
          WHERE m.version < excluded.version
        ), answered AS (
          INSERT INTO loom.answers (org, namespace, idem_hash, version, at, payload_hash, write_id, answer)
          SELECT r.org, r.namespace, r.idem_hash, r.version, r.at, r.payload_hash, r.write_id, b.answer
          FROM jsonb_to_recordset(${numbered(answers.map(({ row }) => row))}::jsonb)
            AS r(n bigint, org text, namespace text, idem_hash text, version numeric, at bigint, payload_hash text,
              write_id text)
          JOIN held AS h ON h.org = r.org AND h.namespace = r.namespace
          JOIN unnest(${answers.map(({ answer }) => Buffer.from(answer, "utf8"))}::bytea[])
            WITH ORDINALITY AS b(answer, n) ON b.n = r.n
          ON CONFLICT DO NOTHING
        ), sent AS (
          INSERT INTO loom.outbox (org, namespace, versions, body)
          SELECT g.org, g.namespace, g.versions, b.body
          FROM given AS g
          JOIN held AS h ON h.org = g.org AND h.namespace = g.namespace
          JOIN unnest(${parts.map((part) => OutboxBody.encode(part.commit))}::bytea[])
            WITH ORDINALITY AS b(body, n) ON b.n = g.n
          RETURNING org, namespace, id
        )
        SELECT s.org, s.namespace, s.id, ${enduringOf(sql)} AS enduring,
          EXISTS (SELECT FROM loom.outbox AS o WHERE o.org = s.org AND o.namespace = s.namespace) AS behind
        FROM sent AS s`,
      SentRow
    ),
    (rows) => {
      const found = new Map(rows.map((row) => [actorId(row), row]))
      return parts.flatMap((part): ReadonlyArray<Sent> => {
        const row = found.get(actorId(part.scope))
        return row === undefined ? [] : [{ ...part, id: row.id, behind: row.behind }]
      })
    }
  )
}

/** Those of the owners of whom nothing is in. */
export const lostOf = <O extends Tenancy>(
  owners: ReadonlyArray<O>,
  sent: ReadonlyArray<Sent>
): ReadonlyArray<Scope> => {
  const kept = new Set(sent.map(({ scope }) => actorId(scope)))
  return owners.filter(({ scope }) => !kept.has(actorId(scope))).map(({ scope }) => scope)
}
