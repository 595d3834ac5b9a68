/**
 * One subject, one verb, other complements: are these two answers to one question, or two facts that go together? The
 * verb decides (one can like many things, but live in one place), then what kind of thing the two objects are.
 */
import { against, answer, type Comparison } from "./ClaimComparison.ts"
import { type Frame, type Item, textOf } from "./ClaimFrame.ts"
import { nounFields } from "./ClaimLexicon.ts"
import { differingValues } from "./ClaimMatch.ts"
import { headOf } from "./ClaimSubjects.ts"
import { manyValued, oneValued } from "./ClaimVerbs.ts"
import { placing } from "./ClaimWords.ts"

interface Difference {
  readonly preposition: string
  readonly from: ReadonlyArray<Item>
  readonly to: ReadonlyArray<Item>
}

const questionOf = (preposition: string, verb: string): string => {
  if (placing.has(preposition)) return "at"
  if (/^(?:via|over|through)$/.test(preposition)) return "by"
  if (verb === "work" && /^(?:for|with)$/.test(preposition)) return "at"
  return preposition
}

/** The complements in which the two claims differ, by the question they answer. */
const differencesOf = (
  one: Frame,
  other: Frame,
  left: ReadonlySet<Item>,
  right: ReadonlySet<Item>
): ReadonlyArray<Difference> => {
  const found = new Map<string, { from: Array<Item>; to: Array<Item> }>()
  const add = (frame: Frame, lone: ReadonlySet<Item>, side: "from" | "to") => {
    for (const { items, preposition } of frame.groups) {
      const question = questionOf(preposition, frame.verb)
      for (const item of items) {
        if (!lone.has(item)) continue
        // A value answers by its dimension, wherever it stands.
        const at = item.value !== undefined && item.value.dimension !== "number"
          ? item.value.dimension.replace(/^money .*/, "money")
          : question
        const entry = found.get(at) ?? { from: [], to: [] }
        entry[side].push(item)
        found.set(at, entry)
      }
    }
  }
  add(one, left, "from")
  add(other, right, "to")
  return [...found].map(([preposition, { from, to }]) => ({ preposition, from, to }))
}

// How, for what or with whom: several may hold.
const accompanying = new Set([
  "for",
  "as",
  "with",
  "about",
  "because",
  "like",
  "than",
  "while",
  "when",
  "if",
  "before",
  "after",
  "during",
  "through"
])

const manyPlaces = new Set([
  "depend",
  "connect",
  "talk",
  "speak",
  "go",
  "travel",
  "listen",
  "look",
  "interest",
  "fly",
  "contribute",
  "apply",
  "integrate",
  "sell",
  "invest",
  "participate",
  "believe",
  "appear",
  "send",
  "write",
  "play",
  "see",
  "meet",
  "buy"
])

/** Verbs that take one object, whatever else is said beside it. */
const strict = new Set(["name", "live", "born", "wedding", "cost", "weigh", "locate", "lead", "own", "manage"])

/** Adjectives that can be said towards many things. */
const open = new Set(
  `allergic interest good bad afraid fond familiar responsible able keen proficient fluent addicted aware
  compatible similar relate skilled experienced passionate proud scared available open great curious`.split(/\s+/)
)

const kinship = new Set(
  `father mother parent friend fan member neighbour neighbor brother sister sibling uncle aunt cousin
  grandmother grandfather husband wife spouse owner user customer supporter`.split(/\s+/)
)

// WordNet's lexicographer files.
const personField = 18
const attributeFields: ReadonlySet<number> = new Set([7, 9, 10, 26])

const compatibleKinds = (from: ReadonlyArray<Item>, to: ReadonlyArray<Item>): boolean => {
  const [one, other] = [headOf(from), headOf(to)]
  if (one === undefined || other === undefined) return false
  if ((one.value === undefined) !== (other.value === undefined)) return false
  if (one.kind === "name" || other.kind === "name") return true
  const [ours, theirs] = [nounFields(one.lemma), nounFields(other.lemma)]
  return ours.length === 0 || theirs.length === 0 || ours.some((field) => theirs.includes(field))
}

