/**
 * Two bags of items matched one to one: equal concepts first, then what is left on either side, with differing values
 * of one dimension and opposite words paired up.
 */
import { alternatives, denies, opposes } from "./ClaimAntonyms.ts"
import type { Frame, Item } from "./ClaimFrame.ts"
import { nounFields } from "./ClaimLexicon.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { antonymous, derived, type PartOfSpeech, synonymous } from "./ClaimThesaurus.ts"
import { fillers } from "./ClaimWords.ts"

export interface Match {
  readonly shared: number
  readonly left: ReadonlyArray<Item>
  readonly right: ReadonlyArray<Item>
}

/** The items of each side that the other lacks. */
export const matchItems = (one: ReadonlyArray<Item>, other: ReadonlyArray<Item>): Match => {
  const rest = [...other]
  let left: ReadonlyArray<Item> = one
  for (const same of [equal, alike]) {
    if (same === alike && left.length * rest.length > mostAlike) break
    const lone: Array<Item> = []
    for (const item of left) {
      const at = rest.findIndex((candidate) => same(item, candidate))
      if (at < 0) lone.push(item)
      else rest.splice(at, 1)
    }
    left = lone
    if (left.length === 0 || rest.length === 0) break
  }
  const [first, second] = [compounded(left, rest), compounded(rest, left)]
  if (first !== undefined || second !== undefined) {
    const taken = new Set<Item>([...first ?? [], ...second ?? []])
    const kept = (items: ReadonlyArray<Item>) => items.filter((item) => !taken.has(item))
    return matched(one, kept(left), kept(rest))
  }
  return matched(one, left, rest)
}

const matched = (one: ReadonlyArray<Item>, left: ReadonlyArray<Item>, right: ReadonlyArray<Item>): Match => ({
  shared: one.length - left.length,
  left,
  right
})

/** "eye doctor" and "ophthalmologist", "time out" and "timeout": neighbours that are together one word of the other. */
const compounded = (parts: ReadonlyArray<Item>, wholes: ReadonlyArray<Item>): ReadonlyArray<Item> | undefined => {
  // More than a few words over are two different claims.
  if (parts.length < 2 || parts.length > 4 || wholes.length === 0 || wholes.length > 3) return undefined
  for (let i = 0; i + 1 < parts.length; i++) {
    const [first, second] = [parts[i]!, parts[i + 1]!]
    if (first.value !== undefined || second.value !== undefined || second.listed === true) continue
    const phrase = `${first.lemma}_${second.lemma}`
    const whole = wholes.find((item) =>
      item.value === undefined &&
      (joined(item) === joined({ ...first, lemma: phrase }) ||
        item.kind === "noun" && synonymous(phrase, item.lemma, "n"))
    )
    if (whole !== undefined) return [first, second, whole]
  }
  return undefined
}

// Of two long texts nearly every word would be looked up beside every other.
const mostAlike = 400

const equal = (one: Item, other: Item): boolean => one.concept === other.concept

const wordy = ({ kind }: Item) => kind === "noun" || kind === "verb" || kind === "adjective" || kind === "adverb"

/** Synonyms in their common senses, and a word and what is made from it. */
export const alike = (one: Item, other: Item): boolean => {
  if (!wordy(one) || !wordy(other)) return false
  return (one.kind === other.kind && synonymous(one.lemma, other.lemma, partOf(one))) ||
    (one.lemma[0] === other.lemma[0] && derived(one.lemma, other.lemma) && !personal(one) && !personal(other)) ||
    agentOf(one, other) || agentOf(other, one) ||
    one.lemma[0] === other.lemma[0] && one.lemma !== other.lemma && joined(one) === joined(other)
}

/** "backs up" and "backup", "log-in" and "login". */
export const joined = ({ lemma }: Pick<Item, "lemma">): string => lemma.replace(/[_-]/g, "")

const partOf = ({ kind }: Item): PartOfSpeech =>
  kind === "noun" ? "n" : kind === "verb" ? "v" : kind === "adverb" ? "r" : "a"

// WordNet's file of persons. "Anna's employer" is not whom Anna employs.
const personal = ({ kind, lemma }: Item) => kind === "noun" && nounFields(lemma).includes(18)

