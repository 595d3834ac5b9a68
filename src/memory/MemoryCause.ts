/**
 * Why a row changed without being written to: the write that caused it, the rule, the row that takes its place and the
 * evidence, as a reader sees it. Kept as JSON in the column `cause`; empty for a write's own row.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

export const Cause = Schema.Struct({
  /** The write that caused the change. */
  write_id: Schema.String,
  /** The rule, such as `newest_wins.key` or `blacklist.sweep`. */
  rule: Schema.String,
  /** The row on whose account it happened. */
  memory_id: Schema.NullOr(Schema.String),
  /** What the rule went by, in words. */
  evidence: Schema.String
})
export type Cause = typeof Cause.Type

const json = Schema.parseJson(Cause)
const decode = Schema.decodeOption(json)

export const causeText = (cause: Cause): string => Schema.encodeSync(json)(cause)

export const causeIn = (column: string): Cause | null => column === "" ? null : Option.getOrNull(decode(column))
