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

const endings = new Set("ure al ment ation ition ion ance ence ing age".split(" "))

/** "Closure" and "close", which WordNet joins in rarer senses only. */
const formed = (noun: string, verb: string): boolean =>
  [verb, verb.replace(/e$/, "")].some((stem) =>
    stem.length > 2 && noun.startsWith(stem) && endings.has(noun.slice(stem.length))
  )

const ofVerb = (item: Item, verb: string, verbText: string): boolean =>
  item.value === undefined &&
  (verb.includes("_") && verb.replace("_", "") === item.lemma ||
    item.kind !== "name" &&
      (item.concept === verb || formed(item.lemma, verbLemma(verbText.toLowerCase())) || derived(item.lemma, verb) ||
        derived(item.lemma, verbLemma(verbText.toLowerCase()))))

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
  const inner = group("by", things.filter(({ side }) => side === "by"))
  const by = inner.items.length > 0 ? inner : rest.find(({ preposition }) => preposition === "by")
  const done = things.filter(({ side }) => side !== "by")
  if (done.length === 0) return []
  const told: Array<Frame> = by !== undefined && !other.passive
    ? []
    : [{
      ...verbal,
      subject: done,
      passive: other.passive,
      groups: full(inner.items.length > 0 ? [inner, ...rest] : rest)
    }]
  if (by !== undefined) {
    told.push({
      ...verbal,
      subject: by.items.map(({ side: _, ...item }) => item),
      passive: false,
      groups: full([group("", done), ...rest.filter((each) => each !== by)])
    })
  }
  for (let i = 1; by === undefined && i < things.length; i++) {
    const object = group("", things.slice(i))
    told.push({ ...verbal, subject: things.slice(0, i), passive: false, groups: full([object, ...rest]) })
  }
  return told
}

/** The value under the verb is the attribute: kept for 90 days, not until then or before. */
const lasting = ({ groups, verb }: Frame): boolean =>
  groups.every(({ preposition }) => !/^(?:before|until|till|by|since|from|within)$/.test(preposition)) &&
  groups.every(({ items, preposition }) =>
    !items.some(({ value }) => value !== undefined) || /^(?:|for|on|at)$/.test(preposition) ||
    verb === "expire" && /^(?:after|in)$/.test(preposition)
  )

/** "The token's lifetime is an hour", "the Redis port is 6390". */
const asAttribute = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (frame.verb !== "be" || frame.subject.length < 2 || frame.groups.length === 0) return []
  const names = attributes.get(other.verb)
  const at = frame.subject.findLastIndex(({ kind, value }) => kind !== "name" && value === undefined)
  const noun = frame.subject[at]
  if (noun === undefined) return []
  const owners = frame.subject.filter((item) => item !== noun).map(bare)
  const told = { ...frame, verb: other.verb, verbText: other.verbText, passive: other.passive, subject: owners }
  if (names !== undefined && (names.has(noun.lemma) || names.has(noun.concept)) && lasting(other)) {
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
  const rest = purpose.items.filter((item) => !ofVerb(item, other.verb, other.verbText)).map(({ side: _, ...item }) =>
    item
  )
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

/** "Deploying on Fridays is forbidden": do not deploy on Fridays. */
const asRule = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (!frame.passive || !/^(?:forbid|permit)$/.test(frame.verb) || other.verb === frame.verb) return []
  const at = frame.subject.findIndex((item) => ofVerb(item, other.verb, other.verbText) && !isPerson(item))
  const act = frame.subject[at]
  if (act === undefined || at > 0 && !act.text.endsWith("ing") && at !== frame.subject.length - 1) return []
  const rest = frame.subject.filter((item) => item !== act).map(bare)
  const forbidden = frame.verb === "forbid"
  return [{
    ...frame,
    verb: other.verb,
    verbText: other.verbText,
    passive: other.passive,
    command: true,
    subject: other.passive ? rest : [],
    denials: frame.denials + (forbidden ? 1 : 0),
    quantifiers: [...frame.quantifiers, forbidden || frame.denials > 0 ? "must" : "may"].sort(),
    groups: full([{ preposition: "", items: other.passive ? [] : rest, definite: false }, ...frame.groups])
  }]
}

/** "The user wants replies in Spanish": reply in Spanish. */
const asWish = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  const first = frame.groups[0]
  if (!/^(?:want|like|prefer|need)$/.test(frame.verb) || !other.command || first?.preposition !== "") return []
  if (frame.denials > 0 || !/^(?:user|we)$/.test(frame.subject.map(({ lemma }) => lemma).join(" "))) return []
  const noun = first.items.find((item) => ofVerb(item, other.verb, other.verbText))
  if (noun === undefined) return []
  const rest = first.items.filter((item) => item !== noun && item.lemma !== "you")
  return [{
    ...frame,
    verb: other.verb,
    verbText: other.verbText,
    command: true,
    subject: [],
    groups: full([{ ...first, items: rest }, ...frame.groups.slice(1)])
  }]
}

