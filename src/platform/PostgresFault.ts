/**
 * What an error of the Postgres driver means, in one place: which of the two kinds of store failure it is, and what of it
 * may be written in a log. The server quotes data in its messages and details, so only what can hold none is passed on.
 */
import type { SqlError } from "@effect/sql/SqlError"

export interface PostgresFault {
  readonly kind: "unavailable" | "corrupt"
  /** SQLSTATE, or the system's code such as `ECONNREFUSED`; empty when there is none. */
  readonly code: string
  readonly reason: string
}

const textOf = (thing: unknown, name: string): string => {
  const value: unknown = typeof thing === "object" && thing !== null ? Reflect.get(thing, name) : undefined
  return typeof value === "string" ? value : ""
}

/** The innermost error that has a code: several addresses of one host come as a list of errors. */
const coded = (fault: unknown, depth = 0): unknown => {
  // Causes nest a few levels deep.
  if (typeof fault !== "object" || fault === null || depth > 4 || textOf(fault, "code") !== "") return fault
  const errors: unknown = Reflect.get(fault, "errors")
  const inner = [Reflect.get(fault, "cause"), ...(Array.isArray(errors) ? errors : [])]
  return inner.map((one) => coded(one, depth + 1)).find((one) => textOf(one, "code") !== "") ?? fault
}

// 22: a value that its column does not take; 23: an integrity rule; P0: raised by a function. Their messages quote values.
const quotesData = /^(22|23|P0)/
// A value that the statement or the table does not take stays wrong however often it is tried; XX001 and XX002: a page or
// an index is damaged.
const staysWrong = /^(22...|XX00[12])$/

/** Names of the schema that tell where it happened; they are never data. */
const places = ["constraint", "table", "column", "dataType"]

export const faultOf = (error: SqlError): PostgresFault => {
  const cause = coded(error.cause)
  const code = textOf(cause, "code")
  const message = quotesData.test(code)
    ? ["a value was refused", ...places.map((name) => textOf(cause, name)).filter((name) => name !== "")].join(", ")
    : textOf(cause, "message")
  return { kind: staysWrong.test(code) ? "corrupt" : "unavailable", code, reason: message || (error.message ?? "") }
}

/** Why no connection is made, with what to check. */
export const connectFault = (error: SqlError): string => {
  const { code, reason } = faultOf(error)
  if (code.startsWith("28") || reason.includes("password must be a")) {
    return "Postgres answers and refuses the user: check user and password in LOOM_POSTGRES_URL"
  }
  if (code === "3D000") return "Postgres answers and has no such database: check the path of LOOM_POSTGRES_URL"
  if (code === "53300") return "Postgres answers and has no connection left: raise its max_connections"
  if (code === "57P03") return "Postgres is starting or stopping: try again in a moment"
  if (/SSL|certificate|self.signed/i.test(reason)) {
    return "Postgres answers and the encryption does not come about: check sslmode in LOOM_POSTGRES_URL"
  }
  const told = code === "" ? "" : ` (${code})`
  return `Postgres does not answer${told}: check LOOM_POSTGRES_URL, and that it is up`
}
