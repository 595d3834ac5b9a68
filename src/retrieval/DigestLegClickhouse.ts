/**
 * `DigestIndex` on ClickHouse. A scope has few digests, some for each session, so they are compared one by one; the
 * memories they name are read by key. That a scope has none is remembered for a moment.
 */
import * as Cache from "effect/Cache"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Statement } from "../platform/Clickhouse.ts"
import { countsOf } from "../platform/ClickhouseTerms.ts"
import { Flag } from "../platform/ClickhouseValue.ts"
import { DigestIndex } from "./DigestIndex.ts"
import type { FoundDigest } from "./DigestModel.ts"
import { inScope, isStanding, served, within } from "./SearchFilterClickhouse.ts"
import type { QueryVector } from "./SearchIndex.ts"
import type { SearchFilter } from "./SearchModel.ts"
import { headColumns, HeadRow } from "./SearchRowsClickhouse.ts"
import type { TermGroup } from "./SearchTerms.ts"

// Digests are made in the background, so the first ones may show a second late; that there are some may be old.
const NONE_AGE = "1 second"
const SOME_AGE = "30 seconds"
const SCOPES_KEPT = 4_096

const AnyRow = Schema.Struct({ rows: Schema.Number })

const anyDigest = (scope: Scope): Statement =>
  ch.sql("DigestIndex.any")`
    SELECT toUInt32(count()) AS rows FROM (SELECT 1 FROM loom.session_summaries PREWHERE ${inScope(scope)} LIMIT 1)`

const DigestRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  digest_id: Schema.String,
  derived_from: Schema.Array(Schema.String),
  derived_sha256: Schema.Array(Schema.String),
  /** Whether the vector is of the question's embedder, so that the cosine means something. */
  is_compared: Flag,
  cosine: Schema.Number,
  held: Schema.Number
})

/** The order is that of `DigestShare.closeness`. */
const nearest = (
  scope: Scope,
  filter: SearchFilter,
  { embedderId, vector }: QueryVector,
  terms: ReadonlyArray<TermGroup>,
  limit: number
): Statement =>
  ch.sql("DigestIndex.nearest")`
    WITH ${ch.array("Float32", Array.from(vector))} AS question, ${countsOf(terms)} AS counts
    SELECT agent, user_id, session_id, digest_id, derived_from, derived_sha256,
      embedder_id = ${ch.string(embedderId)} AS is_compared,
      dotProduct(if(is_compared, vector, arrayWithConstant(length(question), 0::Float32)), question) AS cosine,
      arrayCount(count -> count > 0, counts) / greatest(length(counts), 1) AS held
    FROM loom.session_summaries FINAL
    WHERE ${within(scope, filter)} AND tombstoned_at IS NULL
    ORDER BY if(is_compared, (greatest(cosine, 0) + held) / 2, held) DESC, version DESC, digest_id
    LIMIT ${ch.uint32(limit)}`

const MemberRow = Schema.Struct({ ...HeadRow.fields, is_found: Flag })

/**
 * A duplicate says what it said when the digest was made, so it bears the digest out although another row answers for it.
 */
const members = (scope: Scope, filter: SearchFilter, digests: ReadonlyArray<FoundDigest>): Statement => {
  const keys = [...new Set(digests.flatMap(({ members }) => members.map(({ memory_key }) => memory_key)))]
  const users = [...new Set(digests.map(({ user_id }) => user_id))]
  return ch.sql("DigestIndex.members")`
    SELECT ${headColumns}, (${within(scope, filter)} AND ${served(filter)}) AS is_found
    FROM (
      SELECT ${headColumns}, org, namespace, run_id, expires_at, valid_to FROM loom.memory
      PREWHERE ${inScope(scope)} AND user_id IN ${ch.array("String", users)} AND memory_key IN ${
    ch.array("String", keys)
  }
      ORDER BY version DESC LIMIT 1 BY agent, user_id, session_id, memory_key
    ) WHERE (${isStanding(filter)} OR status = 'duplicate') AND sensitivity != 'high'`
}

const digestOf = (
  { cosine, derived_from, derived_sha256, is_compared, ...row }: typeof DigestRow.Type
): FoundDigest => ({
  ...row,
  cosine: is_compared ? cosine : null,
  members: derived_from.map((memory_key, at) => ({ memory_key, content_sha256: derived_sha256[at] ?? "" }))
})

export const make: Effect.Effect<DigestIndex["Type"], never, Clickhouse> = Effect.gen(function*() {
  const clickhouse = yield* Clickhouse
  const known = yield* Cache.makeWith({
    capacity: SCOPES_KEPT,
    timeToLive: Exit.match({ onFailure: () => NONE_AGE, onSuccess: (some) => some ? SOME_AGE : NONE_AGE }),
    lookup: (scope: Scope) => Effect.map(clickhouse.query(anyDigest(scope), AnyRow), (rows) => (rows[0]?.rows ?? 0) > 0)
  })
  return {
    any: Effect.fn("DigestIndex.any")(function*({ namespace, org }) {
      const key = Data.struct({ org, namespace })
      // The cache would keep a failure too.
      return yield* Effect.tapError(known.get(key), () => known.invalidate(key))
    }),
    nearest: Effect.fn("DigestIndex.nearest")(function*(scope, filter, query, terms, limit) {
      return (yield* clickhouse.query(nearest(scope, filter, query, terms, limit), DigestRow)).map(digestOf)
    }),
    members: Effect.fn("DigestIndex.members")(function*(scope, filter, digests) {
      const rows = yield* clickhouse.query(members(scope, filter, digests), MemberRow)
      return rows.map(({ is_found, ...head }) => ({ head, isFound: is_found }))
    })
  }
})

export const layer: Layer.Layer<DigestIndex, never, Clickhouse> = Layer.effect(DigestIndex, make)
