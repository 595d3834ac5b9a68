import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { bank } from "../../src/memory/ThresholdBank.ts"
import { measure, sentences, thresholdsOf } from "../../src/memory/ThresholdMeasure.ts"
import type { Measured } from "../../src/memory/ThresholdMeasure.ts"
import * as EmbedderUseLite from "../../src/platform/EmbedderUseLite.ts"

const measured = (more: Partial<Measured> = {}): Measured => ({
  sentences: 60,
  near_low: 0.72,
  near_median: 0.83,
  reworded_low: 0.8,
  topic_median: 0.63,
  far_high: 0.36,
  ...more
})

describe("ThresholdMeasure", () => {
  it("has sixty different sentences in fifteen groups", () => {
    assert.strictEqual(bank.length, 15)
    assert.strictEqual(new Set(sentences).size, 60)
    for (const sentence of sentences) assert.isAtMost(sentence.length, 80)
  })

  it("puts the thresholds between what is near and what shares the topic", () => {
    assert.deepEqual(thresholdsOf(measured()), { conflict: 0.675, duplicate: 0.715 })
    // Whatever the scale of the embedder.
    assert.deepEqual(
      thresholdsOf(
        measured({ near_low: 0.93, near_median: 0.95, reworded_low: 0.94, topic_median: 0.88, far_high: 0.8 })
      ),
      { conflict: 0.905, duplicate: 0.909 }
    )
  })

  it("keeps conflict at or below duplicate, and both cosines", () => {
    assert.deepEqual(thresholdsOf(measured({ reworded_low: 0.5 })), { conflict: 0.675, duplicate: 0.675 })
    assert.deepEqual(thresholdsOf(measured({ near_low: 1.2, topic_median: 1.1, reworded_low: 1.1, far_high: 0.9 })), {
      conflict: 1,
      duplicate: 1
    })
    assert.deepEqual(
      thresholdsOf(measured({ near_low: -0.1, topic_median: -0.5, reworded_low: 0.1, far_high: -0.9 })),
      {
        conflict: 0,
        duplicate: 0
      }
    )
  })

  it("gives none for an embedder that does not tell near from far", () => {
    assert.isUndefined(thresholdsOf(measured({ near_low: 0.3 })))
    assert.isUndefined(thresholdsOf(measured({ near_low: 0.36 })))
    assert.isUndefined(thresholdsOf(measured({ near_low: Number.NaN })))
    const same = measure(sentences.map(() => Float32Array.of(1, 0)))
    assert.isTrue(same !== undefined && thresholdsOf(same) === undefined)
    assert.isUndefined(measure([Float32Array.of(1)]))
  })

  it.scopedLive("lands where USE-lite separates", () =>
    Effect.gen(function*() {
      const found = measure(yield* (yield* EmbedderUseLite.make()).embed(sentences))
      const pair = found === undefined ? undefined : thresholdsOf(found)
      assert.isTrue(pair !== undefined && pair.conflict >= 0.65 && pair.conflict <= 0.7, JSON.stringify(pair))
      assert.isTrue(pair !== undefined && pair.duplicate >= 0.68 && pair.duplicate <= 0.73, JSON.stringify(pair))
    }))
})
