import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { DAY, toldOf } from "../../src/extraction/DateSpan.ts"
import { dateOf, datesIn } from "../../src/extraction/RelativeDate.ts"

// A Wednesday.
const said = Date.parse("2023-05-24T14:30:00Z")
const iso = (at: number): string => new Date(at).toISOString().slice(0, 10)
/** First and last day of what a text names, said on that Wednesday. */
const span = (text: string, at: number | null = said): string | null => {
  const found = dateOf(text, at)
  if (found === null) return null
  const [from, to] = [iso(found.span.start), iso(found.span.end - 1)]
  return from === to ? from : `${from} ${to}`
}

const table: ReadonlyArray<readonly [text: string, span: string | null]> = [
  ["I flew to Oslo last week", "2023-05-15 2023-05-21"],
  ["We met yesterday", "2023-05-23"],
  ["We met the day before yesterday", "2023-05-22"],
  ["I slept badly last night", "2023-05-23"],
  ["I saw her this morning", "2023-05-24"],
  ["It begins tomorrow", "2023-05-25"],
  ["I moved here last month", "2023-04-01 2023-04-30"],
  ["I quit last year", "2022-01-01 2022-12-31"],
  ["I ran last Saturday", "2023-05-20"],
  ["I ran last Wednesday", "2023-05-17"],
  ["We talked on Monday", "2023-05-22"],
  ["I'm starting on Monday", "2023-05-29"],
  ["I will see them next Friday", "2023-06-02"],
  ["We bought it two days ago", "2023-05-22"],
  ["We bought it 3 weeks ago", "2023-05-01 2023-05-07"],
  ["I moved here four years ago", "2019-01-01 2019-12-31"],
  ["I began a couple of months ago", "2023-03-01 2023-03-31"],
  ["The exam is in three weeks", "2023-06-12 2023-06-18"],
  ["I wrote it in three weeks", null],
  ["I'm going to Rome next month", "2023-06-01 2023-06-30"],
  ["I was there on 5 May", "2023-05-05"],
  ["I was there on 5 June", "2022-06-05"],
  ["I will be there on June 5th", "2023-06-05"],
  ["It was on May 5, 2021", "2021-05-05"],
  ["The talk was on the 12th", "2023-05-12"],
  ["The talk was on the 30th", "2023-04-30"],
  ["I graduated in 2019", "2019-01-01 2019-12-31"],
  ["I graduated in March 2019", "2019-03-01 2019-03-31"],
  ["I was ill in June", "2022-06-01 2022-06-30"],
  ["I've been ill since Monday", "2023-05-22 2023-05-24"],
  ["I've lived here since 2019", "2019-01-01 2023-05-24"],
  ["Released on 2023-02-01 at noon", "2023-02-01"],
  ["It runs from 2023-06-03 to 2023-06-05", "2023-06-03 2023-06-05"],
  ["The fair was on 3-5 May 2023", "2023-05-03 2023-05-05"],
  ["We hiked last weekend", "2023-05-20 2023-05-21"],
  ["We'll hike this weekend", "2023-05-27 2023-05-28"],
  ["Es begann am 3.5.2023", "2023-05-03"],
  ["Ich bin letzte Woche nach Oslo geflogen", "2023-05-15 2023-05-21"],
  ["Ich war gestern in Bonn", "2023-05-23"],
  ["Ich habe das vor zwei Tagen gekauft", "2023-05-22"],
  ["Ich war am 5. Mai dort", "2023-05-05"],
  ["Ich fahre morgen", "2023-05-25"],
  ["Ich war heute Morgen dort", "2023-05-24"],
  ["Je suis allé à Oslo la semaine dernière", "2023-05-15 2023-05-21"],
  ["Je suis arrivé hier", "2023-05-23"],
  ["J'ai déménagé il y a deux ans", "2021-01-01 2021-12-31"],
  ["Fui a Oslo la semana pasada", "2023-05-15 2023-05-21"],
  ["Llegué ayer por la tarde al hotel", "2023-05-23"],
  ["Compré la casa hace dos años", "2021-01-01 2021-12-31"],
  ["I like tea", null],
  ["I may march to port 2022 with 12 men", null],
  ["I have had it for two weeks", null],
  ["It is on page 12 of 2023-17-45", null],
  ["on 31 February 2023", null],
  ["Ich bin hier und mag Tee", null],
  ["", null]
]

