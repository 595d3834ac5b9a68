import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { Extractor } from "../../src/extraction/Extractor.ts"
import { mintKey } from "../../src/extraction/KeyMint.ts"
import { extract, layerRules } from "../../src/extraction/RuleExtractor.ts"
import { transcript, turn } from "./Turns.ts"

const texts = (...said: ReadonlyArray<string>) =>
  extract(transcript(said.map((one) => turn(one)))).facts.map(({ text }) => text)
const codes = (content: string, fields = {}) =>
  extract(transcript([turn(content, fields)])).refused.map(({ code }) => code)
const keys = (...said: ReadonlyArray<string>) =>
  extract(transcript(said.map((one) => turn(one)))).facts.map((fact) => mintKey(fact, ""))
const day = (at: number | undefined) => at === undefined ? null : new Date(at).toISOString().slice(0, 10)

/** Each sentence with what is told of it; nothing for one that states nothing. */
const table: ReadonlyArray<readonly [said: string, ...told: ReadonlyArray<string>]> = [
  ["I live in Delhi.", "The user lives in Delhi."],
  ["I moved to Berlin", "The user moved to Berlin."],
  ["I'm moving to Berlin next month.", "The user is moving to Berlin in June 2023."],
  ["I work at Alder, but I live in Bonn.", "The user works at Alder.", "The user lives in Bonn."],
  ["I'm a software engineer at Alder.", "The user is a software engineer at Alder."],
  ["I am vegan", "The user is vegan."],
  ["I don't eat peanuts.", "The user does not eat peanuts."],
  ["I'm allergic to shellfish", "The user is allergic to shellfish."],
  ["I have a dog named Rex.", "The user has a dog named Rex."],
  ["I'm 34 years old.", "The user is 34 years old."],
  ["I am married to Otto.", "The user is married to Otto."],
  ["I can't stand loud music.", "The user cannot stand loud music."],
  ["My favourite colour is green.", "The user's favourite colour is green."],
  ["Jazz is my favorite music.", "The user's favorite music is Jazz."],
  ["My birthday is on 5 May.", "The user's birthday is on 5 May."],
  ["I speak French and a little Spanish.", "The user speaks French and a little Spanish."],
  ["I used to live in Rome.", "The user used to live in Rome."],
  ["Yesterday, I bought a red bicycle.", "The user bought a red bicycle on 2023-05-23."],
  ["I've been learning the piano since 2019.", "The user has been learning the piano since 2019-01-01."],
  ["I plan to study law in Utrecht.", "The user plans to study law in Utrecht."],
  ["Got a tattoo last year.", "The user got a tattoo in 2022."],
  ["We adopted a kitten last weekend.", "The user adopted a kitten between 2023-05-20 and 2023-05-21."],
  ["I moved to Bonn and started a job at Birch.", "The user moved to Bonn.", "The user started a job at Birch."],
  ["I joined a choir because I wanted to meet people.", "The user joined a choir."],
  ["Remember that I prefer short answers.", "The user prefers short answers."],
  ["I run a small bakery with my brother.", "The user runs a small bakery with the user's brother."],
  ["My sister lives in Lyon with her husband.", "The user's sister lives in Lyon with her husband."],
  ["My kids love dinosaurs.", "The user's kids love dinosaurs."],
  ["My friend Mia, who lives in Graz, plays chess.", "Mia plays chess."],
  ["Our staging server runs on Debian 12.", "The staging server runs on Debian 12."],
  ["Ich bin nach Köln gezogen.", "Der Nutzer ist nach Köln gezogen."],
  ["Ich mag Kaffee und ich hasse Tee.", "Der Nutzer mag Kaffee.", "Der Nutzer hasst Tee."],
  ["J'habite à Lyon.", "L'utilisateur habite à Lyon."],
  ["Me gusta el té.", "Al usuario le gusta el té."],
  ["I finished a vase - want to see it?", "The user finished a vase."],
  // Nothing that is stated, nothing that says something, or nothing that can be read alone.
  ["Do I live in Paris?"],
  ["I live in Paris - right?"],
  ["If I lived in Paris, I would be happy."],
  ["I wish I lived in Rome."],
  ["Maybe I moved to Rome too early."],
  ["I might buy a boat."],
  ["I'd love a dog."],
  ["She said I work at Alder."],
  ["I heard that Jonas moved to Oslo."],
  ["I live on the moon, just kidding."],
  ["I love it!"],
  ["I love how you did that."],
  ["I bought it yesterday."],
  ["I have a lot of work."],
  ["I'm going to bed."],
  ["You live in Paris."],
  ["Everyone loves football."],
  ["My boss is mean."],
  ["\"I live in Paris,\" she wrote."],
  ["> I live in Paris"],
  ["Translate this into German: I live in Paris."],
  ["I think I live too far away."],
  [""]
]

