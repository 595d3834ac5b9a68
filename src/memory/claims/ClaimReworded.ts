/**
 * Two claims whose grammar differs and that yet answer one question: the names are shared, at most one of them says more
 * than the other, and one value, denial or opposite differs. Templates filled with other things ("the front door", "the
 * back door") leave a word over on both sides, and so are no such pair.
 */
import { against, answer, type Comparison, quoted } from "./ClaimComparison.ts"
import { complements, type Frame, type Item, textOf } from "./ClaimFrame.ts"
import { differingValues, isFiller, type Match, oppositeWords, sameDimension, valueMoved } from "./ClaimMatch.ts"
import { ruleOf } from "./ClaimObjects.ts"
import { headOf, relateSubjects } from "./ClaimSubjects.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { lightVerbs, questions } from "./ClaimVerbs.ts"
import { kindNouns } from "./ClaimWords.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/).map(conceptOf))

/** Words that a value or a place carries: a claim says no other thing for having one of them more. */
const thin = set(`stand keep hold stay sit lie live place locate base store set schedule happen occur plan fix begin
  start last take run go cost charge price pay amount total come count send go_out deliver appear earn hang find temperature term level speed capacity maximum minimum max min number measure weigh contain include exist get
  give say mean call name find need require use use install put make work open day date time year month hour week value
  format rate fee figure size length height weight duration age kind sort type way total sum one thing daily weekly monthly
  everyone everybody every each only single whole exact worth member people person allow let limit cap follow`)

/** A verb or noun that says no more than the value or the place beside it. */
export const isThin = ({ concept, lemma }: Item): boolean =>
  thin.has(concept) || thin.has(lemma) || lightVerbs.has(concept) || kindNouns.has(lemma)

const isStrong = (item: Item): boolean =>
  // A live key, not where one lives.
  item.kind === "adjective" && item.lemma === "live" ||
  item.value === undefined && item.kind !== "pronoun" && !isFiller(item) && !isThin(item)

/** A thing of its own: it heads the subject or is what the verb is said of, not a circumstance. */
const isHead = (item: Item, frame: Frame): boolean =>
  headOf(frame.subject) === item || item.kind === "verb" && item.concept === frame.verb ||
  frame.groups.some((group) => group.preposition === "" && headOf(group.items) === item && item.kind !== "adjective")

const anchored = (one: Frame, other: Frame, match: Match): boolean => {
  const lone = new Set([...match.left, ...match.right])
  const all = [...one.subject, ...complements(one)]
  const told = [...all, { concept: one.verb, lemma: one.verb, text: one.verbText, kind: "verb" as const }]
  const shared = told.filter((item) => !lone.has(item) && item.value === undefined && !lightVerbs.has(item.concept))
  const names = shared.filter(({ kind }) => kind === "name").length
  const nouns = shared.filter(({ concept, kind, lemma }) =>
    kind === "noun" || kind === "adjective"
      ? !kindNouns.has(lemma)
      : kind === "verb" && !match.left.some((item) => item.kind === "verb" && item.concept === concept)
  )
  // A part of a key names another key.
  if ([...lone].some(({ part }) => part === true)) return false
  const loneNames = (items: ReadonlyArray<Item>) => items.filter(({ kind }) => kind === "name").length
  if (loneNames(match.left) > 0 && loneNames(match.right) > 0) return false
  // What one of them is about stands somewhere in the other.
  const heads = [headOf(one.subject), headOf(other.subject)]
  const met = heads.some((head) => head !== undefined && !lone.has(head) && head.value === undefined)
  // One thing of which both say only how often, how much or when.
  const attributes = (items: ReadonlyArray<Item>) =>
    items.filter(({ kind, lemma }) => kind === "noun" && thin.has(lemma)).length
  const same = valuePairs(match) === 1 && (relateSubjects(one, other) === "equal" ||
    attributes(match.left) + attributes(match.right) === 1 && [...lone].every((item) => !isStrong(item)))
  return met && (same || names > 0 && nouns.length > 0 || names > 1 || nouns.length > 1)
}

