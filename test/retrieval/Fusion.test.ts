import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import * as Fusion from "../../src/retrieval/Fusion.ts"
import { PRIOR_CAP } from "../../src/retrieval/Priors.ts"
import { readTime } from "../../src/retrieval/QuestionTime.ts"
import type { Usage } from "../../src/retrieval/SearchModel.ts"
import { termGroups } from "../../src/retrieval/SearchTerms.ts"
import { noon, rowOf } from "../memory/MemoryFixture.ts"

const scope = { org: "acme", namespace: "fusion" }

interface Given {
  readonly id: string
  readonly cosine?: number | null
  readonly counts?: ReadonlyArray<number>
  readonly version?: bigint
  readonly passage?: number
  readonly tags?: ReadonlyArray<string>
  readonly entities?: ReadonlyArray<string>
  readonly row?: Partial<MemoryRow>
  readonly usage?: Usage
}

const candidate = (
  { cosine = 0, counts = [0, 0], entities = [], id, passage, row = {}, tags = [], usage, version = 1n }: Given
): Fusion.Candidate => {
  const head = {
    ...rowOf(scope, { memory_key: id, version, tags, entities, created_at: noon, ...row }),
    memory_id: id,
    ...usage === undefined ? {} : { usage }
  }
  return {
    head,
    cosines: cosine === null ? undefined : { value: cosine, key: 0 },
    terms: { counts, length: 10 },
    passage: passage === undefined
      ? undefined
      : { at: { chunk_index: 3, start: 10, end: 20 }, share: passage, counts: [1, 1] }
  }
}

const evidence = (query: string, exact = ""): Fusion.Evidence => ({
  terms: termGroups(query),
  corpus: { rows: 100, meanLength: 10, holding: termGroups(query).map(() => 5) },
  entities: null,
  tagsSoft: [],
  tagsDemoted: [],
  time: readTime(query),
  now: noon,
  isQuestion: ({ memory_id }) => memory_id === exact
})

const order = (given: ReadonlyArray<Given>, facts: Fusion.Evidence) =>
  Fusion.rank(given.map(candidate), facts).map(({ candidate }) => candidate.head.memory_id)

