/**
 * What forbids calling two claims the same however alike their words are: anything that carries a difference of its own.
 * A model that weighs words may only choose where nothing here speaks, so that it cannot lose what grammar keeps apart.
 */
import type { Likeness } from "./ClaimLikeness.ts"

/** Features of which any above zero is a difference, and what it is. */
const objections: ReadonlyArray<readonly [feature: string, difference: string]> = [
  ["opposed", "one denies"],
  ["opposite", "opposites"],
  ["valuePairs", "other values"],
  ["loneValues", "a value that one lacks"],
  ["namesBoth", "other names"],
  ["namesOne", "a name that one lacks"],
  ["parts", "another key"],
  ["traded", "other roles"],
  ["otherSides", "other directions"],
  ["tense", "another time"],
  ["quantifierOpposed", "another quantity"],
  ["otherPersons", "another person"],
  ["countOthers", "another count"],
  ["loneStrong", "a word of its own"],
  ["otherVerbs", "two verbs"],
  ["adjectives", "two qualities"],
  ["counted", "a qualification"]
]

/** The first difference of its own, or undefined. */
export const objectionTo = ({ features }: Likeness): string | undefined =>
  objections.find(([feature]) => (features[feature] ?? 0) > 0)?.[1]
