/**
 * The failure of the embedded engine, in the words and with the code numbers of a ClickHouse server, so that a client's
 * parser makes the same typed error of both. Driver code only: it never leaves the platform layers.
 */
import * as Data from "effect/Data"

export class EngineError extends Data.TaggedError("EngineError")<{
  /** ClickHouse's number of the error; 0 when the engine gave none (it could not be opened, or is not installed). */
  readonly code: number
  readonly message: string
  readonly cause?: unknown
}> {}

/** An error of our own making, worded as the engine words its own: `Code: 62. DB::Exception: … (SYNTAX_ERROR)`. */
export const engineError = (code: number, type: string, message: string): EngineError =>
  new EngineError({ code, message: `Code: ${code}. DB::Exception: ${message}. (${type})` })

/** What the engine's binding threw. */
export const fromCause = (cause: unknown): EngineError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new EngineError({ code: Number(/Code: (\d+)/.exec(message)?.[1] ?? 0), message, cause })
}

export const aborted = (): EngineError => engineError(394, "QUERY_WAS_CANCELLED", "Query was cancelled")
