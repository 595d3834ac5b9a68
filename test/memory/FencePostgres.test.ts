/**
 * The fence in Postgres keeps the contract, and what it promised outlives a crash of the server.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Fence } from "../../src/memory/Fence.ts"
import { layer } from "../../src/memory/FencePostgres.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"
import { intentOf, suite } from "./FenceContract.ts"
import { freshScope } from "./MemoryFixture.ts"

const migrated = Layer.effectDiscard(Effect.flatMap(PostgresMigrations.load(), PostgresMigrator.run))

const fence = Layer.provideMerge(layer, migrated)

suite("Postgres", Layer.provide(fence, PostgresHouse.layer()))

/** Waits until so many statements of the database wait for a lock. */
const waiting = (count: number) =>
  Effect.gen(function*() {
    const { query, sql } = yield* Postgres.Postgres
    const [row] = yield* query(
      "test.waiting",
      sql`SELECT count(*)::integer AS found FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      Schema.Struct({ found: Schema.Number })
    )
    return row?.found ?? 0
  }).pipe(Effect.repeat({ until: (found) => found >= count, schedule: Schedule.spaced("5 millis") }))

describe("Fence (Postgres) when steps meet", () => {
  it.scopedLive("a taking waits for a confirmation that is under way, and finds it done", () =>
    Effect.gen(function*() {
      const [fence, { sql, transaction }] = [yield* Fence, yield* Postgres.Postgres]
      const mine = yield* fence.take(freshScope())
      const intent = intentOf(mine, 1n, 10n)
      yield* fence.reserve([intent])
      const end = yield* Deferred.make<void>()
      const blocker = yield* Effect.fork(
        transaction("test.block", Effect.zipRight(sql`SELECT 1 FROM loom.intents FOR UPDATE`, Deferred.await(end)))
      )
      const confirming = yield* Effect.zipRight(
        Effect.repeat(
          sql`SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()`,
          {
            until: (rows) => rows.length > 0
          }
        ),
        Effect.fork(fence.confirm([intent]))
      )
      yield* waiting(1)
      const taking = yield* Effect.fork(fence.take(mine.scope))
      yield* Effect.raceFirst(waiting(2), Fiber.await(taking))
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(blocker)
      assert.deepStrictEqual(yield* Fiber.join(confirming), [true])
      assert.deepStrictEqual((yield* Fiber.join(taking)).open, [])
    }).pipe(Effect.provide(Layer.provideMerge(fence, PostgresHouse.layer()))), 60_000)
})

describe("Fence (Postgres) when the server dies", () => {
  it.scopedLive("keeps what was reserved, and a confirmation that no row could bear out", () =>
    Effect.gen(function*() {
      const server = yield* PostgresServer.make({})
      const crashed = Effect.gen(function*() {
        const fence = yield* Fence
        const [one, two] = [yield* fence.take(freshScope()), yield* fence.take(freshScope())]
        const intent = intentOf(one, 1n, 10n)
        const rowless = { ...intentOf(two, 1n, 10n), rows: [] }
        assert.deepStrictEqual(yield* fence.reserve([intent, rowless]), [true, true])
        assert.deepStrictEqual(yield* fence.confirm([rowless]), [true])
        yield* Effect.zipRight(server.kill, server.start)
        // The first statement may meet a connection of before.
        const again = (tenancy: typeof one) => Effect.retry(fence.take(tenancy.scope), { times: 20 })
        assert.deepInclude(yield* again(one), {
          scope: one.scope,
          epoch: 2n,
          version: 10n,
          open: [{ ...intent, state: "open" }]
        })
        assert.deepInclude(yield* again(two), { scope: two.scope, epoch: 2n, version: 10n, open: [] })
      })
      const url = new URL(Redacted.value(server.url("postgres")))
      // Whatever the operator thinks of waiting for the disk.
      url.searchParams.set("options", "-c synchronous_commit=off")
      yield* Effect.provide(crashed, Layer.provide(fence, Postgres.layerUrl(Redacted.make(url.toString()))))
    }), 60_000)
})
