import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as EntityGraph from "../../src/retrieval/EntityGraph.ts"
import type { EntityWeights } from "../../src/retrieval/SearchModel.ts"

const names = ["a", "b", "c", "d", "e"]
const worth = FastCheck.double({ min: 1e-6, max: 1, noNaN: true })
const weighted = FastCheck.dictionary(FastCheck.constantFrom(...names), worth).map((of) => new Map(Object.entries(of)))
const anyWeights: FastCheck.Arbitrary<EntityWeights> = FastCheck.record({
  named: weighted,
  beside: weighted.map((of) => new Map([...of].map(([name, worth]) => [`${name}2`, worth / 2])))
})
const held = FastCheck.subarray([...names, ...names.map((name) => `${name}2`), "other"])

describe("EntityGraph", () => {
  it("an entity tells less the more memories name it, and nothing at a thousand or at half of them", () => {
    assert.strictEqual(EntityGraph.telling(1, 1e6), 1)
    assert.strictEqual(EntityGraph.telling(EntityGraph.HUB, 1e6), 0)
    assert.strictEqual(EntityGraph.telling(100, 200), 0)
    assert.isAbove(EntityGraph.telling(100, 2_000), 0)
    assert.isAbove(EntityGraph.telling(3, 4), 0.5)
    FastCheck.assert(FastCheck.property(
      FastCheck.integer({ min: 1, max: 100_000 }),
      FastCheck.integer({ min: 1, max: 100_000 }),
      FastCheck.integer({ min: 0, max: 1_000_000 }),
      (some, more, rows) => {
        const [fewer, many] = [EntityGraph.telling(some, rows), EntityGraph.telling(some + more, rows)]
        assert.isTrue(fewer >= 0 && fewer <= 1 && many <= fewer)
        // Rows beyond those that are counted change nothing.
        assert.strictEqual(
          EntityGraph.telling(some, Math.max(rows, EntityGraph.COUNTED_ROWS)),
          EntityGraph.telling(some, EntityGraph.COUNTED_ROWS)
        )
      }
    ))
  })

  it("a share is within 0 and 1, 0 for a memory that names nothing of it, and never less for naming more", () => {
    FastCheck.assert(FastCheck.property(anyWeights, held, held, (weights, some, more) => {
      const score = EntityGraph.share(weights, some)
      assert.isTrue(score >= 0 && score <= 1 + 1e-12)
      assert.strictEqual(EntityGraph.share(weights, ["other"]), 0)
      assert.isAtLeast(EntityGraph.share(weights, [...some, ...more]), score - 1e-12)
      assert.strictEqual(EntityGraph.share(weights, [...some, ...some]), score)
    }))
  })

  it("a rare entity is worth nearly all where a hub is asked beside it, and the hub nearly nothing", () => {
    const weights: EntityWeights = { named: new Map([["rare", 1], ["hub", 0.05]]), beside: new Map() }
    assert.isAbove(EntityGraph.share(weights, ["rare"]), 0.9)
    assert.isBelow(EntityGraph.share(weights, ["hub"]), 0.01)
  })

  it("hubs and names that no memory holds have no weight", () => {
    const naming = new Map([["rare", 2], ["hub", 1_500]])
    assert.deepStrictEqual([...EntityGraph.weights(["rare", "hub", "none"], naming, 9_999).keys()], ["rare"])
  })

  it("the walk is one bounded step from the first memories, by what share of them names an entity", () => {
    const weights: EntityWeights = { named: new Map([["seed", 1]]), beside: new Map() }
    const from = [{ entities: ["seed", "near", "far"] }, { entities: ["seed", "near"] }, { entities: ["lone"] }]
    assert.deepStrictEqual([...EntityGraph.step(weights, from)], [["near", 1], ["far", 0.5]])
    const wide = Array.from({ length: 40 }, (_, index) => ({ entities: ["seed", `n${index}`] }))
    assert.strictEqual(EntityGraph.step(weights, wide).size, EntityGraph.WALK_TO)
    assert.isFalse(EntityGraph.step(weights, wide).has("n35"))
    FastCheck.assert(FastCheck.property(anyWeights, FastCheck.array(held), (weights, rows) => {
      const reach = EntityGraph.step(weights, rows.map((entities) => ({ entities })))
      assert.isAtMost(reach.size, EntityGraph.WALK_TO)
      for (const [entity, share] of EntityGraph.worth(reach, new Map([...reach.keys()].map((name) => [name, 1])))) {
        assert.isTrue(share >= 0 && share <= 0.5 && !weights.named.has(entity))
      }
    }))
  })
})
