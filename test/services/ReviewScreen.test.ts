/** What a line means for an item that waits, and that no stored value writes over the screen. */
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Screen from "../../services/cli/ReviewScreen.ts"
import type { ReviewItem, ReviewStep } from "../../src/memory/ReviewQueueModel.ts"

const step = (action: string, side: number | null = null): ReviewStep => ({
  action,
  side,
  what: "does it",
  verb: "conflicts.resolve",
  request: { reason: "it's" }
})

const item = (steps: ReadonlyArray<ReviewStep>): ReviewItem => ({
  id: "x",
  since: "2026-11-29T12:00:00.000Z",
  age_seconds: 7_200,
  why: "They differ:\u001b[2J 15 is not 16",
  sides: ["one\nline\u001b[31m", { n: 1 }].map((value, at) => ({
    memory_id: `mem_${at}`,
    memory_key: `k/${at}`,
    agent: "",
    user_id: at === 0 ? "-" : "ada",
    session_id: "",
    status: "active",
    memory_type: "semantic",
    value,
    content_sha256: "",
    version_text: "1",
    updated_at: "2026-11-29T12:00:00.000Z",
    actor: "human:ada",
    source_class: "asserted",
    verification: "none"
  })),
  steps
})

const conflict = item([step("revise", 1), step("revise", 2), step("allow"), step("contract", 1), step("contract", 2)])

const meant = (of: ReviewItem, line: string): string =>
  Either.match(Screen.choiceOf(of, line), {
    onLeft: (words) => `? ${words}`,
    onRight: (choice) => typeof choice === "string" ? choice : `${choice.action} ${choice.side ?? "-"}`
  })

describe("a line", () => {
  it("means an action by any beginning of its name, and a side where it is about one", () => {
    for (const line of ["revise 2", "r2", " REV 2 ", "r 2"]) assert.strictEqual(meant(conflict, line), "revise 2")
    assert.strictEqual(meant(conflict, "a"), "allow -")
    assert.strictEqual(meant(conflict, "allow"), "allow -")
    assert.strictEqual(meant(conflict, "c1"), "contract 1")
    assert.strictEqual(meant(conflict, "s"), "skip")
    assert.strictEqual(meant(conflict, "quit"), "quit")
    const letter = item([step("retry"), step("drop")])
    assert.strictEqual(meant(letter, "d"), "drop -")
  })

  it("that means nothing is answered with what can be said", () => {
    assert.match(meant(conflict, "r"), /^\? Say which one: revise 1 or revise 2/)
    assert.match(meant(conflict, "r3"), /^\? Say one of: revise 1, revise 2, allow, contract 1, contract 2, skip, quit/)
    assert.match(meant(conflict, ""), /^\? Say one of/)
    assert.match(meant(item([step("accept"), step("allow")]), "a"), /^\? Say one of/)
    assert.match(meant(item([]), "yes"), /^\? Say one of: skip, quit.*`s`/)
  })
})

describe("an item", () => {
  it("is shown with every side, each value on a line without control characters", () => {
    const lines = [Screen.headLine("conflicts", 1, 3, conflict), ...Screen.itemLines(conflict)]
    assert.deepStrictEqual(lines, [
      "conflicts 1 of 3, waiting for 2h",
      "  They differ: [2J 15 is not 16",
      "  1  k/0 (semantic, asserted, by human:ada, 2026-11-29 12:00)",
      "     one line [31m",
      "  2  k/1 (semantic, asserted, by human:ada, 2026-11-29 12:00, user ada)",
      "     {\"n\":1}"
    ])
  })

  it("is given as calls that a shell takes as they are", () => {
    assert.deepStrictEqual(Screen.callLines(item([step("allow")])), [
      "    allow: loom call conflicts.resolve '{\"reason\":\"it'\\''s\"}'"
    ])
  })
})
