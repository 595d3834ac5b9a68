/**
 * One claim told with the verb of another: "Mira's resignation was on Friday" as "Mira resigned on Friday", "log retention
 * is 90 days" as "logs are kept for 90 days", "use tabs for indentation" as "indent with tabs". A telling only moves words
 * into the places the other grammar has for them; whether they then agree is asked as always. The verb must be the noun's
 * own, or stand beside it in a table.
 */
import type { Frame, Group, Item } from "./ClaimFrame.ts"
import { nounFields, verbLemma } from "./ClaimLexicon.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { derived } from "./ClaimThesaurus.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/).map(conceptOf))

/** Verbs that say of an event only that it was. */
const happening = set("be happen come occur take_place fall follow")

/** What a verb's value is called: "expires after an hour", "the lifetime is an hour". */
const attributes: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  `expire lifetime expiry expiration validity
keep retention
retain retention
last duration length runtime
take duration runtime
cost price fee cost charge fare
weigh weight
permit limit maximum
limit limit
earn salary wage
charge fee rate price
read title
pay fee price
happen date time
begin start beginning kickoff
end end finish
stand location position
sit location position
locate location position address
live address residence
speak language
drive car
call name
name name`.split("\n").map((line) => {
    const [verb = "", ...nouns] = line.split(" ")
    return [conceptOf(verb), new Set(nouns.flatMap((noun) => [noun, conceptOf(noun)]))] as const
  })
)

/** What only says that the value of an event is a time or a degree: closing time, melting point. */
const degrees = new Set("time date point day hour temperature period".split(" "))
/** Verbs under which an attribute is named beside its value: has a limit of 5, listens on port 80. */
const bearing = set("have use listen run carry feature")

const ofVerb = (item: Item, verb: string, verbText: string): boolean =>
  item.value === undefined && item.kind !== "name" &&
  (item.concept === verb || derived(item.lemma, verb) || derived(item.lemma, verbLemma(verbText.toLowerCase())))

const isPerson = ({ kind, lemma }: Item): boolean => kind === "noun" && nounFields(lemma).includes(18)

const bare = ({ possesses: _, predicate: __, ...item }: Item): Item => item
const group = (preposition: string, items: ReadonlyArray<Item>): Group => ({ preposition, items, definite: true })

const full = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> => groups.filter(({ items }) => items.length > 0)

const unpredicated = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> =>
  groups.map((each) => ({ ...each, items: each.items.map(({ predicate: _, ...item }) => item) }))

/** "X's resignation was on Friday", "the closure of X", "our inspection of X takes place yearly". */
const asEvent = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (!happening.has(frame.verb) || frame.subject.length < 2) return []
  const at = frame.subject.findLastIndex((item) => !isPerson(item) && ofVerb(item, other.verb, other.verbText))
  if (at < 0) return []
  const behind = frame.subject.slice(at + 1)
  if (!behind.every(({ lemma }) => degrees.has(lemma)) && at !== 0) return []
  const owners = (at === 0 ? behind.filter(({ lemma }) => !degrees.has(lemma)) : frame.subject.slice(0, at)).map(bare)
  const things = owners.filter(({ value }) => value === undefined)
  const values = owners.filter(({ value }) => value !== undefined)
  if (things.length === 0) return []
  const verbal = { ...frame, verb: other.verb, verbText: other.verbText, perfect: other.perfect, subjectDefinite: true }
  const rest = [...unpredicated(frame.groups), group("", values)]
  const by = rest.find(({ preposition }) => preposition === "by")
  const told: Array<Frame> = [{ ...verbal, subject: things, passive: other.passive, groups: full(rest) }]
  if (by !== undefined) {
    told.push({
      ...verbal,
      subject: by.items,
      passive: false,
      groups: full([group("", things), ...rest.filter((each) => each !== by)])
    })
  }
  for (let i = 1; i < things.length; i++) {
    const [doer, done] = [things.slice(0, i), things.slice(i)]
    told.push({ ...verbal, subject: doer, passive: false, groups: full([group("", done), ...rest]) })
  }
  return told
}

/** "The token's lifetime is an hour", "the Redis port is 6390". */
const asAttribute = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (frame.verb !== "be" || frame.subject.length < 2 || frame.groups.length === 0) return []
  const names = attributes.get(other.verb)
  const at = frame.subject.findLastIndex(({ kind, value }) => kind !== "name" && value === undefined)
  const noun = frame.subject[at]
  if (noun === undefined) return []
  const owners = frame.subject.filter((item) => item !== noun).map(bare)
  const told = { ...frame, verb: other.verb, verbText: other.verbText, passive: other.passive, subject: owners }
  if (names !== undefined && (names.has(noun.lemma) || names.has(noun.concept))) {
    return [{ ...told, groups: unpredicated(frame.groups) }]
  }
  const named = bearing.has(other.verb) &&
    other.groups.some(({ items }) => items.some(({ concept }) => concept === noun.concept))
  return named ? [{ ...told, groups: [group("", [bare(noun)]), ...unpredicated(frame.groups)] }] : []
}

