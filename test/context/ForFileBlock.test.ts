import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { ageText, ceilingLine, cutTo, LINE, lineOf } from "../../src/context/ForFileBlock.ts"
import { repositoryPath } from "../../src/context/ForFileModel.ts"
import { noon } from "../memory/MemoryFixture.ts"
import { about } from "./ForFileFixture.ts"

const DAY = 86_400_000
const line = (...[key, given]: Parameters<typeof about>) => lineOf(about(key, given), [], noon + 3 * DAY)

describe("a line", () => {
  it("names kinds in one bracket, in a fixed order, by type, tag or kind: tag", () => {
    assert.strictEqual(line("k"), "- Deploys happen on Tuesdays")
    assert.strictEqual(line("k", { tags: ["kind:gotcha"], text: "Rounds up" }), "- [gotcha] Rounds up")
    assert.strictEqual(
      line("k", { memory_type: "decision", tags: ["kind:constraint"], text: "Cents only" }),
      "- [constraint, decision] Cents only"
    )
    assert.strictEqual(line("k", { tags: ["Gotcha", "kinds:gotcha"] }), "- Deploys happen on Tuesdays")
  })

  it("marks pins on any row, a failed outcome and a changed source on decisions alone, pinned or not", () => {
    const tags = ["outcome:failed", "source-changed"]
    assert.strictEqual(line("k", { tags, pinned: true, text: "A" }), "- (pinned) A")
    assert.strictEqual(
      line("k", { tags: ["decision", ...tags], text: "A" }),
      "- [decision] (outcome: failed) (source changed) A"
    )
    assert.strictEqual(
      line("k", { tags: ["decision", ...tags], pinned: true, text: "A" }),
      "- [decision] (pinned) (outcome: failed) (source changed) A"
    )
  })

  it("heads a team row with its author and age, and a decision as one, without the kind it says", () => {
    const isTeam = true
    assert.strictEqual(line("k", { isTeam, text: "A" }), "- Team rule (by ada, 3d): A")
    assert.strictEqual(
      line("k", { isTeam, statedBy: "process:ci", tags: ["constraint", "decision"], pinned: true, text: "A" }),
      "- Decision (by ci, 3d) [constraint] (pinned): A"
    )
    assert.strictEqual(line("k", { isTeam, memory_type: "decision", text: "A" }), "- Decision (by ada, 3d): A")
  })

  it("says on a team line alone which rows it supersedes", () => {
    const older = [about("old/a"), about("old/b", { tags: ["decision"] })]
    assert.strictEqual(lineOf(about("k", { text: "A" }), older, noon), "- A")
    assert.strictEqual(
      lineOf(about("k", { text: "A", isTeam: true }), older, noon),
      "- Team rule (by ada, now) (supersedes old/a, decision old/b): A"
    )
  })

  it("ends a decision in its source, whole, and no other row", () => {
    const source_resource_id = `knowledge:adr/7#${"section-".repeat(40)}end`
    assert.strictEqual(
      line("k", { source_resource_id, memory_type: "decision", text: "A" }),
      `- [decision] A — source: ${source_resource_id}`
    )
    assert.strictEqual(line("k", { source_resource_id, tags: ["constraint"], text: "A" }), "- [constraint] A")
  })

  it("cuts a plain row, by the line or by the read, and says so; decisions and constraints print whole", () => {
    const text = "word ".repeat(100).trim()
    assert.strictEqual(line("k", { text }).length, LINE)
    assert.isTrue(line("k", { text }).endsWith("…"))
    assert.strictEqual(line("k", { text: "a", isCut: true }), "- a…")
    assert.strictEqual(line("k", { text: `{"a":"${"b".repeat(300)}"}` }).slice(0, 8), "- {\"a\":\"")
    assert.strictEqual(line("k", { text, tags: ["constraint"] }), `- [constraint] ${text}`)
    assert.strictEqual(line("k", { text: "a".repeat(LINE - 2) }), `- ${"a".repeat(LINE - 2)}`)
  })

  it("prints no mark that hides or turns text, and keeps the joiners of scripts and emoji", () => {
    assert.strictEqual(line("k", { text: "a\u202eb\u2066c\u200bd\ufeff\u0000e\n\tf" }), "- abcd e f")
    assert.strictEqual(line("k", { text: "👩\u200d💻 نمی\u200cخواهم" }), "- 👩\u200d💻 نمی\u200cخواهم")
  })

  it("stays one line within 220, whatever the value, the author and the keys hold", () => {
    const text = FastCheck.string({ maxLength: 600, unit: "binary" })
    FastCheck.assert(FastCheck.property(text, text, FastCheck.boolean(), (value, name, isTeam) => {
      const row = about("k", { text: value.toWellFormed(), statedBy: name.toWellFormed(), isTeam })
      const printed = lineOf(row, [about(name.toWellFormed())], noon)
      assert.isAtMost(printed.length, LINE)
      assert.isTrue(printed.isWellFormed())
      assert.notMatch(lineOf({ ...row, tags: ["decision"] }, [], noon), /[\n\r\u2028\u2029\u202e]/)
      assert.notMatch(printed, /[\n\r\u2028\u2029\u202e]/)
    }))
  })
})

describe("parts", () => {
  it("tells an age by its greatest unit", () => {
    const ages = [-5, 59_999, 60_000, 3_599_999, 3_600_000, DAY, 29 * DAY, 30 * DAY, 364 * DAY, 365 * DAY, 800 * DAY]
    assert.deepStrictEqual(ages.map(ageText), ["now", "now", "1m", "59m", "1h", "1d", "29d", "1mo", "12mo", "1y", "2y"])
  })

  it("cuts no character in two", () => {
    assert.strictEqual(cutTo("ab🙂cd", 4), "ab…")
    assert.strictEqual(cutTo("ab🙂cd", 5), "ab🙂…")
    assert.strictEqual(cutTo("abcd", 4), "abcd")
  })

  it("names the first five keys above the ceiling, those of the team with their namespace", () => {
    const rows = [1, 2, 3, 4, 5, 6, 7].map((n) =>
      about(`k/${n}`, { isTeam: n === 2, namespace: n === 2 ? "code" : "home" })
    )
    assert.strictEqual(
      ceilingLine(rows, 7),
      "- 7 more decisions and constraints do not fit, the first 5: k/1, k/2 (namespace code), k/3, k/4, k/5; " +
        "read each with memory.get or find it with memory.search"
    )
    assert.include(ceilingLine(rows.slice(0, 1), 1), "1 more decision or constraint does not fit: k/1;")
  })

  it("compares paths by their segments", () => {
    for (
      const path of ["src/a.ts", "./src/a.ts", "src\\a.ts", ".\\src\\a.ts", "/src//a.ts/", "src/./a.ts", "././src/a.ts"]
    ) {
      assert.strictEqual(repositoryPath(path), "src/a.ts")
    }
    assert.strictEqual(repositoryPath("cafe\u0301.ts"), "caf\u00e9.ts")
    assert.strictEqual(repositoryPath("./"), "")
    assert.notStrictEqual(repositoryPath("SRC/a.ts"), "src/a.ts")
    assert.strictEqual(repositoryPath(".github/a"), ".github/a")
  })
})
