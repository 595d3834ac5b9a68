/**
 * What is derived from a value before the actor sees it: text form, hashes, lexical copies, vectors and chunks. Derived
 * outside the actor, so that many writes are analysed and embedded side by side. A value that is not searchable (type
 * `episodic` or `profile`, or sensitivity high) has none of the derived parts and never reached an embedder.
 */
import * as Schema from "effect/Schema"
import { Sensitivity } from "./MemoryModel.ts"

const Floats = Schema.declare((input): input is Float32Array => input instanceof Float32Array, {
  identifier: "Floats",
  // For tests of what travels: a few floats stand for many.
  arbitrary: () => (fc) => fc.float32Array({ maxLength: 12 })
})

/** A unit vector; travels between processes as bytes, never as JSON numbers. */
export const Vector = Schema.transform(Schema.Uint8ArrayFromSelf, Floats, {
  strict: true,
  // Copied by a constructor: the `slice` of a Buffer, which is what a socket gives, shares the buffer of its neighbours.
  decode: (bytes) => new Float32Array(new Uint8Array(bytes).buffer),
  encode: (vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
})

export const Chunk = Schema.Struct({
  index: Schema.Number,
  /** UTF-16 offsets of the passage in the value text: [start, end). */
  start: Schema.Number,
  end: Schema.Number,
  text: Schema.String,
  stems: Schema.Array(Schema.String),
  lemmas: Schema.Array(Schema.String)
})
export type Chunk = typeof Chunk.Type

/** The searchable copies of one value. */
export const Searchable = Schema.Struct({
  embedder_id: Schema.String,
  value_vector: Vector,
  key_vector: Vector,
  /** At most 1,200 characters of the value. */
  excerpt: Schema.String,
  lowered: Schema.String,
  stems: Schema.Array(Schema.String),
  lemmas: Schema.Array(Schema.String),
  chunks: Schema.Array(Chunk)
})
export type Searchable = typeof Searchable.Type

export const Content = Schema.Struct({
  value: Schema.String,
  value_kind: Schema.Literal("string", "json"),
  content_sha256: Schema.String,
  /** Empty when the value is not judged against peers. */
  canonical_sha256: Schema.String,
  memory_type: Schema.String,
  retyped_from: Schema.String,
  sensitivity: Sensitivity,
  searchable: Schema.NullOr(Searchable),
  /** What was decided for the writer, for the answer; holds no part of the value. */
  advisories: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
})
export type Content = typeof Content.Type
