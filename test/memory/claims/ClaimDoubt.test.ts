import { assert, describe, it } from "@effect/vitest"
import { compareClaims, parseClaim } from "../../../src/memory/claims/ClaimCompare.ts"
import { doubtOf } from "../../../src/memory/claims/ClaimDoubt.ts"

/** Small signs that carry the meaning: none of these pairs says the same. */
const apart: ReadonlyArray<readonly [string, string]> = [
  ["Indent with tabs, not with spaces", "Indent with spaces, not with tabs"],
  ["Choose Redis, not Kafka, for queues", "Choose Kafka, not Redis, for queues"],
  ["Release on Tuesday, not on Sunday", "Release on Sunday, not on Tuesday"],
  ["The portal speaks http", "The portal speaks https"],
  ["Uploads go over ftp", "Uploads go over ftps"],
  ["Ticket 0042 is closed", "Ticket 42 is closed"],
  ["Release 3.0 is out", "Release 3 is out"],
  ["Archive everything but invoices", "Archive everything and invoices"],
  ["Few guests stayed", "A few guests stayed"],
  ["Alpha waits for beta", "Beta waits for alpha"],
  ["Nora and Emil called Ida", "Nora called Emil and Ida"],
  ["Stages: lint, build", "Stages: build, lint"],
  ["The job runs at * 4 * * *", "The job runs at 4 * * * *"],
  ["Emil will resign", "Emil would resign"],
  ["Emil is coaching Ida", "Emil was coaching Ida"],
  ["The pupil was examined", "The pupil examined"]
]

const alike: ReadonlyArray<readonly [string, string]> = [
  ["On Mondays we water the plants", "We water the plants on Mondays"],
  ["Ida's favourite colour is teal", "Teal is Ida's favourite colour"],
  ["Nora is married to Emil", "Emil is married to Nora"],
  ["The film begins at 20:00", "The film begins at 8 pm"]
]

describe("ClaimDoubt", () => {
  for (const [a, b] of apart) {
    it(`keeps "${b}" from standing for "${a}"`, () => {
      assert.isDefined(doubtOf(a, b))
      assert.notStrictEqual(compareClaims(parseClaim(a), parseClaim(b), 0.97).relation, "same")
      assert.notStrictEqual(compareClaims(parseClaim(b), parseClaim(a), 0.97).relation, "same")
    })
  }
  for (const [a, b] of alike) {
    it(`does not doubt "${a}" and "${b}"`, () => assert.isUndefined(doubtOf(a, b)))
  }
})
