/**
 * Whether two claims are about one thing. The head of a subject (its last noun) and what specifies it must agree: a
 * production and a staging database, Emma's cat and Emma's dog are two things; "the meeting" and "the weekly meeting" may
 * be one.
 */
import { plainConverse } from "./ClaimConverses.ts"
import type { Frame, Item } from "./ClaimFrame.ts"
import { complements } from "./ClaimFrame.ts"
import { formsOf, nounFields, verbLemma } from "./ClaimLexicon.ts"
import { matchItems } from "./ClaimMatch.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { nominal } from "./ClaimVerbs.ts"
import { kindNouns, placing } from "./ClaimWords.ts"

export type SubjectRelation = "equal" | "compatible" | "different"

const vague: ReadonlySet<string> = new Set(["it", "he", "she", "they", "this", "that", "them", "him", "who", "there"])

const isVague = (items: ReadonlyArray<Item>): boolean =>
  items.length === 0 || (items.length === 1 && vague.has(items[0]!.lemma))

export const headOf = (items: ReadonlyArray<Item>): Item | undefined => {
  const nouns = items.filter(({ kind }) => kind === "noun" || kind === "name" || kind === "pronoun")
  // The production environment is the production.
  return nouns.findLast(({ lemma }) => !kindNouns.has(lemma)) ?? nouns[nouns.length - 1] ?? items[items.length - 1]
}

export const relateSubjects = (one: Frame, other: Frame): SubjectRelation => {
  const { left, right, shared } = matchItems(one.subject, other.subject)
  if (left.length === 0 && right.length === 0) return "equal"
  if (isVague(one.subject) || isVague(other.subject)) {
    // A command and a statement are two things; a fragment without a subject may be either.
    return one.command === other.command || one.subject.length + other.subject.length === 1 ? "compatible" : "different"
  }
  if (shared === 0 || (left.length > 0 && right.length > 0)) return "different"
  if ([...left, ...right].some(({ part }) => part === true)) return "different"
  const keyed = (items: ReadonlyArray<Item>) => items.some(({ part }) => part === true)
  if (keyed(one.subject) !== keyed(other.subject) && left.length + right.length > 0) return "different"
  return headOf(one.subject)?.concept === headOf(other.subject)?.concept ? "compatible" : "different"
}

/** A copula turned round where the complement names the thing asked for: "Rust is the language …". */
export const turned = (frame: Frame): Frame | undefined => {
  if (frame.verb !== "be" || frame.groups.length === 0) return undefined
  const first = frame.groups[0]!
  if (first.preposition !== "") return undefined
  return {
    ...frame,
    subject: [
      ...frame.groups.slice(1).filter(({ preposition }) => preposition === "for").flatMap(({ items }) => items),
      ...first.items
    ],
    subjectDefinite: first.definite,
    groups: [
      { preposition: "", items: frame.subject, definite: frame.subjectDefinite },
      ...frame.groups.slice(1).filter(({ preposition }) => preposition !== "for")
    ]
  }
}

/** One form for what is said in several: a passive with its agent, a noun that stands for a verb. */
export const plain = (given: Frame): Frame => addressed(plainSaid(given))

/** "You must not", "you may": what is told to whoever reads. */
const addressed = (frame: Frame): Frame =>
  frame.subject.length === 1 && frame.subject[0]!.lemma === "you" && frame.subject[0]!.possesses === undefined &&
    frame.quantifiers.some((name) => /^(?:must|may|should|can)$/.test(name))
    ? { ...frame, subject: [], command: true }
    : frame

