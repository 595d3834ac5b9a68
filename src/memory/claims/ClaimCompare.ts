/** Placeholder of the comparison until the judge lands. */
export type Relation = "same" | "differs" | "unsure" | "other"

export interface Comparison {
  readonly relation: Relation
  readonly rule: string
  readonly reason: string
  readonly substitution: { readonly subject: string; readonly predicate: string } | null
}

export interface Claim {
  readonly text: string
}

export const parseClaim = (text: string): Claim => ({ text })

export const compareClaims = (_stored: Claim, _written: Claim, similarity: number): Comparison => ({
  relation: similarity > 0.85 ? "unsure" : "other",
  rule: "placeholder",
  reason: "close",
  substitution: null
})
