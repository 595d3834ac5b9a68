/**
 * A change of authority and the fence: while it is closed nobody but the mover takes a namespace, who had one has lost it, and
 * a mover that was taken for gone changes nothing.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AuthorityPostgres from "../../src/memory/AuthorityPostgres.ts"
import { Fence } from "../../src/memory/Fence.ts"
import * as FencePostgres from "../../src/memory/FencePostgres.ts"
import { Postgres } from "../../src/platform/Postgres.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"
import { intentOf } from "./FenceContract.ts"
import { freshScope } from "./MemoryFixture.ts"

const migrated = Layer.effectDiscard(Effect.flatMap(PostgresMigrations.load(), PostgresMigrator.run))

const layer = FencePostgres.layer.pipe(Layer.provideMerge(Layer.provideMerge(migrated, PostgresHouse.layer())))

/** As if the mover had been silent for its ten seconds. */
const lapse = Effect.flatMap(
  Postgres,
  ({ command, sql }) => command("test.lapse", sql`UPDATE loom.authorities SET moving_until = clock_timestamp()`)
)

testLayer(layer)("AuthorityPostgres", (it) => {
  it.effect("closed: nobody takes but the mover, and whoever had a namespace has lost it", () =>
    Effect.gen(function*() {
      const [fence, postgres] = [yield* Fence, yield* Postgres]
      const mine = yield* fence.take(freshScope())
      assert.strictEqual(mine.authority, "clickhouse")
      const mover = yield* AuthorityPostgres.claim
      assert.strictEqual((yield* Effect.flip(AuthorityPostgres.claim)).message.includes("already"), true)
      assert.deepStrictEqual(yield* fence.reserve([intentOf(mine, 1n, 10n)]), [true])
      yield* AuthorityPostgres.close(mover)
      assert.deepStrictEqual(yield* fence.confirm([intentOf(mine, 1n, 10n)]), [false])
      assert.deepStrictEqual(yield* fence.reserve([intentOf(mine, 2n, 20n)]), [false])
      for (const scope of [mine.scope, freshScope()]) {
        assert.deepInclude(yield* Effect.flip(fence.take(scope)), { _tag: "Unavailable", operation: "Fence.closed" })
      }
      assert.deepStrictEqual(yield* AuthorityPostgres.undecided, [mine.scope])
      const taken = yield* FencePostgres.make(postgres, mover).take(mine.scope)
      assert.deepStrictEqual(taken.open.map(({ seq }) => seq), [1n])
      yield* AuthorityPostgres.turn(mover, "postgres")
      yield* AuthorityPostgres.release(mover)
      const next = yield* fence.take(mine.scope)
      assert.strictEqual(next.authority, "postgres")
      assert.isAbove(Number(next.epoch), Number(taken.epoch))
    }))

  it.effect("a mover that was silent for too long may neither go on nor turn, and what it closed is open", () =>
    Effect.gen(function*() {
      const [fence, before] = [yield* Fence, yield* AuthorityPostgres.decided]
      const mover = yield* AuthorityPostgres.claim
      yield* AuthorityPostgres.close(mover)
      yield* lapse
      yield* fence.take(freshScope())
      for (const step of [AuthorityPostgres.renew(mover), AuthorityPostgres.turn(mover, "clickhouse")]) {
        assert.deepInclude(yield* Effect.flip(step), { _tag: "MoveStopped", reason: "late" })
      }
      assert.strictEqual(yield* AuthorityPostgres.decided, before)
      const other = yield* AuthorityPostgres.claim
      yield* AuthorityPostgres.release(mover)
      yield* AuthorityPostgres.renew(other)
      yield* AuthorityPostgres.release(other)
    }))
})
