/**
 * The codec between `MemoryRow` and `loom.heads`. The body is the whole row; the columns beside it are what statements ask
 * for. Rows read are checked by Schema; rows written come from typed code.
 */
import * as Schema from "effect/Schema"
import { identityKey } from "../kernel/Identity.ts"
import type { Writer } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"
import { Int8, json } from "../platform/PostgresValue.ts"
import { MemoryRow } from "./MemoryModel.ts"

/** UTF-8 text in a column of bytes. */
export const Utf8 = Schema.transform(Schema.Uint8ArrayFromSelf, Schema.String, {
  strict: true,
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"),
  encode: (text) => Buffer.from(text, "utf8")
})

/** Who it is, as stored: names were checked when they came in. */
export const StoredIdentity = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String
})

/** A row as JSON: 64-bit integers as their digits in a string. */
export const JsonRow = Schema.Struct({
  ...MemoryRow.fields,
  ...StoredIdentity.fields,
  version: Schema.BigInt,
  epoch: Schema.BigInt,
  seq: Schema.BigInt
})

export const Body = Schema.Struct({ body: Schema.compose(Utf8, Schema.parseJson(JsonRow)) })

export const bodyOf = (row: MemoryRow): Buffer => Buffer.from(json(row), "utf8")

/** What finds one memory within its namespace. */
export const placeOf = (place: Writer & { readonly memory_key: string }): string => sha256(identityKey(place))

/** The columns beside the body, as JSON takes them. */
export const columnsOf = (row: MemoryRow) => ({
  org: row.org,
  namespace: row.namespace,
  place: placeOf(row),
  agent: row.agent,
  user_id: row.user_id,
  session_id: row.session_id,
  memory_key: row.memory_key,
  memory_id: row.memory_id,
  memory_type: row.memory_type,
  status: row.status,
  sensitivity: row.sensitivity,
  content_sha256: row.content_sha256,
  canonical_sha256: row.canonical_sha256,
  version: row.version,
  expires_at: row.expires_at,
  valid_to: row.valid_to,
  duplicate_of: row.duplicate_of,
  conflict_with: row.conflict_with,
  value_bytes: Buffer.byteLength(row.value)
})

// The driver gives 64-bit integers as text.
const OptionalMillis = Schema.NullOr(Schema.NumberFromString)

/** What the actor keeps of a head. */
export const StoredEntry = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  memory_id: Schema.String,
  memory_type: Schema.String,
  status: MemoryRow.fields.status,
  content_sha256: Schema.String,
  canonical_sha256: Schema.String,
  version: Int8,
  expires_at: OptionalMillis,
  valid_to: OptionalMillis,
  duplicate_of: Schema.String,
  conflict_with: Schema.Array(Schema.String)
})
