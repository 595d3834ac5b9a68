/**
 * Taking a value out of the past in ClickHouse. A scrubbed version is a later revision of the same row, so no version
 * changes its number and the audit chain still verifies; inserted into `loom.memory`, it reaches the history and the journal
 * by the views, like any version. Versions and kept answers that quote the value lose the quotes the same way, and what was
 * derived from it is deleted. The tables are then merged whole, since until a merge the old parts hold the text on disk:
 * rare, and an admin's to ask for. A scrub that was cut short is done again whole.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Clickhouse, Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { MAX_ROWS } from "./CommitMerge.ts"
import { answerRow, everyVersion } from "./MemoryCommitClickhouse.ts"
import { isRedacted } from "./MemoryModel.ts"
import type { Place, Scrubbed } from "./MemoryReview.ts"
import { encodeRow, inPlaces, inScope, rowColumns, StoredRow } from "./MemoryRowsClickhouse.ts"
import { quotable, quotingNothing, scrubbedVersion, withoutQuotesOf } from "./MemoryScrub.ts"
import type { Quotable } from "./MemoryScrub.ts"

const RevisedRow = Schema.Struct({ ...StoredRow.fields, revision: Schema.Number })

type Clickhouses = Clickhouse["Type"]

const holding = (scope: Scope, place: Place, sha256: string): Fragment =>
  ch.fragment`${inScope(scope)} AND ${inPlaces([place])} AND content_sha256 = ${ch.string(sha256)}`

const Counts = Schema.Struct({ vectors: UInt64, chunks: UInt64 })

const derivedRows = (held: Fragment): Statement =>
  ch.sql("MemoryReview.scrub")`SELECT
    (SELECT uniqExact(embedder_id) FROM loom.memory_embeddings WHERE ${held}) AS vectors,
    (SELECT uniqExact(chunk_index) FROM loom.memory_chunks WHERE ${held}) AS chunks`

const Remaining = Schema.Struct({ found: UInt64 })

// Without FINAL: what a merge has not yet thrown away counts too.
const remaining = (held: Fragment): Statement =>
  ch.sql("MemoryReview.scrub")`SELECT sum(found) AS found FROM (
    SELECT count() AS found FROM loom.memory WHERE ${held} AND value != ''
    UNION ALL SELECT count() FROM loom.memory_versions WHERE ${held} AND value != ''
    UNION ALL SELECT count() FROM loom.memory_embeddings WHERE ${held}
    UNION ALL SELECT count() FROM loom.memory_chunks WHERE ${held})`

const touched = ["memory", "memory_versions", "journal", "idempotency", "memory_embeddings", "memory_chunks"]

const PastRow = StoredRow.pick("memory_id", "memory_key", "version", "content_sha256", "write_id")

const pastOf = (scope: Scope, place: Place): Statement =>
  ch.sql("MemoryReview.scrub")`SELECT memory_id, memory_key, version, content_sha256, write_id
    FROM loom.memory_versions FINAL WHERE ${inScope(scope)} AND ${inPlaces([place])} AND status != 'void'
    ORDER BY version DESC`

type Named = Pick<typeof PastRow.Type, "memory_id" | "memory_key">

/** What was written while the value could be quoted. */
const within = (scope: Scope, { from, to, writes }: Quotable): Fragment =>
  ch.fragment`${inScope(scope)} AND (write_id IN ${ch.array("String", [...writes])} OR (version >= ${ch.uint64(from)}${
    to === null ? ch.empty : ch.fragment` AND version <= ${ch.uint64(to)}`
  }))`

/** Answers that may quote the memory: by its id, or by its key as JSON writes it. */
const telling = ({ memory_id, memory_key }: Named): Fragment =>
  ch.fragment`(position(answer, ${ch.string(memory_id)}) > 0 OR position(answer, ${
    ch.string(JSON.stringify(memory_key).slice(1, -1))
  }) > 0)`

const AnswerRow = Schema.Struct({
  idem_hash: Schema.String,
  payload_hash: Schema.String,
  write_id: Schema.String,
  answer: Schema.String,
  at: EpochMillis,
  version: UInt64
})

