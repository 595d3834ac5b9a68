/**
 * `kill -9` of the engine under `loom serve`: 503 meanwhile, then nothing lost and nothing twice, by the same server. Under the
 * authority of Postgres writes go on while it is away, and search is told late.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as PostgresHouse from "../support/PostgresHouse.ts"
import { survives } from "./EngineLossCase.ts"

// From the return of the engine to the next answer; some seconds, and what a busy machine adds.
const RETURN_MILLIS = 15_000

describe("a store that goes away", () => {
  it.live("kill -9 of the engine under the authority of ClickHouse", () =>
    Effect.gen(function*() {
      const { refused } = yield* survives({ LOOM_AUTHORITY: "clickhouse", LOOM_SOLE_WRITER: "true" })
      assert.isAbove(refused, 0)
    }).pipe(Effect.scoped), 280_000)

  it.live("kill -9 of the engine under the authority of Postgres", () =>
    Effect.gen(function*() {
      const url = Redacted.value(yield* PostgresHouse.database)
      const { slowest, without } = yield* survives({ LOOM_AUTHORITY: "postgres", LOOM_POSTGRES_URL: url })
      assert.isAbove(without, 0)
      assert.isBelow(slowest, RETURN_MILLIS)
    }).pipe(Effect.scoped), 280_000)
})