/** "Uses Kafka for the event queue", "works as a nurse": what it is. */
const asState = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (other.verb !== "be" || frame.passive || frame.denials > 0) return []
  const first = frame.groups[0]
  const purpose = frame.groups.find(({ preposition }) => preposition === "for")
  if (frame.verb === "use" && purpose !== undefined && first?.preposition === "") {
    const head = purpose.items[purpose.items.length - 1]!
    const owners = frame.subject.map((item) => ({ ...item, possesses: head.concept }))
    const told = {
      ...frame,
      verb: "be",
      verbText: "is",
      subjectDefinite: true,
      groups: [
        { ...first, items: first.items.map((item) => ({ ...item, predicate: true })) },
        ...frame.groups.filter((each) => each !== first && each !== purpose)
      ]
    }
    return [{ ...told, subject: [...owners, ...purpose.items] }, { ...told, subject: purpose.items }]
  }
  const role = frame.groups.find(({ items, preposition }) => preposition === "as" && items.some(isPerson))
  if (frame.verb !== "work" || role === undefined) return []
  const groups = [{ ...role, preposition: "", items: role.items.map((item) => ({ ...item, predicate: true })) }]
  return [{
    ...frame,
    verb: "be",
    verbText: "is",
    groups: [...groups, ...frame.groups.filter((each) => each !== role)]
  }]
}

/** "Debian 12 runs on the server": the server runs it. "Twelve desks are in the room": the room has them. */
const asHost = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  const place = frame.groups.find(({ preposition }) => /^(?:on|in)$/.test(preposition))
  if (place === undefined || frame.passive || other.passive) return []
  const runs = frame.verb === "run" && other.verb === "run" && place.preposition === "on" &&
    other.groups[0]?.preposition === ""
  const counted = frame.verb === "be" && /^(?:have|contain)$/.test(other.verb) && frame.groups.length === 1 &&
    frame.subject[0]?.value?.dimension === "number" && frame.subject.length > 1
  if (!runs && !counted) return []
  return [{
    ...frame,
    verb: other.verb,
    verbText: other.verbText,
    subject: place.items.map(({ side: _, ...item }) => item),
    subjectDefinite: place.definite,
    groups: full([group("", frame.subject), ...frame.groups.filter((each) => each !== place)])
  }]
}

const marry = conceptOf("marry")

/** "Paolo is the husband of Ines": Ines is married to Paolo. */
const asSpouse = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  const first = frame.groups[0]
  if (frame.verb !== "be" || other.verb !== marry || first?.preposition !== "") return []
  for (const [owned, whom] of [[frame.subject, first.items], [first.items, frame.subject]] as const) {
    const noun = owned[owned.length - 1]
    if (noun === undefined || owned.length < 2 || !/^(?:husband|wife|spouse)$/.test(noun.lemma)) continue
    const to = whom.map((item) => ({ ...bare(item), side: "to" }))
    return [{
      ...frame,
      verb: marry,
      verbText: other.verbText,
      passive: other.passive,
      subject: owned.slice(0, -1).map(bare),
      groups: [group("to", to), ...frame.groups.slice(1)]
    }]
  }
  return []
}

/** "Customers may return goods": goods may be returned, by customers. "The cafe bans dogs": dogs are banned there. */
const asPassive = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  const object = frame.groups[0]
  const house = /^(?:forbid|permit)$/.test(frame.verb)
  if (!other.passive || frame.passive || object?.preposition !== "" || frame.subject.length === 0) return []
  if (frame.verb !== other.verb && !(house && /^(?:forbid|permit)$/.test(other.verb))) return []
  const doer = house ? group("in", frame.subject) : group("by", frame.subject)
  return [{
    ...frame,
    passive: true,
    subject: object.items,
    subjectDefinite: object.definite,
    groups: [doer, ...frame.groups.slice(1)]
  }]
}

/** Gives the value of a telling the place it has in the other claim: "is an hour", "after an hour". */
const placed = (telling: Frame, other: Frame): Frame => {
  const groups = telling.groups.map((each) => {
    const [value] = each.items
    if (each.preposition !== "" || each.items.length !== 1 || value?.value === undefined) return each
    const { dimension } = value.value
    const home = other.groups.find(({ items }) => items.some((item) => item.value?.dimension === dimension))
    const item = home?.items.find((candidate) => candidate.value?.dimension === dimension)
    if (home === undefined || item === undefined || !/^(?:|after|for|on|at|in)$/.test(home.preposition)) return each
    const { side: _, ...rest } = value
    return {
      ...each,
      preposition: home.preposition,
      items: [item.side === undefined ? rest : { ...rest, side: item.side }]
    }
  })
  return { ...telling, groups }
}

/** The ways to tell the first frame with the verb of the second. */
export const tellings = (frame: Frame, other: Frame): ReadonlyArray<Frame> => {
  if (other.verb === "") return []
  if (other.verb === "be") return asState(frame, other)
  if (frame.verb === other.verb) return [...asNeed(frame, other), ...asHost(frame, other), ...asPassive(frame, other)]
  return [
    ...[...asEvent(frame, other), ...asAttribute(frame, other)].map((telling) => placed(telling, other)),
    ...asMeans(frame, other),
    ...asRole(frame, other),
    ...asDeed(frame, other),
    ...asSpent(frame, other),
    ...asRule(frame, other),
    ...asWish(frame, other),
    ...asHost(frame, other),
    ...asSpouse(frame, other),
    ...asPassive(frame, other)
  ]
}