/** "is a climber" and "climbs": only as what is said of someone, not as what someone has. */
const agentOf = (noun: Item, verb: Item): boolean =>
  verb.kind === "verb" && noun.predicate === true && noun.lemma.slice(0, 4) === verb.lemma.slice(0, 4) &&
  /(?:er|or|ist)$/.test(noun.lemma) && personal(noun)

export interface Pair {
  readonly from: Item
  readonly to: Item
}

const firstPair = (
  one: ReadonlyArray<Item>,
  other: ReadonlyArray<Item>,
  related: (from: Item, to: Item) => boolean
): Pair | undefined => {
  for (const from of one) {
    for (const to of other) if (related(from, to)) return { from, to }
  }
  return undefined
}

/** Two values of one dimension that differ. */
export const differingValues = (one: ReadonlyArray<Item>, other: ReadonlyArray<Item>): Pair | undefined =>
  firstPair(
    one,
    other,
    (from, to) =>
      from.value !== undefined && to.value !== undefined && from.concept !== to.concept &&
      sameDimension(from.value.dimension, to.value.dimension)
  )

/** Where a value stands: "subject", or the preposition it stands behind. */
const placedValues = (frame: Frame): ReadonlyArray<readonly [place: string, value: Item]> =>
  [{ preposition: "subject", items: frame.subject }, ...frame.groups].flatMap(({ items, preposition }) =>
    items.filter(({ value }) => value !== undefined).map((item) => [preposition, item] as const)
  )

/** A value of one stands elsewhere in the other, and where it stood is another: item 15 on shelf 45, item 45 on shelf 135. */
export const valueMoved = (one: Frame, other: Frame): boolean => {
  const [ours, theirs] = [placedValues(one), placedValues(other)]
  const differs = (place: string) => {
    const there = theirs.filter(([at]) => at === place)
    const here = ours.filter(([at]) => at === place)
    return here.length > 0 && there.length > 0 &&
      !here.some(([, item]) => there.some(([, { concept }]) => concept === item.concept))
  }
  return ours.some(([place, item]) =>
    theirs.some(([at, { concept }]) => concept === item.concept && at !== place && differs(place) && differs(at))
  )
}

const families: Readonly<Record<string, string>> = {
  "money EUR": "money",
  months: "duration",
  version: "number",
  range: "number"
}
const familyOf = (dimension: string) => dimension.startsWith("money") ? "money" : families[dimension] ?? dimension

/** Whether two dimensions answer one question: any two currencies, days and years, a version and a number. */
export const sameDimension = (one: string, other: string): boolean => familyOf(one) === familyOf(other)

/** Two words that are opposites or different members of a closed set. */
export const oppositeWords = (one: ReadonlyArray<Item>, other: ReadonlyArray<Item>): Pair | undefined =>
  firstPair(one, other, (from, to) =>
    from.value === undefined && to.value === undefined &&
    (opposes(from.concept, to.concept) ||
      (wordy(from) && wordy(to) && antonymous(from.lemma, to.lemma)) ||
      opposes(from.lemma, to.lemma) || alternatives(from.concept, to.concept) ||
      // "Unsigned" is opposed to "signed", whose lemma is the verb.
      from.text.length !== to.text.length &&
        (denies(from.text.toLowerCase(), to.text.toLowerCase()) ||
          denies(to.text.toLowerCase(), from.text.toLowerCase()))))

/** What may be left over without changing a claim. */
export const isFiller = (item: Item): boolean => fillers.has(item.lemma) || fillers.has(item.concept)

const contradictory = new Set(
  `like dislike|enable disable|open close|open closed|on off|true false|open shut|valid invalid|available unavailable|possible impossible|known unknown|paid unpaid|complete incomplete|occupied vacant|visible invisible|legal illegal|awake asleep|alive dead|married unmarried|employed unemployed|correct wrong|pass fail|success fail|permit forbid|present absent|
  alive dead|lock unlock|odd even|include exclude|public private|online offline|same different|accept reject|finish unfinished`
    .split("|").map((pair) => pair.trim().split(" ").map(conceptOf).sort().join(" "))
)

/** Opposites that leave nothing between them: what is not the one is the other. */
export const complementary = (one: Item, other: Item): boolean =>
  contradictory.has([one.concept, other.concept].sort().join(" ")) || denies(one.lemma, other.lemma) ||
  denies(other.lemma, one.lemma) || denies(one.text.toLowerCase(), other.text.toLowerCase()) ||
  denies(other.text.toLowerCase(), one.text.toLowerCase())