/** The comparison of two claims that the grammar keeps apart, or undefined when nothing ties them together. */
export const compareReworded = (one: Frame, other: Frame, match: Match): Comparison | undefined => {
  const opposed = (one.denials + other.denials) % 2 === 1
  const ousted = replaced(one, other) ?? replaced(other, one)
  if (ousted !== undefined && !opposed) return answer("differs", "change", `It is no longer ${quoted(ousted)}.`)
  const strong = (items: ReadonlyArray<Item>) => items.filter(isStrong)
  const [left, right] = [strong(match.left), strong(match.right)]
  const opposite = oppositeWords(match.left, match.right)
  const rest = (items: ReadonlyArray<Item>, item: Item | undefined) => items.filter((each) => each !== item)
  const [ours, theirs] = [rest(left, opposite?.from), rest(right, opposite?.to)]
  // Ends on and runs out on ask the same.
  const [asked, answered] = [ours[0], theirs[0]]
  const question = asked === undefined ? undefined : questions.get(asked.concept)
  const oneQuestion = ours.length === 1 && theirs.length === 1 && question !== undefined &&
    question === questions.get(answered!.concept)
  if (oneQuestion) return compareStripped(one, other, match, asked!, answered!)
  if (ours.length > 0 && theirs.length > 0) return undefined
  if (ours.some((item) => isHead(item, one)) || theirs.some((item) => isHead(item, other))) return undefined
  if (!anchored(one, other, match)) return undefined
  const pairs = valuePairs(match)
  // The morning train and the evening train leave at two times.
  const told = (items: ReadonlyArray<Item>) => items.some(({ value }) => value !== undefined)
  if (
    pairs > 1 || pairs === 1 && valueMoved(one, other) ||
    opposite !== undefined && told(match.left) && told(match.right)
  ) return undefined
  const values = differingValues(match.left, match.right)
  if (values !== undefined) {
    return opposed || opposite !== undefined ? undefined : answer(
      "differs",
      ruleOf(values.from.value!.dimension),
      `They differ in ${against(values.from.text, values.to.text)}.`
    )
  }
  if (opposite !== undefined) {
    return opposed ? undefined : answer(
      "differs",
      "antonym",
      `Opposites: ${against(opposite.from.text, opposite.to.text)}.`
    )
  }
  return opposed && match.left.length + match.right.length <= 5
    ? answer(
      "differs",
      "negation",
      `One denies what the other says of ${quoted(textOf(one.subject) || one.verbText || "it")}.`
    )
    : undefined
}

const compareStripped = (one: Frame, other: Frame, match: Match, from: Item, to: Item): Comparison | undefined =>
  compareReworded(one, other, {
    shared: match.shared,
    left: match.left.filter((item) => item !== from),
    right: match.right.filter((item) => item !== to)
  })

/** "Handled by Orbis instead of Nordlys" against what Nordlys does. */
const replaced = (news: Frame, state: Frame): string | undefined => {
  const old = news.groups.find(({ preposition }) => preposition === "instead")?.items ?? []
  if (old.length === 0) return undefined
  const told = [...state.subject, ...complements(state)]
  const has = (items: ReadonlyArray<Item>, concept: string) => items.some((item) => item.concept === concept)
  const rest = [
    ...news.subject,
    ...news.groups.filter(({ preposition }) => preposition !== "instead").flatMap(({ items }) => items)
  ]
  return old.every(({ concept }) => has(told, concept)) &&
      rest.some((item) => isStrong(item) && has(told, item.concept))
    ? textOf(old)
    : undefined
}

/** How many values of either side have a differing counterpart of their dimension. */
const valuePairs = ({ left, right }: Match): number =>
  left.filter(({ value }) =>
    value !== undefined &&
    right.some((item) => item.value !== undefined && sameDimension(item.value.dimension, value.dimension))
  ).length

