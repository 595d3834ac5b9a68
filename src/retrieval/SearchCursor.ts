/**
 * What the cursor of a search holds: the ids of the memories that were ranked behind those shown, in their order, and how
 * the first page was made. Ids of the server's form take 16 bytes each. All of it is about rows that the caller may read.
 */
import * as Schema from "effect/Schema"
import type { Json } from "../kernel/Json.ts"
import type { Page } from "./SearchAcross.ts"

/** In this order: how many were shown, hits of each leg, the confidence, the ids, the places of their namespaces. */
export const SearchPlace = Schema.Tuple(
  Schema.NonNegativeInt,
  Schema.NonNegativeInt,
  Schema.Number,
  Schema.Union(Schema.String, Schema.Array(Schema.String)),
  Schema.String
)

const ID = /^mem_([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/
const ID_BYTES = 16

const packed = (ids: ReadonlyArray<string>): string | ReadonlyArray<string> =>
  ids.every((id) => ID.test(id))
    ? Buffer.from(ids.map((id) => id.replace(ID, "$1$2$3$4$5")).join(""), "hex").toString("base64url")
    // Rows that were imported may have ids of another form.
    : ids

const unpacked = (ids: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  if (typeof ids !== "string") return ids
  const bytes = Buffer.from(ids, "base64url")
  return Array.from({ length: Math.floor(bytes.length / ID_BYTES) }, (_, at) => {
    const hex = bytes.subarray(at * ID_BYTES, (at + 1) * ID_BYTES).toString("hex")
    return `mem_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  })
}

export const placeOf = ({ confidence, depth, listed, offset }: Page): Json => [
  offset,
  depth,
  confidence,
  packed(listed.map(({ one }) => one)),
  // One namespace is the first; there are never more than a byte can name.
  listed.every(({ at }) => at === 0) ? "" : Buffer.from(listed.map(({ at }) => at)).toString("base64url")
]

export const pageOf = ([offset, depth, confidence, ids, places]: typeof SearchPlace.Type): Page => {
  const at = Buffer.from(places, "base64url")
  return { offset, depth, confidence, listed: unpacked(ids).map((one, index) => ({ at: at[index] ?? 0, one })) }
}