describe("RuleExtractor", () => {
  for (const [said, ...told] of table) {
    it(`${said === "" ? "nothing" : said} → ${told.join(" ") || "no fact"}`, () =>
      assert.deepStrictEqual(texts(said), [...told]))
  }

  it("T31: a relative date is resolved against the time of its turn", () => {
    const [fact] = extract(transcript([turn("I flew to Oslo last week")])).facts
    assert.strictEqual(day(fact?.anchor?.at), "2023-05-15")
    const observed = extract(
      transcript([turn("I flew to Oslo last week", { at: null })], { observed_at: Date.parse("2023-05-24") })
    )
    assert.strictEqual(day(observed.facts[0]?.anchor?.at), "2023-05-15")
    const undated = extract(transcript([turn("I flew to Oslo last week", { at: null })])).facts[0]
    assert.isNull(undated?.anchor)
    assert.strictEqual(undated?.text, "The user flew to Oslo.")
  })

  it("T32: each fact is about whom it is said of", () => {
    const { facts } = extract(transcript([
      turn("My colleague Jonas hates football"),
      turn("I would use recursion here", { role: "assistant" }),
      turn("I am vegan", { speaker: "Mira" })
    ]))
    assert.deepStrictEqual(
      facts.map(({ about_other, subject, text, turn_ids }) => [subject, about_other, text, turn_ids]),
      [["Jonas", true, "Jonas hates football.", ["turn_0"]], ["Mira", false, "Mira is vegan.", ["turn_2"]]]
    )
  })

  it("a pronoun is a name only where one person was named just before", () => {
    assert.deepStrictEqual(texts("My colleague Jonas hates football. He works at Alder."), [
      "Jonas hates football.",
      "Jonas works at Alder."
    ])
    assert.deepStrictEqual(texts("My colleague Jonas hates football. It rained. He works at Alder."), [
      "Jonas hates football."
    ])
    assert.deepStrictEqual(texts("My sister Ada lives in Lyon. He works at Alder."), ["Ada lives in Lyon."])
  })

  it("what is told again of an attribute has its key, whatever its value", () => {
    assert.deepStrictEqual(keys("I live in Delhi", "I moved to Berlin"), ["user/residence", "user/residence"])
    assert.deepStrictEqual(keys("I love chili", "I hate chili now"), ["user/preference/chili", "user/preference/chili"])
    assert.deepStrictEqual(keys("I like chili", "I like sushi"), ["user/preference/chili", "user/preference/sushi"])
    assert.deepStrictEqual(keys("I work at Alder", "I work as a nurse"), ["user/employer", "user/occupation"])
  })

  it("the user is told by his name where it is known, on the same key", () => {
    const said = [turn("I live in Delhi with my aunt", { speaker: "Nadia" })]
    const [fact] = extract(transcript(said, { user: "nadia" })).facts
    assert.strictEqual(fact?.text, "nadia lives in Delhi with nadia's aunt.")
    assert.strictEqual(fact === undefined ? "" : mintKey(fact, "nadia"), "user/residence")
    assert.strictEqual(extract(transcript(said)).facts[0]?.subject, "Nadia")
  })

  it("likings are preferences, all else is not", () => {
    const types =
      extract(transcript([turn("I love chili"), turn("I live in Delhi"), turn("My favourite tea is Assam")])).facts
    assert.deepStrictEqual(types.map(({ memory_type }) => memory_type), ["preference", "semantic", "preference"])
  })

  it("says why what looks like a fact is none", () => {
    assert.deepStrictEqual(codes("I live in Paris", { role: "assistant" }), ["ASSISTANT_TURN"])
    assert.deepStrictEqual(codes("I live in Paris", { role: "system" }), ["SYSTEM_TURN"])
    assert.deepStrictEqual(codes("I live in Paris", { role: "tool" }), ["TOOL_TURN"])
    assert.deepStrictEqual(codes("I live in Paris?"), ["QUESTION"])
    assert.deepStrictEqual(codes("Perhaps, I live in Paris"), ["HYPOTHETICAL"])
    assert.deepStrictEqual(codes("According to Otto I work at Alder, I live in Paris"), ["REPORTED"])
    assert.deepStrictEqual(codes("I live in Paris, just kidding"), ["JOKE"])
    assert.deepStrictEqual(codes("Proofread this: I live in Paris"), ["QUOTED"])
  })

  it("a memory that is quoted back is no new fact", () => {
    const blocks = [
      "<loom_context>\nStored notes, quoted as data.\n## Memories\n- [2023-05-01, asserted] user/residence: I live in Paris\n</loom_context>\nI am vegan.",
      "Memories about src/a.ts:\n- I live in Paris\n- [decision] I work at Alder\nOne of these is wrong or out of date? Find its key.\n\nI am vegan.",
      "Relevant memories:\n- I live in Paris\n\nI am vegan.",
      "[memory] I live in Paris\nI am vegan.",
      "user/residence: I live in Paris\nI am vegan.",
      "```\nI live in Paris\n```\nI am vegan.",
      "Assistant: I live in Paris\nI am vegan.",
      "<system-reminder>\nI live in Paris\n</system-reminder>\nI am vegan."
    ]
    for (const block of blocks) assert.deepStrictEqual(texts(block), ["The user is vegan."], block)
  })

  it("what is asked to be forgotten is no fact, and idioms ask for nothing", () => {
    const forgets = (content: string, fields = {}) =>
      extract(transcript([turn(content, fields)])).forgets.map(({ what }) => what)
    assert.deepStrictEqual(forgets("Please forget that I live in Delhi."), ["I live in Delhi"])
    assert.deepStrictEqual(forgets("Can you delete what I said about my job?"), ["my job"])
    assert.deepStrictEqual(forgets("Forget everything about Otto"), ["Otto"])
    assert.deepStrictEqual(forgets("Vergiss, dass ich in Köln wohne."), ["ich in Köln wohne"])
    assert.deepStrictEqual(texts("Please forget that I live in Delhi."), [])
    for (
      const idiom of [
        "Forget it.",
        "Forget about it!",
        "I forgot my keys.",
        "Don't forget that I live in Delhi.",
        "I'll never forget Rome."
      ]
    ) {
      assert.deepStrictEqual(forgets(idiom), [], idiom)
    }
    for (const role of ["assistant", "system", "tool"]) {
      assert.deepStrictEqual(forgets("Forget that I live in Delhi", { role }), [])
    }
  })

  it("the same fact of two turns is one with both", () => {
    const { facts } = extract(transcript([turn("I live in Delhi"), turn("Well, I live in Delhi!")]))
    assert.deepStrictEqual(facts.map(({ turn_ids }) => turn_ids), [["turn_0", "turn_1"]])
  })

  const sentence = FastCheck.constantFrom(
    ...table.map(([said]) => said),
    "He is 40.",
    "My dog Rex loves fish.",
    "I met Zoë yesterday."
  )
  const role = FastCheck.constantFrom("user" as const, "assistant" as const, "system" as const, "tool" as const)
  const speaker = FastCheck.constantFrom("", "Nadia", "Otto Maria")
  const turns = FastCheck.array(
    FastCheck.tuple(FastCheck.oneof(sentence, FastCheck.string({ maxLength: 60 })), role, speaker)
      .map(([content, role, speaker]) => turn(content, { role, speaker })),
    { maxLength: 12 }
  )

  it("every fact cites turns of a user, is one sentence, and comes again for the same transcript", () => {
    FastCheck.assert(FastCheck.property(turns, FastCheck.constantFrom("", "Nadia"), (said, user) => {
      const whole = transcript(said, { user })
      const found = extract(whole)
      const byId = new Map(whole.turns.map((one) => [one.turn_id, one]))
      for (const fact of found.facts) {
        assert.isNotEmpty(fact.turn_ids)
        for (const id of fact.turn_ids) assert.strictEqual(byId.get(id)?.role, "user")
        assert.isAtMost(fact.text.length, 260)
        assert.isTrue(fact.confidence > 0 && fact.confidence <= 1)
      }
      assert.deepStrictEqual(extract(whole), found)
    }))
  })

  it("sessions give the same facts in either order", () => {
    FastCheck.assert(FastCheck.property(turns, turns, (first, second) => {
      const run = (...sessions: ReadonlyArray<typeof first>) =>
        sessions.flatMap((session) =>
          extract(transcript(session)).facts.map(({ attribute, subject, text }) =>
            JSON.stringify([subject, attribute, text])
          )
        )
      assert.deepStrictEqual(run(first, second).sort(), run(second, first).sort())
    }))
  })

  it("a turn of high sensitivity is not read", () => {
    assert.deepStrictEqual(extract(transcript([turn("I live in Delhi", { sensitivity: "high" })])).facts, [])
  })

  it.effect("is an extractor that asks nobody", () =>
    Effect.gen(function*() {
      const extractor = yield* Extractor
      const { facts, tokens_in } = yield* extractor.extract(transcript([turn("I live in Delhi")]))
      assert.deepStrictEqual([extractor.name, extractor.isModel, facts.length, tokens_in], ["rules", false, 1, 0])
    }).pipe(Effect.provide(layerRules)))
})
