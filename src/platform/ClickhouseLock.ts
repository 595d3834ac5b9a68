/**
 * A lock that processes share through ClickHouse, which has none: of many that create one table, exactly one does. Its
 * maker is named in the table's comment, and rows in it are the heartbeat by which the others see that the maker lives.
 * It saves doing work twice and is for work that is safe to do twice: a holder that stands still for longer than
 * `abandonedAfter` may be overtaken.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import type { Corrupt, Unavailable } from "../kernel/LoomError.ts"
import { ch, type Clickhouse } from "./Clickhouse.ts"
import { UInt64 } from "./ClickhouseValue.ts"

// A holder that misses four beats in a row is taken for dead, which is also the longest wait after a crash.
const beatEvery = Duration.seconds(1)
const abandonedAfter = Duration.seconds(4)
const lookEvery = Duration.millis(200)

/** Runs `work` while no other process runs work under the lock table `loom.<name>`; waits for its turn. */
export const withLock = <A, E, R>(
  clickhouse: Clickhouse["Type"],
  name: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Unavailable | Corrupt, R> =>
  Effect.suspend(() => {
    const lock = lockOf(clickhouse, name, randomUUID())
    return Effect.acquireUseRelease(
      // A stop while waiting must not wait; a table it may have just made is taken over as abandoned.
      Effect.interruptible(lock.acquire),
      () =>
        Effect.raceFirst(
          work,
          // A beat that fails is not the end of the work: ClickHouse may be back for the next.
          Effect.zipRight(Effect.repeat(Effect.ignore(lock.beat), Schedule.spaced(beatEvery)), Effect.never)
        ),
      () => Effect.ignoreLogged(lock.release)
    )
  })

const lockOf = (clickhouse: Clickhouse["Type"], name: string, holder: string) => {
  const table = ch.identifier("loom", name)
  const create = ch.sql("ClickhouseLock.create")`
    CREATE TABLE IF NOT EXISTS ${table} (beat UInt64) ENGINE = MergeTree ORDER BY beat COMMENT ${ch.literal(holder)}`
  const drop = ch.sql("ClickhouseLock.drop")`DROP TABLE IF EXISTS ${table}`
  const beat = ch.sql("ClickhouseLock.beat")`INSERT INTO ${table} SELECT count() + 1 FROM ${table}`
  const look = ch.sql("ClickhouseLock.look")`
    SELECT comment AS holder, toUInt64(ifNull(total_rows, 0)) AS beats
    FROM system.tables WHERE database = 'loom' AND name = ${ch.string(name)}`
  const State = Schema.Struct({ holder: Schema.String, beats: UInt64 })

  /** Waits; `seen` is the state last seen to change, and when. */
  const acquireAfter = (
    seen: Option.Option<{ readonly state: typeof State.Type; readonly at: number }>
  ): Effect.Effect<void, Unavailable | Corrupt> =>
    Effect.gen(function*() {
      yield* clickhouse.command(create)
      const [state] = yield* clickhouse.query(look, State)
      if (state?.holder === holder) return
      const now = yield* Clock.currentTimeMillis
      const unchanged = Option.filter(seen, ({ state: last }) =>
        last.holder === state?.holder && last.beats === state.beats)
      const since = Option.match(unchanged, {
        onNone: () =>
          now,
        onSome: ({ at }) => at
      })
      if (now - since > Duration.toMillis(abandonedAfter)) {
        yield* Effect.logWarning("The holder of a lock is gone; the lock is taken over")
        yield* clickhouse.command(drop)
        return yield* acquireAfter(Option.none())
      }
      yield* Effect.sleep(lookEvery)
      return yield* acquireAfter(state === undefined ? Option.none() : Option.some({ state, at: since }))
    })

  return { acquire: acquireAfter(Option.none()), beat: clickhouse.command(beat), release: clickhouse.command(drop) }
}
