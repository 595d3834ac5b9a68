/**
 * The retry rule as a table: what may be sent again, and after how long.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Call, Fault } from "../../src/client/RetryPolicy.ts"
import { backoffMs, decide, defaults, retryAfterMs } from "../../src/client/RetryPolicy.ts"

const base = { attempts: 1, pacedMs: 0 }
const calls: Record<string, Call> = {
  read: { ...base, writes: false, idempotent: true, keyed: false },
  "keyed write": { ...base, writes: true, idempotent: false, keyed: true },
  "idempotent write": { ...base, writes: true, idempotent: true, keyed: false },
  "bare write": { ...base, writes: true, idempotent: false, keyed: false }
}

const status = (code: number, retryAfterMs: number | null = null): Fault => ({
  kind: "status",
  status: code,
  retryAfterMs
})

describe("decide", () => {
  const table: ReadonlyArray<readonly [string, Fault, ReadonlyArray<string>]> = [
    ["no connection", { kind: "unreachable" }, ["read", "keyed write", "idempotent write", "bare write"]],
    ["a broken connection", { kind: "broken" }, ["read", "keyed write", "idempotent write"]],
    ["a time-out", { kind: "timeout" }, ["keyed write"]],
    ["half an answer", { kind: "half-read" }, ["keyed write"]],
    ["408", status(408), ["read", "keyed write", "idempotent write"]],
    ["500", status(500), ["read", "keyed write", "idempotent write"]],
    ["503", status(503), ["read", "keyed write", "idempotent write"]],
    ["599", status(599), ["read", "keyed write", "idempotent write"]],
    ["429", status(429), ["read", "keyed write", "idempotent write", "bare write"]],
    ["400", status(400), []],
    ["409", status(409), []],
    ["422", status(422), []],
    ["600", status(600), []]
  ]
  it.each(table)("after %s", (_, fault, repeated) => {
    const names = Object.keys(calls).filter((name) => decide(fault, calls[name] ?? base_, defaults, 0).retry)
    assert.deepStrictEqual(names, repeated)
  })

  it("makes three attempts and no more", () => {
    const call = { ...base_, attempts: 2 }
    assert.isTrue(decide({ kind: "broken" }, call, defaults, 0).retry)
    assert.isFalse(decide({ kind: "broken" }, { ...call, attempts: 3 }, defaults, 0).retry)
  })

  it("paces 429 by its own budget, whatever the attempts", () => {
    const call = { ...base_, attempts: 3 }
    assert.deepStrictEqual(decide(status(429, 4_000), call, defaults, 0), { retry: true, delayMs: 4_000, paced: true })
    assert.isTrue(decide(status(429, 4_000), { ...call, pacedMs: 11_000 }, defaults, 0).retry)
    assert.isFalse(decide(status(429, 4_000), { ...call, pacedMs: 11_001 }, defaults, 0).retry)
    assert.deepStrictEqual(decide(status(429, 0), call, defaults, 0), { retry: true, delayMs: 100, paced: true })
  })
})

describe("backoffMs", () => {
  it("doubles from 100 ms to 5 s; jitter takes up to half", () => {
    assert.deepStrictEqual([1, 2, 3, 6, 7, 20].map((attempts) => backoffMs(defaults, attempts, 0)), [
      100,
      200,
      400,
      3_200,
      5_000,
      5_000
    ])
    assert.strictEqual(backoffMs(defaults, 1, 1), 50)
  })
})

describe("retryAfterMs", () => {
  const now = Date.parse("2026-03-01T00:00:00Z")
  it("takes the header over the body, in seconds or as a date", () => {
    assert.strictEqual(retryAfterMs("3", 9, now), 3_000)
    assert.strictEqual(retryAfterMs("Sun, 01 Mar 2026 00:00:07 GMT", 9, now), 7_000)
    assert.strictEqual(retryAfterMs("Sun, 01 Feb 2026 00:00:07 GMT", 9, now), 0)
    assert.strictEqual(retryAfterMs(undefined, 0.25, now), 250)
    assert.strictEqual(retryAfterMs("soon", 2, now), 2_000)
    assert.isNull(retryAfterMs(undefined, "2", now))
    assert.isNull(retryAfterMs(undefined, -1, now))
  })
})

const base_: Call = { ...base, writes: false, idempotent: true, keyed: false }
