import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { FOOTER, HEADER, titleOf } from "../../src/context/PackBlock.ts"
import { SECTIONS } from "../../src/context/PackModel.ts"
import type { FoundMemory, PackMemory } from "../../src/context/PackModel.ts"
import { plan } from "../../src/context/PackPlan.ts"
import type { Budgets } from "../../src/context/PackPlan.ts"
import { sectionsFor } from "../../src/context/PackSections.ts"
import type { Asked, Material } from "../../src/context/PackSections.ts"
import { LEAST_BUDGET, MOST_BUDGET } from "../../src/context/PackVerbs.ts"
import type { SourceClass } from "../../src/memory/MemoryModel.ts"
import type { CountTokens } from "../../src/platform/Tokens.ts"
import { noon } from "../memory/MemoryFixture.ts"
import { counter } from "./ForFileFixture.ts"
import { found, material, packed } from "./PackFixture.ts"

const FILLED = SECTIONS.slice(0, 7)

const words = FastCheck.oneof(
  FastCheck.integer({ min: 0, max: 60 }).map((count) => "some words of a claim ".repeat(count)),
  FastCheck.string({ unit: "grapheme", maxLength: 300 }),
  FastCheck.string({ unit: "binary", maxLength: 200 }),
  FastCheck.constantFrom(
    "👩‍💻🙂".repeat(40),
    "日本語のテキスト".repeat(30),
    "{\"a\":[1,2,{\"b\":\"c\"}]}",
    "x".repeat(3_000)
  )
)

/** Memories that may come up in several sections, each the same wherever it comes up. */
const poolDrawn = FastCheck.array(
  FastCheck.record({
    text: words,
    isCut: FastCheck.boolean(),
    tags: FastCheck.subarray(["decision", "kind:constraint", "other"]),
    source_class: FastCheck.constantFrom<SourceClass>("asserted", "asserted", "external", "derived"),
    updated_at: FastCheck.integer({ min: noon - 3, max: noon }),
    key: FastCheck.oneof(FastCheck.constant("k"), FastCheck.string({ unit: "grapheme", maxLength: 400 }))
  }),
  { maxLength: 40 }
).map((all) =>
  all.map(({ key, ...given }, at): PackMemory => packed(`${key}/${at}`, { ...given, memory_id: `mem_${at}` }))
)

const scores = FastCheck.record({
  score: FastCheck.constantFrom(0.1, 0.5, 0.9),
  relevance: FastCheck.double({ min: 0, max: 1, noNaN: true }),
  isEnough: FastCheck.boolean()
})

const materialDrawn: FastCheck.Arbitrary<Material> = poolDrawn.chain((pool) => {
  const some = FastCheck.subarray([...pool])
  const hits: FastCheck.Arbitrary<ReadonlyArray<FoundMemory>> = some.chain((memories) =>
    FastCheck.tuple(...memories.map((memory) => scores.map((given) => found(memory, given))))
  )
  return FastCheck.record({
    working: FastCheck.array(FastCheck.record({ key: words, text: words, updated_at: FastCheck.constant(noon) }), {
      maxLength: 3
    }),
    session: some,
    profile: some,
    decisions: some,
    memories: FastCheck.option(hits, { nil: null }),
    procedures: hits,
    reflections: hits,
    unread: FastCheck.constantFrom({}, { decisions: 7 })
  })
})

const askedDrawn: FastCheck.Arbitrary<Asked> = FastCheck.record({
  order: FastCheck.shuffledSubarray(SECTIONS.slice(), { minLength: 1 }),
  topK: FastCheck.integer({ min: 1, max: 30 }),
  asker: FastCheck.constantFrom("-", "ada")
})

const budgetsDrawn: FastCheck.Arbitrary<Budgets> = FastCheck.record({
  total: FastCheck.oneof(
    FastCheck.integer({ min: LEAST_BUDGET, max: 600 }),
    FastCheck.constantFrom(2_000, MOST_BUDGET)
  ),
  bySection: FastCheck.dictionary(FastCheck.constantFrom(...FILLED), FastCheck.integer({ min: 1, max: 800 }), {
    maxKeys: 3
  })
})

const planned = (count: CountTokens, of: Material, asked: Asked, budgets: Budgets) =>
  plan(sectionsFor(of, asked), budgets, count)

const reversed = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => [...all].reverse()

