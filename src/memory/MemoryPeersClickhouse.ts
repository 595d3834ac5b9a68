/**
 * The vectors of served heads in ClickHouse: the closest to a new value (for a namespace too large for its actor's
 * memory), and all of them, page by page, for an actor that comes up. A derived row counts when it was made from the
 * served head's content; a value without a canonical form (a bare word, number or list) is nobody's peer.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Clickhouse, Fragment, Statement } from "../platform/Clickhouse.ts"
import { SERVED_STATUSES } from "./MemoryModel.ts"
import { behind, inPlaces, inScope } from "./MemoryRowsClickhouse.ts"
import type { HeadVector, Nominee, PeerQuery } from "./MemoryStore.ts"

type Place = Writer & { readonly memory_key: string }

const placeColumns = ch.fragment`agent, user_id, session_id, memory_key`

const PlaceRow = {
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  content_sha256: Schema.String
}

const NearRow = Schema.Struct({ ...PlaceRow, similarity: Schema.Number })

const served = (scope: Scope, more: Fragment): Fragment =>
  ch.fragment`SELECT ${placeColumns}, content_sha256, memory_type FROM loom.memory FINAL
    WHERE ${inScope(scope)} ${more} AND status IN ${ch.array("String", SERVED_STATUSES)} AND canonical_sha256 != ''`

const near = (scope: Scope, embedderId: string, query: PeerQuery, limit: number): Statement => {
  const vector = ch.array("Float32", Array.from(query.vector))
  return ch.sql("MemoryStore.near")`SELECT ${placeColumns}, content_sha256,
      max(1 - cosineDistance(value_vector, ${vector})) AS similarity
    FROM loom.memory_embeddings
    WHERE ${inScope(scope)} AND user_id = ${ch.string(query.user_id)} AND embedder_id = ${ch.string(embedderId)}
      AND (${placeColumns}, content_sha256) IN (SELECT ${placeColumns}, content_sha256 FROM (${
    served(
      scope,
      ch.fragment`AND user_id = ${ch.string(query.user_id)} AND memory_type = ${ch.string(query.memory_type)}`
    )
  }))
    GROUP BY ${placeColumns}, content_sha256 HAVING similarity >= ${ch.float32(query.threshold)}
    ORDER BY similarity DESC LIMIT ${ch.uint32(limit)}`
}

const VectorRow = Schema.Struct({ ...PlaceRow, memory_type: Schema.String, packed: Schema.String })

const vectors = (scope: Scope, embedderId: string, heads: Fragment, derived: Fragment): Statement =>
  ch.sql("MemoryStore.vectors")`SELECT ${placeColumns}, content_sha256, head.memory_type AS memory_type,
      base64Encode(reinterpretAsString(value_vector)) AS packed
    FROM (${heads}) AS head
    INNER JOIN (
      SELECT ${placeColumns}, content_sha256, value_vector FROM loom.memory_embeddings
      WHERE ${inScope(scope)} AND embedder_id = ${ch.string(embedderId)} ${derived}
      LIMIT 1 BY ${placeColumns}, content_sha256
    ) AS derived USING (${placeColumns}, content_sha256)
    ORDER BY ${placeColumns}`

const pageOf = (
  scope: Scope,
  embedderId: string,
  { after, limit }: { readonly after: Place | null; readonly limit: number }
): Statement => {
  const heads = ch.fragment`${served(scope, behind(after))} ORDER BY ${placeColumns} LIMIT ${ch.uint32(limit)}`
  return vectors(
    scope,
    embedderId,
    heads,
    ch.fragment`AND (${placeColumns}) IN (SELECT ${placeColumns} FROM (${heads}))`
  )
}

type ContentPlace = Place & { readonly content_sha256: string; readonly memory_type: string }

const ContentRow = Schema.Struct({ ...PlaceRow, packed: Schema.String })

const contentKey = (row: Place & { readonly content_sha256: string }): string =>
  `${identityKey(row)}\u0000${row.content_sha256}`

const vectorsOf = (scope: Scope, embedderId: string, rows: ReadonlyArray<ContentPlace>): Statement =>
  ch.sql("MemoryStore.vectorsOf")`SELECT ${placeColumns}, content_sha256,
      base64Encode(reinterpretAsString(value_vector)) AS packed
    FROM loom.memory_embeddings
    WHERE ${inScope(scope)} AND embedder_id = ${ch.string(embedderId)} AND ${inPlaces(rows)}
      AND content_sha256 IN ${ch.array("String", rows.map((row) => row.content_sha256))}
    LIMIT 1 BY ${placeColumns}, content_sha256`

const unpacked = ({ packed, ...row }: typeof VectorRow.Type): HeadVector => {
  const bytes = Buffer.from(packed, "base64")
  const vector = new Float32Array(bytes.byteLength / Float32Array.BYTES_PER_ELEMENT)
  // A pooled buffer need not begin where floats may.
  new Uint8Array(vector.buffer).set(bytes)
  return { ...row, vector }
}

// One query scans every derived row of its user: two at a time keep both cores busy.
const SCANS = 2

export const peersOf = (clickhouse: Clickhouse["Type"]) => ({
  near: Effect.fn("MemoryStore.near")(function*(
    scope: Scope,
    embedderId: string,
    queries: ReadonlyArray<PeerQuery>,
    limit: number
  ): Effect.fn.Return<ReadonlyArray<ReadonlyArray<Nominee>>, StoreError> {
    return yield* Effect.forEach(
      queries,
      (query) => clickhouse.query(near(scope, embedderId, query, limit), NearRow),
      { concurrency: SCANS }
    )
  }),
  vectors: Effect.fn("MemoryStore.vectors")(function*(
    scope: Scope,
    embedderId: string,
    page: { readonly after: Place | null; readonly limit: number }
  ): Effect.fn.Return<ReadonlyArray<HeadVector>, StoreError> {
    const rows = yield* clickhouse.query(pageOf(scope, embedderId, page), VectorRow)
    return rows.map(unpacked)
  }),
  vectorsOf: Effect.fn("MemoryStore.vectorsOf")(function*(
    scope: Scope,
    embedderId: string,
    rows: ReadonlyArray<ContentPlace>
  ): Effect.fn.Return<ReadonlyArray<HeadVector>, StoreError> {
    if (rows.length === 0) return []
    const found = yield* clickhouse.query(vectorsOf(scope, embedderId, rows), ContentRow)
    const types = new Map(rows.map((row) => [contentKey(row), row.memory_type]))
    return found.flatMap((one) => {
      const memory_type = types.get(contentKey(one))
      return memory_type === undefined ? [] : [unpacked({ ...one, memory_type })]
    })
  })
})