const plainSaid = (given: Frame): Frame => {
  const frame = plainDirections(given)
  if (frame.passive && frame.verb === "employ") {
    return {
      ...frame,
      verb: "work",
      passive: false,
      groups: frame.groups.map((group) => group.preposition === "by" ? { ...group, preposition: "for" } : group)
    }
  }
  const measured = asMeasured(frame) ?? asFound(frame)
  if (measured !== undefined) return measured
  const turnedVerb = converse(frame)
  if (turnedVerb !== undefined) return turnedVerb
  const agent = frame.passive
    ? frame.groups.find(({ items, preposition }) => preposition === "by" && doer(items))
    : undefined
  if (agent !== undefined && agent.items.every(({ lemma }) => /^(?:they|someone|somebody|people)$/.test(lemma))) {
    return { ...frame, groups: frame.groups.filter((group) => group !== agent) }
  }
  if (agent !== undefined) {
    return {
      ...frame,
      passive: false,
      agent: true,
      // "Can only be opened by guards": nobody else can.
      quantifiers: frame.quantifiers.includes("only") ? [...frame.quantifiers, "only-who"].sort() : frame.quantifiers,
      subject: agent.items.map(nominative),
      subjectDefinite: agent.definite,
      groups: [
        { preposition: "", items: frame.subject, definite: frame.subjectDefinite },
        ...frame.groups.filter((group) => group !== agent)
      ]
    }
  }
  const role = frame.verb === "use" ? frame.groups.find(({ preposition }) => preposition === "as") : undefined
  const used = frame.groups[0]
  if (role !== undefined && used !== undefined && used.preposition === "" && !frame.passive) {
    // "We use X as our database": our database is X.
    return {
      ...frame,
      subject: [
        ...frame.subject,
        ...role.items.filter(({ concept }) => !frame.subject.some((item) => item.concept === concept))
      ],
      subjectDefinite: true,
      verb: "be",
      groups: frame.groups.filter((group) => group !== role)
    }
  }
  if (frame.verb !== "be") return frame
  const acting = asAgent(frame) ?? asAgent(turned(frame))
  if (acting !== undefined) return converse(acting) ?? acting
  // "Anna is the owner of X" asks the same as "X's owner is Anna".
  const first = frame.groups[0]
  const named = isNamed(frame)
  if (
    named && first !== undefined && first.preposition === "" && first.definite &&
    first.items.some(({ kind }) => kind === "noun")
  ) {
    return plainNominal(turned(frame)!)
  }
  return plainNominal(frame)
}

const degrees: ReadonlyMap<string, string> = new Map(
  `long length;wide width;broad width;deep depth;thick thickness;tall height;high height;old age`.split(";")
    .map((pair) => pair.split(" ")).map(([adjective = "", noun = ""]) => [adjective, noun])
)
const extents = new Set("length width depth thickness height altitude diameter radius distance range".split(" "))
const measurable =
  /^(?:length|unit m|duration|months|number|mass|volume|money|data|percent|speed|power|area|temperature)/

/** "Is 120 km long", "has a length of 120 km": its length is 120 km. */
const asMeasured = (frame: Frame): Frame | undefined => {
  const first = frame.groups[0]
  const [head, only] = [frame.subject[frame.subject.length - 1], first?.items[0]]
  if (
    frame.verb === "be" && head !== undefined && extents.has(head.lemma) && first?.items.length === 1 &&
    only?.value?.dimension === "unit m"
  ) {
    const key = only.value.key.replace("unit m:", "length:")
    const metres = { ...only, concept: key, lemma: key, value: { ...only.value, dimension: "length", key } }
    return { ...frame, groups: [{ ...first, items: [metres] }, ...frame.groups.slice(1)] }
  }
  if (first?.preposition !== "" || first.items.length !== 2 || frame.subject.length === 0 || frame.passive) {
    return undefined
  }
  const value = first.items.find((item) => item.value !== undefined)
  const other = first.items.find((item) => item !== value)
  if (value?.value === undefined || other === undefined || other.value !== undefined) return undefined
  const { dimension, key } = value.value
  if (!measurable.test(dimension)) return undefined
  const noun = frame.verb === "be"
    ? degrees.get(other.text.toLowerCase())
    : frame.verb === "have" && other.kind === "noun" && dimension !== "number"
    ? other.lemma
    : undefined
  if (noun === undefined) return undefined
  // Years of age are a number.
  const years = noun === "age" && dimension === "months" ? Number(key.slice("months:".length)) / 12 : Number.NaN
  const age = `number:${years}`
  const length = key.replace("unit m:", "length:")
  const told: Item = dimension === "unit m"
    ? { ...value, concept: length, lemma: length, value: { ...value.value, dimension: "length", key: length } }
    : Number.isInteger(years)
    ? { ...value, concept: age, lemma: age, value: { ...value.value, dimension: "number", key: age } }
    : value
  // Beside a height m is metres.
  const metres = dimension === "unit m" && extents.has(noun)
  if (dimension.startsWith("unit") && !metres) return undefined
  const concept = conceptOf(noun)
  const { predicate: _, side: __, ...plainValue } = told
  return {
    ...frame,
    verb: "be",
    verbText: "is",
    subjectDefinite: true,
    subject: [
      ...frame.subject.map((item, i) => i === frame.subject.length - 1 ? { ...item, possesses: concept } : item),
      { concept, lemma: noun, text: noun, kind: "noun" }
    ],
    groups: [{ ...first, items: [{ ...plainValue, predicate: true }] }, ...frame.groups.slice(1)]
  }
}

