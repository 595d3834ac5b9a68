/**
 * One clause as a statement: whom it is about, which attribute, and the sentence that tells it in the third person. Null for
 * a clause that states nothing this is sure of. English. Pure. Next: `VerbTable` and `CopulaTable` (what counts as a fact).
 */
import { objectOf, topicOf } from "./ClauseObject.ts"
import { subjectOf } from "./ClauseSubject.ts"
import type { ClauseSubject } from "./ClauseSubject.ts"
import { verbOf } from "./ClauseVerb.ts"
import type { ClauseVerb } from "./ClauseVerb.ts"
import { copulaOf } from "./CopulaTable.ts"
import { USER } from "./KeyMint.ts"
import { eventOf, useOf, withArticle } from "./VerbTable.ts"

/** Who speaks, in the words of facts. */
export interface Teller {
  /** `user`, or the name of another speaker. */
  readonly subject: string
  /** How sentences begin: his name, or "The user". */
  readonly name: string
  /** Within a sentence: "Nadia's", "the user's". */
  readonly owner: string
}

export interface Statement {
  readonly subject: string
  readonly attribute: string
  /** Without its date and last sign. */
  readonly text: string
  readonly isOther: boolean
  readonly isPreference: boolean
  readonly tense: ClauseVerb["tense"]
  readonly confidence: number
  /** A statement that is one only where it has a date. */
  readonly needsDate: boolean
  /** By which "he" or "she" may speak of the subject in the next sentence. */
  readonly pronoun: ClauseSubject["pronoun"]
}

/** What a clause states; `known` are the names that the transcript has introduced, `isDated` says that it has a date. */
export const statementOf = (
  clause: string,
  teller: Teller,
  known: ReadonlySet<string>,
  isDated: boolean
): Statement | null => {
  const subject = subjectOf(clause)
  if (subject === null) return null
  if (subject.kind === "attribute") return attributeStatement(subject, teller)
  const who = personOf(subject, teller)
  const verb = verbOf(subject.rest, {
    isThird: subject.kind === "relation" || subject.kind === "named",
    isPlural: subject.isPlural || subject.kind === "together" && /^are\b/.test(subject.rest)
  })
  if (verb === null) return null
  const name = subject.name.toLowerCase()
  // A name that nobody introduced is one only where grammar says so.
  if (subject.kind === "named" && !known.has(name) && verb.tense === "event") return null
  if (subject.kind === "together" && (verb.tense === "state" && verb.verb !== "have" || verb.isPromise)) return null
  const said = verb.verb === "be"
    ? copulaStatement(verb, who, teller)
    : verbStatement({ ...verb, rest: withArticle(verb.verb, verb.rest) }, who, teller, subject, isDated)
  if (said === null) return null
  return {
    ...said,
    subject: who.subject,
    isOther: who.isOther,
    tense: verb.tense,
    needsDate: verb.isPromise,
    pronoun: subject.pronoun,
    confidence: base(subject, known) * (verb.tense === "event" ? 1 : verb.tense === "state" ? 0.97 : 0.92)
  }
}

// How often a reading of its kind is right, by the judgement of whoever reads samples; a rule that is not sure says nothing.
const base = ({ kind, name }: ClauseSubject, known: ReadonlySet<string>): number =>
  kind === "speaker"
    ? 0.92
    : kind === "relation"
    ? 0.88
    : kind === "together"
    ? 0.8
    : known.has(name.toLowerCase())
    ? 0.85
    : 0.7

interface Person {
  readonly subject: string
  readonly name: string
  readonly isOther: boolean
}

const ownerOf = ({ owner, subject }: Teller): string => subject === USER ? "the user's" : owner

const personOf = ({ kind, name, relation }: ClauseSubject, teller: Teller): Person =>
  kind === "speaker" || kind === "together"
    ? { subject: teller.subject, name: teller.name, isOther: false }
    : name !== ""
    ? { subject: name, name: name.startsWith("the ") ? `The${name.slice(3)}` : name, isOther: true }
    : { subject: `${ownerOf(teller)} ${relation}`, name: capital(`${teller.owner} ${relation}`), isOther: true }

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

type Said = Pick<Statement, "attribute" | "text" | "isPreference">

const options = (teller: Teller, isOther: boolean, keepsPurpose = false) => ({
  name: lowerName(teller),
  owner: teller.owner,
  isOther,
  keepsPurpose
})

const lowerName = ({ name }: Teller): string => name === "The user" ? "the user" : name

