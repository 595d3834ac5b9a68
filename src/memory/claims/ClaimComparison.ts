/** The answer of a comparison and the ways to give one. */

/**
 * `same`: both say the same. `differs`: about one thing, and both cannot be true, or one updates the other. `unsure`:
 * close, either may be. `other`: another subject or attribute, or facts that go together.
 */
export type Relation = "same" | "differs" | "unsure" | "other"

export interface Comparison {
  readonly relation: Relation
  /** Machine name of the rule that decided. */
  readonly rule: string
  /** One plain sentence that names what differs. */
  readonly reason: string
  /** Subject and predicate that both claims state with different objects; else null. */
  readonly substitution: { readonly subject: string; readonly predicate: string } | null
}

export const answer = (
  relation: Relation,
  rule: string,
  reason: string,
  substitution: Comparison["substitution"] = null
): Comparison => ({ relation, rule, reason, substitution })

/** A piece of a claim as a reason quotes it: short, whatever the text. */
export const quoted = (text: string): string => {
  const letters = Array.from(text)
  return letters.length <= 60 ? text : `${letters.slice(0, 57).join("")}…`
}

/** "X against Y". */
export const against = (from: string, to: string): string => `${quoted(from)} against ${quoted(to)}`
