/**
 * Where a whole claim stands, clauses apart: whether it denies, how it bounds and counts, and under which conditions. One
 * form for what is said in several ways: "cannot be more than 5" is "at most 5", "lacks" is "has no", "when" is "if".
 */
import { complements, type Frame } from "./ClaimFrame.ts"
import { quantifiersOppose } from "./ClaimQuantifiers.ts"
import { conceptOf } from "./ClaimSynonyms.ts"

export interface Stance {
  readonly denials: number
  readonly quantifiers: ReadonlySet<string>
  readonly commands: boolean
  /** Of whom pronouns speak: `user`, `we`, `she` … */
  readonly persons: ReadonlySet<string>
}

/** Words that deny what stands beside them, as "no" and "not" do. */
const absences = new Set(
  `lack miss missing absent fail refuse decline exempt gone unable lapse vanish
  forget neglect skip omit devoid`.split(/\s+/).map(conceptOf)
)

const conditions = new Set("if when whenever once provided".split(" "))
const needs = new Set(["need", "require"].map(conceptOf))
const lets = new Set(["permit", "let", "possible"].map(conceptOf))

const ofFrame = (frame: Frame): { readonly denials: number; readonly quantifiers: ReadonlyArray<string> } => {
  let denials = frame.denials
  const words = [
    frame.verb,
    frame.verbText,
    ...complements(frame).flatMap(({ concept, lemma, text }) => [concept, lemma, text])
  ]
  if (words.some((word) => absences.has(word))) denials++
  const names = frame.quantifiers.filter((name) => name !== "none").map((name) => {
    const turned = name === "more-than" ? "at-most" : name === "less-than" ? "at-least" : undefined
    if (turned === undefined || denials % 2 === 0) return name
    denials--
    return turned
  })
  if (frame.groups.some(({ preposition }) => conditions.has(preposition))) names.push("if")
  if (needs.has(frame.verb)) names.push("must")
  // What may be at most five is at most five.
  const bounded = names.some((name) => name === "at-most" || name === "at-least")
  const free = names.filter((name) => name !== "can" && name !== "may")
  return {
    denials,
    quantifiers: bounded
      ? free
      : free.length < names.length || words.some((word) => lets.has(word))
      ? [...free, "can"]
      : free
  }
}

const pronouns = (frame: Frame): ReadonlyArray<string> =>
  [...frame.subject, ...complements(frame)].filter(({ kind, lemma }) => kind === "pronoun" && lemma !== "it")
    .map(({ lemma }) => lemma)

export const stanceOf = (frames: ReadonlyArray<Frame>): Stance => {
  const all = frames.map(ofFrame)
  return {
    denials: all.reduce((sum, { denials }) => sum + denials, 0),
    quantifiers: new Set(all.flatMap(({ quantifiers }) => quantifiers)),
    persons: new Set(frames.flatMap(pronouns)),
    commands: frames.some(({ command }) => command)
  }
}

/** The classes that only one of them has; a command is what must be done. */
export const loneQuantifiers = (one: Stance, other: Stance): ReadonlyArray<string> => {
  const ordered = one.commands || other.commands
  const idle = (name: string) => ordered && (name === "must" || name === "should")
  const lone = (ours: Stance, theirs: Stance) =>
    [...ours.quantifiers].filter((name) => !theirs.quantifiers.has(name) && !idle(name))
  return [...lone(one, other), ...lone(other, one)]
}

/** Both speak of somebody, and of nobody in common: our queue, their queue. */
export const ofOtherPersons = (one: Stance, other: Stance): boolean =>
  one.persons.size > 0 && other.persons.size > 0 && ![...one.persons].some((person) => other.persons.has(person))

export const stancesOppose = (one: Stance, other: Stance): boolean =>
  [...one.quantifiers].some((name) => [...other.quantifiers].some((against) => quantifiersOppose(name, against)))
