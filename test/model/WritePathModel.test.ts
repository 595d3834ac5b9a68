/**
 * The page's state diagram as a property: random histories of every write verb from several writers, against the reference
 * model, over the in-memory store. `.ci/run` plays 10,000 of them with `npm run test:model`, which takes any seed.
 */
import { assert, describe, it } from "@effect/vitest"
import { vectorFaults } from "./ModelClaims.ts"
import { playInMemory, run, seedOfDay } from "./ModelRun.ts"

// A quarter of a minute; `.ci/run` plays ten thousand beside the tests.
const RUNS = 1_000
const LENGTH = 10
// `npm run test:model` asks more: the time of all tests is bounded.
const ASKS = 1

describe("the write path and its model", () => {
  it("has claims as close and as far as the model says", () => {
    assert.deepStrictEqual(vectorFaults(), [])
  })

  it(`agree on ${RUNS} histories over the in-memory store`, { timeout: 600_000 }, async () => {
    const seed = seedOfDay()
    process.stdout.write(`model: seed ${seed}\n`)
    const { failure } = await run({ runs: RUNS, seed, length: LENGTH, asks: ASKS }, playInMemory)
    assert.isNull(failure, failure ?? "")
  })
})
