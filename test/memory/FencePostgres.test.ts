/**
 * The fence in Postgres keeps the contract, and what it promised outlives a crash of the server.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
        assert.deepStrictEqual(yield* again(one), {
          scope: one.scope,
          epoch: 2n,
          version: 10n,
          open: [{ ...intent, state: "open" }]
        })
        assert.deepStrictEqual(yield* again(two), { scope: two.scope, epoch: 2n, version: 10n, open: [] })
      })
      yield* Effect.provide(crashed, Layer.provide(fence, Postgres.layerUrl(server.url("postgres"))))
    }), 60_000)
})
