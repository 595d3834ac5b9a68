/**
 * The form of a model's reply: the facts it found and what it was asked to forget, each with the numbers of its turns. Numbers
 * that come as text are read; whether they name turns is looked at fact by fact (`FactCheck`).
 */
import * as Schema from "effect/Schema"

const TurnNumber = Schema.Union(Schema.Number, Schema.String)

export const ReplyFact = Schema.Struct({
  subject: Schema.String,
  attribute: Schema.String,
  text: Schema.String,
  turns: Schema.Array(TurnNumber),
  about_other: Schema.Boolean,
  type: Schema.String,
  date: Schema.NullOr(Schema.String),
  confidence: Schema.Number
})
export type ReplyFact = typeof ReplyFact.Type

export const ReplyForget = Schema.Struct({ what: Schema.String, turn: TurnNumber })
export type ReplyForget = typeof ReplyForget.Type

export const ExtractReply = Schema.Struct({
  // Short, and so first: a reply that breaks off breaks off among the facts.
  forgets: Schema.Array(ReplyForget),
  facts: Schema.Array(ReplyFact)
})
export type ExtractReply = typeof ExtractReply.Type

/** The number that a reply means; NaN, which is no turn's, when it is none. */
export const numberOf = (given: number | string): number =>
  typeof given === "number" ? given : /^\s*\[?#?(\d{1,6})\]?\s*$/.test(given) ? Number(given.replace(/\D/g, "")) : NaN
