/**
 * What memories said before they were given the value they have, as rows of their own: of each earlier value the last
 * version that held it, marked as superseded by its own memory at the time the next value came. A memory that is not
 * served any more shows none, nor does one that is of high sensitivity by now; a value that was deleted or redacted is
 * none of them.
 */
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment } from "../platform/Clickhouse.ts"
import { SERVED_STATUSES } from "./MemoryModel.ts"

const identity = ch.fragment`agent, user_id, session_id, memory_key`

/** Heads whose earlier values may be shown: what replaced them may itself be replaced, or be a duplicate. */
const STANDING = [...SERVED_STATUSES, "superseded", "duplicate"] as const

// A value on trial or taken back was never replaced.
const HELD = [...SERVED_STATUSES, "superseded"] as const

/** A subquery with the columns of `loom.memory_versions`; `identities` starts with the scope and names whole identities. */
export const earlierValues = (identities: Fragment, now: number): Fragment => {
  const at = ch.dateTime64(now)
  return ch.fragment`(
    SELECT * REPLACE (CAST('superseded', 'LowCardinality(String)') AS status, memory_id AS superseded_by,
      toNullable(replaced_at) AS invalid_at)
    FROM (
      SELECT * FROM (SELECT *, leadInFrame(updated_at) OVER (
          PARTITION BY ${identity} ORDER BY version ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS replaced_at
      FROM loom.memory_versions FINAL WHERE ${identities} AND status != 'void'
      ORDER BY version DESC LIMIT 1 BY ${identity}, content_sha256)
      WHERE status IN ${ch.array("String", HELD)} AND value_kind != 'redacted'
      AND (${identity}, content_sha256) NOT IN (
        SELECT ${identity}, content_sha256 FROM loom.memory FINAL WHERE ${identities})
      AND (${identity}) IN (
        SELECT ${identity} FROM loom.memory FINAL
        WHERE ${identities} AND sensitivity != 'high' AND status IN ${ch.array("String", STANDING)}
          AND (expires_at IS NULL OR expires_at > ${at}))
    )
  )`
}
