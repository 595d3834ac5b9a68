/** The last word: what likeness decides where the rules do not, and what forbids it to call claims the same. */
import { assert, describe, it } from "@effect/vitest"
import { compareByRules, compareClaims, parseClaim } from "../../../src/memory/claims/ClaimCompare.ts"
import { featuresOf, oddsOf } from "../../../src/memory/claims/ClaimLastWord.ts"
import { likenessOf } from "../../../src/memory/claims/ClaimLikeness.ts"
import { objectionsTo } from "../../../src/memory/claims/ClaimObjections.ts"
import { weights } from "../../../src/memory/claims/ClaimWeights.ts"
import type { ClaimPair } from "./ClaimPairs.ts"

const near = 0.88

const compare = ([stored, written]: ClaimPair, similarity = near) =>
  compareClaims(parseClaim(stored), parseClaim(written), similarity)

const both = ([one, other]: ClaimPair): ReadonlyArray<ClaimPair> => [[one, other], [other, one]]

// Words of one claim that stand in other places in the other; each says another thing.
const turned: ReadonlyArray<ClaimPair> = [
  ["Deploy to staging if tests pass", "Tests pass if deployed to staging"],
  ["The retry of the job failed", "The job failed to retry"],
  ["The owner of the repo left", "The repo left its owner"],
  ["Anna's training of the staff was in June.", "The staff trained Anna in June."],
  ["The purchase of Velo by Orbis was in May.", "Velo purchased Orbis in May."],
  ["Heron is upstream of Ibis in the pipeline.", "In the pipeline, Ibis is upstream of Heron."],
  ["Two cranes are needed for the operator.", "The crane needs two operators."]
]

// One small word is another one.
const small: ReadonlyArray<ClaimPair> = [
  ["Anna pays 500 euros a month", "Anna earns 500 euros a month"],
  ["The bug is said to be fixed", "The bug is fixed"],
  ["Not all tests pass", "All tests do not pass"],
  ["The door can be opened from inside", "The door can be opened from outside"],
  ["We use Kafka for the event queue.", "Their event queue is Kafka."],
  ["The lamp in the hall is broken.", "The lamp under the hall is broken."],
  ["The car is red", "The carpet is red"],
  ["Heron supports batching", "Batching is unsupported in Heron"],
  ["Iris has three cats.", "Iris has three purple cats."]
]

const reworded: ReadonlyArray<ClaimPair> = [
  ["Every six hours, a backup of the wiki's database is taken.", "The wiki's database is backed up every 6 hours."],
  ["The gym membership costs 39 euros per month.", "Monthly fee for the gym membership: €39."],
  ["Feature branches are deleted after the merge.", "After a merge, the feature branch gets deleted."],
  ["Katya speaks Russian and Estonian.", "Katya speaks Estonian and Russian."]
]

describe("ClaimLastWord", () => {
  it("calls a reworded claim the same and says that it goes by likeness", () => {
    for (const pair of reworded.flatMap(both)) {
      const found = compare(pair)
      assert.strictEqual(found.relation, "same", `${pair.join(" | ")} (${found.rule}: ${found.reason})`)
    }
    const [first = ["", ""]] = reworded
    assert.strictEqual(compare(first).rule, "likeness")
    assert.include(compare(first).reason, "Closer to a reworded statement")
  })

  it("never calls the same what turns a claim round or changes a small word of it", () => {
    for (const pair of [...turned, ...small].flatMap(both)) {
      for (const similarity of [0.82, 0.9, 0.97]) {
        const found = compare(pair, similarity)
        assert.notStrictEqual(found.relation, "same", `${pair.join(" | ")} (${found.rule}: ${found.reason})`)
      }
    }
  })

  it("objects by name, and finally to what grammar keeps apart", () => {
    const objections = ([stored, written]: ClaimPair) => {
      const [one, other] = [parseClaim(stored), parseClaim(written)]
      return objectionsTo(one, other, likenessOf(one, other, near))
    }
    assert.deepInclude(objections(["The pump is on.", "The pump is not on."]), { what: "one denies", final: false })
    assert.deepInclude(objections(["The tank holds 5 litres.", "The tank holds 7 litres."]), {
      what: "a value that one lacks",
      final: false
    })
    const final = (pair: ClaimPair) => objections(pair).filter((objection) => objection.final).map(({ what }) => what)
    assert.include(final(["Our queue is Kafka.", "Their queue is Kafka."]), "another person")
    assert.include(final(["Align code with spaces.", "Align code and tabs with spaces."]), "an object")
    assert.include(final(["We use Kafka for the queue.", "We used Kafka for the queue."]), "the same at another time")
    assert.include(
      final(["Half of the rent goes to repairs.", "Half of the repairs is spent on rent."]),
      "another count"
    )
    assert.deepStrictEqual(objections(["Backups are encrypted with AES.", "We encrypt backups using AES."]), [])
  })

  it("leaves what is far apart and shares no word to the rules", () => {
    const pair: ClaimPair = ["The kettle is blue.", "Marta sails on Sundays."]
    const [one, other] = [parseClaim(pair[0]), parseClaim(pair[1])]
    assert.deepStrictEqual(compareClaims(one, other, 0.9), compareByRules(one, other, 0.9))
    assert.deepStrictEqual(compareClaims(one, other, 0.1), compareByRules(one, other, 0.1))
  })

  it("gives odds that sum to one, of weights that name features", () => {
    const [one, other] = [parseClaim("The pool is heated."), parseClaim("The pool's water is unheated.")]
    const likeness = likenessOf(one, other, near)
    const features = featuresOf(likeness, compareByRules(one, other, near), objectionsTo(one, other, likeness))
    const { clear, conflict, duplicate } = oddsOf(features, weights)
    assert.closeTo(clear + conflict + duplicate, 1, 1e-9)
    assert.isAbove(conflict, clear)
    for (const [name, value] of features.flatMap(Object.entries)) {
      assert.isTrue(Number.isFinite(value), name)
      if (!/^(?:rules|objection): /.test(name)) assert.property(weights.features, name)
    }
  })
})
