/**
 * The parts of one English clause: who or what it is about (subject), what it says (verb), and the complements by
 * preposition, each a list of content items. Values are items too. The cut is by word forms and closed classes, not by a
 * full parse: where it is wrong both claims of a pair are usually cut wrong in the same way.
 */
import type { Value } from "./ClaimValue.ts"

export type Kind = "name" | "noun" | "verb" | "adjective" | "adverb" | "value" | "pronoun"

export interface Item {
  /** Lemma folded over synonyms, or a value's key. */
  readonly concept: string
  readonly lemma: string
  readonly text: string
  readonly kind: Kind
  readonly value?: Value
  /** The concept of the thing this one possesses or specifies: Emma's in "Emma's cat" has `cat`. */
  readonly possesses?: string
  /** The directed preposition it stands behind, wherever it stands. */
  readonly side?: string
  /** A comma or a conjunction stands before it: a new member of a list. */
  readonly listed?: boolean
  /** It is a word of a key like `log_level`: another one makes another key. */
  readonly part?: boolean
  /** It is said of the subject by a copula. */
  readonly predicate?: boolean
}

export interface Group {
  /** Preposition, or "" for what follows the verb bare. */
  readonly preposition: string
  readonly items: ReadonlyArray<Item>
  /** It starts with "the" or a possessive: one thing that is known. */
  readonly definite: boolean
}

export interface Frame {
  readonly subject: ReadonlyArray<Item>
  readonly subjectDefinite: boolean
  /** Concept of the verb: "be" for a copula, "" for a fragment without a verb. */
  readonly verb: string
  readonly verbText: string
  readonly groups: ReadonlyArray<Group>
  readonly denials: number
  /** Classes of quantifiers, sorted. */
  readonly quantifiers: ReadonlyArray<string>
  readonly passive: boolean
  /** Its subject is the agent a passive named with "by". */
  readonly agent?: boolean
  /** "past" for what was, "future" for what will be, "" for what is or has been. */
  readonly tense: "past" | "future" | ""
  /** "has been", "has moved", "had moved". */
  readonly perfect: boolean
  readonly command: boolean
  /** It is a note: `key: value`. */
  readonly assigned?: boolean
}

/** All items behind the subject, in order. */
export const complements = (frame: Frame): ReadonlyArray<Item> => frame.groups.flatMap(({ items }) => items)

export const textOf = (items: ReadonlyArray<Item>): string => items.map(({ text }) => text).join(" ")
