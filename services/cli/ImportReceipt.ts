/**
 * What became of one item, as it stands in the receipts file and counts in the summary.
 */
import * as Schema from "effect/Schema"

export const Outcome = Schema.Literal("stored", "merged", "duplicate", "refused", "failed")
export type Outcome = typeof Outcome.Type

export const ImportReceipt = Schema.Struct({
  /** The index of the item in its source, from 0. */
  index: Schema.Int,
  /** Its name there: `line 12`, or a turn. */
  id: Schema.String,
  namespace: Schema.NullOr(Schema.String),
  memory_key: Schema.NullOr(Schema.String),
  outcome: Outcome,
  /** Set when it did not go in. */
  code: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  memory_id: Schema.NullOr(Schema.String),
  version_text: Schema.NullOr(Schema.String),
  content_sha256: Schema.NullOr(Schema.String),
  /** The key that holds the claim, when another one does. */
  answered_by: Schema.NullOr(Schema.String)
})
export type ImportReceipt = typeof ImportReceipt.Type

/** Whether the claim is in the store, be it in its own row or in one that was there. */
export const isIn = (outcome: Outcome): boolean =>
  outcome === "stored" || outcome === "merged" || outcome === "duplicate"

export interface Summary {
  readonly total: number
  readonly stored: number
  readonly merged: number
  readonly duplicates: number
  readonly refused: number
  readonly failed: number
  /** How many of those that are in were so before this run. */
  readonly resumed: number
}

/** The summary of these outcomes, one an item. */
export const summarise = (outcomes: ReadonlyArray<Outcome>, resumed: number): Summary => {
  const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length
  return {
    total: outcomes.length,
    stored: count("stored"),
    merged: count("merged"),
    duplicates: count("duplicate"),
    refused: count("refused"),
    failed: count("failed"),
    resumed
  }
}