/** "You will find the log at", "you can find it in": it is there. */
const asFound = (frame: Frame): Frame | undefined => {
  const first = frame.groups[0]
  if (frame.verb !== "find" || frame.denials > 0 || first?.preposition !== "" || first.items.length === 0) {
    return undefined
  }
  if (!/^(?:you|one|we)$/.test(frame.subject.map(({ lemma }) => lemma).join(" "))) return undefined
  if (!frame.groups.slice(1).some(({ preposition }) => placing.has(preposition))) return undefined
  return {
    ...frame,
    verb: "be",
    verbText: "is",
    tense: "",
    subject: first.items,
    subjectDefinite: first.definite,
    quantifiers: frame.quantifiers.filter((name) => name !== "can" && name !== "may"),
    groups: frame.groups.slice(1)
  }
}

/** By whom, not by how much or when: "by two people", not "by 20%". */
const doer = (items: ReadonlyArray<Item>): boolean =>
  items[0]?.value === undefined || items[0].value.dimension === "number" && items.length > 1 ||
  // "The nightly job".
  /^repeat:(?:night|day|week|month|hour|year)$/.test(items[0].concept) && items[items.length - 1]!.kind === "noun"

/** "By them": they. */
const nominative = (item: Item): Item => {
  const { predicate: _, side: __, ...rest } = item
  return rest
}

/** "prefers X over Y" and "to Y", "postponed until" and "to": one direction each. */
const plainDirections = (frame: Frame): Frame => {
  const from = frame.verb === "prefer"
    ? "over"
    : /^(?:delay|move|reschedule|shift)$/.test(frame.verb)
    ? "until"
    : undefined
  if (from === undefined || !frame.groups.some(({ preposition }) => preposition === from)) return frame
  const groups = frame.groups.map((group) =>
    group.preposition === from
      ? { ...group, preposition: "to", items: group.items.map((item) => ({ ...item, side: "to" })) }
      : group
  )
  return { ...frame, groups }
}

/** What is told from the other side, and what nobody named does. */
const converse = (frame: Frame): Frame | undefined => {
  const only = frame.groups[0]
  if (only === undefined || frame.passive) return undefined
  if (frame.verb === "contain" && only.preposition === "" && only.definite) {
    return {
      ...frame,
      verb: "be",
      subject: only.items,
      subjectDefinite: only.definite,
      groups: [{ preposition: "in", items: frame.subject, definite: frame.subjectDefinite }, ...frame.groups.slice(1)]
    }
  }
  const turnedVerb = plainConverse(frame)
  if (turnedVerb !== undefined) return turnedVerb
  // "They moved the meeting": nobody is named who did.
  if (
    frame.subject.length === 1 && /^(?:they|someone|somebody|people)$/.test(frame.subject[0]!.lemma) &&
    only.preposition === ""
  ) {
    return {
      ...frame,
      passive: true,
      subject: only.items,
      subjectDefinite: only.definite,
      groups: frame.groups.slice(1)
    }
  }
  return undefined
}

/** Names, values, or one bare capitalised word, which is a name more often than a thing. */
const isNamed = ({ subject, subjectDefinite }: Frame): boolean =>
  subject.length > 0 && (subject.every(({ kind, value }) => kind === "name" || value !== undefined) ||
    (subject.length === 1 && !subjectDefinite && /^\p{Lu}/u.test(subject[0]!.text)))

/** Doers whose noun does not show the verb. */
const agents: ReadonlyMap<string, string> = new Map([
  ...[["lead", "lead"], ["head", "lead"], ["author", "writ"], ["architect", "design"], ["chef", "cook"]] as const,
  ...["tutor", "mentor", "sponsor", "coach", "captain", "host", "guide", "chair"].map((noun) => [noun, noun] as const)
])

/** Nouns for whom something is done to, by the verb. */
const undergoers: ReadonlyMap<string, string> = new Map([
  ["student", "teach"],
  ["pupil", "teach"],
  ["mentee", "mentor"],
  ["trainee", "train"],
  ["subordinate", "manage"]
])

