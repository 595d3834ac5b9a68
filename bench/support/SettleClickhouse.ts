/**
 * Waits until the engine has merged what a fill left in pieces, so that what is measured next does not share the machine
 * with that. It gives up after a while: a large table may merge for minutes.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { UInt64 } from "../../src/platform/ClickhouseValue.ts"
import * as Say from "./Say.ts"

const Running = Schema.Struct({ merges: UInt64 })

const running = ch.sql("bench.merges")`SELECT count() AS merges FROM system.merges`

const PATIENCE = "30 seconds"

export const merges = Effect.gen(function*() {
  const clickhouse = yield* Clickhouse
  const idle = Effect.map(clickhouse.query(running, Running), ([row]) => row?.merges === 0n)
  yield* Say.note("waiting for the engine to merge")
  yield* Effect.sleep("1 second").pipe(
    Effect.zipRight(idle),
    Effect.repeat({ until: (is) => is, schedule: Schedule.spaced("250 millis") }),
    Effect.timeoutOption(PATIENCE)
  )
})