const copulaStatement = (verb: ClauseVerb, who: Person, teller: Teller): Said | null => {
  const complement = objectOf(verb.rest, options(teller, who.isOther, true))
  if (complement === null) return null
  const isName = /^(?:called |named )?\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?$/u.test(complement)
  const use = copulaOf(`${verb.isNegative ? "not " : ""}${complement}`, verb.tense === "event") ??
    (verb.isNegative ? copulaOf(complement, verb.tense === "event") : null)
  if (use === null) {
    return isName && verb.tense === "state" && !verb.isNegative &&
        (!who.isOther || /^(?:called|named) /.test(complement))
      ? {
        attribute: "name",
        text: `${who.name} is called ${complement.replace(/^(?:called|named) /, "")}`,
        isPreference: false
      }
      : null
  }
  const topic = use.topic === null ? "" : topicOf(use.topic)
  if (use.topic !== null && topic === "") return null
  return {
    attribute: use.topic === null ? use.attribute : `${use.attribute}/${topic}`,
    text: `${who.name} ${verb.told} ${complement}`,
    isPreference: use.isPreference
  }
}

const verbStatement = (
  verb: ClauseVerb,
  who: Person,
  teller: Teller,
  subject: ClauseSubject,
  isDated: boolean
): Said | null => {
  const use = useOf(verb.verb, verb.rest, verb.tense) ??
    (verb.isFormer ? useOf(verb.verb, verb.rest, "event") : null) ??
    (verb.tense === "state" || verb.isPromise || verb.isNegative ? null : eventOf(verb.verb, verb.rest, isDated))
  if (use === null) return null
  // What did not happen is rarely worth knowing; what somebody does not do, like or eat is.
  if (verb.isNegative && verb.tense !== "state" && !/^(?:visit|diet)$/.test(use.attribute)) return null
  const isPlan = use.attribute === "plan" || use.attribute === "decision" || verb.told.includes("going to")
  const object = objectOf(verb.rest, options(teller, who.isOther, isPlan || verb.rest.startsWith("to ")))
  // What is left must still be what the verb needs.
  if (
    object === null
      ? verb.rest !== "" || use.hasTopic
      : !use.object.test(`${object} `) && !use.object.test(verb.rest)
  ) return null
  if (/^(?:to|at|in|on|for|with|up|from|about|into|as)$/.test(object ?? "")) return null
  const thing = use.hasTopic ? topicOf(isPlan ? withVerb(verb, use.attribute, object ?? "") : object ?? "") : ""
  if (use.hasTopic && thing === "") return null
  const topic = use.attribute === "event" ? `${verb.verb} ${thing}` : thing
  const attribute = verb.isFormer ? `former-${use.attribute}` : use.attribute
  const told = subject.kind === "together" ? verb.told.replace(/^are\b/, "is").replace(/^have\b/, "has") : verb.told
  return {
    attribute: topic === "" ? attribute : `${attribute}/${topic}`,
    text: `${who.name} ${told}${object === null ? "" : ` ${object}`}`,
    isPreference: use.isPreference
  }
}

/** The topic of a plan is what is to be done with what: "study law". */
const withVerb = (verb: ClauseVerb, attribute: string, object: string): string =>
  attribute === "plan" || attribute === "decision" ? object.replace(/^(?:not )?to /, "") : `${verb.verb} ${object}`

// What "my … is …" states one value of. Moods and opinions of possessions are no facts of this kind.
const attributes =
  /^(?:(?:first |last |full |middle |maiden )?name|nickname|birthday|age|job|profession|occupation|major|degree|home ?town|city|email(?: address)?|phone(?: number)?|address|time ?zone|nationality|employer|religion|(?:star )?sign|blood type|height|weight|shoe size|(?:native|first|mother) (?:language|tongue)|pronouns|(?:main |biggest |next )?goal|(?:wedding )?anniversary|diet|car|laptop|editor|operating system|shell|dream(?: job| destination)?|hobby|(?:[\p{L}-]+'s) (?:name|birthday))$/iu

const attributeStatement = ({ relation, rest }: ClauseSubject, teller: Teller): Statement | null => {
  const isFavourite = /^(?:favou?rite|preferred) \p{L}/iu.test(relation)
  if (!isFavourite && !attributes.test(relation)) return null
  if (/^(?:not|to (?:be|make|keep|do|have|get)\b)/i.test(rest)) return null
  const value = objectOf(rest, options(teller, false, true))
  if (value === null) return null
  const name = /goal$|dream$/i.test(relation) ? `plan/${topicOf(value)}` : relation.replace(/'s\b/, "")
  return {
    subject: teller.subject,
    attribute: name,
    text: `${capital(teller.owner)} ${relation} is ${value}`,
    isOther: false,
    isPreference: isFavourite,
    tense: "state",
    confidence: 0.92,
    needsDate: false,
    pronoun: "any"
  }
}
