/**
 * The property over ClickHouse, over HTTP. (One engine a file: each file is a process of its own.)
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layerHttp, place } from "./ModelPlaces.ts"
import { playIn, run, seedOfDay } from "./ModelRun.ts"

// The count for each real store.
const RUNS = 200
const LENGTH = 10

layer(layerHttp, { timeout: "1 minute" })("the write path and its model", (it) => {
  it.effect(`agree on ${RUNS} histories over ClickHouse, over HTTP`, () =>
    Effect.gen(function*() {
      const seed = seedOfDay()
      process.stdout.write(`model: seed ${seed}\n`)
      const play = playIn(yield* place)
      const { failure } = yield* Effect.promise(() => run({ runs: RUNS, seed, length: LENGTH }, play))
      assert.isNull(failure, failure ?? "")
    }), { timeout: 600_000 })
})
