import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { canonicalEntity } from "../../src/kernel/NamedThing.ts"
import { mentions, named } from "../../src/retrieval/EntityQuestion.ts"

const namedIn = (text: string, entities: ReadonlyArray<string>) => {
  const known = new Set(entities.map(canonicalEntity))
  return named(mentions(text), (entity) => known.has(entity))
}

describe("EntityQuestion", () => {
  it("a name is found in whatever form people write it", () => {
    const asked: ReadonlyArray<readonly [string, string, string]> = [
      ["What do the Billing Services cost?", "billing service", "billing service"],
      ["is BILLING_SERVICE down", "The Billing-Service", "billing service"],
      ["Who is Alice's boss?", "alice", "alice"],
      ["Does node.js run there?", "Node.js", "node.js"],
      ["what is in @effect/sql", "@effect/sql", "@effect/sql"],
      ["the heron-gate-project, when?", "Heron Gate", "heron gate"],
      ["see acme/billing", "billing", "billing"],
      ["STRASSE 5?", "Straße", "strasse"],
      ["田中さんはどこに住んでいますか", "田中", "田中"],
      ["서울에서 만나요", "서울", "서울"],
      ["Who plays in The Who?", "The Who", "who"],
      ["Is the US economy growing?", "US", "us"],
      ["When does Will arrive?", "Will", "will"]
    ]
    for (const [text, entity, name] of asked) assert.deepStrictEqual(namedIn(text, [entity]), [name], text)
  })

  it("words that say nothing are no names", () => {
    assert.deepStrictEqual(namedIn("Will it rain on us?", ["will", "it", "us", "on"]), [])
  })

  it("the longest name stands and what is inside it does not, elsewhere it does", () => {
    const entities = ["billing", "billing service", "service", "mira"]
    assert.sameMembers([...namedIn("the billing service of Mira", entities)], ["billing service", "mira"])
    assert.sameMembers([...namedIn("billing service or billing", entities)], ["billing service", "billing"])
    assert.deepStrictEqual(namedIn("mira, Mira and MIRA", entities), ["mira"])
  })

  it("a bounded number of canonical names whatever the text, and no two that overlap", () => {
    const letter = FastCheck.constantFrom("a", "B", " ", " ", "-", "'", ".", "田", "ก", "ß", "\u0000", "\ud800")
    const text = FastCheck.string({ unit: letter, maxLength: 3_000 })
    FastCheck.assert(
      FastCheck.property(text, (text) => {
        const all = mentions(text)
        assert.isAtMost(all.length, 512)
        for (const { end, entity, start } of all.slice(0, 20)) {
          assert.strictEqual(entity, canonicalEntity(text.slice(start, end)))
        }
        assert.isAtMost(named(all, () => true).length, all.length)
      }),
      { numRuns: 50 }
    )
  })
})
