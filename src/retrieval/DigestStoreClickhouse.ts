/** `DigestStore` on ClickHouse: one block a call, a later row of a digest in the place of an earlier one. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clickhouse } from "../platform/Clickhouse.ts"
import { base64Of } from "../platform/ClickhouseValue.ts"
import { DigestStore } from "./DigestStore.ts"
import type { DerivedDigest, DigestEnd } from "./DigestStore.ts"

const rowOf = ({ copies: { vector, ...copies }, digest: { created_at, members, ...digest } }: DerivedDigest) => ({
  ...digest,
  ...copies,
  vector_base64: base64Of(vector),
  derived_from: members.map(({ memory_key }) => memory_key),
  derived_sha256: members.map(({ content_sha256 }) => content_sha256),
  created_at: new Date(created_at)
})

// What it said leaves the table with the next merge.
const endOf = ({ at, ...place }: DigestEnd) => ({ ...place, created_at: new Date(at), tombstoned_at: new Date(at) })

export const layer: Layer.Layer<DigestStore, never, Clickhouse> = Layer.effect(
  DigestStore,
  Effect.map(Clickhouse, (clickhouse) => {
    // The columns are named since one of them exists only in an insert.
    const write = (rows: ReadonlyArray<object>) =>
      clickhouse.insert("loom.session_summaries", rows, { columns: Object.keys(rows[0] ?? {}) })
    return {
      put: Effect.fn("DigestStore.put")(function*(digests) {
        yield* write(digests.map(rowOf))
      }),
      end: Effect.fn("DigestStore.end")(function*(digests) {
        yield* write(digests.map(endOf))
      })
    }
  })
)
