/**
 * Taking a value out of the past in ClickHouse. A scrubbed version is a later revision of the same row of the history, so
 * no version changes its number and the audit chain still verifies; what was derived from the value is deleted. The tables
 * are then merged whole, since until a merge the old parts hold the text on disk: rare, and an admin's to ask for.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Clickhouse, Fragment, Statement } from "../platform/Clickhouse.ts"
import { UInt64 } from "../platform/ClickhouseValue.ts"
import type { Place, Scrubbed } from "./MemoryReview.ts"
import { encodeRow, inPlaces, inScope, rowColumns, StoredRow } from "./MemoryRowsClickhouse.ts"
import { scrubbedVersion } from "./MemoryScrub.ts"

const RevisedRow = Schema.Struct({ ...StoredRow.fields, revision: Schema.Number })

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

const touched = ["memory", "memory_versions", "memory_embeddings", "memory_chunks"]

export const scrubIn = (clickhouse: Clickhouse["Type"]) =>
  Effect.fn("MemoryReview.scrub")(function*(
    scope: Scope,
    place: Place,
    contentSha256: string
  ): Effect.fn.Return<Scrubbed, StoreError> {
    const held = holding(scope, place, contentSha256)
    const rows = yield* clickhouse.query(
      ch.sql("MemoryReview.scrub")`SELECT ${rowColumns}, revision FROM loom.memory_versions FINAL
        WHERE ${held} AND value_kind != 'redacted'`,
      RevisedRow
    )
    const [derived] = yield* clickhouse.query(derivedRows(held), Counts)
    yield* clickhouse.insert(
      "loom.memory_versions",
      rows.map(({ revision, ...row }) => ({ ...encodeRow(scrubbedVersion(row)), revision: revision + 1 }))
    )
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
      versions: rows.length,
      vectors: Number(derived?.vectors ?? 0n),
      chunks: Number(derived?.chunks ?? 0n),
      remaining: Number(left?.found ?? 0n)
    }
  })