const scopes = set(`spring summer autumn winter weekday weekend morning noon afternoon evening night day term holiday
  season semester termtime daytime nighttime overnight weekdays weekends christmas easter breakfast lunch dinner peak offpeak`)

const isScope = ({ concept, lemma, value }: Item): boolean =>
  value === undefined
    ? scopes.has(concept) || scopes.has(lemma)
    // "On Saturdays", not "on Saturday".
    : value.dimension === "weekday" && value.text.endsWith("s") ||
      /^(?:number:(?:19|20)\d\d|date:\d{4}--|date:-\d\d-|repeat:(?:weekday|weekend|morning|evening|afternoon|night))$/
        .test(
          value.key
        )

/** A day; two of them may also be two answers to the question when. */
const isDay = ({ value }: Item): boolean => value !== undefined && /^date:.*-\d\d$/.test(value.key)

const temporal = /^(?:time|date|weekday|repeat)/

/** One is said of what was before and the other of what was after the same. */
const areParted = (one: Frame, other: Frame): boolean =>
  [["before", "after"], ["after", "before"]].some(([here, there]) =>
    one.groups.some(({ items, preposition }) =>
      preposition === here &&
      other.groups.some((group) =>
        group.preposition === there && items.some(({ concept }) => group.items.some((item) => item.concept === concept))
      )
    )
  )

/** Each of them is said of its own season, year, day or part of the day, and says another thing of it. */
export const areScoped = (one: Frame, other: Frame, { left, right }: Match): boolean => {
  const more = (items: ReadonlyArray<Item>, scope: Item | undefined, timeless: boolean) =>
    items.some((item) =>
      item !== scope && item.kind !== "adverb" && item.kind !== "verb" &&
      !(timeless && item.value !== undefined && temporal.test(item.value.dimension))
    )
  if (areParted(one, other) && more(left, undefined, true) && more(right, undefined, true)) return true
  const scoped = (is: (item: Item) => boolean, timeless: boolean) => {
    const [ours, theirs] = [left.find(is), right.find(is)]
    return ours !== undefined && theirs !== undefined && more(left, ours, timeless) && more(right, theirs, timeless)
  }
  return scoped(isScope, false) || scoped(isDay, true)
}

/** Two verbs with a meaning of their own and nothing in common behind the subject: two facts, however close they come. */
export const areTwoFacts = (
  one: Frame,
  other: Frame,
  match: Match,
  shared: number,
  weak: ReadonlySet<string>,
  similarity: number
): boolean => {
  const opposite = oppositeWords(match.left, match.right)
  const opposed = (one.denials + other.denials) % 2 === 1 || opposite !== undefined
  const valued = (items: ReadonlyArray<Item>) => items.some(({ value }) => value !== undefined)
  const elsewhere = (items: ReadonlyArray<Item>) => items.some(({ kind }) => kind === "name")
  // Allowed here and banned there; open from nine and closed from six.
  if (opposed && elsewhere(match.left) && elsewhere(match.right)) return true
  if (
    opposite !== undefined && opposite.from.kind === "verb" && ends.has(opposite.from.concept) && valued(match.left) &&
    valued(match.right)
  ) {
    return true
  }
  const full = (items: ReadonlyArray<Item>) =>
    items.some(({ concept, kind }) =>
      kind === "verb" && !lightVerbs.has(concept) && !thinVerbs.has(concept) && !weak.has(concept)
    )
  if (one.verb === other.verb || !full(match.left) || !full(match.right) || shared > 0) return false
  const [ours, theirs] = [complements(one), complements(other)]
  const things = (items: ReadonlyArray<Item>) => items.some((item) => item.kind === "noun" && isStrong(item))
  return (ours.length > 0 && theirs.length > 0 || opposed) && opposite === undefined &&
    (valuePairs(match) === 0 || similarity < oneEvent || things(match.left) && things(match.right))
}

// Two dates of two verbs that come closer are as often one event told twice.
const oneEvent = 0.86
const ends = set("begin end open close arrive leave enter")
const thinVerbs = set("get go come become stay remain")
