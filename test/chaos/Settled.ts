/**
 * Whether ClickHouse has everything that Postgres committed, under its authority: the outbox is empty.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { House } from "./House.ts"

// The relay takes what is five seconds old, once a second, and starts again after a failure within fifteen.
const PATIENCE = "60 seconds"

const decode = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ waiting: Schema.Number })))

const waiting = ({ postgresUrl }: House) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.make({ url: postgresUrl, maxConnections: 1 })
    const [row] = yield* decode(yield* sql`SELECT count(*)::int AS waiting FROM loom.outbox`)
    return row.waiting
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.orElseSucceed(() => 1))

/** Waits until nothing waits; false when something still does. */
export const wait = (house: House): Effect.Effect<boolean> =>
  waiting(house).pipe(
    Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("500 millis") }),
    Effect.timeoutOption(PATIENCE),
    Effect.map(Option.isSome)
  )
