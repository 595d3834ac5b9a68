import { assert, describe, it } from "@effect/vitest"
import { premiseFound } from "../../src/ask/Premise.ts"
import { ClaimCache } from "../../src/memory/claims/ClaimCache.ts"
import { evidence } from "./AskFixture.ts"

const claims = new ClaimCache(100)
const met = (question: string, ...stored: ReadonlyArray<string>) =>
  premiseFound(question, stored.map((text) => evidence(text)), claims)?.relation

const contradicted: ReadonlyArray<readonly [string, string]> = [
  ["Why did Nadia stop eating peanuts?", "Nadia eats peanuts"],
  ["Why did Nadia stop eating peanuts?", "[8 May 2023] Nadia: I eat peanuts every day."],
  ["Why doesn't Nadia eat peanuts?", "Nadia eats peanuts"],
  ["Why does Nadia eat peanuts?", "Nadia does not eat peanuts"],
  ["Why is the staging database open?", "The staging database is closed"],
  ["Why is the API not rate limited?", "The API is rate limited."],
  ["Why does Otto eat meat?", "Otto is vegan"],
  ["When did Anna move to Berlin?", "Anna never moved to Berlin"],
  ["Why did Otto start smoking?", "Otto does not smoke"],
  ["Why do deploys happen on Fridays?", "Deploys never happen on Fridays"],
  ["Why are backups disabled?", "Backups are enabled"],
  ["Why did the team stop using Redis?", "The team uses Redis"]
]

const open: ReadonlyArray<readonly [string, string]> = [
  ["When did Anna move to Berlin?", "Anna moved to Hamburg"],
  ["Why did Nadia stop eating peanuts?", "Nadia stopped eating peanuts because of an allergy"],
  ["Why did Nadia stop eating peanuts?", "Nadia ate peanuts as a child"],
  ["Why did Nadia stop eating peanuts?", "Nadia eats walnuts"],
  ["Why did Nadia stop eating peanuts?", "Otto eats peanuts"],
  ["When did Nadia eat peanuts?", "Nadia does not eat peanuts"],
  ["Why did the server go down?", "The server is up"],
  ["Why does Nadia like tea?", "Nadia likes coffee"],
  ["Where does Nadia live?", "Nadia lives in Berlin"],
  ["How does Otto get to work?", "Otto does not drive to work"],
  ["Why does Otto work at Alder?", "Otto works at Birch"],
  ["Why is the staging database open?", "The production database is closed"],
  ["Why did Anna sell the car?", "Anna did not sell the house"],
  ["When did Otto start running?", "Otto used to run"],
  ["When does the shop open?", "The shop is closed on Sunday"],
  ["Where does Otto keep the key?", "Otto doesn't keep the key in the drawer"],
  ["When does the store close?", "The store is open until nine"],
  ["Why would Nadia stop eating peanuts?", "Nadia eats peanuts"],
  ["Does Nadia eat peanuts?", "Nadia does not eat peanuts"]
]

describe("Premise", () => {
  for (const [question, stored] of contradicted) {
    it(`${question} — ${stored}`, () => assert.strictEqual(met(question, stored), "contradicted"))
  }

  for (const [question, stored] of open) {
    it(`no conflict: ${question} — ${stored}`, () => assert.notStrictEqual(met(question, stored), "contradicted"))
  }

  it("is silent where the store is of two minds, or was before", () => {
    const question = "Why did Nadia stop eating peanuts?"
    for (const beside of ["Nadia no longer eats peanuts", "Nadia stopped eating peanuts because of an allergy"]) {
      assert.notStrictEqual(met(question, "Nadia eats peanuts", beside), "contradicted")
      assert.notStrictEqual(met(question, beside, "Nadia eats peanuts"), "contradicted")
    }
    assert.strictEqual(met("Why did Anna move to Berlin?", "Anna moved to Berlin"), "supported")
    for (const status of ["conflicted", "superseded"] as const) {
      assert.isNull(premiseFound(question, [evidence("Nadia eats peanuts", { head: { status } })], claims))
    }
    assert.isNull(premiseFound(question, [evidence("Nadia eats peanuts", { conflict_with: ["mem_x"] })], claims))
  })

  it("tells the sentence and what was taken for granted", () => {
    const found = premiseFound(
      "Why did Nadia stop eating peanuts?",
      [evidence("She is tall. Nadia eats peanuts.")],
      claims
    )
    assert.deepInclude(found, {
      relation: "contradicted",
      rule: "negation",
      statement: "Nadia did stop eating peanuts"
    })
    assert.strictEqual(found?.sentence.text, "Nadia eats peanuts.")
  })
})
