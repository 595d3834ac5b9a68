/** The request and answer fields that the verbs of runs share, each declared once with its rule. */
import * as Schema from "effect/Schema"
import { Json } from "../kernel/Json.ts"
import { Confidence } from "../memory/MemoryFields.ts"
import { Outcome, Retain, RunStatus } from "./RunModel.ts"

/**
 * The longest text or metadata of a run, in bytes: a long answer with its reasons fits, a transcript belongs to
 * conversations and a document to knowledge.
 */
export const MAX_BYTES = 64 * 1024

const size = (text: string): number => Buffer.byteLength(text, "utf8")

/** A text of a run; blank is the same as none. */
export const RunText = Schema.String.pipe(
  Schema.filter((text) => size(text) <= MAX_BYTES || `is longer than ${MAX_BYTES} bytes`, {
    jsonSchema: { type: "string", maxLength: MAX_BYTES }
  })
)

/** What a run is to reach: never blank. */
export const Goal = RunText.pipe(Schema.filter((text) => text.trim() !== "" || "is blank"))

/** A name of a model, program or role. */
export const Label = Schema.String.pipe(Schema.maxLength(256))

/** A JSON object of the caller's own. */
export const Metadata = Schema.Record({ key: Schema.String, value: Json }).pipe(
  Schema.filter((value) => size(JSON.stringify(value)) <= MAX_BYTES || `is longer than ${MAX_BYTES} bytes`)
)

/** How much an outcome counts. */
export const Weight = Schema.Number.pipe(Schema.between(0, 1))

const Text = Schema.NullOr(Schema.String)

/** A run as it stands in answers; what was not said is null. */
export const RunView = Schema.Struct({
  run_id: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  status: RunStatus,
  goal: Schema.String,
  user_request: Text,
  expected_outcome: Text,
  environment: Text,
  model: Text,
  consumer: Text,
  role: Text,
  metadata: Schema.NullOr(Json),
  budget_usd: Schema.NullOr(Schema.Number),
  budget_seconds: Schema.NullOr(Schema.Number),
  begun_at: Schema.String,
  begun_by: Schema.String,
  /** From here on null while it runs. */
  outcome: Schema.NullOr(Outcome),
  weight: Schema.NullOr(Schema.Number),
  final_response: Text,
  confidence: Schema.NullOr(Confidence),
  duration_ms: Schema.NullOr(Schema.Number),
  completion_metadata: Schema.NullOr(Json),
  /** memory_ids of those that were found. */
  memories_used: Schema.Array(Schema.String),
  recalled_keys: Schema.Array(Schema.String),
  reflection_key: Text,
  retain: Schema.NullOr(Retain),
  completed_at: Text,
  completed_by: Text
})
export type RunView = typeof RunView.Type
