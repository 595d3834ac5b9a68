/**
 * Facts from a seed: many subjects, many attributes of each, a value for each attribute, in plain English. Fact `index`
 * is the same in every run and never shares its key with another; a later `revision` states another value under the key.
 */
import { Chance } from "./Chance.ts"
import { kinds } from "./FactWords.ts"
import type { Attribute, Kind } from "./FactWords.ts"

export interface Fact {
  readonly memory_key: string
  readonly value: string
  readonly tags: ReadonlyArray<string>
  readonly entities: ReadonlyArray<string>
  /** Facts of one sort say the same thing of different subjects. */
  readonly sort: string
}

interface Place {
  readonly kind: Kind
  readonly attribute: Attribute
  readonly words: ReadonlyArray<string>
  readonly subject: string
}

// Steps through the subjects of a kind out of order, so that neighbours have no word in common; prime, and so coprime to
// each number of subjects, which are products of small lists.
const stride = 7_919

const attributesOf = (kind: Kind) => kind.attributes.length
const subjectsOf = (kind: Kind) => kind.parts.reduce((product, words) => product * words.length, 1)

// How many facts there are before the words of a subject repeat; from there on subjects are numbered.
const capacity = kinds.length * Math.min(...kinds.map((kind) => attributesOf(kind) * subjectsOf(kind)))

const at = <A>(items: ReadonlyArray<A>, index: number): A => {
  const item = items[index % items.length]
  if (item === undefined) throw new RangeError("The list is empty")
  return item
}

const placeOf = (index: number): Place => {
  const kind = at(kinds, index)
  const unit = Math.floor(index / capacity)
  const within = Math.floor((index % capacity) / kinds.length)
  const attribute = at(kind.attributes, within)
  let subject = (Math.floor(within / kind.attributes.length) * stride) % subjectsOf(kind)
  const words = kind.parts.map((part) => {
    const word = at(part, subject)
    subject = Math.floor(subject / part.length)
    return word
  })
  return unit === 0
    ? { kind, attribute, words, subject: kind.phrase(words) }
    : { kind, attribute, words: [...words, `${unit + 1}`], subject: `${kind.phrase(words)}, unit ${unit + 1}` }
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

export const factAt = (seed: number, index: number, revision = 0): Fact => {
  const { attribute, kind, subject, words } = placeOf(index)
  return {
    memory_key: `${kind.name}/${words.join("-").toLowerCase()}/${attribute.name}`,
    value: sentence(attribute.say(subject, new Chance(seed, index, revision))),
    tags: [attribute.tag],
    entities: [subject],
    sort: `${kind.name}/${attribute.name}`
  }
}

/** The same words in other clothes, under another key: what a canonical merge must see through. */
export const retold = (fact: Fact, index: number): Fact => ({
  ...fact,
  memory_key: `inbox/note/${index}`,
  value: ` ${fact.value.toUpperCase().replace(/\.$/, "!")}`.trim()
})

/** A question that a fact answers, without its value. */
export const questionAbout = (index: number): string => {
  const { attribute, subject } = placeOf(index)
  return `What is the ${attribute.name.replaceAll("-", " ")} of ${subject}?`
}