/** "Use tabs for indentation": indent with tabs. */
const asMeans = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  const means = frame.groups[0]
  if (frame.verb !== "use" || means?.preposition !== "" || frame.passive) return []
  const purpose = frame.groups.find(({ items, preposition }) =>
    /^(?:for|to)$/.test(preposition) && items.some((item) => ofVerb(item, other.verb, other.verbText))
  )
  if (purpose === undefined) return []
  const rest = purpose.items.filter((item) => !ofVerb(item, other.verb, other.verbText)).map(({ side: _, ...item }) => item)
  const instrument = means.items.map((item) => ({ ...item, side: "with" }))
  return [{
    ...frame,
    verb: other.verb,
    verbText: other.verbText,
    groups: full([
      { preposition: "", items: rest, definite: false },
      { ...means, preposition: "with", items: instrument },
      ...frame.groups.filter((each) => each !== means && each !== purpose)
    ])
  }]
}

/** "Two people are needed for the crane": the crane needs two people. */
const asNeed = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (frame.verb !== "need" || !frame.passive || other.verb !== "need" || other.passive) return []
  const purpose = frame.groups.find(({ preposition }) => preposition === "for")
  return purpose === undefined ? [] : [{
    ...frame,
    passive: false,
    subject: purpose.items,
    subjectDefinite: purpose.definite,
    groups: [group("", frame.subject), ...frame.groups.filter((each) => each !== purpose)]
  }]
}

/** "Is a chemistry teacher at": teaches chemistry at. */
const asRole = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  const first = frame.groups[0]
  if (frame.verb !== "be" || first?.preposition !== "" || other.passive) return []
  const noun = first.items[first.items.length - 1]
  const before = first.items.slice(0, -1)
  if (
    noun === undefined || before.length === 0 || !isPerson(noun) || !/(?:er|or|ist)$/.test(noun.lemma) ||
    before.some(({ kind, possesses }) => kind !== "noun" || possesses !== undefined) ||
    !ofVerb(noun, other.verb, other.verbText)
  ) {
    return []
  }
  return [{
    ...frame,
    verb: other.verb,
    verbText: other.verbText,
    groups: [{ ...first, items: before.map(bare) }, ...frame.groups.slice(1)]
  }]
}

/** "There was a complaint from the client about the noise": the client complained about it. */
const asDeed = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  const first = frame.groups[0]
  if (frame.verb !== "be" || frame.subject.length > 0 || first?.preposition !== "") return []
  const from = frame.groups.find(({ preposition }) => preposition === "from" || preposition === "by")
  const noun = first.items[first.items.length - 1]
  if (from === undefined || noun === undefined || isPerson(noun) || !ofVerb(noun, other.verb, other.verbText)) return []
  return [{
    ...frame,
    verb: other.verb,
    verbText: other.verbText,
    command: false,
    subject: from.items.map(({ side: _, ...item }) => item),
    subjectDefinite: from.definite,
    groups: full([
      { ...first, items: first.items.slice(0, -1).map(bare) },
      ...frame.groups.filter((each) => each !== first && each !== from)
    ])
  }]
}

/** "Half of the fund goes to repairs": it is spent on them. */
const asSpent = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (frame.verb !== "go" || other.verb !== "spend" || !other.passive) return []
  if (!frame.subject.some(({ value }) => value !== undefined && /^(?:percent|money)/.test(value.dimension))) return []
  const groups = frame.groups.map((each) =>
    each.preposition === "to"
      ? { ...each, preposition: "on", items: each.items.map(({ side: _, ...item }) => item) }
      : each
  )
  return [{ ...frame, verb: other.verb, verbText: other.verbText, passive: true, groups }]
}

/** The ways to tell the first frame with the verb of the second. */
export const tellings = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (other.verb === "" || other.verb === "be" || frame.verb === other.verb && frame.verb !== "need") return []
  return [
    ...asEvent(frame, other),
    ...asAttribute(frame, other),
    ...asMeans(frame, other),
    ...asNeed(frame, other),
    ...asRole(frame, other),
    ...asDeed(frame, other),
    ...asSpent(frame, other)
  ]
}