const revise = (clickhouse: Clickhouses, table: string, rows: ReadonlyArray<typeof RevisedRow.Type>) =>
  Effect.forEach(Arr.chunksOf(rows, MAX_ROWS), (turn) =>
    clickhouse.insert(
      table,
      turn.map(({ revision, ...row }) => ({ ...encodeRow(row), revision: revision + 1 })),
      everyVersion
    ), { discard: true })

/**
 * Takes the quotes of a memory out of the versions and kept answers of the time when its value could be quoted; but for the
 * version `standing`, a head that the history shows without its value.
 */
const scrubQuotes = (
  clickhouse: Clickhouses,
  scope: Scope,
  of: Named,
  span: Quotable,
  standing: bigint | undefined
) =>
  Effect.gen(function*() {
    const time = within(scope, span)
    const versions = yield* clickhouse.query(
      ch.sql("MemoryReview.scrub")`SELECT ${rowColumns}, revision FROM loom.memory_versions FINAL
        WHERE ${time} AND (${telling(of)} OR position(cause, ${ch.string(of.memory_id)}) > 0)`,
      RevisedRow
    )
    const unquoted = versions.filter(({ version }) => version !== standing).map((row) => ({
      ...withoutQuotesOf(row, of),
      revision: row.revision
    }))
    yield* revise(clickhouse, "loom.memory", unquoted)
    const answers = yield* clickhouse.query(
      ch.sql("MemoryReview.scrub")`SELECT idem_hash, payload_hash, write_id, answer, at, version
        FROM loom.idempotency FINAL WHERE ${time} AND ${telling(of)}`,
      AnswerRow
    )
    // Of one version the row inserted last counts.
    yield* clickhouse.insert(
      "loom.idempotency",
      answers.map((kept) => answerRow({ ...kept, scope, answer: quotingNothing(kept.answer, of) }))
    )
  })

export const scrubIn = (clickhouse: Clickhouses) =>
  Effect.fn("MemoryReview.scrub")(function*(
    scope: Scope,
    place: Place,
    contentSha256: string
  ): Effect.fn.Return<Scrubbed, StoreError> {
    const held = holding(scope, place, contentSha256)
    const rows = yield* clickhouse.query(
      ch.sql("MemoryReview.scrub")`SELECT ${rowColumns}, revision FROM loom.memory_versions FINAL
        WHERE ${held}`,
      RevisedRow
    )
    const [derived] = yield* clickhouse.query(derivedRows(held), Counts)
    const versions = yield* clickhouse.query(pastOf(scope, place), PastRow)
    const [newest] = versions
    const span = quotable(versions, contentSha256)
    // Those redacted before too: a scrub that was cut short may have reached one table and not the other.
    const scrubbed = rows.map((row) => ({ ...scrubbedVersion(row), revision: row.revision }))
    // A head that holds the value after all is its actor's to empty, and goes on telling that it holds it.
    const head = rows.find((row) => row.version === newest?.version && !isRedacted(row))?.version
    const [past, standing] = Arr.partition(scrubbed, ({ version }) => version === head)
    yield* revise(clickhouse, "loom.memory", past)
    yield* revise(clickhouse, "loom.memory_versions", standing)
    if (newest !== undefined && span !== undefined) yield* scrubQuotes(clickhouse, scope, newest, span, head)
    for (const table of ["memory_embeddings", "memory_chunks"]) {
      yield* clickhouse.command(
        ch.sql("MemoryReview.scrub")`DELETE FROM ${ch.identifier("loom", table)} WHERE ${held}`
      )
    }
    for (const table of touched) {
      yield* clickhouse.command(
        ch.sql("MemoryReview.scrub")`OPTIMIZE TABLE ${ch.identifier("loom", table)} FINAL`
      )
    }
    const [left] = yield* clickhouse.query(remaining(held), Remaining)
    return {
      versions: rows.filter((row) => !isRedacted(row)).length,
      vectors: Number(derived?.vectors ?? 0n),
      chunks: Number(derived?.chunks ?? 0n),
      remaining: Number(left?.found ?? 0n)
    }
  })
