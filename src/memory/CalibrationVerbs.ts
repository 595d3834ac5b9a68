/**
 * The calibration verb: which thresholds a namespace's writes are judged by, where they come from and why.
 */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { scopeFields } from "./MemoryFields.ts"
import { MeasuredBy } from "./ThresholdModel.ts"

const inForce = {
  /** Cosine at or above which a stored memory is compared with the write; it follows from `conflict`. */
  nomination: Schema.Number,
  /** Cosine at or above which a memory that may say otherwise is a conflict; one that surely does is one from `nomination` on. */
  conflict: Schema.Number,
  /** Cosine at or above which a memory that says the same is a duplicate, and below which it is a conflict. */
  duplicate: Schema.Number,
  source: Schema.Literal("adaptive", "configured", "fallback", "namespace", "type"),
  /** The source in words. */
  why: Schema.String,
  /** What the numbers decide and what they do not, in words. */
  decides: Schema.String
}

export const CalibrationGet = make("calibration.get", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Read the similarity thresholds that writes of a namespace are judged by, and why they are what they are.",
    when: "A write was or was not compared with a memory that you thought close.",
    whenNot: "You want to know what a write would meet (memory.set with dry_run).",
    args:
      "types holds the memory types for which the namespace pinned thresholds of their own; namespace.register pins. decides says what the numbers decide: closeness nominates, words tell."
  },
  payload: Schema.Struct(scopeFields),
  answer: Schema.Struct({
    org: Schema.String,
    namespace: Schema.String,
    embedder_id: Schema.String,
    ...inForce,
    types: Schema.Array(Schema.Struct({ memory_type: Schema.String, ...inForce })),
    /** The operator's settings. */
    configured: Schema.Struct({ adaptive: Schema.Boolean, conflict: Schema.Number, duplicate: Schema.Number }),
    /** What the embedder was measured at; null when it was not. */
    measured: Schema.NullOr(Schema.Struct({
      sentences: Schema.Number,
      near_low: Schema.Number,
      near_median: Schema.Number,
      reworded_low: Schema.Number,
      topic_median: Schema.Number,
      far_high: Schema.Number,
      measured_at: Schema.String,
      /** `start`: a process that found no measurement when it started; `calibration`: the worker. */
      measured_by: MeasuredBy
    }))
  })
})