/** "Felix is the owner of the bakery", "Bob is Anna's teacher": Felix owns it, Bob teaches her. */
const asAgent = (frame: Frame | undefined): Frame | undefined => {
  const first = frame?.groups[0]
  if (frame === undefined || first === undefined || first.preposition !== "" || !isNamed(frame)) return undefined
  const noun = first.items[first.items.length - 1]
  const owners = first.items.slice(0, -1)
  if (noun === undefined || noun.kind !== "noun") return undefined
  const tense = /^(?:author|architect|founder|inventor|composer)$/.test(noun.lemma) && frame.tense === ""
    ? "past" as const
    : frame.tense
  // "The data team lead": the lead of the data team.
  const compound = owners.length > 0 && first.definite &&
    owners.every(({ kind, possesses }) => possesses === undefined && (kind === "noun" || kind === "name"))
  if (!compound && !owners.some(({ possesses }) => possesses === noun.concept)) return undefined
  const taught = undergoers.get(noun.lemma)
  if (taught !== undefined) {
    return {
      ...frame,
      verb: conceptOf(taught),
      verbText: noun.text,
      subject: owners.map(({ possesses: _, predicate: __, ...item }) => item),
      subjectDefinite: true,
      groups: [{ preposition: "", items: frame.subject, definite: frame.subjectDefinite }, ...frame.groups.slice(1)]
    }
  }
  const over = /^(?:boss|supervisor)$/.test(noun.lemma) ? "manag" : undefined
  const parent = /^(?:father|mother|parent)$/.test(noun.lemma) && owners.some(({ value }) => value !== undefined)
  if (parent) {
    return {
      ...frame,
      verb: "have",
      verbText: "has",
      groups: [{ preposition: "", items: owners, definite: false }, ...frame.groups.slice(1)]
    }
  }
  const stem = over ?? agents.get(noun.lemma) ?? /^(.{2,}?)(?:er|or)$/.exec(noun.lemma)?.[1]
  if (stem === undefined || !nounFields(noun.lemma).includes(18)) return undefined
  if (compound && !/^(?:lead|head|manager|leader|owner|author|captain|coach|maintainer|director)$/.test(noun.lemma)) {
    return undefined
  }
  const verb = [stem, `${stem}e`, stem.slice(0, -1)].find((word) => formsOf(word).verb && verbLemma(word) === word)
  if (verb === undefined) return undefined
  return {
    ...frame,
    verb: conceptOf(verb),
    verbText: noun.text,
    tense,
    groups: [
      { preposition: "", items: owners.map(({ possesses: _, predicate: __, ...item }) => item), definite: true },
      ...frame.groups.slice(1)
    ]
  }
}

const measures = new Set(["year", "date", "day", "place", "time", "point", "hour"])

const placeNouns = new Set(["home", "residence", "birthplace", "headquarters", "location", "seat"])

const plainNominal = (frame: Frame): Frame => {
  const last = frame.subject[frame.subject.length - 1]
  // "year of birth", "due date", "start time": the noun before says what happens then.
  const inner = frame.subject[frame.subject.length - 2]
  if (
    last !== undefined && inner !== undefined && frame.subject.length >= 3 && measures.has(last.lemma) &&
    nominal.has(inner.lemma)
  ) {
    return plainNominal({ ...frame, subject: frame.subject.slice(0, -1) })
  }
  const head = last
  const verb = head === undefined || frame.subject.length < 2 ? undefined : nominal.get(head.lemma)
  if (verb === undefined || head === undefined) return frame
  const first = frame.groups[0]
  const whom = head.lemma === "employer" && first?.preposition === ""
  const placed = placeNouns.has(head.lemma) && first?.preposition === "" &&
    first.items.every(({ kind }) => kind === "name")
  return {
    ...frame,
    subject: frame.subject.slice(0, -1).map(({ possesses: _, ...item }) => item),
    verb,
    verbText: head.text,
    groups: whom
      ? [{ ...first, preposition: "for" }, ...frame.groups.slice(1)]
      : placed
      ? [{ ...first, preposition: "in" }, ...frame.groups.slice(1)]
      : frame.groups
  }
}

/** The concepts of both claims that stand behind the subject. */
export const sharedComplements = (one: Frame, other: Frame): number =>
  matchItems(complements(one), complements(other)).shared
