import { assert, describe, it } from "@effect/vitest"
import { PeerIndex } from "../../src/memory/PeerIndex.ts"

const slot = { memory_type: "semantic", user_id: "-" }
const DIMENSIONS = 256

/** Numbers from -1 to 1 that are the same in every run. */
const numbers = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 32) * 2 - 1
  }
}

const unit = (raw: ReadonlyArray<number>): Float32Array => {
  const length = Math.hypot(...raw)
  return Float32Array.from(raw, (number) => number / length)
}

const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0)

const even = (next: () => number) => unit(Array.from({ length: DIMENSIONS }, () => next() + next() + next()))

/** Along one or two dimensions only. */
const peaked = (next: () => number) => {
  const raw = Array.from({ length: DIMENSIONS }, () => 0)
  raw[Math.abs(Math.trunc(next() * 4))] = 1
  raw[4 + Math.abs(Math.trunc(next() * 4))] = next()
  return unit(raw)
}

const makers = {
  "even vectors": even,
  "vectors along few dimensions": peaked,
  "both kinds": (next: () => number) => (next() > 0 ? even(next) : peaked(next))
}

describe("PeerIndex", () => {
  for (const [name, make] of Object.entries(makers)) {
    it(`gives the cosines of ${name} within a two-hundredth`, () => {
      const next = numbers(7)
      const index = new PeerIndex(DIMENSIONS)
      const vectors = Array.from({ length: 300 }, () => make(next))
      vectors.forEach((vector, at) => index.put(slot, { identity: `${at}`, content_sha256: "c" }, vector))
      for (let round = 0; round < 30; round++) {
        const vector = make(next)
        const near = index.near({ ...slot, vector, threshold: -1 }, 8)
        const true8 = vectors.map((other) => cosine(vector, other)).sort((left, right) => right - left).slice(0, 8)
        assert.strictEqual(near.length, 8)
        near.forEach(({ identity, similarity }, place) => {
          const other = vectors[Number(identity)]
          assert.isDefined(other)
          assert.closeTo(similarity, cosine(vector, other), 0.005)
          assert.closeTo(similarity, true8[place] ?? 0, 0.005)
        })
      }
    })
  }

  it("finds nothing below the threshold, in another slot or behind a removal", () => {
    const index = new PeerIndex(DIMENSIONS)
    const vector = even(numbers(3))
    index.put(slot, { identity: "a", content_sha256: "c" }, vector)
    assert.strictEqual(index.near({ ...slot, vector, threshold: 0.99 }, 8).length, 1)
    assert.strictEqual(index.near({ ...slot, user_id: "amy", vector, threshold: 0.99 }, 8).length, 0)
    assert.strictEqual(index.near({ ...slot, vector: even(numbers(4)), threshold: 0.99 }, 8).length, 0)
    index.remove("a")
    assert.strictEqual(index.near({ ...slot, vector, threshold: -1 }, 8).length, 0)
  })
})
