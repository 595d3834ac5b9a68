import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Memories from "../../bench/LocomoMemories.ts"
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

describe("LocomoMemories", () => {
  const withFacts = locomoFile.map((sample) => ({
    ...sample,
    observation: {
      session_1_observation: {
        Bela: [["Bela repaired a loom.", "D1:2"]],
        Ada: [["Both spoke.", ["D1:1", "D1:2; D1:01"]]]
      },
      session_2_observation: "none"
    }
  }))
  const [conversation] = Either.getOrThrow(Locomo.parse(JSON.stringify(withFacts)))

  it("facts stand for the turns they were read from, sessions for themselves", () => {
    assert.isDefined(conversation)
    if (conversation === undefined) return
    const seen = (mode: Memories.Mode) =>
      Memories.memoriesOf(mode, "try-", conversation).map(({ memory_key, units }) => [memory_key, [...units]])
    assert.deepStrictEqual(seen("facts"), [
      ["conversation/talk-1/session-1/fact-0", ["D1:2"]],
      ["conversation/talk-1/session-1/fact-1", ["D1:1", "D1:2"]]
    ])
    assert.deepStrictEqual(seen("sessions"), [
      ["conversation/talk-1/session-1", ["D1"]],
      ["conversation/talk-1/session-2", ["D2"]]
    ])
    assert.deepStrictEqual(
      Memories.memoriesOf("turns", "try-", conversation).map(({ item }) => item.fields),
      Locomo.items("try-", conversation).map(({ fields }) => fields)
    )
    const [session] = Memories.memoriesOf("sessions", "try-", conversation)
    assert.isTrue(session?.value.startsWith("[8 May 2023] Ada: What did you do at the weekend?\n[8 May 2023] Bela: I "))
  })

  it("the evidence sentence is the one that shares most with question and answer", () => {
    const question = { question: "What did Bela repair?", answer: "a loom", category: 4, evidence: [] }
    const turn = "Hello there! I repaired  the loom. It was late."
    assert.strictEqual(Memories.evidenceSentence(turn, question), "I repaired the loom.")
    assert.isTrue(Memories.holds("x\nI repaired the\nloom. It", "I repaired  the loom."))
    assert.isFalse(Memories.holds("I repaired the", "I repaired the loom."))
  })

  it("a fold is every other conversation", () => {
    assert.deepStrictEqual(Memories.inFold([1, 2, 3], 0), [1, 3])
    assert.deepStrictEqual(Memories.inFold([1, 2, 3], 1), [2])
    assert.deepStrictEqual(Memories.inFold([1, 2, 3], undefined), [1, 2, 3])
  })
})

describe("figures of LocomoRecall", () => {
  it("the calibration error weighs each bin by its hits", () => {
    assert.isNull(LocomoRecall.calibrationError([]))
    assert.strictEqual(LocomoRecall.calibrationError([{ relevance: 1, gold: true }, { relevance: 0, gold: false }]), 0)
    const hits = [0.9, 0.9, 0.9, 0.2].map((relevance, at) => ({ relevance, gold: at === 0 }))
    assert.strictEqual(LocomoRecall.calibrationError(hits), 0.475)
  })

  it("an ablation is all, each left out and each alone, every set once", () => {
    assert.deepStrictEqual(LocomoRecall.ablations(["a", "b", "c"]).map((set) => set.join("")), [
      "abc",
      "bc",
      "ac",
      "ab",
      "a",
      "b",
      "c"
    ])
    assert.deepStrictEqual(LocomoRecall.ablations(["a", "b"]).map((set) => set.join("")), ["ab", "b", "a"])
    assert.isNull(LocomoRecall.shareOf([]))
    assert.strictEqual(LocomoRecall.shareOf([true, false]), 0.5)
  })
})
