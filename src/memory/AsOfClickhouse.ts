/**
 * The versions that answer at an instant, as a subquery over `loom.memory_versions`: the claims of `AsOf`, worked out in
 * the engine so that a namespace's history never leaves it. A version is unique within its namespace, so a set of
 * versions within a scope is a set of rows.
 */
import type { Scope } from "../kernel/Identity.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment } from "../platform/Clickhouse.ts"
import type { Instant } from "./InstantModel.ts"
import { inScope } from "./MemoryRowsClickhouse.ts"

const upTo = (known: bigint | null): Fragment =>
  known === null ? ch.empty : ch.fragment` AND version <= ${ch.uint64(known)}`

const known = (where: Fragment, { known }: Instant): Fragment =>
  ch.fragment`FROM loom.memory_versions FINAL WHERE ${where} AND status != 'void'${upTo(known)}`

/** One row an identity, its versions oldest first, with what stood before each. */
const identities = (where: Fragment, instant: Instant): Fragment =>
  ch.fragment`SELECT memory_id, marks, arrayMap(one -> one.2, marks) AS contents, arrayMap(one -> one.3, marks) AS states,
      arrayMap(one -> one.4, marks) AS changes, arrayPushFront(arrayPopBack(marks), marks[1]) AS befores
    FROM (
      SELECT memory_id, arraySort(one -> one.1, groupArray((version, sipHash64(content_sha256), toString(status),
        toString(change), tuple(valid_at), tuple(valid_to), tuple(temporal_anchor), updated_at,
        superseded_by, sipHash64(write_id), coalesce(invalid_at, updated_at),
        value_kind = 'redacted'))) AS marks
      ${known(where, instant)}
      GROUP BY memory_id
    )`

/** Which versions take the identity out of service for good, and which hold another content than the one before. */
const outs = (where: Fragment, instant: Instant): Fragment =>
  ch.fragment`SELECT *,
      arrayMap((state, change) -> state IN ('tombstoned', 'rejected') AND change != 'expire', states,
        arrayFill((change, state, before) -> state != before.3, changes, states, befores)) AS outs,
      arrayMap((content, before, change) -> content != before.2 AND change != 'correct',
        contents, befores, changes) AS differs
    FROM (${identities(where, instant)})`

/** Which versions state a claim; and how the identity stood at each, expiries apart. */
const starts = (where: Fragment, instant: Instant): Fragment =>
  ch.fragment`SELECT *, arrayMap((at, change, was_out, differs, nth) -> at = 1 OR change IN ('create', 'revise') OR
          (change = 'correct' AND was_out) OR (differs AND nth = 1),
        arrayEnumerate(marks), changes, outs_before, differs, arrayEnumerateUniq(contents)) AS starts
    FROM (
      SELECT *, arrayPushFront(arrayPopBack(outs), 0) AS outs_before,
        arrayFill((state, out) -> out OR state NOT IN ('tombstoned', 'rejected'), states, outs) AS standings
      FROM (${outs(where, instant)})
    )`

/** The number of the claim that each version belongs to: of the last that was stated, or returned to. */
const numbered = (where: Fragment, instant: Instant): Fragment =>
  ch.fragment`SELECT memory_id, marks, befores, outs, standings, starts, resumes, eras,
      arrayFold((told, at, number, content, starts, resumes) -> arrayPushBack(told, multiIf(starts, number, resumes,
          told[at - indexOf(arrayReverse(arraySlice(contents, 1, at - 1)), content)], told[-1])),
        arrayEnumerate(marks), numbers, contents, starts, resumes, CAST([], 'Array(UInt64)')) AS claims
    FROM (
      SELECT *, arrayMap((differs, starts) -> differs AND NOT starts, differs, starts) AS resumes,
        arrayCumSum(starts) AS numbers, arrayCumSum((starts, out) -> starts AND out, starts, outs_before) AS eras
      FROM (${starts(where, instant)})
    )`

// Where a date stands in a mark. Null is a value here, hence the tuple around it, and the text it is compared as.
const places = { valid_at: ch.fragment`5`, valid_to: ch.fragment`6`, temporal_anchor: ch.fragment`7` }

/** Whether a version states the date; elsewhere it was only carried along. */
const states = (column: keyof typeof places): Fragment =>
  ch.fragment`moves OR (redates AND toString(mark.${places[column]}) != toString(before.${places[column]})) AS ${
    ch.identifier(`states_${column}`)
  }`

const dated = (column: keyof typeof places): Fragment =>
  ch.fragment`argMaxIf(mark.${places[column]}, version, ${ch.identifier(`states_${column}`)}).1 AS ${
    ch.identifier(column)
  }`

