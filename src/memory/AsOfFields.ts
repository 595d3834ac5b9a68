/**
 * How a read names an instant: one axis (`as_of`, `as_of_basis`) or both (`as_of_valid`, `as_of_known`), and how the answer
 * says which was used. Combinations that ask for nothing clear are refused; a time without an offset is read as UTC and
 * the answer says so.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import { parseTime } from "../kernel/Time.ts"
import { lastVersionAt } from "./InstantModel.ts"
import type { Instant } from "./InstantModel.ts"
import { TimeText } from "./MemoryFields.ts"

/** Fields of a read that can answer for an earlier time. */
export const asOfFields = {
  as_of: Schema.optional(TimeText),
  /** What `as_of` is a time of: `valid_time` (the default) asks what was true then, `knowledge_time` what was served then. */
  as_of_basis: Schema.optional(Schema.Literal("valid_time", "knowledge_time")),
  /** Both at once: what was true at `as_of_valid` by what was known at `as_of_known`. */
  as_of_valid: Schema.optional(TimeText),
  as_of_known: Schema.optional(TimeText)
}

/** What the answer says of the instant; absent on a read of the present. */
export const asOfAnswer = {
  as_of_basis: Schema.optional(Schema.Literal("valid_time", "knowledge_time", "both")),
  /** The world's time asked about; null when only knowledge was. */
  as_of_valid: Schema.optional(Schema.NullOr(Schema.String)),
  /** Nothing learned after it counts; null when everything known today does. */
  as_of_known: Schema.optional(Schema.NullOr(Schema.String)),
  advisories: Schema.optional(Schema.Array(Schema.String))
}

interface Asked {
  readonly as_of?: string | undefined
  readonly as_of_basis?: "valid_time" | "knowledge_time" | undefined
  readonly as_of_valid?: string | undefined
  readonly as_of_known?: string | undefined
}

/** The instant a read is about, with what its answer says of it. */
export interface AsOf {
  readonly instant: Instant
  readonly said: {
    readonly as_of_basis: "valid_time" | "knowledge_time" | "both"
    readonly as_of_valid: string | null
    readonly as_of_known: string | null
    readonly advisories?: ReadonlyArray<string>
  }
}

const fault = (field: string, message: string): Either.Either<never, Refusal> =>
  Either.left(refuse("INVALID_ARGUMENT", message, { field }))

/** The instant asked for; null asks about the present. `now` is milliseconds since 1970. */
export const asOfOf = (request: Asked, now: number): Either.Either<AsOf | null, Refusal> => {
  const { as_of, as_of_basis, as_of_known, as_of_valid } = request
  if (as_of !== undefined && (as_of_valid !== undefined || as_of_known !== undefined)) {
    return fault("as_of", "`as_of` asks on one axis, `as_of_valid` and `as_of_known` on both: name one or the other")
  }
  if (as_of_basis !== undefined && as_of === undefined) {
    return fault("as_of_basis", "`as_of_basis` says what `as_of` is a time of, and there is no `as_of`")
  }
  if ((as_of_valid === undefined) !== (as_of_known === undefined)) {
    return fault(
      as_of_valid === undefined ? "as_of_valid" : "as_of_known",
      "`as_of_valid` and `as_of_known` belong together; one axis alone is asked with `as_of` and `as_of_basis`"
    )
  }
  if (as_of_valid !== undefined && as_of_known !== undefined) {
    const [valid, known] = [read("as_of_valid", as_of_valid), read("as_of_known", as_of_known)]
    return Either.right({
      instant: { axis: "valid", at: valid.millis, known: knownAt(known.millis, now) },
      said: said("both", valid.millis, known.millis, [...valid.advisories, ...known.advisories])
    })
  }
  if (as_of === undefined) return Either.right(null)
  const { advisories, millis } = read("as_of", as_of)
  return Either.right(
    as_of_basis === "knowledge_time"
      ? {
        instant: { axis: "knowledge", at: millis, known: knownAt(millis, now) },
        said: said("knowledge_time", null, millis, advisories)
      }
      : { instant: { axis: "valid", at: millis, known: null }, said: said("valid_time", millis, null, advisories) }
  )
}

// Versions may run ahead of the clock for a moment; from now on, everything written is known.
const knownAt = (millis: number, now: number): bigint | null => millis >= now ? null : lastVersionAt(millis)

const read = (field: string, text: string): { readonly millis: number; readonly advisories: ReadonlyArray<string> } => {
  const parsed = parseTime(text)
  // The request schema has refused what does not parse.
  if (typeof parsed === "string") return { millis: 0, advisories: [] }
  return {
    millis: parsed.millis,
    advisories: parsed.naive ? [`${field} named no offset and was read as UTC`] : []
  }
}

const iso = (millis: number | null): string | null => millis === null ? null : new Date(millis).toISOString()

const said = (
  basis: AsOf["said"]["as_of_basis"],
  valid: number | null,
  known: number | null,
  advisories: ReadonlyArray<string>
): AsOf["said"] => ({
  as_of_basis: basis,
  as_of_valid: iso(valid),
  as_of_known: iso(known),
  ...(advisories.length === 0 ? {} : { advisories })
})

/** Refuses fields that ask about the present beside one that asks about the past. */
export const presentOnly = <A extends object>(
  asOf: AsOf | null,
  request: A,
  fields: ReadonlyArray<keyof A & string>
): Either.Either<void, Refusal> => {
  const field = asOf === null
    ? undefined
    : fields.find((name) => request[name] !== undefined && request[name] !== false)
  return field === undefined
    ? Either.void
    : fault(field, `\`${field}\` asks about the present and has no meaning beside an \`as_of\``)
}

/** Says which fields a question of what was true does not heed, beside what the answer says already. */
export const unheeded = <A extends object>(
  asOf: AsOf | null,
  request: A,
  fields: ReadonlyArray<keyof A & string>
): { readonly advisories?: ReadonlyArray<string> } => {
  const given = fields.filter((name) => request[name] === true)
  return asOf?.instant.axis !== "valid" || given.length === 0 ? {} : {
    advisories: [
      ...asOf.said.advisories ?? [],
      `${given.join(", ")}: no effect on valid_time, which answers with what was true, whatever became of the row since`
    ]
  }
}
