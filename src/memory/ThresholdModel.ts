/**
 * The words in which thresholds are spoken of: the pair in force with where it comes from, and the operator's settings.
 */
import * as Schema from "effect/Schema"
import type { Measured, ThresholdPair } from "./ThresholdMeasure.ts"

/**
 * Where thresholds come from: measured on the embedder (`adaptive`), the operator's numbers because he wants them or the
 * embedder is no real one (`configured`), the same because a measurement failed (`fallback`), pinned by the namespace
 * for all its types (`namespace`) or for one (`type`).
 */
export type ThresholdSource = "adaptive" | "configured" | "fallback" | "namespace" | "type"

/** Who measured: a process that found no measurement when it started (`start`), or the worker (`calibration`). */
export const MeasuredBy = Schema.Literal("start", "calibration")
export type MeasuredBy = typeof MeasuredBy.Type

export interface ThresholdsInForce extends ThresholdPair {
  readonly source: ThresholdSource
  readonly embedder_id: string
  /** What was measured, when (epoch milliseconds) and by whom; absent when nothing was. */
  readonly measured?: Measured & { readonly measured_at: number; readonly measured_by: MeasuredBy }
}

export interface Options extends ThresholdPair {
  /** Whether a real embedder is measured; else, and until it could be, the two numbers hold. */
  readonly adaptive: boolean
}

// What the reference ships as its fallback.
export const defaultOptions: Options = { adaptive: true, conflict: 0.85, duplicate: 0.97 }
