import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { collapse } from "../../src/retrieval/Collapse.ts"
import type { Ranked } from "../../src/retrieval/Fusion.ts"
import { rowOf } from "../memory/MemoryFixture.ts"

const scope = { org: "acme", namespace: "collapse" }
const components = {
  words: 0,
  vector: 0,
  identifier: 0,
  entities: 0,
  digests: 0,
  names: 0,
  time: 0,
  exact: 0,
  fullness: 0,
  recency: 0,
  confidence: 0,
  trust: 0,
  usage: 0,
  sensitivity: 0,
  tags_soft: 0,
  demote_tags: 0
}

const ranked = (id: string, changed: Partial<MemoryRow>): Ranked => ({
  candidate: {
    head: rowOf(scope, { memory_key: id, memory_id: id, canonical_sha256: `only ${id}`, ...changed }),
    cosines: undefined,
    terms: undefined,
    passage: undefined
  },
  score: 1,
  components,
  similarity: null,
  passage: null
})

const folded = (given: ReadonlyArray<Ranked>) =>
  collapse(given).map(({ ranked, siblings }) => [ranked.candidate.head.memory_id, siblings])

describe("Collapse", () => {
  it("equal claims of one user and type are the best of them, with a count", () => {
    const same = { canonical_sha256: "tea" }
    assert.deepStrictEqual(
      folded([
        ranked("a", same),
        ranked("b", {}),
        ranked("c", same),
        ranked("d", { ...same, user_id: "other" }),
        ranked("e", { ...same, memory_type: "episodic" }),
        ranked("f", same)
      ]),
      [["a", 2], ["b", 0], ["d", 0], ["e", 0]]
    )
  })

  it("a duplicate stands behind the memory it is of, wherever it ranks, and bridges no two others", () => {
    const duplicate = { status: "duplicate", duplicate_of: "a" } as const
    assert.deepStrictEqual(folded([ranked("d", duplicate), ranked("b", {}), ranked("a", {})]), [["b", 0], ["a", 1]])
    const equalToB = { ...duplicate, canonical_sha256: "only b" }
    assert.deepStrictEqual(folded([ranked("d", equalToB), ranked("b", {}), ranked("a", {})]), [["b", 0], ["a", 1]])
    assert.deepStrictEqual(folded([ranked("d", equalToB), ranked("b", {})]), [["b", 1]])
    assert.deepStrictEqual(folded([ranked("d", duplicate), ranked("e", duplicate)]), [["d", 1]])
    const chain = { status: "duplicate", duplicate_of: "d" } as const
    assert.deepStrictEqual(folded([ranked("a", {}), ranked("d", duplicate), ranked("e", chain)]), [["a", 2]])
    assert.deepStrictEqual(folded([ranked("e", chain), ranked("d", duplicate), ranked("a", {})]), [["a", 2]])
    const ring = (id: string, of: string) => ranked(id, { status: "duplicate", duplicate_of: of })
    assert.deepStrictEqual(folded([ring("a", "b"), ring("b", "a")]), [["a", 1]])
  })

  it("both sides of a contradiction stay, and rows whose canonical form does not count", () => {
    const side = (id: string, other: string) => ranked(id, { status: "conflicted", conflict_with: [other] })
    assert.deepStrictEqual(folded([side("a", "b"), side("b", "a")]), [["a", 0], ["b", 0]])
    const same = { canonical_sha256: "tea" }
    assert.lengthOf(folded([ranked("a", same), ranked("b", { ...same, status: "conflicted" })]), 2)
    assert.lengthOf(folded([ranked("a", { canonical_sha256: "" }), ranked("b", { canonical_sha256: "" })]), 2)
  })

  it("no memory is lost or counted twice, and the order is kept", () => {
    const one = FastCheck.record({
      canonical_sha256: FastCheck.constantFrom("", "x", "y"),
      status: FastCheck.constantFrom<MemoryRow["status"]>("active", "conflicted", "duplicate", "superseded"),
      duplicate_of: FastCheck.constantFrom("", "0", "1", "2", "absent")
    })
    FastCheck.assert(FastCheck.property(FastCheck.array(one, { maxLength: 8 }), (given) => {
      const all = given.map((changed, at) => ranked(String(at), changed))
      const hits = folded(all)
      assert.strictEqual(hits.reduce((sum, [, siblings]) => sum + Number(siblings) + 1, 0), all.length)
      const ids = hits.map(([id]) => Number(id))
      assert.deepStrictEqual(ids, [...ids].sort((a, b) => a - b))
    }))
  })
})