/** One row a claim, with its dates, its last state and what the identity's own end needs. */
const claims = (where: Fragment, instant: Instant): Fragment =>
  ch.fragment`SELECT *, coalesce(valid_at, temporal_anchor, learned) AS best FROM (
      SELECT memory_id, claim, min(version) AS first, max(version) AS last, argMin(mark.10, version) AS wrote,
        argMin(mark.8, version) AS learned, ${
    ch.join([dated("valid_at"), dated("valid_to"), dated("temporal_anchor")])
  },
        argMax(standing, version) AS state, argMax(mark.12, version) AS redacted, argMax(mark.9, version) AS successor,
        argMax(is_out, version) AS is_gone, argMin(of_era, version) AS era,
        maxIf(version, retires) AS retired, argMaxIf(mark.10, version, retires) AS retired_by,
        argMaxIf(mark.11, version, retires) AS retired_at, maxIf(version, returns) AS rolled
      FROM (
        SELECT *, ${ch.join([states("valid_at"), states("valid_to"), states("temporal_anchor")])} FROM (
          SELECT memory_id, mark, mark.1 AS version, before, claim, is_out, of_era, starts OR resumes AS moves,
            standing, standing = 'superseded' AND (starts OR resumes OR stood != 'superseded') AS retires,
            resumes AND mark.4 = 'rollback' AS returns, mark.4 IN ('correct', 'label', 'rollback') AS redates
          FROM (${numbered(where, instant)})
          ARRAY JOIN marks AS mark, befores AS before, claims AS claim, outs AS is_out, standings AS standing,
            arrayPushFront(arrayPopBack(standings), '') AS stood, starts AS starts,
            resumes AS resumes, eras AS of_era
        )
      )
      GROUP BY memory_id, claim
    )`

/** The claim of each identity with the latest date that has come, whether or not it still holds. */
const latest = (where: Fragment, instant: Instant): Fragment =>
  ch.fragment`SELECT arraySort(one -> (one.1, one.2), arrayFilter(one -> one.5 = in_era AND
        NOT (rolled_at > 0 AND one.2 < rolled_at AND one.4 > rolled_to), candidates))[-1] AS chosen
    FROM (
      SELECT max(rolled) AS rolled_at, argMax(claim, rolled) AS rolled_to, argMax(era, last) AS in_era,
        groupArrayIf((best, first, last, claim, era, state, tuple(valid_to), successor, retired, retired_by, retired_at),
          best <= ${ch.dateTime64(instant.at)} AND state != 'proposed' AND NOT redacted) AS candidates
      FROM (${claims(where, instant)})
      GROUP BY memory_id
      HAVING NOT argMax(is_gone, last)
    )`

/** When the rows that replaced others took over: every claim of each, by the id of its row. */
const successors = (scope: Scope, where: Fragment, instant: Instant): Fragment =>
  ch.fragment`SELECT memory_id, arraySort(groupArray((first, wrote, best))) AS stands
    FROM (${
    claims(
      ch.fragment`${inScope(scope)} AND memory_id IN (
        SELECT superseded_by ${known(where, instant)} AND superseded_by != '')`,
      instant
    )
  })
    GROUP BY memory_id`

const wasTrue = (scope: Scope, where: Fragment, instant: Instant): Fragment => {
  const at = ch.dateTime64(instant.at)
  return ch.fragment`SELECT answering FROM (
      SELECT answering, state, retired_at, others,
        arrayFilter(one -> one.1 <= retired OR (retired_by != sipHash64('') AND one.2 = retired_by), others) AS stated
      FROM (SELECT *, arrayFilter(one -> one.1 != first, stands) AS others FROM (
        SELECT chosen.2 AS first, chosen.3 AS answering, chosen.6 AS state, chosen.7.1 AS ends, chosen.8 AS successor,
          chosen.9 AS retired, chosen.10 AS retired_by, chosen.11 AS retired_at
        FROM (${latest(where, instant)})
        WHERE answering != 0 AND state != 'duplicate' AND (ends IS NULL OR ends > ${at})
      ) AS picked
      LEFT JOIN (${successors(scope, where, instant)}) AS next ON next.memory_id = picked.successor)
    )
    WHERE state != 'superseded'
      OR ${at} < multiIf(empty(others), retired_at, notEmpty(stated), stated[-1].3, others[1].3)`
}

const isPlain = ch.fragment`count() = 1 AND any(status) IN ('active', 'conflicted')`

/** Most memories were stated once and left alone; for these the dates of their one version say all. */
const plain = (where: Fragment, instant: Instant): Fragment => {
  const at = ch.dateTime64(instant.at)
  return ch.fragment`SELECT any(version) AS answering ${known(where, instant)} GROUP BY memory_id
    HAVING ${isPlain} AND any(value_kind) != 'redacted'
      AND coalesce(any(valid_at), any(temporal_anchor), any(updated_at)) <= ${at}
      AND (any(valid_to) IS NULL OR any(valid_to) > ${at})`
}

const others = (where: Fragment, instant: Instant): Fragment =>
  ch.fragment`${where} AND memory_id IN (
    SELECT memory_id ${known(where, instant)} GROUP BY memory_id HAVING NOT (${isPlain}))`

/**
 * The versions that answer at the instant, one an identity. `where` starts with the scope and names whole identities.
 * On the axis of knowledge these are the last versions known; what is served of them is the caller's to ask.
 */
export const versionsAsOf = (scope: Scope, where: Fragment, instant: Instant): Fragment =>
  instant.axis === "valid"
    ? ch.join([plain(where, instant), wasTrue(scope, others(where, instant), instant)], " UNION ALL ")
    : ch.fragment`SELECT max(version) AS answering ${known(where, instant)} GROUP BY memory_id`
