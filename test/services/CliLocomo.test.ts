import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as LocomoRecall from "../../bench/LocomoRecall.ts"
import * as Locomo from "../../services/cli/Locomo.ts"
import { locomoFile } from "./CliLocomoFile.ts"

const conversations = Either.getOrThrowWith(Locomo.parse(JSON.stringify(locomoFile)), (fault) => new Error(fault))

describe("Locomo", () => {
  it("reads the dates of sessions", () => {
    const iso = (text: string) => {
      const time = Locomo.sessionTime(text)
      return time === null ? null : new Date(time).toISOString()
    }
    assert.strictEqual(iso("1:56 pm on 8 May, 2023"), "2023-05-08T13:56:00.000Z")
    assert.strictEqual(iso("12:04 am on 1 January, 2024"), "2024-01-01T00:04:00.000Z")
    assert.strictEqual(iso("12:30 pm on 29 February 2024"), "2024-02-29T12:30:00.000Z")
    assert.isNull(iso("1:00 pm on 31 June, 2023"))
    assert.isNull(iso("yesterday"))
  })

  it("makes a memory of each turn", () => {
    const [conversation] = conversations
    assert.isDefined(conversation)
    if (conversation === undefined) return
    const items = Locomo.items("try-", conversation)
    assert.deepStrictEqual(items.map(({ id }) => id), ["talk-1 D1:1", "talk-1 D1:2", "talk-1 D2:1"])
    assert.deepStrictEqual(items[1], {
      id: "talk-1 D1:2",
      scope: { namespace: "try-talk-1" },
      fields: {
        memory_key: "conversation/talk-1/session-1/D1:2",
        value: "[8 May 2023] Bela: I repaired the old loom. [shares a photo of a wooden loom]",
        tags: ["speaker:Bela"],
        session_id: "session-1",
        source_class: "imported",
        valid_at: "2023-05-08T13:56:00.000Z"
      },
      alone: false
    })
    assert.strictEqual(Locomo.diaIdOf("conversation/talk-1/session-1/D1:2"), "D1:2")
  })

  it("says why a file is none", () => {
    const fault = (text: string) => Either.match(Locomo.parse(text), { onLeft: (words) => words, onRight: () => "" })
    assert.match(fault("{"), /no JSON list/)
    assert.match(fault(`[{"sample_id":"x"}]`), /0\.conversation/)
    assert.match(fault(`[{"sample_id":"x","conversation":{"session_1":"text"}}]`), /session 1 of x holds no turns/)
  })
})

describe("LocomoRecall", () => {
  it("reads evidence ids where one reading exists", () => {
    assert.deepStrictEqual(LocomoRecall.readEvidence("D8:6; D9:17"), ["D8:6", "D9:17"])
    assert.deepStrictEqual(LocomoRecall.readEvidence("D:11:26"), ["D11:26"])
    assert.deepStrictEqual(LocomoRecall.readEvidence("D30:05"), ["D30:5"])
    assert.deepStrictEqual(LocomoRecall.readEvidence("D"), ["D"])
  })

  it("asks what has evidence and is not adversarial, and counts the rest", () => {
    const { cleaned, questions, skipped } = LocomoRecall.questionsOf(conversations)
    assert.deepStrictEqual(questions.map(({ gold, question }) => [question.category, [...gold]]), [
      [4, ["D1:2"]],
      [1, ["D1:2", "D2:1"]],
      [2, ["D2:1"]]
    ])
    assert.deepStrictEqual(skipped, { questions: 2, evidence: 2 })
    assert.strictEqual(cleaned, 2)
  })

  it("is the share of gold turns among the first k, each question counting alike", () => {
    const gold = new Set(["a", "b"])
    const results = [new Set(["x"]), new Set(["a"]), new Set(["y", "b"])]
    assert.deepStrictEqual([1, 2, 3].map((k) => LocomoRecall.recallAt(k, gold, results)), [0, 0.5, 1])
    const scored = [
      { category: 1, recall: new Map([[5, 1]]) },
      { category: 4, recall: new Map([[5, 0.5]]) },
      { category: 4, recall: new Map([[5, 0]]) }
    ]
    assert.deepStrictEqual(LocomoRecall.report(scored, [5]), {
      recall: { 5: 0.5 },
      by_category: {
        1: { name: "multi-hop", questions: 1, recall: { 5: 1 } },
        4: { name: "single-hop", questions: 2, recall: { 5: 0.25 } }
      },
      questions: 3
    })
  })
})
