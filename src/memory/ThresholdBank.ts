/**
 * Sixty short sentences by which an embedder's similarities are measured: fifteen claims of different domains, each with
 * the same claim in other words, the same subject with another value, and another claim of the same topic. Claims of two
 * groups have nothing to do with each other.
 */

export interface BankGroup {
  readonly claim: string
  /** The claim in other words. */
  readonly reworded: string
  /** The same subject and attribute with another value: what a write must be compared with. */
  readonly otherValue: string
  /** True beside the claim: the same topic, another attribute or subject. */
  readonly otherClaim: string
}

const group = (claim: string, reworded: string, otherValue: string, otherClaim: string): BankGroup => ({
  claim,
  reworded,
  otherValue,
  otherClaim
})

export const bank: ReadonlyArray<BankGroup> = [
  group(
    "The invoice service runs on port 8443.",
    "Port 8443 is where the invoice service listens.",
    "The invoice service runs on port 9090.",
    "The invoice service is written in Kotlin."
  ),
  group(
    "Nadia moved to Lisbon last autumn.",
    "Last autumn Nadia relocated to Lisbon.",
    "Nadia moved to Krakow last autumn.",
    "Nadia plays the cello in an orchestra."
  ),
  group(
    "Backups of the warehouse are kept for thirty days.",
    "We keep warehouse backups thirty days.",
    "Backups of the warehouse are kept for ninety days.",
    "Backups of the warehouse are encrypted with a hardware key."
  ),
  group(
    "The customer wants replies in French.",
    "The customer prefers to be answered in French.",
    "The customer wants replies in Italian.",
    "The customer pays by bank transfer."
  ),
  group(
    "Oskar is allergic to shellfish.",
    "Oskar has a shellfish allergy.",
    "Oskar is not allergic to shellfish.",
    "Oskar cooks dinner for his family on Sundays."
  ),
  group(
    "The design review takes place every Thursday at 2 pm.",
    "Every Thursday at 2 pm we hold the design review.",
    "The design review takes place every Monday at 2 pm.",
    "The design review is led by the head of product."
  ),
  group(
    "Our mobile app supports Android 12 and later.",
    "Android 12 or newer is needed for our mobile app.",
    "Our mobile app supports Android 9 and later.",
    "Our mobile app stores drafts on the device."
  ),
  group(
    "The greenhouse is watered twice a day.",
    "We water the greenhouse two times per day.",
    "The greenhouse is watered once a week.",
    "The greenhouse has a glass roof."
  ),
  group(
    "Priya is the owner of the search team's budget.",
    "The budget of the search team belongs to Priya.",
    "Tomas is the owner of the search team's budget.",
    "Priya studied physics in Pune."
  ),
  group(
    "The museum closes at six in the evening.",
    "In the evening the museum shuts at six.",
    "The museum closes at nine in the evening.",
    "The museum shows paintings of the harbour."
  ),
  group(
    "Feature flags are stored in Redis.",
    "We store our feature flags in Redis.",
    "Feature flags are stored in DynamoDB.",
    "Feature flags must be removed after a release."
  ),
  group(
    "The rent of the office is 4,200 euros a month.",
    "Each month the office costs 4,200 euros in rent.",
    "The rent of the office is 5,100 euros a month.",
    "The office has a kitchen on the second floor."
  ),
  group(
    "Her daughter was born in 2014.",
    "2014 is the year her daughter was born.",
    "Her daughter was born in 2017.",
    "Her daughter collects fossils."
  ),
  group(
    "Pull requests need two approvals before merging.",
    "Two approvals are required to merge a pull request.",
    "Pull requests need one approval before merging.",
    "Pull requests are labelled by a bot."
  ),
  group(
    "The ferry to the island is cancelled in strong wind.",
    "In strong wind the island ferry does not run.",
    "The ferry to the island also runs in strong wind.",
    "The ferry to the island carries bicycles for free."
  )
]
