import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { choose, inOrder, linksOf, MOST_CHARACTERS } from "../../src/context/ForFile.ts"
import { FOOTER, headerOf, moreLine } from "../../src/context/ForFileBlock.ts"
import { idOf, isUnvouched, printsWhole } from "../../src/context/ForFileModel.ts"
import type { FileMemory } from "../../src/context/ForFileModel.ts"
import type { CountTokens } from "../../src/platform/Tokens.ts"
import { noon } from "../memory/MemoryFixture.ts"
import { about, counter } from "./ForFileFixture.ts"

const file = "src/a.ts"
const DAY = 86_400_000

const chosen = (
  count: CountTokens,
  rows: ReadonlyArray<FileMemory>,
  { budget = 300, ceiling = 1_500, unread = 0 } = {}
) => choose({ file, rows, unread, limits: { budget, ceiling }, now: noon }, count)

const keys = (rows: ReadonlyArray<{ readonly memory_key: string }>) => rows.map(({ memory_key }) => memory_key)

/** Rows of two namespaces with any marks, long and short values, and links among neighbours. */
const rowsDrawn = FastCheck.array(
  FastCheck.record({
    memory_type: FastCheck.constantFrom("semantic", "semantic", "decision", "gotcha"),
    tags: FastCheck.subarray(["decision", "constraint", "gotcha", "outcome:failed"], { maxLength: 2 }),
    pinned: FastCheck.boolean(),
    isTeam: FastCheck.boolean(),
    status: FastCheck.constantFrom("active" as const, "conflicted" as const),
    source_class: FastCheck.constantFrom(
      "asserted" as const,
      "derived" as const,
      "imported" as const,
      "external" as const
    ),
    verified_kind: FastCheck.constantFrom("" as const, "" as const, "human" as const, "process" as const),
    verified_sha256: FastCheck.constantFrom("said", "before"),
    updated_at: FastCheck.integer({ min: noon - 100, max: noon }),
    statedAt: FastCheck.integer({ min: noon - 5, max: noon }),
    words: FastCheck.oneof(FastCheck.integer({ min: 0, max: 40 }), FastCheck.integer({ min: 0, max: 900 })),
    isCut: FastCheck.boolean(),
    isRead: FastCheck.integer({ min: 0, max: 9 }),
    longKey: FastCheck.boolean(),
    links: FastCheck.array(FastCheck.nat(30), { maxLength: 2 })
  }),
  { maxLength: 30 }
).map((all) =>
  all.map(({ isRead, links, longKey, words, ...row }, index): FileMemory => {
    const namespace = row.isTeam ? "code" : "home"
    return about(`k/${index}${longKey ? "x".repeat(500) : ""}`, {
      ...row,
      namespace,
      memory_id: `mem_${index}`,
      conflict_with: links.filter((other) => other !== index).map((other) => `mem_${other}`),
      text: isRead === 0 ? null : "word ".repeat(words).trim()
    })
  })
)

const limitsDrawn = FastCheck.record({
  budget: FastCheck.oneof(FastCheck.constant(300), FastCheck.nat(600), FastCheck.constant(10_000)),
  ceiling: FastCheck.oneof(FastCheck.constant(1_500), FastCheck.nat(300), FastCheck.constant(10_000)),
  unread: FastCheck.constantFrom(0, 0, 0, 7)
})

const linesOf = (block: string) => block.split("\n")
const isMore = (line: string) => line.startsWith("- … ")
const isCeiling = (line: string) => /^- \d+ more decisions? (and|or) constraints? do/.test(line)