export const compareObjects = (
  one: Frame,
  other: Frame,
  left: ReadonlyArray<Item>,
  right: ReadonlyArray<Item>
): Comparison => {
  const all = differencesOf(one, other, new Set(left), new Set(right))
  const replaced = all.filter(({ from, to }) => from.length > 0 && to.length > 0)
  const subject = textOf(one.subject).toLowerCase()
  const several = answer("other", "compatible", `Both can hold of ${subject === "" ? "it" : subject}.`)
  const first = replaced[0]
  if (first === undefined) return several
  if (replaced.length > 1) {
    if (replaced.every(({ from, to }) => differingValues(from, to) !== undefined)) {
      return difference(one, subject, replaced[0]!)
    }
    return several
  }
  const { from, preposition, to } = first
  // In Lyon and in 1984: where and when. Never this and never that: both hold.
  const told = (items: ReadonlyArray<Item>) => items.every(({ value }) => value !== undefined)
  if (verbal(one.verb) && told(from) !== told(to) && preposition !== "") return several
  const denied = one.denials % 2 === 1 && other.denials % 2 === 1
  if (denied && (one.command && other.command || differingValues(from, to) === undefined)) return several
  if (one.tense === "past" && preposition === "at" && !one.passive && [from, to].every(isEvent)) return several
  // "Use British spelling", "use metric units": two rules.
  if (
    one.command && other.command && from.length > 1 && to.length > 1 && differingValues(from, to) === undefined &&
    headOf(from)?.concept !== headOf(to)?.concept && !to.some(({ kind }) => kind === "name" || kind === "value") &&
    preposition === ""
  ) return several
  // Something else is said of each besides: two facts.
  const besides = all.filter((each) => each !== first && each.from.length + each.to.length > 0)
  if (differingValues(from, to) !== undefined) {
    const plainFrom = from.filter(({ value }) => value === undefined)
    const plainTo = to.filter(({ value }) => value === undefined)
    if (plainFrom.length === 0 || plainTo.length === 0) return difference(one, subject, first)
  }
  // Two or more of the groups differ in words: two facts of one kind.
  const places = (frame: Frame, items: ReadonlyArray<Item>) =>
    frame.groups.filter((group) => group.items.some((item) => item.value === undefined && items.includes(item))).length
  if (places(one, from) > 1 && places(other, to) > 1) return several
  const verb = one.verb
  // Two words against two words without a verb: they may say anything.
  if (verb === "" && from.length > 1 && to.length > 1) return several
  if (verb === "be") return copula(one, other, first, subject, several)
  if (preposition === "") {
    if (manyValued.has(verb) && !oneValued.has(verb)) {
      // One slot besides is the same for both: drums or guitar in the band, coffee or tea at breakfast.
      const shared = one.groups.some((group) =>
        group.preposition !== "" && group.items.length > 0 && group.items.every((item) => !left.includes(item))
      )
      return shared && besides.length === 0 && compatibleKinds(from, to) && !one.command
        ? { ...difference(one, subject, first), relation: "unsure", substitution: null }
        : several
    }
    if (besides.length > 0 && !strict.has(verb)) return several
    // One owns many things; a known thing has one owner, which is another question.
    if (verb === "own" && !one.groups.some((group) => group.preposition === "" && group.definite)) return several
    if (!oneValued.has(verb) && !compatibleKinds(from, to)) return several
    return difference(one, subject, first)
  }
  if (accompanying.has(preposition) || (manyPlaces.has(verb) && !one.passive)) return several
  return difference(one, subject, first)
}

const verbal = (verb: string): boolean => verb !== "be" && verb !== ""

// WordNet's files of acts and events.
const isEvent = (items: ReadonlyArray<Item>): boolean => {
  const head = headOf(items)
  return head !== undefined && nounFields(head.lemma).some((field) => field === 4 || field === 11)
}

const difference = (frame: Frame, subject: string, { from, preposition, to }: Difference): Comparison => {
  const pair = differingValues(from, to)
  const names = from.every(({ kind }) => kind === "name") && to.every(({ kind }) => kind === "name")
  const phrase = preposition === "" || pair !== undefined
    ? frame.verb
    : `${frame.verb} ${preposition === "at" ? "in" : preposition}`
  return answer(
    "differs",
    pair !== undefined ? ruleOf(pair.from.value!.dimension) : names ? "name" : "object",
    `${sentence(pair === undefined ? against(textOf(from), textOf(to)) : against(pair.from.text, pair.to.text))}`,
    subject === "" ? null : { subject, predicate: phrase }
  )
}

const sentence = (text: string) => `They differ in ${text}.`

/** The rule's name for a dimension of values. */
export const ruleOf = (dimension: string): string => {
  if (dimension.startsWith("money")) return "currency"
  if (dimension === "weekday" || dimension === "ordinal") return "date"
  if (/^(?:number|time|date|version|range)$/.test(dimension)) return dimension === "range" ? "number" : dimension
  return dimension === "repeat" ? "time" : "unit"
}

const timed = (frame: Frame): boolean =>
  frame.groups.some(({ items, preposition }) =>
    /^(?:from|until|till|since|in|during|between|before|after)$/.test(preposition) &&
    items.some(({ value }) => value !== undefined)
  )

const copula = (one: Frame, other: Frame, found: Difference, subject: string, several: Comparison): Comparison => {
  const { from, preposition, to } = found
  const head = headOf(one.subject)
  const [ours, theirs] = [headOf(from), headOf(to)]
  // What was and what is need not exclude each other when each has its time.
  if ((one.tense === "past") !== (other.tense === "past") && [one, other].every(timed)) return several
  if (preposition !== "") {
    const towards = one.groups.some((group) =>
      group.preposition === "" && group.items.some(({ concept }) => open.has(concept))
    )
    return towards || preposition === "to" && one.groups.every((group) => group.preposition !== "") ||
        (accompanying.has(preposition) && preposition !== "by")
      ? several
      : difference(one, subject, found)
  }
  if (head === undefined || ours === undefined || theirs === undefined) return several
  const isPerson = head.kind === "name" || head.kind === "pronoun" || nounFields(head.lemma).includes(personField)
  // Two notes, or a note and a sentence, of one key.
  if ((one.assigned === true || other.assigned === true) && from.length === 1 && to.length === 1 && !isPerson) {
    return difference(one, subject, found)
  }
  const adjective = (item: Item) => item.kind === "adjective" || item.kind === "verb" || item.kind === "adverb"
  if (adjective(ours) || adjective(theirs)) {
    // "The colour is teal", "the status is draft": the subject asks for one answer, whatever it is.
    const asks = !isPerson && nounFields(head.lemma).some((field) => attributeFields.has(field))
    return asks ? difference(one, subject, found) : several
  }
  if (isPerson) {
    if (kinship.has(ours.lemma) !== kinship.has(theirs.lemma)) return several
    const persons = [ours, theirs].every(({ kind, lemma }) =>
      kind === "noun" && nounFields(lemma).includes(personField)
    )
    return persons
      ? difference(one, subject, found)
      : compatibleKinds(from, to)
      ? difference(one, subject, found)
      : several
  }
  return compatibleKinds(from, to) || (one.subjectDefinite && other.subjectDefinite)
    ? difference(one, subject, found)
    : several
}
