/** Every class of rules on claims made up for it: what is the same, what conflicts, what goes together. */
import { assert, describe, it } from "@effect/vitest"
import { compareByRules, compareClaims, type Comparison, parseClaim } from "../../../src/memory/claims/ClaimCompare.ts"
import { abroad, type ClaimPair, compatible, conflicting, same } from "./ClaimPairs.ts"
import { answered, apartFrom, nearMisses, retold } from "./ClaimPairsRetold.ts"

// About what the offline embedder gives claims of one thing in other words.
const near = 0.85
// Below the closeness at which two facts of one thing are put before the resolver.
const apart = 0.65
const below = 0.67
// Closer than most paraphrases.
const nearest = 0.9

const compare = ([stored, written]: ClaimPair, similarity: number): Comparison =>
  compareClaims(parseClaim(stored), parseClaim(written), similarity)

/** Before the last word, which goes by likeness. */
const byRules = ([stored, written]: ClaimPair, similarity: number): Comparison =>
  compareByRules(parseClaim(stored), parseClaim(written), similarity)

const both = (pair: ClaimPair): ReadonlyArray<ClaimPair> => [pair, [pair[1], pair[0]]]
const say = (pair: ClaimPair, { reason, rule }: Comparison) => `${pair.join(" | ")} (${rule}: ${reason})`

describe("ClaimCompare", () => {
  for (const [title, pairs] of Object.entries(same)) {
    it(`is the same: ${title}`, () => {
      for (const pair of pairs.flatMap(both)) {
        const found = compare(pair, near)
        assert.strictEqual(found.relation, "same", say(pair, found))
      }
    })
  }

  for (const [title, pairs] of Object.entries(conflicting)) {
    it(`conflicts, either way round: ${title}`, () => {
      for (const pair of pairs.flatMap(both)) {
        const found = compare(pair, near)
        assert.include(["differs", "unsure"], found.relation, say(pair, found))
      }
    })
  }

  for (const [title, pairs] of Object.entries(compatible)) {
    it(`is clear: ${title}`, () => {
      for (const pair of pairs.flatMap(both)) {
        const found = compare(pair, apart)
        assert.strictEqual(found.relation, "other", say(pair, found))
      }
    })
  }

  it("knows a claim told with another verb, and its near misses", () => {
    for (const pair of retold.flatMap(both)) {
      const found = compare(pair, near)
      assert.strictEqual(found.relation, "same", say(pair, found))
    }
    for (const pair of nearMisses.flatMap(both)) {
      const found = compare(pair, nearest)
      assert.notStrictEqual(found.relation, "same", say(pair, found))
    }
  })

  it("finds two answers to one question in two grammars, without the help of the embeddings", () => {
    for (const pair of answered.flatMap(both)) {
      const found = byRules(pair, below)
      assert.include(["differs", "unsure"], found.relation, say(pair, found))
    }
    for (const pair of apartFrom.flatMap(both)) {
      const found = byRules(pair, apart)
      assert.strictEqual(found.relation, "other", say(pair, found))
    }
  })

  it("reads other languages", () => {
    for (const [relation, pairs] of Object.entries(abroad)) {
      for (const pair of pairs.flatMap(both)) {
        const found = compare(pair, near)
        assert.strictEqual(found.relation, relation, say(pair, found))
      }
    }
  })

  it("names the rule and the words that differ", () => {
    const date = compare(["The launch is on 15 October.", "The launch is on 16 October."], near)
    assert.strictEqual(date.rule, "date")
    assert.include(date.reason, "15 October against 16 October")
    assert.strictEqual(compare(["Iris has three cats.", "Iris has two cats."], near).rule, "number")
    assert.strictEqual(compare(["The ticket costs $20.", "The ticket costs €20."], near).rule, "currency")
    assert.strictEqual(compare(["Nina teaches Paul.", "Paul teaches Nina."], near).rule, "role")
    assert.strictEqual(compare(["Sarah speaks German.", "Sarah doesn't speak German."], near).rule, "negation")
  })

  it("gives subject and predicate of a substitution, for newest_wins", () => {
    assert.deepStrictEqual(compare(["Piet lives in Delft.", "Piet lives in Breda."], near).substitution, {
      subject: "piet",
      predicate: "live in"
    })
    assert.isNull(compare(["Sarah speaks German.", "Sarah doesn't speak German."], near).substitution)
    assert.isNull(compare(["Emma has a cat.", "Emma has a dog."], apart).substitution)
  })

  it("puts two facts that come close before the resolver, and only those", () => {
    const pair: ClaimPair = ["The house was built in 1960.", "The house was renovated in 2005."]
    assert.strictEqual(byRules(pair, 0.9).relation, "unsure")
    assert.strictEqual(byRules(pair, 0.6).relation, "other")
    assert.strictEqual(compare(["Tom's car is red.", "Tim's van is blue."], 0.9).relation, "other")
  })

  it("compares records field by field", () => {
    const record = (value: unknown) => JSON.stringify(value)
    assert.strictEqual(compare([record({ a: 1, b: "x" }), record({ b: "x", a: 1 })], near).relation, "same")
    assert.strictEqual(compare([record({ a: 1, b: "x" }), record({ a: 2, b: "x" })], near).relation, "differs")
    assert.strictEqual(compare([record({ a: 1, b: 2 }), record({ c: 3 })], near).relation, "other")
    assert.notStrictEqual(compare([record({ a: 1 }), record({ a: 1, b: 2 })], near).relation, "same")
    assert.notStrictEqual(compare([record({ a: "1" }), record({ a: 1 })], near).relation, "same")
  })

  it("takes no record for another whose fields differ in case alone", () => {
    const pairs: ReadonlyArray<readonly [string, string]> = [
      ["{\"host\":\"a\",\"port\":8080}", "{\"host\":\"A\",\"port\":8080}"],
      ["{\"host\":\"A\",\"Port\":8080}", "{\"port\":8080,\"host\":\"a\"}"],
      ["{\"path\":\"/etc/foo\",\"mode\":\"x\"}", "{\"path\":\"/etc/Foo\",\"mode\":\"x\"}"],
      ["[\"a\",\"b\"]", "[\"A\",\"b\"]"]
    ]
    for (const [a, b] of pairs) {
      assert.notStrictEqual(compare([a, b], 1).relation, "same", a)
      assert.notStrictEqual(compare([b, a], 1).relation, "same", b)
    }
    const spaced = "{\"port\": 8080, \"host\": \"a\"}"
    assert.strictEqual(compare([pairs[0]?.[0] ?? "", spaced], 1).relation, "same")
  })

  it("never calls long texts the same that differ behind what it parses", () => {
    const long = "The pump is checked every week by the night shift. ".repeat(60)
    assert.strictEqual(compare([long, long], 1).relation, "same")
    assert.notStrictEqual(compare([long + "It is red.", long + "It is blue."], 1).relation, "same")
    assert.notStrictEqual(compare([long, long + "It is blue."], 1).relation, "same")
  })
})
