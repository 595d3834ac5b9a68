import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { canonicalEntity } from "../../src/kernel/NamedThing.ts"

const forms: ReadonlyArray<readonly [form: string, names: ReadonlyArray<string>]> = [
  ["billing service", [
    "Billing Services",
    "billing service",
    "the billing-service's",
    "BILLING_SERVICE",
    "  Billing   services. ",
    "the “Billing Service”",
    "The billing services’",
    "billing_services",
    "Ｂｉｌｌｉｎｇ Service"
  ]],
  ["billing", ["billing", "Billing", "BILLING!"]],
  ["apple", ["Apple", "apple", "Apples", "an apple"]],
  ["database", ["Databases", "the database"]],
  ["query", ["queries", "Query"]],
  ["webhook", ["Webhooks", "webhook", "webhook's"]],
  ["microservice", ["microservices", "Microservice"]],
  ["api", ["APIs", "API", "the API's"]],
  ["alice laptop", ["Alice's laptop", "Alice’s laptops"]],
  ["obrien", ["O'Brien", "O’Brien's"]],
  ["https", ["HTTPS"]],
  ["http", ["HTTP"]],
  ["dns", ["DNS"]],
  ["kubernetes", ["Kubernetes"]],
  ["redis", ["Redis", "redis's"]],
  ["aws", ["AWS"]],
  ["postgres", ["Postgres"]],
  ["windows", ["Windows"]],
  ["boss", ["boss", "Bosses"]],
  ["peters", ["Peters"]],
  ["peter", ["Peter", "Peter's"]],
  ["node.js", ["Node.js", "node.js."]],
  [".net", [".NET"]],
  ["c++", ["C++"]],
  ["c#", ["C#", "c#,"]],
  ["c", ["C", "c."]],
  ["at&t", ["AT&T"]],
  ["@effect/sql", ["@effect/sql"]],
  ["usa", ["U.S.A.", "USA"]],
  ["a-team", ["The A-Team", "A-Team"]],
  ["who", ["The Who"]],
  ["the", ["the"]],
  ["v1.9", ["v1.9", "V1.9."]],
  ["err 7731", ["ERR_7731", "err-7731"]],
  ["strasse", ["Straße", "STRASSE"]],
  ["zürich", ["Zürich", "ZU\u0308RICH"]],
  ["東京タワー", ["東京タワー"]],
  ["混合检索", ["混合检索", " 混合检索 "]],
  ["!!!", ["!!!"]],
  ["", ["", "  "]]
]

describe("canonicalEntity", () => {
  for (const [form, names] of forms) {
    for (const name of names) {
      it(`${JSON.stringify(name)} is ${form}`, () => assert.strictEqual(canonicalEntity(name), form))
    }
  }

  it("the form of a form is itself", () => {
    const letters = FastCheck.constantFrom(
      ..."aAsS'’-_. @#+&/中ıİß$(`´",
      "the ",
      "a ",
      "an-",
      "services",
      "boxes",
      "'s"
    )
    FastCheck.assert(
      FastCheck.property(
        FastCheck.oneof(
          FastCheck.array(letters).map((parts) => parts.join("")),
          FastCheck.string({ unit: "grapheme" })
        ),
        (name) => {
          const form = canonicalEntity(name)
          assert.strictEqual(canonicalEntity(form), form)
          assert.strictEqual(form === "", name.replace(/[\p{Cf}\p{Cc}\s]/gu, "") === "")
        }
      ),
      { numRuns: 3000 }
    )
  })
})