const shuffled = (of: Material): Material => ({
  working: reversed(of.working),
  session: reversed(of.session),
  profile: reversed(of.profile),
  decisions: reversed(of.decisions),
  memories: of.memories === null ? null : reversed(of.memories),
  procedures: reversed(of.procedures),
  reflections: reversed(of.reflections),
  unread: of.unread
})

const asked = (given: Partial<Asked> = {}): Asked => ({ order: FILLED, topK: 20, asker: "-", ...given })

const keysIn = ({ sections }: ReturnType<typeof planned>, name: string) =>
  sections.flatMap(({ section, shown }) => section === name ? shown.map(({ key }) => key) : [])

describe("a plan", () => {
  it.effect("for any memories and budgets keeps the promises of a block", () =>
    Effect.gen(function*() {
      const count = yield* counter
      FastCheck.assert(
        FastCheck.property(materialDrawn, askedDrawn, budgetsDrawn, (of, asked, budgets) => {
          const wanted = sectionsFor(of, asked)
          const { block, sections, tokens } = plan(wanted, budgets, count)
          assert.isAtMost(count(block), budgets.total)
          assert.strictEqual(tokens, count(block))
          const lines = block.split("\n")

          // Every section is told of, in the order asked for; its title stands where it has lines, and nowhere else.
          assert.deepStrictEqual(sections.map(({ section }) => section), [...asked.order])
          const titles = sections.filter(({ tokens }) => tokens > 0).map(({ section }) => titleOf(section))
          assert.deepStrictEqual(lines.filter((line) => line.startsWith("## ")), titles)

          // Shown and left are all that was wanted, each once; what is shown stands in the block in its order.
          const shown = sections.flatMap(({ shown }) => shown)
          for (const [at, { left, leftCount, shown }] of sections.entries()) {
            const { items = [], unread = 0 } = wanted[at] ?? {}
            assert.sameMembers([...shown, ...left], [...items])
            assert.strictEqual(leftCount, left.length + unread)
          }
          const ids = shown.flatMap(({ memory }) => memory === null ? [] : [memory.memory_id])
          assert.strictEqual(new Set(ids).size, ids.length)
          const printed = lines.filter((line) => line.startsWith("- ["))
          assert.deepStrictEqual(printed, shown.map(({ line }) => line))

          // A budget of its own holds a section whatever the others leave.
          for (const { section, shown, tokens } of sections) {
            const own = budgets.bySection[section]
            if (own !== undefined) assert.isAtMost(tokens, own)
            const cost = shown.reduce((sum, { line }) => sum + count(`${line}\n`), 0)
            if (shown.length > 0) assert.isAtLeast(tokens, cost + count(`${titleOf(section)}\n`))
          }

          // What is left out is told of, with what it is.
          const leftOut = sections.filter(({ leftCount }) => leftCount > 0)
          const said = lines.filter((line) => line.startsWith("Left out: "))
          assert.lengthOf(said, leftOut.length === 0 ? 0 : 1)
          for (const { leftCount, section } of leftOut) assert.include(said[0], `${leftCount} of ${section}`)
          if (block !== "") {
            assert.isTrue(block.startsWith(`${HEADER}\n`))
            assert.strictEqual(lines.at(-1), FOOTER)
          }

          // The same whatever the order in which they came.
          assert.strictEqual(planned(count, shuffled(of), asked, budgets).block, block)
        }),
        { numRuns: 250 }
      )
    }), 240_000)

  it.effect("gives what a section does not use to the ones after it, then to those before", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const many = (name: string) =>
        Array.from({ length: 60 }, (_, at) => packed(`${name}/${at}`, { text: `${name} claim number ${at} of many` }))
      const of = material({ profile: [packed("p/1")], memories: many("found").map((memory) => found(memory)) })
      const alone = planned(count, of, asked({ topK: 100 }), { total: 600, bySection: {} })
      const memories = alone.sections.find(({ section }) => section === "memories")
      assert.isAbove(memories?.tokens ?? 0, 400)
      // Decisions have less to say than they may, and memories nothing: all of it goes to the profile before them.
      const before = planned(
        count,
        material({ profile: many("profile"), decisions: [packed("d/1", { tags: ["decision"] })] }),
        asked(),
        { total: 600, bySection: {} }
      )
      assert.isAbove(before.sections.find(({ section }) => section === "profile")?.tokens ?? 0, 350)
      assert.lengthOf(keysIn(before, "decisions"), 1)
      // With as much to say on both sides, both have their part.
      const both = planned(
        count,
        material({ profile: many("profile"), memories: of.memories }),
        asked({ topK: 100 }),
        { total: 1_000, bySection: {} }
      )
      const [profile, rest] = ["profile", "memories"].map((name) =>
        both.sections.find(({ section }) => section === name)?.tokens ?? 0
      )
      assert.isAbove(profile ?? 0, 180)
      assert.isAbove(rest ?? 0, 1.9 * (profile ?? 0))
    }))

  it.effect("packs what was found by value per token, the best one first", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const long = "a longer claim that says the same in many more words than it would need to ".repeat(6)
      const hits = [
        found(packed("best", { text: long }), { score: 9, relevance: 0.9 }),
        found(packed("long", { text: long }), { score: 8, relevance: 0.6 }),
        found(packed("short/1", { text: "Tea at nine" }), { score: 7, relevance: 0.5 }),
        found(packed("short/2", { text: "Tea at ten" }), { score: 6, relevance: 0.5 })
      ]
      const of = material({ memories: hits })
      const small = planned(count, of, asked(), { total: 240, bySection: {} })
      assert.deepStrictEqual(keysIn(small, "memories"), ["best", "short/1", "short/2"])
      assert.include(small.block, "Left out: 1 of memories (long)")
      const all = planned(count, of, asked(), { total: 2_000, bySection: {} })
      assert.deepStrictEqual(keysIn(all, "memories"), ["best", "long", "short/1", "short/2"])
      assert.notInclude(all.block, "Left out")
    }))

  it.effect("is empty when there is nothing to tell, and says so when nothing answers", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const budgets = { total: 2_000, bySection: {} }
      assert.strictEqual(planned(count, material(), asked(), budgets).block, "")
      const none = planned(count, material({ memories: [] }), asked(), budgets)
      assert.include(none.block, "nothing stored is relevant enough")
      const below = material({ memories: [found(packed("far"), { isEnough: false })] })
      assert.strictEqual(planned(count, below, asked(), budgets).block, none.block)
    }))
})

