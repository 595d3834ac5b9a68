/**
 * How an act is answered, in brief and by label: what the model says and what a reply says in the same words.
 */

/** How a write is answered, in brief; names are labels. */
export interface Told {
  readonly key: string
  readonly status: string
  /** The verdicts that may be given. */
  readonly verdicts: ReadonlyArray<string>
  readonly merged: string | null
  readonly duplicateOf: string | null
  readonly supersededBy: string | null
  readonly conflicts: ReadonlyArray<string>
  readonly count: number
  readonly pinned: boolean
  readonly retired: ReadonlyArray<string>
  /** `label verdict` of each. */
  readonly peers: ReadonlyArray<string>
}

export type Outcome =
  | { readonly tag: "refused"; readonly code: string }
  /** Nothing was done, and why. */
  | { readonly tag: "none"; readonly reason: string }
  | { readonly tag: "told"; readonly told: Told }
  | { readonly tag: "deleted"; readonly label: string }
  | { readonly tag: "each"; readonly results: ReadonlyArray<Outcome> }

export const refused = (code: string): Outcome => ({ tag: "refused", code })
export const none = (reason: string): Outcome => ({ tag: "none", reason })
