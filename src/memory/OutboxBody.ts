/**
 * A commit as bytes, for the outbox: the length of a head, the head as UTF-8 JSON, then the vectors as they are, one after
 * the other. Vectors as JSON numbers would be five times as long and cost more than the rest of the commit.
 */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { AST } from "effect/SchemaAST"
import { json } from "../platform/PostgresValue.ts"
import { Searchable } from "./MemoryContent.ts"
import { JsonRow, StoredIdentity } from "./MemoryRowsPostgres.ts"
import type { Commit } from "./MemoryStore.ts"

const FLOAT = Float32Array.BYTES_PER_ELEMENT
// The length of the head, an unsigned integer of 32 bits, low byte first.
const LENGTH = 4

const StoredScope = Schema.Struct({ org: Schema.String, namespace: Schema.String })

const { key_vector: _key, value_vector: _value, ...words } = Searchable.fields

const Head = Schema.Struct({
  rows: Schema.Array(JsonRow),
  derived: Schema.Array(Schema.Struct({
    identity: StoredIdentity,
    content_sha256: Schema.String,
    memory_type: Schema.String,
    source_class: Schema.String,
    verified: Schema.Boolean,
    version: Schema.BigInt,
    searchable: Schema.Struct(words),
    /** How many numbers its two vectors have. */
    lengths: Schema.Tuple(Schema.Number, Schema.Number)
  })),
  entities: Schema.Array(Schema.Struct({ identity: StoredIdentity, entity: Schema.String, version: Schema.BigInt })),
  ceilings: Schema.Array(Schema.Struct({ scope: StoredScope, ceiling: Schema.BigInt })),
  answers: Schema.Array(Schema.Struct({
    scope: StoredScope,
    idem_hash: Schema.String,
    payload_hash: Schema.String,
    write_id: Schema.String,
    answer: Schema.String,
    at: Schema.Number,
    version: Schema.BigInt
  })),
  hidden: Schema.Array(StoredIdentity),
  audits: Schema.Array(Schema.Struct({
    ...StoredScope.fields,
    position: Schema.BigInt,
    at: Schema.Number,
    actor: Schema.String,
    action: Schema.String,
    memory_id: Schema.String,
    content_sha256: Schema.String,
    write_id: Schema.String,
    prev_hash: Schema.String,
    hash: Schema.String,
    epoch: Schema.BigInt,
    seq: Schema.BigInt
  }))
})

const bytesOf = (vector: Float32Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)

export const encode = (commit: Commit): Buffer => {
  const derived = commit.derived.map(({ searchable: { key_vector, value_vector, ...searchable }, ...rest }) => ({
    ...rest,
    searchable,
    lengths: [value_vector.length, key_vector.length]
  }))
  const head = Buffer.from(json({ ...commit, derived }), "utf8")
  const length = Buffer.alloc(LENGTH)
  length.writeUInt32LE(head.length)
  const vectors = commit.derived.flatMap(({ searchable }) => [
    bytesOf(searchable.value_vector),
    bytesOf(searchable.key_vector)
  ])
  return Buffer.concat([length, head, ...vectors])
}

const decodeHead = ParseResult.decode(Schema.parseJson(Head))

const fault = (ast: AST, bytes: Uint8Array, message: string) =>
  ParseResult.fail(new ParseResult.Type(ast, bytes.length, message))

/** The bytes of a commit; ones that are cut short or longer than their head says are refused. */
export const FromBytes: Schema.Schema<Commit, Uint8Array> = Schema.transformOrFail(
  Schema.Uint8ArrayFromSelf,
  Schema.declare((_): _ is Commit => true),
  {
    strict: true,
    decode: (bytes, _, ast) => {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      if (buffer.length < LENGTH) return fault(ast, bytes, "too short for a commit")
      let at = LENGTH + buffer.readUInt32LE(0)
      return ParseResult.flatMap(decodeHead(buffer.toString("utf8", LENGTH, at)), (head) => {
        const take = (length: number): Float32Array => {
          const vector = new Float32Array(length)
          // A pooled buffer need not begin where floats may.
          new Uint8Array(vector.buffer).set(buffer.subarray(at, at + length * FLOAT))
          at += length * FLOAT
          return vector
        }
        const size = head.derived.reduce((sum, { lengths: [value, key] }) => sum + (value + key) * FLOAT, at)
        if (size !== buffer.length) return fault(ast, bytes, "not as long as its vectors")
        const derived = head.derived.map(({ lengths: [value, key], searchable, ...rest }) => ({
          ...rest,
          searchable: { ...searchable, value_vector: take(value), key_vector: take(key) }
        }))
        return ParseResult.succeed({ ...head, derived })
      })
    },
    encode: (commit) => ParseResult.succeed(encode(commit))
  }
)