describe("sections", () => {
  const wants = (of: Material, given: Partial<Asked> = {}) =>
    Object.fromEntries(
      sectionsFor(of, asked(given)).filter(({ items }) => items.length > 0)
        .map(({ items, section }) => [section, items.map(({ key }) => key)])
    )

  it("tell a memory once, in the first that wants it", () => {
    const rule = packed("rule", { tags: ["kind:constraint"] })
    const steps = packed("steps", { memory_type: "procedural" })
    const of = material({
      decisions: [rule],
      memories: [found(rule), found(steps), found(packed("fact"))],
      procedures: [found(steps)]
    })
    assert.deepStrictEqual(wants(of), { decisions: ["rule"], procedures: ["steps"], memories: ["fact"] })
    assert.deepStrictEqual(wants(of, { order: ["memories", "decisions", "procedures"] }), {
      memories: ["fact", "rule", "steps"]
    })
    assert.deepStrictEqual(wants(of, { order: ["memories"], topK: 2 }), { memories: ["fact", "rule"] })
  })

  it("put rules that the query speaks of first, then the latest", () => {
    const rule = (key: string, updated_at: number) => packed(key, { memory_type: "decision", updated_at })
    const of = material({
      decisions: [rule("old", noon - 9), rule("new", noon), rule("asked", noon - 50), rule("far", noon - 70)],
      memories: [found(rule("asked", noon - 50)), found(rule("far", noon - 70), { isEnough: false })]
    })
    assert.deepStrictEqual(wants(of), { decisions: ["asked", "new", "old", "far"] })
  })

  it("take no rule, preference or procedure from outside that nobody vouched for", () => {
    const outside = (key: string) => packed(key, { source_class: "external", tags: ["kind:constraint"] })
    const attested = {
      ...outside("attested"),
      verified_kind: "human" as const,
      verified_sha256: "a".repeat(64)
    }
    const of = material({
      profile: [outside("p")],
      decisions: [outside("d"), attested],
      memories: [found(outside("d"))],
      procedures: [found(outside("s"))]
    })
    assert.deepStrictEqual(wants(of), { decisions: ["attested"], memories: ["d"] })
    const told = sectionsFor(of, asked()).map(({ section, unverified }) => `${section} ${unverified.join()}`)
    assert.includeMembers(told, ["profile p", "decisions d", "procedures s", "memories "])
  })
})