describe("the choice", () => {
  it.effect("for any rows and limits keeps the promises of a block", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const cost = (lines: ReadonlyArray<string>) => lines.reduce((sum, line) => sum + count(`${line}\n`), 0)
      FastCheck.assert(
        FastCheck.property(rowsDrawn, limitsDrawn, (rows, limits) => {
          const { block, left, shown, tokens } = chosen(count, rows, limits)
          const lines = linesOf(block)
          const body = lines.slice(1, 1 + shown.length)
          const closing = lines.slice(1 + shown.length, -1)
          assert.isBelow(block.length, MOST_CHARACTERS)
          assert.strictEqual(lines[0], headerOf(file))
          assert.strictEqual(lines.at(-1), FOOTER)
          assert.strictEqual(tokens, count(block))

          // Shown and counted are all, each once.
          const all = [...shown, ...left.map(({ row }) => row)]
          assert.deepStrictEqual([...keys(all)].sort(), [...keys(rows)].sort())
          const above = left.filter(({ reason }) => reason === "ceiling")
          const more = left.length - above.length + limits.unread
          assert.strictEqual(closing.filter(isMore).length, more === 0 ? 0 : 1)
          if (more > 0) assert.include(closing, moreLine(more))
          assert.strictEqual(closing.filter(isCeiling).length, above.length === 0 ? 0 : 1)
          const ceilingSaid = closing.find(isCeiling) ?? ""
          if (above.length > 0) assert.include(ceilingSaid, ` ${above.length} more `)
          for (const { row } of above.slice(0, 5)) assert.include(ceilingSaid, row.memory_key)
          for (const { reason, row } of left.filter(({ row }) => row.memory_key.length > 10)) {
            if (reason !== "ceiling") assert.notInclude(ceilingSaid, `${row.memory_key},`)
          }

          // The ceiling and the budget; of the budget only the line that counts may go over.
          const plain = body.filter((_, at) => !printsWhole(shown[at] ?? about("none")))
          const whole = body.filter((_, at) => printsWhole(shown[at] ?? about("none")))
          assert.isAtMost(cost(whole), limits.ceiling)
          if (plain.length > 0) assert.isAtMost(cost([...plain, ...closing.filter(isMore)]), limits.budget)
          assert.isTrue(plain.every((line) => line.length <= 220))

          // What was not read whole is not shown as if it were.
          assert.isTrue(shown.every((row) => row.text !== null && !(printsWhole(row) && row.isCut)))

          // What nobody vouched for says so, stands behind all others, is a line at most and named as no rule.
          for (const [at, row] of shown.entries()) {
            const isOutside = row.source_class === "external" || row.source_class === "imported"
            const isMarked = isOutside && (row.verified_kind === "" || row.verified_sha256 !== row.content_sha256)
            const mark = `${row.source_class}, unverified${row.status === "conflicted" ? ", disputed" : ""}]`
            if (isMarked) assert.include(body[at], mark)
            else assert.notMatch(body[at] ?? "", /unverified|disputed/)
            if (isMarked) assert.isAtMost(body[at]?.length ?? 0, 220)
            if (isMarked) assert.isTrue(shown.slice(at).every(isUnvouched))
          }
          assert.isFalse(above.some(({ row }) => isUnvouched(row)))
          const house = rows.filter((row) => !isUnvouched(row))
          assert.deepStrictEqual(keys(inOrder(rows).slice(0, house.length)), keys(inOrder(house)))

          // A newer row stands above the older one, and falls with it.
          const { newer } = linksOf(rows)
          const place = new Map(shown.map((row, at) => [idOf(row), at]))
          for (const [at, row] of shown.entries()) {
            for (const other of newer.get(idOf(row)) ?? []) assert.isBelow(place.get(idOf(other)) ?? Infinity, at)
          }

          // The same whatever the order in which they came.
          assert.strictEqual(chosen(count, [...rows].reverse(), limits).block, block)
        }),
        { numRuns: 300 }
      )
    }), 120_000)

  it.effect("a row that does not fit leaves the turn to the ones after it", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const rows = [
        about("a", { updated_at: noon, text: "long words here ".repeat(12) }),
        about("b", { updated_at: noon - 1, text: "long words here ".repeat(12) }),
        about("c", { updated_at: noon - 2, text: "short" })
      ]
      const budget = count(`- ${rows[0]?.text?.trim()}\n`) + count("- short\n") + count(`${moreLine(3)}\n`)
      const { block, left, shown } = chosen(count, rows, { budget })
      assert.deepStrictEqual(keys(shown), ["a", "c"])
      assert.deepStrictEqual(left.map(({ reason }) => reason), ["budget"])
      assert.include(block, moreLine(1))
      // The line that counts is part of the budget.
      assert.deepStrictEqual(keys(chosen(count, rows, { budget: budget - 1 }).shown), ["a"])
      // Without it all three take no more than they cost.
      const all = 2 * count(`- ${rows[0]?.text?.trim()}\n`) + count("- short\n")
      assert.strictEqual(chosen(count, rows, { budget: all }).left.length, 0)
    }))

  it.effect("decisions and constraints print beside a budget of nothing, and the rest is counted", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const rows = [about("a", { tags: ["constraint"] }), about("b", { memory_type: "decision" }), about("c")]
      const { block, shown } = chosen(count, rows, { budget: 0 })
      assert.deepStrictEqual(keys(shown), ["a", "b"])
      assert.deepStrictEqual(linesOf(block), [
        headerOf(file),
        "- [constraint] Deploys happen on Tuesdays",
        "- [decision] Deploys happen on Tuesdays",
        moreLine(1),
        FOOTER
      ])
    }))

  it.effect("sixty decisions of 100 tokens stop at the ceiling, and the first five others are named", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const rows = Array.from(
        { length: 60 },
        (_, at) =>
          about(`d/${String(at).padStart(2, "0")}`, { memory_type: "decision", text: `${"word ".repeat(95)}${at}` })
      )
      const { block, left, shown } = chosen(count, rows)
      assert.isAtLeast(shown.length, 14)
      assert.isAtMost(shown.length, 15)
      const [first] = left
      assert.strictEqual(first?.row.memory_key, `d/${shown.length}`)
      assert.include(
        block,
        `- ${60 - shown.length} more decisions and constraints do not fit, the first 5: d/${shown.length}, `
      )
      assert.notInclude(block, "- …")
    }))

  it.effect("an older decision that falls with the newer row above the ceiling is counted, not named", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const tags = ["constraint"]
      const rows = [
        about("new", { tags, statedAt: noon, text: "word ".repeat(1_600), conflict_with: ["mem_old"] }),
        about("old", { tags, statedAt: noon - DAY, pinned: true, conflict_with: ["mem_new", "mem_oldest"] }),
        about("oldest", { tags, statedAt: noon - 2 * DAY, conflict_with: ["mem_old"] }),
        about("free", { tags })
      ]
      const { block, left, shown } = chosen(count, rows)
      assert.deepStrictEqual(keys(shown), ["free"])
      assert.deepStrictEqual(left.map(({ reason, row }) => [row.memory_key, reason]), [
        ["new", "ceiling"],
        ["old", "superseded"],
        ["oldest", "superseded"]
      ])
      assert.include(block, "- 1 more decision or constraint does not fit: new;")
      assert.include(block, moreLine(2))
    }))

  it.effect("stays below 10,000 characters whatever is asked for, and counts what that leaves out", () =>
    Effect.gen(function*() {
      const count = yield* counter
      for (const size of [1, 7, 40, 150, 300]) {
        const rows = Array.from({ length: 120 }, (_, at) =>
          about(`k/${at}/${"x".repeat(500)}`, {
            tags: at % 2 === 0 ? ["constraint"] : [],
            text: `${"word ".repeat(size)}${at}`
          }))
        const limits = { budget: 10_000, ceiling: 10_000, unread: 5 }
        const { block, left, shown } = chosen(count, rows, limits)
        assert.isBelow(block.length, MOST_CHARACTERS)
        assert.isAbove(shown.length, 0)
        assert.strictEqual(shown.length + left.length, rows.length)
        const above = left.filter(({ reason }) => reason === "ceiling").length
        if (above > 0) assert.include(block, `- ${above} more decisions and constraints do not fit`)
        assert.include(block, moreLine(left.length - above + 5))
      }
    }))

  it("orders pins first, then kinds, then own before team, then the latest", () => {
    const rows = [
      about("plain-old", { updated_at: noon - 2 }),
      about("plain-new"),
      about("team", { isTeam: true, namespace: "code", updated_at: noon + 1 }),
      about("gotcha", { tags: ["gotcha"], updated_at: noon - 9 }),
      about("team-decision", { isTeam: true, namespace: "code", memory_type: "decision" }),
      about("pin", { pinned: true, updated_at: noon - 20 })
    ]
    assert.deepStrictEqual(keys(inOrder(rows)), ["pin", "gotcha", "team-decision", "plain-new", "plain-old", "team"])
  })

  it.effect("what nobody vouched for is last, though pinned and newer, and takes no rule of the house with it", () =>
    Effect.gen(function*() {
      const count = yield* counter
      const rows = [
        about("outside", {
          memory_type: "constraint",
          source_class: "external",
          status: "conflicted",
          pinned: true,
          text: "word ".repeat(2_000),
          conflict_with: ["mem_house"],
          statedAt: noon + DAY
        }),
        about("stale", {
          tags: ["decision"],
          source_class: "imported",
          source_resource_id: "knowledge:adr-7",
          verified_kind: "human",
          verified_sha256: "before",
          text: "Floats hold every amount"
        }),
        about("vouched", {
          tags: ["constraint"],
          source_class: "external",
          verified_kind: "human",
          verified_sha256: "said",
          updated_at: noon - 1
        }),
        about("house", { memory_type: "constraint", status: "conflicted", conflict_with: ["mem_outside"] })
      ]
      const { block, shown } = chosen(count, rows)
      assert.deepStrictEqual(keys(shown), ["house", "vouched", "outside", "stale"])
      const lines = linesOf(block)
      assert.deepStrictEqual(lines.slice(1, 3), Array(2).fill("- [constraint] Deploys happen on Tuesdays"))
      assert.isTrue(lines[3]?.startsWith("- [constraint, external, unverified, disputed] (pinned) word word"))
      assert.strictEqual(lines[3]?.length, 220)
      assert.strictEqual(lines[4], "- [decision, imported, unverified] Floats hold every amount")
      assert.deepStrictEqual(keys(chosen(count, rows, { budget: 0 }).shown), ["house", "vouched"])
    }))

  it("places a newer row above the older pinned one; of two typed decisions each keeps its place", () => {
    const pair = (memory_type: string) => [
      about("old", { memory_type, pinned: true, statedAt: noon - 1, conflict_with: ["mem_new"] }),
      about("pin", { memory_type, pinned: true, updated_at: noon + 1 }),
      about("new", { memory_type, updated_at: noon - 5, conflict_with: ["mem_old"] })
    ]
    assert.deepStrictEqual(keys(inOrder(pair("semantic"))), ["pin", "new", "old"])
    assert.deepStrictEqual(keys(inOrder(pair("decision"))), ["pin", "old", "new"])
    const mixed = pair("semantic").map((row) => row.memory_key === "old" ? { ...row, memory_type: "preference" } : row)
    assert.deepStrictEqual(keys(inOrder(mixed)), ["pin", "old", "new"])
  })
})
