/**
 * Whether a call that failed may be sent again, and after how long: a pure decision. Only what is safe is repeated: a
 * request that never left, a read or a keyed write whose connection broke or whose server failed, and a write with an
 * idempotency key whose answer did not arrive. "Slow down" (429) has a sleep budget of its own beside the attempts.
 */

/** How one attempt ended without a usable answer. */
export type Fault =
  /** No connection was made: nothing reached the server. */
  | { readonly kind: "unreachable" }
  /** The connection broke before an answer began: the server may have applied the request. */
  | { readonly kind: "broken" }
  /** No answer in time. */
  | { readonly kind: "timeout" }
  /** An answer began and did not end. */
  | { readonly kind: "half-read" }
  /** The server answered with an error; `retryAfterMs` is what it asked for. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfterMs: number | null }

export interface RetryOptions {
  /** How long one attempt may take. */
  readonly attemptMs: number
  readonly attempts: number
  /** The first back-off; it doubles with each attempt. */
  readonly baseMs: number
  readonly maxMs: number
  /** The share of a back-off that is random: 0.5 sleeps between half and all of it. */
  readonly jitter: number
  /** How long one call may sleep in all because the server said 429. */
  readonly pacingMs: number
}

/** The defaults that clients of this API know: a minute an attempt, three attempts, 100 ms to 5 s, 15 s of pacing. */
export const defaults: RetryOptions = {
  attemptMs: 60_000,
  attempts: 3,
  baseMs: 100,
  maxMs: 5_000,
  jitter: 0.5,
  pacingMs: 15_000
}

/** What is known of the call. */
export interface Call {
  readonly writes: boolean
  /** Whether the verb may be repeated without a second effect. */
  readonly idempotent: boolean
  /** Whether the body carries an idempotency key. */
  readonly keyed: boolean
  /** Attempts made so far, the failed one included; those answered 429 do not count. */
  readonly attempts: number
  /** Milliseconds slept so far because of 429. */
  readonly pacedMs: number
}

export type Decision =
  | { readonly retry: false }
  | { readonly retry: true; readonly delayMs: number; readonly paced: boolean }

/** Back-off before the next attempt; `random` lies in [0, 1). */
export const backoffMs = (options: RetryOptions, attempts: number, random: number): number =>
  Math.min(options.maxMs, options.baseMs * 2 ** (attempts - 1)) * (1 - options.jitter * random)

export const decide = (fault: Fault, call: Call, options: RetryOptions, random: number): Decision => {
  const backoff = backoffMs(options, Math.max(1, call.attempts), random)
  if (fault.kind === "status" && fault.status === 429) {
    // Never less than the base, so that a server that says "0" cannot make a client spin.
    const delayMs = Math.max(fault.retryAfterMs ?? backoff, options.baseMs)
    return call.pacedMs + delayMs > options.pacingMs ? { retry: false } : { retry: true, delayMs, paced: true }
  }
  return call.attempts < options.attempts && mayRepeat(fault, call)
    ? { retry: true, delayMs: backoff, paced: false }
    : { retry: false }
}

const mayRepeat = (fault: Fault, call: Call): boolean => {
  const harmless = !call.writes || call.idempotent || call.keyed
  switch (fault.kind) {
    case "unreachable":
      return true
    case "broken":
      return harmless
    case "timeout":
    case "half-read":
      return call.keyed
    case "status":
      return harmless && (fault.status === 408 || (fault.status >= 500 && fault.status <= 599))
  }
}

/** The wait a 429 asks for: the `Retry-After` header (seconds or an HTTP date) before the body's `retry_after_s`. */
export const retryAfterMs = (header: string | undefined, bodySeconds: unknown, nowMs: number): number | null => {
  const text = header?.trim() ?? ""
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = text === "" ? Number.NaN : Date.parse(text)
  if (!Number.isNaN(date)) return Math.max(0, date - nowMs)
  return typeof bodySeconds === "number" && Number.isFinite(bodySeconds) && bodySeconds >= 0 ? bodySeconds * 1000 : null
}
