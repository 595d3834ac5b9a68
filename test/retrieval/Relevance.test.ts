import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type { Candidate } from "../../src/retrieval/Fusion.ts"
import { DEFAULT_FLOOR } from "../../src/retrieval/Gate.ts"
import { evidenceOf, type OwnEvidence, relevance, UNKNOWN } from "../../src/retrieval/Relevance.ts"
import { termGroups } from "../../src/retrieval/SearchTerms.ts"
import { rowOf } from "../memory/MemoryFixture.ts"

const share = FastCheck.double({ min: 0, max: 1, noNaN: true })
const evidence: FastCheck.Arbitrary<OwnEvidence> = FastCheck.record({
  words: FastCheck.option(share),
  closeness: FastCheck.option(FastCheck.double({ min: -1, max: 1, noNaN: true })),
  size: FastCheck.nat(40),
  identifier: share,
  lacking: share,
  named: FastCheck.boolean(),
  exact: FastCheck.boolean()
})

const nothing: OwnEvidence = { words: 0, closeness: 0, size: 4, identifier: 0, lacking: 0, named: false, exact: false }

const candidate = (changed: Partial<Candidate>, entities: ReadonlyArray<string> = []): Candidate => ({
  head: rowOf({ org: "acme", namespace: "relevance" }, { memory_key: "k/1", entities }),
  cosines: undefined,
  terms: undefined,
  passage: undefined,
  ...changed
})

const held = (query: string, changed: Partial<Candidate>, entities: ReadonlyArray<string> = []) =>
  evidenceOf(query, termGroups(query), () => false)(candidate(changed, entities))

describe("Relevance", () => {
  it("lies between 0 and 1 and never falls when a part of the evidence grows", () => {
    FastCheck.assert(FastCheck.property(evidence, share, (own, more) => {
      const at = relevance(own)
      assert.isTrue(at > 0 && at < 1)
      const grown: ReadonlyArray<OwnEvidence> = [
        { ...own, words: Math.max(own.words ?? UNKNOWN.words, more) },
        { ...own, closeness: Math.max(own.closeness ?? UNKNOWN.closeness, more) },
        { ...own, identifier: Math.max(own.identifier, more) },
        { ...own, lacking: Math.min(own.lacking, more) },
        { ...own, named: true },
        { ...own, exact: true }
      ]
      for (const one of grown) assert.isAtLeast(relevance(one), at)
    }))
  })

  it("tells an unrelated memory, a half match and a whole one apart", () => {
    assert.isBelow(relevance({ ...nothing, closeness: 0.15 }), DEFAULT_FLOOR)
    assert.isAbove(relevance({ ...nothing, words: 0.5, closeness: 0.5 }), DEFAULT_FLOOR)
    assert.isAbove(relevance({ ...nothing, words: 1, closeness: 0.8 }), 0.4)
    // The same said in other words.
    assert.isAbove(relevance({ ...nothing, closeness: 0.9 }), DEFAULT_FLOOR)
    assert.isAbove(relevance({ ...nothing, words: 1, closeness: 1, exact: true }), 0.99)
  })

  it("a rare word of the question says more than a common one", () => {
    const at = (counts: ReadonlyArray<number>) => held("good pottery", { terms: { counts, length: 4 } }).words ?? 0
    assert.isAbove(at([0, 1]), at([1, 0]))
    assert.closeTo(at([0, 1]) + at([1, 0]), 1, 1e-9)
  })

  it("takes what nobody looked at for unknown and not for absent", () => {
    assert.deepStrictEqual(held("green tea", {}), { ...nothing, words: null, closeness: null, size: 2 })
    assert.deepStrictEqual(held("!!", { terms: { counts: [], length: 4 } }).words, null)
    assert.isAbove(relevance({ ...nothing, closeness: null }), relevance(nothing))
    assert.isAbove(relevance({ ...nothing, words: null }), relevance(nothing))
  })

  it("counts words of the excerpt and of the best passage, each once, and names in the question", () => {
    const terms = { counts: [2, 0], length: 4 }
    assert.closeTo(held("green tea", { terms }).words ?? 0, 0.5, 0.2)
    const passage = { at: { chunk_index: 1, start: 0, end: 9 }, share: 0.5, counts: [1, 1] }
    assert.strictEqual(held("green tea", { terms, passage }).words, 1)
    assert.strictEqual(held("tea v1.9", { terms: { counts: [0, 1], length: 4 } }).identifier, 1)
    assert.isTrue(held("what of the Heron Gates?", {}, ["heron gate"]).named)
    assert.isFalse(held("what of the herons?", {}, ["heron gate"]).named)
  })

  it("counts words of the key and of the entities as said, and an identifier that nothing holds against the memory", () => {
    const labelled = (query: string, memory_key: string, entities: ReadonlyArray<string> = []) => {
      const head = rowOf({ org: "acme", namespace: "relevance" }, { memory_key, entities })
      const terms = termGroups(query)
      return evidenceOf(query, terms, () => false)({
        head,
        cosines: undefined,
        terms: { counts: terms.map(() => 0), length: 2 },
        passage: undefined
      })
    }
    assert.strictEqual(labelled("when is Ana's birthday?", "person/ana/birthday").words, 1)
    assert.strictEqual(labelled("node version", "project/web/node-version").words, 1)
    assert.strictEqual(labelled("who owns the ledgers?", "k/1", ["ledger"]).words === 0, false)
    assert.strictEqual(labelled("what is new in v1.9?", "rel/v1.9").lacking, 0)
    assert.strictEqual(labelled("what is new in v1.10?", "rel/v1.9").lacking, 1)
    const close = { ...nothing, words: 0.5, closeness: 0.95 }
    assert.isAbove(relevance(close), DEFAULT_FLOOR)
    assert.isBelow(relevance({ ...close, lacking: 1 }), DEFAULT_FLOOR)
  })
})
