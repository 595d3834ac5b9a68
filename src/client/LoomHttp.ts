/**
 * The one place where the client speaks HTTP: a call is `POST /v1/<verb>` with a bearer token, attempted under
 * `RetryPolicy`. It answers parsed JSON or fails with `CallFailure`; it knows nothing of identities or of verbs' types.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { Corrupt, refuse, Unavailable } from "../kernel/LoomError.ts"
import type { CallFailure } from "./LoomApiError.ts"
import { fromWire, localFailure, WireBody } from "./LoomApiError.ts"
import { decide, retryAfterMs } from "./RetryPolicy.ts"
import type { Fault, RetryOptions } from "./RetryPolicy.ts"

export interface HttpOptions {
  /** `http://host:port`, with or without a path before `/v1`. */
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly retry: RetryOptions
}

/** What the retry rule must know of a request. */
export interface Repeatable {
  readonly writes: boolean
  readonly idempotent: boolean
  readonly keyed: boolean
}

export interface LoomHttp {
  /** `POST /v1/<tag>`. */
  readonly post: (tag: string, body: unknown, repeatable: Repeatable) => Effect.Effect<unknown, CallFailure>
  /** `GET <path>`. */
  readonly get: (path: string) => Effect.Effect<unknown, CallFailure>
}

export const make = (client: HttpClient.HttpClient, options: HttpOptions): LoomHttp => {
  const base = options.baseUrl.replace(/\/+$/, "")
  const authorize = (request: HttpClientRequest.HttpClientRequest) =>
    HttpClientRequest.acceptJson(
      options.apiKey === undefined ? request : HttpClientRequest.bearerToken(request, options.apiKey)
    )
  const send = (operation: string, request: HttpClientRequest.HttpClientRequest, repeatable: Repeatable) =>
    attempts(client, operation, authorize(request), repeatable, options.retry)
  return {
    post: (tag, body, repeatable) =>
      Either.match(jsonText(body), {
        onLeft: (message) => Effect.fail(localFailure(refuse("INVALID_ARGUMENT", message))),
        onRight: (text) =>
          send(
            tag,
            HttpClientRequest.post(`${base}/v1/${encodeURIComponent(tag)}`).pipe(
              HttpClientRequest.bodyText(text, "application/json")
            ),
            repeatable
          )
      }),
    get: (path) =>
      send(path, HttpClientRequest.get(`${base}${path}`), { writes: false, idempotent: true, keyed: false })
  }
}

/** JSON text of a body; what JSON would change in silence (`NaN` to null, a bigint, a function) is refused. */
const jsonText = (body: unknown): Either.Either<string, string> =>
  Either.try({
    try: () =>
      JSON.stringify(body, (key, value: unknown) => {
        if (typeof value === "number" && !Number.isFinite(value)) {
          throw new TypeError(`\`${key}\` is not a finite number`)
        }
        if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") {
          throw new TypeError(`\`${key}\` is not JSON`)
        }
        return value
      }),
    catch: (fault) => fault instanceof Error ? fault.message.slice(0, 160) : "the request is not JSON"
  })

interface Answer {
  readonly status: number
  readonly text: string
  readonly requestId: string | null
  readonly retryAfter: string | undefined
}

const attempts = Effect.fn("LoomHttp.call")(function*(
  client: HttpClient.HttpClient,
  operation: string,
  request: HttpClientRequest.HttpClientRequest,
  repeatable: Repeatable,
  options: RetryOptions
) {
  let made = 0
  let pacedMs = 0
  while (true) {
    const result = yield* Effect.either(attempt(client, request, options.attemptMs))
    made += 1
    const outcome = yield* read(operation, result)
    if (outcome.fault === null) return outcome.value
    if (outcome.fault.kind === "status" && outcome.fault.status === 429) made -= 1
    const decision = decide(outcome.fault, { ...repeatable, attempts: made, pacedMs }, options, yield* Random.next)
    if (!decision.retry) return yield* outcome.failure
    if (decision.paced) pacedMs += decision.delayMs
    yield* Effect.sleep(decision.delayMs)
  }
})

/** One request and its whole answer, or how it broke. */
const attempt = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  attemptMs: number
): Effect.Effect<Answer, Fault> =>
  client.execute(request).pipe(
    Effect.mapError(connectionFault),
    Effect.flatMap((response) =>
      Effect.mapBoth(response.text, {
        onFailure: (): Fault => ({ kind: "half-read" }),
        onSuccess: (text): Answer => ({
          status: response.status,
          text,
          requestId: response.headers["x-request-id"] ?? null,
          retryAfter: response.headers["retry-after"]
        })
      })
    ),
    Effect.timeoutFail({ duration: attemptMs, onTimeout: (): Fault => ({ kind: "timeout" }) })
  )

type Outcome =
  | { readonly fault: null; readonly value: unknown }
  | { readonly fault: Fault; readonly failure: CallFailure }

const read = (operation: string, result: Either.Either<Answer, Fault>): Effect.Effect<Outcome, CallFailure> => {
  if (Either.isLeft(result)) {
    return Effect.succeed({ fault: result.left, failure: localFailure(new Unavailable({ operation })) })
  }
  const { requestId, retryAfter, status, text } = result.right
  if (status >= 200 && status < 300) {
    return Either.match(decodeJson(text), {
      onLeft: () => Effect.fail(localFailure(new Corrupt({ operation: `${operation} answer` }), status, requestId)),
      onRight: (value) => Effect.succeed({ fault: null, value })
    })
  }
  const detail = Either.match(decodeError(text), { onLeft: () => ({}), onRight: (body) => body.detail })
  return Effect.map(Clock.currentTimeMillis, (now): Outcome => ({
    fault: {
      kind: "status",
      status,
      retryAfterMs: retryAfterMs(retryAfter, Reflect.get(detail, "retry_after_s"), now)
    },
    failure: fromWire(operation, status, detail, requestId)
  }))
}

const decodeJson = Schema.decodeUnknownEither(Schema.parseJson())
const decodeError = Schema.decodeUnknownEither(Schema.parseJson(WireBody))

// Codes of connections that were never made, so that nothing can have been applied.
const neverSent: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])

const connectionFault = (error: HttpClientError): Fault =>
  codesOf(error.cause).some((code) => neverSent.has(code)) ? { kind: "unreachable" } : { kind: "broken" }

// fetch hides the system's code in the cause of its error; a name with two addresses gives an error of errors.
const codesOf = (cause: unknown, depth = 0): ReadonlyArray<unknown> => {
  if (typeof cause !== "object" || cause === null || depth > 4) return []
  const inner = Reflect.get(cause, "cause")
  const many: unknown = Reflect.get(cause, "errors")
  return [
    Reflect.get(cause, "code"),
    ...codesOf(inner, depth + 1),
    ...(Array.isArray(many) ? many.flatMap((each: unknown) => codesOf(each, depth + 1)) : [])
  ]
}
