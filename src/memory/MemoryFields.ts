/**
 * The request and answer fields that memory verbs share, each declared once with its rule. Names are the wire names.
 */
import * as Schema from "effect/Schema"
import { MemoryKey, Name, NamespaceName, OptionalName, UserId } from "../kernel/Identity.ts"
import { isWellFormed, Json } from "../kernel/Json.ts"
import { parseTime } from "../kernel/Time.ts"

/** Body fields that say in which scope a verb acts; the token decides what is allowed. */
export const scopeFields = {
  org: Schema.optional(Name),
  namespace: Schema.optional(NamespaceName)
}

/** Body fields that name a writer; on reads each one narrows, and one left out matches every writer. */
export const writerFields = {
  agent: Schema.optional(OptionalName),
  user_id: Schema.optional(UserId),
  session_id: Schema.optional(OptionalName)
}

/** Which row: by key, narrowed to a writer, or by id. */
export const rowFields = {
  ...scopeFields,
  ...writerFields,
  memory_key: Schema.optional(MemoryKey),
  memory_id: Schema.optional(Schema.String)
}

/** Every write takes an idempotency key: the same key with the same request gives the first answer for 24 hours. */
export const writeFields = {
  run_id: Schema.optional(OptionalName),
  idempotency_key: Schema.optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(256)))
}

const label = (max: number) =>
  Schema.String.pipe(
    Schema.filter((text) =>
      text.trim().length === 0
        ? "is blank"
        : text.length > max
        ? `is longer than ${max} characters`
        : !text.isWellFormed()
        ? "holds a lone surrogate"
        : /\p{Cc}/u.test(text)
        ? "holds a control character"
        : true, { jsonSchema: { type: "string" } })
  )

/** Facets; case is kept. More than 64 facets on one claim are a list of facts. */
export const Tags = Schema.Array(label(256)).pipe(Schema.maxItems(64))
/** Names of things the claim is about, as people write them. */
export const EntityNames = Schema.Array(label(256)).pipe(Schema.maxItems(64))
/** Paths the claim is about. */
export const Files = Schema.Array(label(1024)).pipe(Schema.maxItems(64))
/** (subject, predicate, object). */
export const Relations = Schema.Array(Schema.Tuple(label(512), label(256), label(512))).pipe(Schema.maxItems(64))

/** ISO 8601; kept as text here so that the answer can say when a time without offset was read as UTC. */
export const TimeText = Schema.String.pipe(
  Schema.filter((text) => {
    const parsed = parseTime(text)
    return typeof parsed === "string" ? parsed : true
  }, { jsonSchema: { type: "string", format: "date-time" } })
)

/** Any JSON up to 1 MiB in its stored form (the limit is checked where the stored form is made). */
export const Value = Json.pipe(
  Schema.filter((value) => isWellFormed(value) || "holds a lone surrogate, which has no UTF-8 form", {
    jsonSchema: {}
  })
)

export const MemoryTypeName = Schema.String.pipe(
  Schema.pattern(/^[a-z][a-z0-9_.:-]{0,63}$/, {
    message: () => "is not a type name: lower-case letters, digits and _ . : - (at most 64)"
  })
)

export const Confidence = Schema.Number.pipe(Schema.between(0, 1))
export const Sha256 = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{64}$/, { message: () => "is not 64 lower-case hex digits" })
)
// A century: longer is a mistake in the unit.
export const TtlSeconds = Schema.Int.pipe(Schema.between(1, 3_155_760_000))
export const Trace = Schema.String.pipe(Schema.maxLength(2048))

/** Classes a request may declare; each is a downgrade of what the server would stamp. */
export const DeclaredSourceClass = Schema.String

/** What a caller may state about a memory beside its key and value. */
export const statementFields = {
  memory_type: Schema.optional(MemoryTypeName),
  tags: Schema.optional(Tags),
  entities: Schema.optional(EntityNames),
  relations: Schema.optional(Relations),
  files: Schema.optional(Files),
  confidence: Schema.optional(Confidence),
  source_trace: Schema.optional(Trace),
  source_class: Schema.optional(DeclaredSourceClass),
  source_resource_id: Schema.optional(Trace),
  ttl_seconds: Schema.optional(Schema.NullOr(TtlSeconds)),
  clear_expiry: Schema.optional(Schema.Boolean),
  on_expire: Schema.optional(Schema.Literal("tombstone", "demote", "keep")),
  expire_reason: Schema.optional(Trace),
  valid_at: Schema.optional(Schema.NullOr(TimeText)),
  valid_to: Schema.optional(Schema.NullOr(TimeText)),
  pinned: Schema.optional(Schema.Boolean),
  char_limit: Schema.optional(Schema.Int.pipe(Schema.between(0, 1_048_576))),
  sensitivity: Schema.optional(Schema.Literal("none", "medium", "high"))
}

/** The key and value of one write, with everything a caller may state. */
export const itemFields = {
  memory_key: MemoryKey,
  value: Value,
  ...statementFields,
  if_match_sha256: Schema.optional(Sha256)
}

// ---- answers -----------------------------------------------------------------------------------------------------

export const Verdict = Schema.Literal("merge", "rejected", "refines", "conflict", "duplicate", "clear")
export type Verdict = typeof Verdict.Type

/** A row close to the one written: which, how close, the verdict against it and the rule that gave it, in words. */
export const Peer = Schema.Struct({
  memory_key: Schema.String,
  memory_id: Schema.String,
  similarity: Schema.Number,
  verdict: Verdict,
  reason: Schema.String
})
export type Peer = typeof Peer.Type

/** A row that a write took out of service, by which rule and on what evidence. */
export const Retired = Schema.Struct({
  memory_key: Schema.String,
  memory_id: Schema.String,
  agent: Schema.String,
  session_id: Schema.String,
  rule: Schema.String,
  reason: Schema.String
})
export type Retired = typeof Retired.Type

/** The answer of one judged write. */
export const WriteAnswer = Schema.Struct({
  memory_id: Schema.String,
  memory_key: Schema.String,
  namespace: Schema.String,
  /** Nearest double of the version; `version_text` is exact. */
  version: Schema.Number,
  version_text: Schema.String,
  content_sha256: Schema.String,
  status: Schema.String,
  pinned: Schema.Boolean,
  conflict_verdict: Verdict,
  peers: Schema.Array(Peer),
  merged_into_key: Schema.NullOr(Schema.String),
  duplicate_of: Schema.NullOr(Schema.String),
  superseded_by: Schema.NullOr(Schema.String),
  /** memory_ids of the rows it contradicts. */
  conflict_with: Schema.Array(Schema.String),
  /** Rows the write took out of service; memory.restore brings each back. */
  retired: Schema.Array(Retired),
  reinforcement_count: Schema.Number,
  retyped_from: Schema.NullOr(Schema.String),
  next: Schema.NullOr(Schema.String),
  noop: Schema.Boolean,
  dry_run: Schema.Boolean,
  advisories: Schema.Array(Schema.String),
  degraded: Schema.Array(Schema.String),
  chunks_written: Schema.Number
})
export type WriteAnswer = typeof WriteAnswer.Type
