/** What stands of a model's facts, and what is refused with which code. */
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { segmentsOf } from "../../src/extraction/ExtractPrompt.ts"
import { checkFact, checkForget } from "../../src/extraction/FactCheck.ts"
import type { Transcript } from "../../src/extraction/FactModel.ts"
import { says } from "../cases/Transcripts.ts"
import { scope, turn } from "./ExtractionFixture.ts"

const at = Date.UTC(2023, 4, 24, 10)
const turns = [
  turn("I moved to Berlin in 2019 and work for Alder & Sons.", { at }),
  turn("You could use recursion here.", { role: "assistant", at }),
  turn("I am vegan, and my sister Mia hates football.", { speaker: "Mira", at }),
  turn("Opening hours of the shop are 9 to 17.", { role: "tool", at }),
  turn("You are a helpful assistant that knows Ada.", { role: "system", at }),
  turn("I flew to Oslo last week. I will start at Birch on 5 June.", { at })
]
const transcript: Transcript = { scope, turns, user: "Ada", observed_at: null }
const [segment] = segmentsOf(transcript)

const check = (...fact: Parameters<typeof says>) => {
  if (segment === undefined) throw new Error("There is a segment")
  const checked = checkFact(transcript, segment, says(...fact))
  return checked === undefined ? "told" : Either.match(checked, { onLeft: ({ code }) => code, onRight: (fact) => fact })
}

const accepted = (...fact: Parameters<typeof says>) => {
  const found = check(...fact)
  if (typeof found === "string") throw new Error(`refused: ${found}`)
  return found
}

describe("FactCheck", () => {
  it("keeps what the turns say, in other words too", () => {
    assert.deepInclude(accepted("user", "residence", "Ada lives in Berlin.", [1]), {
      subject: "user",
      about_other: false,
      turn_ids: turns.slice(0, 1).map(({ turn_id }) => turn_id)
    })
    assert.strictEqual(accepted("Ada", "employer", "Ada works for Alder & Sons.", ["1"]).subject, "user")
    assert.strictEqual(accepted("shop", "opening hours", "The opening hours are 9 to 17.", [4]).about_other, true)
  })

  const refusals: ReadonlyArray<readonly [string, string, Parameters<typeof says>]> = [
    ["a turn there is none of", "NO_SUCH_TURN", ["user", "residence", "Ada lives in Berlin.", [7]]],
    ["one of its turns there is none of", "NO_SUCH_TURN", ["user", "residence", "Ada lives in Berlin.", [1, 9]]],
    ["no turn at all", "NO_SUCH_TURN", ["user", "residence", "Ada lives in Berlin.", []]],
    ["a number in words", "NO_SUCH_TURN", ["user", "residence", "Ada lives in Berlin.", ["first"]]],
    ["system text", "NO_SUCH_TURN", ["user", "name", "The user is called Ada.", [5]]],
    ["another number", "NOT_SAID", ["user", "residence", "Ada moved to Berlin in 2018.", [1]]],
    ["another name", "NOT_SAID", ["user", "residence", "Ada lives in Munich.", [1]]],
    ["another turn's words", "NOT_SAID", ["user", "residence", "Ada lives in Berlin.", [6]]],
    ["words of its own", "NOT_SAID", ["user", "mood", "Ada enjoys quiet winter evenings.", [1]]],
    ["a subject that nobody names", "NOT_SAID", ["Otto", "diet", "Otto is vegan.", [3]]],
    ["the assistant's thoughts", "ASSISTANT", ["user", "method", "Ada uses recursion.", [2]]],
    ["the assistant itself", "ASSISTANT", ["assistant", "method", "The assistant works for Alder.", [1]]],
    ["no text", "UNREADABLE", ["user", "residence", "  ", [1]]],
    ["no attribute", "UNREADABLE", ["user", "\u200b", "Ada lives in Berlin.", [1]]],
    ["a page", "UNREADABLE", ["user", "residence", "Ada lives in Berlin. ".repeat(40), [1]]],
    ["several speakers", "WRONG_SUBJECT", ["user", "diet", "The user is vegan.", [1, 3]]]
  ]
  for (const [what, code, fact] of refusals) it(`refuses ${what}`, () => assert.strictEqual(check(...fact), code))

  it("tells of a named speaker what that one says, and of a third what is said of her", () => {
    assert.deepInclude(accepted("user", "diet", "The user is vegan.", [3]), {
      subject: "Mira",
      text: "Mira is vegan.",
      about_other: false
    })
    assert.deepInclude(accepted("Mia", "opinion of football", "Mia hates football.", [3], { type: "preference" }), {
      subject: "Mia",
      about_other: true,
      memory_type: "preference"
    })
  })

  it("works dates out of words that stand in the turn, against its time", () => {
    const week = accepted("user", "visit", "Ada flew to Oslo.", [6], { date: "last week" }).anchor?.at ?? 0
    assert.isTrue(week >= Date.UTC(2023, 4, 15) && week < Date.UTC(2023, 4, 22))
    const start = accepted("user", "employer", "Ada will start at Birch on 5 June 2023.", [6], { date: "on 5 June" })
    assert.strictEqual(start.anchor?.at, Date.UTC(2023, 5, 5))
    assert.isNull(accepted("user", "visit", "Ada flew to Oslo.", [6], { date: "in 2001" }).anchor)
  })

  it("takes requests to forget from the user alone, for what he said", () => {
    const forget = (what: string, number: number) => {
      if (segment === undefined) return undefined
      const checked = checkForget(segment, { what, turn: number })
      return checked === undefined ? "told" : Either.match(checked, { onLeft: ({ code }) => code, onRight: () => "ok" })
    }
    assert.strictEqual(forget("Berlin", 1), "ok")
    assert.strictEqual(forget("opening hours", 4), "NOT_THE_USER")
    assert.strictEqual(forget("recursion", 2), "NOT_THE_USER")
    assert.strictEqual(forget("my phone", 1), "NOT_SAID")
    assert.strictEqual(forget("Berlin", 12), "NO_SUCH_TURN")
  })

  it("cuts a long transcript, and leaves to each segment what is its own", () => {
    const long = Array.from({ length: 12 }, (_, at) => turn(`Turn ${at} ${"word ".repeat(700)}`))
    const huge = turn(`Start ${"word ".repeat(7_000)} end`)
    const segments = segmentsOf({ turns: [...long, huge] })
    assert.isAbove(segments.length, 5)
    assert.deepStrictEqual(
      [...new Set(segments.flatMap(({ records }) => records.map(({ number }) => number)))],
      Array.from({ length: 13 }, (_, at) => at + 1)
    )
    const parts = segments.flatMap(({ records }) => records).filter(({ turn }) => turn === huge)
    assert.strictEqual(parts.map(({ text }) => text).join(""), huge.content)
    const second = segments[1]
    const told = second?.before.at(-1)
    if (second === undefined || told === undefined) throw new Error("There is a second segment with some before it")
    const fact = says("user", "word", told.text.slice(0, 10), [told.number])
    assert.isUndefined(checkFact({ ...transcript, turns: long }, second, fact))
  })
})
