/**
 * Whether two claims are about one thing. The head of a subject (its last noun) and what specifies it must agree: a
 * production and a staging database, Emma's cat and Emma's dog are two things; "the meeting" and "the weekly meeting" may
 * be one.
 */
import type { Frame, Item } from "./ClaimFrame.ts"
import { complements } from "./ClaimFrame.ts"
import { matchItems } from "./ClaimMatch.ts"
import { nominal } from "./ClaimVerbs.ts"

export type SubjectRelation = "equal" | "compatible" | "different"

const vague: ReadonlySet<string> = new Set(["it", "he", "she", "they", "this", "that", "them", "him", "who", "there"])

const isVague = (items: ReadonlyArray<Item>): boolean =>
  items.length === 0 || (items.length === 1 && vague.has(items[0]!.lemma))

export const headOf = (items: ReadonlyArray<Item>): Item | undefined =>
  items.findLast(({ kind }) => kind === "noun" || kind === "name" || kind === "pronoun") ?? items[items.length - 1]

export const relateSubjects = (one: Frame, other: Frame): SubjectRelation => {
  const { left, right, shared } = matchItems(one.subject, other.subject)
  if (left.length === 0 && right.length === 0) return "equal"
  if (isVague(one.subject) || isVague(other.subject)) {
    // A command and a statement are two things; a fragment without a subject may be either.
    return one.command === other.command || one.subject.length + other.subject.length === 1 ? "compatible" : "different"
  }
  if (shared === 0 || (left.length > 0 && right.length > 0)) return "different"
  return headOf(one.subject)?.concept === headOf(other.subject)?.concept ? "compatible" : "different"
}

/** A copula turned round where the complement names the thing asked for: "Rust is the language …". */
export const turned = (frame: Frame): Frame | undefined => {
  if (frame.verb !== "be" || frame.groups.length === 0) return undefined
  const first = frame.groups[0]!
  if (first.preposition !== "") return undefined
  return {
    ...frame,
    subject: [...frame.groups.slice(1).filter(({ preposition }) => preposition === "for").flatMap(({ items }) => items), ...first.items],
    subjectDefinite: first.definite,
    groups: [
      { preposition: "", items: frame.subject, definite: frame.subjectDefinite },
      ...frame.groups.slice(1).filter(({ preposition }) => preposition !== "for")
    ]
  }
}

/** One form for what is said in several: a passive with its agent, a noun that stands for a verb. */
export const plain = (frame: Frame): Frame => {
  const agent = frame.passive ? frame.groups.find(({ items, preposition }) => preposition === "by" && items[0]?.value === undefined) : undefined
  if (agent !== undefined) {
    return {
      ...frame,
      passive: false,
      subject: agent.items,
      subjectDefinite: agent.definite,
      groups: [
        { preposition: "", items: frame.subject, definite: frame.subjectDefinite },
        ...frame.groups.filter((group) => group !== agent)
      ]
    }
  }
  if (frame.verb !== "be") return frame
  // "Anna is the owner of X" asks the same as "X's owner is Anna".
  const first = frame.groups[0]
  const named = frame.subject.length > 0 && frame.subject.every(({ kind, value }) => kind === "name" || value !== undefined)
  if (named && first !== undefined && first.preposition === "" && first.definite && first.items.some(({ kind }) => kind === "noun")) {
    return plainNominal(turned(frame)!)
  }
  return plainNominal(frame)
}

const plainNominal = (frame: Frame): Frame => {
  const head = frame.subject[frame.subject.length - 1]
  const verb = head === undefined || frame.subject.length < 2 ? undefined : nominal.get(head.lemma)
  if (verb === undefined || head === undefined) return frame
  return {
    ...frame,
    subject: frame.subject.slice(0, -1).map(({ possesses: _, ...item }) => item),
    verb,
    verbText: head.text
  }
}

/** The concepts of both claims that stand behind the subject. */
export const sharedComplements = (one: Frame, other: Frame): number =>
  matchItems(complements(one), complements(other)).shared