describe("Fusion", () => {
  it("words and closeness add up", () => {
    const given = [
      { id: "both", cosine: 0.5, counts: [1, 1] },
      { id: "words", cosine: 0.1, counts: [1, 1] },
      { id: "close", cosine: 0.6 },
      { id: "none" }
    ]
    assert.deepStrictEqual(order(given, evidence("green tea")), ["both", "words", "close", "none"])
  })

  it("an identifier outweighs closeness, equality outweighs all", () => {
    const given = [
      { id: "far", cosine: 0, counts: [1, 1] },
      { id: "near", cosine: 0.9 },
      { id: "equal", cosine: 0 }
    ]
    assert.deepStrictEqual(order(given, evidence("v1.9")), ["far", "near", "equal"])
    assert.deepStrictEqual(order(given, evidence("v1.9", "equal")), ["equal", "far", "near"])
  })

  it("without vectors or without words the other part still ranks", () => {
    const [ranked] = Fusion.rank([candidate({ id: "a", cosine: null, counts: [1, 1] })], evidence("green tea"))
    assert.isNull(ranked?.similarity)
    assert.strictEqual(ranked?.components.vector, 0)
    const facts = { ...evidence("green tea"), corpus: null }
    assert.deepStrictEqual(order([{ id: "b", cosine: 0.2, counts: [9, 9] }, { id: "a", cosine: 0.3 }], facts), [
      "a",
      "b"
    ])
  })

  it("the better of excerpt and passage counts, and is the one shown", () => {
    const [better] = Fusion.rank([candidate({ id: "a", counts: [1, 0], passage: 0.9 })], evidence("green tea"))
    assert.deepStrictEqual(better?.passage, { chunk_index: 3, start: 10, end: 20 })
    assert.strictEqual(better?.components.words, 0.9)
    const [worse] = Fusion.rank([candidate({ id: "a", counts: [1, 1], passage: 0.01 })], evidence("green tea"))
    assert.isNull(worse?.passage)
  })

  it("of equal scores the later version comes first, then the smaller id; the order of input means nothing", () => {
    const given = FastCheck.uniqueArray(
      FastCheck.record({
        id: FastCheck.string({ minLength: 1, maxLength: 3 }),
        cosine: FastCheck.constantFrom(0, 0.25, 0.5, -0.5),
        counts: FastCheck.constantFrom([0, 0], [1, 0], [2, 1]),
        tags: FastCheck.subarray(["soft", "low", "other"]),
        entities: FastCheck.subarray(["mira", "otto"]),
        version: FastCheck.constantFrom(1n, 2n, 18446744073709551615n),
        usage: FastCheck.record({
          credit: FastCheck.nat(1_000),
          harm: FastCheck.nat(1_000),
          last_at: FastCheck.constantFrom(noon, 0, 2 * noon)
        }),
        row: FastCheck.record({
          confidence: FastCheck.constantFrom(0, 0.5, 1),
          source_class: FastCheck.constantFrom("asserted", "observed", "imported", "external"),
          sensitivity: FastCheck.constantFrom("none", "medium"),
          pinned: FastCheck.boolean(),
          created_at: FastCheck.constantFrom(noon, 0, 2 * noon)
        })
      }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 12 }
    )
    FastCheck.assert(FastCheck.property(given, (given) => {
      const facts = {
        ...evidence("green tea now"),
        entities: { named: new Map([["mira", 0.7]]), beside: new Map([["otto", 0.3]]) },
        tagsSoft: ["soft", "absent"],
        tagsDemoted: ["low"]
      }
      assert.deepStrictEqual(order([...given].reverse(), facts), order(given, facts))
      const ranked = Fusion.rank(given.map(candidate), facts)
      for (const { components, score } of ranked) {
        assert.closeTo(Object.values(components).reduce((sum, part) => sum + part, 0), score, 1e-6)
        assert.isTrue(Number.isFinite(score) && score >= 0)
        const { confidence, fullness, recency, sensitivity, trust, usage } = components
        const priors = fullness + recency + confidence + trust + usage + sensitivity
        const match = components.words + components.vector + components.identifier + components.entities +
          components.names + components.time + components.exact
        assert.isAtMost(Math.abs(priors), Math.min(PRIOR_CAP, match / 2) + 1e-5)
        assert.isTrue(recency >= 0 && usage >= 0 && confidence <= 0 && sensitivity <= 0)
        assert.isTrue(components.entities >= 0 && components.entities <= Fusion.WEIGHTS.entities)
        assert.isTrue(components.tags_soft >= 0 && components.tags_soft <= Fusion.WEIGHTS.tags)
        assert.isTrue(components.demote_tags <= 0 && components.demote_tags >= -Fusion.WEIGHTS.tags)
      }
      ranked.slice(1).forEach((after, index) => {
        const before = ranked[index]
        assert.isTrue(before !== undefined && before.score >= after.score)
        if (before?.score === after.score) {
          assert.isTrue(before.candidate.head.version >= after.candidate.head.version)
        }
      })
    }))
  })

  it("tags lift and lower what is nearly equal, hide nothing, and change nothing where they are not asked", () => {
    const given = [
      { id: "low", cosine: 0.5, tags: ["low"] },
      { id: "plain", cosine: 0.45 },
      { id: "soft", cosine: 0.4, tags: ["soft"] },
      { id: "both", cosine: 0.44, tags: ["soft", "low"] },
      { id: "best", cosine: 0.5, counts: [1, 1], tags: ["low"] },
      { id: "least", tags: ["low"] }
    ]
    const facts = { ...evidence("green tea"), tagsSoft: ["soft"], tagsDemoted: ["low"] }
    assert.deepStrictEqual(order(given, facts), ["best", "soft", "plain", "both", "low", "least"])
    const untagged = given.map(({ tags: _, ...rest }) => rest)
    assert.deepStrictEqual(order(given, evidence("green tea")), order(untagged, evidence("green tea")))
    assert.strictEqual(Fusion.rank(given.map(candidate), facts)[5]?.score, 0)
  })

  it("an entity lifts the memories that name it and no others; without one asked for nothing is lifted", () => {
    const given = [{ id: "plain", cosine: 0.5 }, { id: "named", cosine: 0.3, entities: ["mira"] }]
    const entities = { named: new Map([["mira", 1]]), beside: new Map<string, number>() }
    assert.deepStrictEqual(order(given, { ...evidence("green tea"), entities }), ["named", "plain"])
    assert.deepStrictEqual(order(given, evidence("green tea")), ["plain", "named"])
  })

  it("the time that the question names lifts what is of it, and only what the question asks for now is lifted by age", () => {
    const day = (text: string) => ({ valid_at: Date.parse(text) })
    const given = [
      { id: "later", cosine: 0.5, row: day("2023-09-20T10:00:00Z") },
      { id: "then", cosine: 0.4, row: day("2023-06-04T10:00:00Z") }
    ]
    assert.deepStrictEqual(order(given, evidence("green tea on 3 June, 2023")), ["then", "later"])
    assert.deepStrictEqual(order(given, evidence("green tea")), ["later", "then"])
    const aged = [
      { id: "old", cosine: 0.5, row: { created_at: noon - 400 * 86_400_000 } },
      { id: "new", cosine: 0.45, row: { created_at: noon } }
    ]
    assert.deepStrictEqual(order(aged, evidence("current green tea")), ["new", "old"])
    assert.deepStrictEqual(order(aged, evidence("green tea")), ["old", "new"])
  })

  it("trust orders what is nearly equal: attested, asserted, then what came from outside; a stale attestation is none", () => {
    const verified_sha256 = candidate({ id: "any" }).head.content_sha256
    const given = [
      { id: "outside", cosine: 0.5, row: { source_class: "external" } },
      { id: "stale", cosine: 0.5, row: { source_class: "external", verified_kind: "human", verified_sha256: "other" } },
      { id: "asserted", cosine: 0.5, row: { source_class: "asserted" } },
      { id: "attested", cosine: 0.5, row: { source_class: "external", verified_kind: "human", verified_sha256 } }
    ] as const
    assert.deepStrictEqual(order(given, evidence("green tea")), ["attested", "asserted", "outside", "stale"])
    assert.deepStrictEqual(
      Fusion.rank(given.map(candidate), evidence("green tea"), 0).map(({ components }) => components.trust),
      [0, 0, 0, 0]
    )
    const better = [{ id: "better", cosine: 0.75, row: { source_class: "external" } }, given[3]] as const
    assert.deepStrictEqual(order(better, evidence("green tea")), ["better", "attested"])
  })

  it("neither a pin nor use lifts a memory that does not match, and harm puts none below what it was", () => {
    const often = { credit: 1_000, harm: 0, last_at: noon }
    const given = [
      { id: "plain", cosine: 0.3 },
      { id: "used", cosine: 0, usage: often, row: { pinned: true } },
      { id: "near", cosine: 0.28, usage: often },
      { id: "harmed", cosine: 0.29, usage: { credit: 1, harm: 9, last_at: noon } }
    ]
    assert.deepStrictEqual(order(given, evidence("green tea")), ["near", "plain", "harmed", "used"])
    const harmed = Fusion.rank(given.map(candidate), evidence("green tea"))[2]
    assert.strictEqual(harmed?.components.usage, 0)
  })

  it("a name in the question lifts the text that holds it", () => {
    const given = [{ id: "without", cosine: 0.5, counts: [0, 1] }, { id: "with", cosine: 0.5, counts: [1, 0] }]
    assert.deepStrictEqual(order(given, evidence("of Mira tea")), ["with", "without"])
  })

  it("a score stays what it is whatever else is ranked", () => {
    const facts = evidence("green tea")
    const alone = Fusion.rank([candidate({ id: "a", cosine: 0.3, counts: [1, 0] })], facts)
    const among = Fusion.rank(
      [{ id: "a", cosine: 0.3, counts: [1, 0] }, { id: "b", cosine: 0.99, counts: [9, 9] }, { id: "c" }].map(candidate),
      facts
    )
    assert.strictEqual(among.find(({ candidate }) => candidate.head.memory_id === "a")?.score, alone[0]?.score)
  })
})
