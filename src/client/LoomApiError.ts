/**
 * Failures of a call as a client sees them. `CallFailure` is what the driver knows: the typed error, the HTTP status and
 * the request id. Effect programs get its `LoomError`; plain programs get a `LoomApiError`, an ordinary `Error` that
 * carries all of it. `fromWire` is the inverse of the kernel's `toWire`.
 */
import * as Schema from "effect/Schema"
import type { LoomError, RefusalCode } from "../kernel/LoomError.ts"
import {
  Corrupt,
  LoomError as LoomErrorSchema,
  Overloaded,
  Refusal,
  refusalCodes,
  toWire,
  Unavailable
} from "../kernel/LoomError.ts"

const Detail = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** The body of an error answer: `{"detail": {code, message, …facts}}`. */
export const WireBody = Schema.Struct({ detail: Detail })

export class CallFailure extends Schema.TaggedError<CallFailure>()("CallFailure", {
  error: LoomErrorSchema,
  /** The HTTP status; null when no answer came. */
  status: Schema.NullOr(Schema.Number),
  /** The `detail` of the answer, or what it would have been. */
  detail: Detail,
  requestId: Schema.NullOr(Schema.String)
}) {}

/** A failed call of the promise API. */
export class LoomApiError extends Error {
  override readonly name = "LoomApiError"
  /** `PINNED_CONFLICT`, `UNAVAILABLE`, …: see `docs/errors.md`. */
  readonly code: string
  /** The HTTP status; null when no answer came. */
  readonly status: number | null
  /** The server's words and facts. */
  readonly detail: Readonly<Record<string, unknown>>
  /** Names the request in the server's log. */
  readonly requestId: string | null
  /** Whether the same request may succeed later; undefined when the server did not say. */
  readonly retryable: boolean | undefined

  constructor(failure: CallFailure) {
    const { code, message, retryable } = failure.detail
    super(typeof message === "string" ? message : failure.error.message)
    this.code = typeof code === "string" ? code : toWire(failure.error).body.detail.code
    this.status = failure.status
    this.detail = failure.detail
    this.requestId = failure.requestId
    this.retryable = typeof retryable === "boolean" ? retryable : undefined
  }
}

/** A failure that the client itself met. */
export const localFailure = (error: LoomError, status: number | null = null, requestId: string | null = null) =>
  new CallFailure({ error, status, requestId, detail: toWire(error).body.detail })

/** The failure that an error answer states. A code this client does not know is read by its status. */
export const fromWire = (
  operation: string,
  status: number,
  detail: Readonly<Record<string, unknown>>,
  requestId: string | null
): CallFailure => new CallFailure({ error: errorOf(operation, status, detail), status, detail, requestId })

// Fields of `detail` that a `Refusal` holds elsewhere or derives from its code.
const derived: ReadonlySet<string> = new Set(["code", "message", "category", "retryable"])

const errorOf = (operation: string, status: number, detail: Readonly<Record<string, unknown>>): LoomError => {
  const code = typeof detail["code"] === "string" ? detail["code"] : ""
  const message = typeof detail["message"] === "string" ? detail["message"] : `${operation} was answered ${status}`
  const facts = Object.fromEntries(Object.entries(detail).filter(([name]) => !derived.has(name)))
  if (isRefusalCode(code)) return new Refusal({ code, message, facts })
  if (code === "OVERLOADED" || status === 429) {
    const seconds = detail["retry_after_s"]
    return new Overloaded({ retry_after_s: typeof seconds === "number" ? seconds : 1 })
  }
  if (code === "INTERNAL") return new Corrupt({ operation })
  const known = statusCodes[status]
  return status < 500 && status !== 408
    ? new Refusal({ code: known ?? "INVALID_ARGUMENT", message, facts: { ...facts, ...(code === "" ? {} : { code }) } })
    : new Unavailable({ operation })
}

const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(refusalCodes, code)

// What a status says by itself, for answers of a proxy or of a newer server.
const statusCodes: { readonly [status: number]: RefusalCode } = {
  400: "BAD_JSON",
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "UNKNOWN_VERB",
  413: "PAYLOAD_TOO_LARGE",
  423: "LOCKED"
}
