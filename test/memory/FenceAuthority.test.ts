/**
 * Under the authority of Postgres the fence leaves commits of memory to their own statement, and nothing else.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AuthorityPostgres from "../../src/memory/AuthorityPostgres.ts"
import { Fence } from "../../src/memory/Fence.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"
import { intentOf } from "./FenceContract.ts"
import { freshScope } from "./MemoryFixture.ts"
import { layerFence } from "./PostgresAuthority.ts"

const migrated = Layer.effectDiscard(
  PostgresMigrations.load().pipe(
    Effect.flatMap(PostgresMigrator.run),
    Effect.zipRight(AuthorityPostgres.decideFirst("postgres"))
  )
)

const layer = layerFence.pipe(Layer.provide(migrated), Layer.provide(PostgresHouse.layer()))

testLayer(layer)("FenceAuthority", (it) => {
  it.effect("a worker that was taken over is refused, and what it left open is found", () =>
    Effect.gen(function*() {
      const fence = yield* Fence
      const mine = yield* fence.take(freshScope())
      const bare = (seq: bigint) => ({ ...intentOf(mine, seq, 0n), rows: [], links: [], answers: [] })
      assert.deepStrictEqual(yield* fence.reserve([bare(1n)]), [true])
      assert.deepStrictEqual(yield* fence.confirm([bare(1n)]), [true])
      assert.deepStrictEqual(yield* fence.reserve([bare(2n)]), [true])
      const next = yield* fence.take(mine.scope)
      assert.deepStrictEqual(next.open.map(({ seq }) => seq), [2n])
      assert.deepStrictEqual(yield* fence.confirm([bare(2n)]), [false])
      assert.deepStrictEqual(yield* fence.reserve([bare(3n)]), [false])
    }))

  it.effect("commits of memory cost no round trip here, mixed with others or not", () =>
    Effect.gen(function*() {
      const fence = yield* Fence
      const [mine, worker] = [yield* fence.take(freshScope()), yield* fence.take(freshScope())]
      yield* fence.take(worker.scope)
      const ofMemory = intentOf(mine, 1n, 10n)
      const ofWorker = { ...intentOf(worker, 1n, 0n), rows: [], links: [], answers: [] }
      assert.deepStrictEqual(yield* fence.reserve([ofMemory, ofWorker, ofMemory]), [true, false, true])
      assert.deepStrictEqual(yield* fence.confirm([ofMemory]), [true])
      // Nothing was reserved, so nothing is open.
      assert.deepStrictEqual((yield* fence.take(mine.scope)).open, [])
    }))
})
