/**
 * How a failure leaves over HTTP: `{"detail": {...}}` with the status of its code, `Retry-After` where waiting helps and
 * `WWW-Authenticate` on 401. Beside the codes of the kernel there are a few that only HTTP can meet. A fault of the
 * server itself says nothing but the request id; its cause is in the log.
 */
import * as Headers from "@effect/platform/Headers"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { CodeFacts, LoomError, WireError } from "../../src/kernel/LoomError.ts"
import { Corrupt, toWire } from "../../src/kernel/LoomError.ts"

/** Codes of requests that never reach a verb. */
export const edgeCodes = {
  BAD_REQUEST: {
    status: 400,
    category: "validation",
    retryable: false,
    next: "Send well-formed HTTP/1.1."
  },
  NOT_FOUND: {
    status: 404,
    category: "validation",
    retryable: false,
    next: "Verbs are at `POST /v1/<verb>`; `GET /v1/verbs` lists them."
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    category: "validation",
    retryable: false,
    next: "Use a method that the `Allow` header names; every verb is a POST."
  },
  REQUEST_TIMEOUT: {
    status: 408,
    category: "unavailable",
    retryable: true,
    next: "Send the whole request within a minute."
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    category: "limit",
    retryable: false,
    next: "Send headers of at most 16 KiB in all."
  }
} as const satisfies Record<string, CodeFacts>

export type EdgeCode = keyof typeof edgeCodes

export const edgeError = (code: EdgeCode, message: string, facts: Record<string, unknown> = {}): WireError => {
  const { category, retryable, status } = edgeCodes[code]
  return { status, body: { detail: { ...facts, code, message, category, retryable } } }
}

export const wireResponse = (
  { body, status }: WireError,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(body, {
    status,
    headers: Headers.fromInput({ ...headersOf(status, body), ...headers })
  })

export const errorResponse = (error: LoomError): HttpServerResponse.HttpServerResponse => wireResponse(toWire(error))

/** A fault of the server: what happened is in the log under the request id. */
export const faultResponse = (requestId: string): HttpServerResponse.HttpServerResponse => {
  const { body, status } = toWire(new Corrupt({ operation: "" }))
  const message = "The server met a fault; the log has it under this request id"
  return wireResponse({ status, body: { detail: { ...body.detail, message, request_id: requestId } } })
}

export const methodResponse = (allowed: ReadonlyArray<string>): HttpServerResponse.HttpServerResponse =>
  wireResponse(edgeError("METHOD_NOT_ALLOWED", `This path takes ${allowed.join(", ")}`, { allow: allowed }), {
    allow: allowed.join(", ")
  })

const headersOf = (status: number, { detail }: WireError["body"]): Record<string, string> => {
  const seconds = detail["retry_after_s"]
  return {
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(typeof seconds === "number" ? { "retry-after": String(Math.max(1, Math.ceil(seconds))) } : {})
  }
}