describe("RelativeDate", () => {
  for (const [text, expected] of table) {
    it(`${text === "" ? "nothing" : text}: ${expected ?? "no date"}`, () => assert.strictEqual(span(text), expected))
  }

  it("without the time of the turn only what names its year is a date", () => {
    assert.strictEqual(span("I flew last week", null), null)
    assert.strictEqual(span("I flew on 5 May", null), null)
    assert.strictEqual(span("I flew on 5 May 2023", null), "2023-05-05")
    assert.strictEqual(span("I flew in 2019", null), "2019-01-01 2019-12-31")
  })

  it("a day that is named otherwise is surer than one that is only near", () => {
    const sureness = (text: string) => dateOf(text, said)?.confidence ?? 0
    assert.isAbove(sureness("on 2023-05-05"), sureness("on 5 May"))
    assert.isAbove(sureness("yesterday"), sureness("the other day"))
  })

  it("is told in words that need no other date", () => {
    const told = (text: string) => {
      const date = dateOf(text, said)
      return date === null ? null : toldOf(date.span)
    }
    assert.strictEqual(told("yesterday"), "on 2023-05-23")
    assert.strictEqual(told("last week"), "in the week of 2023-05-15")
    assert.strictEqual(told("last month"), "in April 2023")
    assert.strictEqual(told("two years ago"), "in 2021")
    assert.strictEqual(told("last weekend"), "between 2023-05-20 and 2023-05-21")
  })

  const day = FastCheck.integer({ min: 0, max: 40_000 })
  const shift = FastCheck.integer({ min: -3_000, max: 3_000 })
  const dayPhrases = [
    "yesterday",
    "two days ago",
    "the day before yesterday",
    "tomorrow",
    "today",
    "last night",
    "gestern",
    "ayer"
  ]
  const pastPhrases = [
    "yesterday",
    "last week",
    "last month",
    "last year",
    "last Friday",
    "I did it on Friday",
    "last weekend",
    "two weeks ago",
    "a few days ago",
    "the other day",
    "since Monday",
    "I did it on 29 February",
    "I did it in May",
    "I did it on the 31st",
    "last summer",
    "this morning",
    "over the weekend"
  ]

  it("moves with the turn for phrases of days", () => {
    FastCheck.assert(FastCheck.property(day, shift, FastCheck.constantFrom(...dayPhrases), (at, by, phrase) => {
      const [first, second] = [dateOf(phrase, at * DAY + 1), dateOf(phrase, (at + by) * DAY + 1)]
      assert.strictEqual((second?.at ?? NaN) - (first?.at ?? NaN), by * DAY)
    }))
  })

  it("never begins after the turn for past phrases, and every weekday lies within a week", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.integer({ min: 0, max: 40_000 * 24 }),
      FastCheck.constantFrom(...pastPhrases),
      (hour, phrase) => {
        const at = hour * DAY / 24
        const found = dateOf(phrase, at)
        assert.isNotNull(found, phrase)
        assert.isAtMost(found?.at ?? Infinity, at)
      }
    ))
    FastCheck.assert(FastCheck.property(day, (at) => {
      const found = dateOf("last Friday", at * DAY)?.at ?? NaN
      assert.strictEqual(new Date(found).getUTCDay(), 5)
      assert.isTrue(found < at * DAY && found >= (at - 7) * DAY)
    }))
  })

  it("reads any text, phrases apart from each other and in their order", () => {
    const word = FastCheck.constantFrom(
      "last",
      "week",
      "on",
      "5",
      "May",
      "2023",
      "since",
      "Friday",
      "two",
      "days",
      "ago",
      "-",
      "the",
      "12th"
    )
    FastCheck.assert(FastCheck.property(FastCheck.array(word, { maxLength: 14 }), (words) => {
      const text = words.join(" ")
      const found = datesIn(text, said)
      for (const [at, date] of found.entries()) {
        assert.isTrue(date.from < date.to && date.to <= text.length && date.span.start < date.span.end)
        assert.isTrue(date.from >= (found[at - 1]?.to ?? 0))
      }
    }))
    FastCheck.assert(FastCheck.property(FastCheck.string(), (text) => void datesIn(text, said)))
    assert.isAtMost(datesIn("yesterday ".repeat(100_000), said).length, 16)
  })
})
