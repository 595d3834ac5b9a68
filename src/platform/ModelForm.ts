/**
 * A value of a schema from a language model. The model is asked with the JSON Schema of it; what comes is read as messily as
 * models write (`ModelReply`) and decoded; a reply that cannot be used is asked for once more, with the fault in words.
 * Nothing is filled in: a value stands as the model gave it or is refused (`MODEL_REPLY_UNUSABLE`).
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { refuse } from "../kernel/LoomError.ts"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelError, ModelPrompt, ModelReply, ReplyForm } from "./LanguageModel.ts"
import { formOf } from "./ModelFormSchema.ts"
import * as Replies from "./ModelReply.ts"
import { formInWords } from "./ModelTurns.ts"

export interface FormPrompt extends Omit<ModelPrompt, "form" | "correction"> {
  /** A name for the form: letters, digits and `_`. The purpose unless given. */
  readonly formName?: string
}

export interface FormedReply<A> {
  readonly value: A
  readonly model: string
  /** Of both turns, as far as the server counted; null where it did not. */
  readonly tokensIn: number | null
  readonly tokensOut: number | null
  /** Whether the reply broke off, so that lists may have had more items: those that came whole are there. */
  readonly truncated: boolean
  /** Whether it took a second turn. */
  readonly repaired: boolean
}

/**
 * Asks the model for a value of the schema, in which no property may be left out (`Schema.NullOr` instead of optional). A
 * reply that broke off is asked for again unless it had become as long as it may, where the next would too.
 */
export const generateAs = <A, I>(
  schema: Schema.Schema<A, I>,
  { formName, ...prompt }: FormPrompt
): Effect.Effect<FormedReply<A>, ModelError, LanguageModel> =>
  Effect.gen(function*() {
    const { generate } = yield* LanguageModel
    const form = formOf(formName ?? prompt.purpose, schema)
    const asked = { ...prompt, form }
    const first = yield* generate(asked)
    const taken = takenFrom(schema, form, first.text)
    const reply = (
      { truncated, value }: Taken<A>,
      replies: ReadonlyArray<ModelReply>,
      repaired: boolean
    ): FormedReply<A> => ({ value, ...bill(first, replies), truncated, repaired })
    if (Either.isRight(taken) && (!taken.right.truncated || first.truncated === true)) {
      return reply(taken.right, [first], false)
    }

    const fault = Either.isLeft(taken) ? taken.left : BROKE_OFF
    const again = generate({ ...asked, correction: { said: first.text, why: whyOf(fault, form) } })
    // What came whole of a reply that broke off is worth more than nothing.
    if (Either.isRight(taken)) {
      const second = yield* Effect.option(again)
      if (second._tag === "None") return reply(taken.right, [first], false)
      const better = takenFrom(schema, form, second.value.text)
      return Either.isRight(better) && !better.right.truncated
        ? reply(better.right, [first, second.value], true)
        : reply(taken.right, [first, second.value], false)
    }
    const second = yield* again
    const repaired = takenFrom(schema, form, second.text)
    if (Either.isRight(repaired)) return reply(repaired.right, [first, second], true)
    const { model, tokensIn, tokensOut } = bill(first, [first, second])
    return yield* refuse("MODEL_REPLY_UNUSABLE", `The language model's reply could not be used: ${repaired.left}`, {
      model,
      tokens_in: tokensIn,
      tokens_out: tokensOut
    })
  })

interface Taken<A> {
  readonly value: A
  readonly truncated: boolean
}

const BROKE_OFF = "it broke off before its end"

/** The value of the reply that fits, or what is wrong with the likeliest, in words that hold nothing of the reply. */
const takenFrom = <A, I>(
  schema: Schema.Schema<A, I>,
  form: ReplyForm,
  text: string
): Either.Either<Taken<A>, string> => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all" })
  const read = Replies.readings(text)
  if (Either.isLeft(read)) return Either.left(read.left.message)
  const fits = read.right.flatMap((reading) => {
    const decoded = decode(reading.value)
    return Either.isRight(decoded) ? [{ ...reading, value: decoded.right, said: JSON.stringify(reading.value) }] : []
  })
  const rank = ({ fenced, truncated }: Replies.Reading) => `${truncated} ${fenced}`
  const [best] = fits
  if (best !== undefined) {
    // A draft before the answer, an example beside it: which of them is meant only the model can say.
    return fits.some((one) => rank(one) === rank(best) && one.said !== best.said)
      ? Either.left("it holds several values that fit where one is asked for")
      : Either.right({ value: best.value, truncated: best.truncated })
  }
  const [likeliest] = read.right
  if (likeliest === undefined) return Either.left("it holds no JSON")
  const wrapped = inItsField(form, likeliest.value)
  const within = wrapped === undefined ? undefined : decode(wrapped)
  if (within !== undefined && Either.isRight(within)) {
    return Either.right({ value: within.right, truncated: likeliest.truncated })
  }
  const decoded = decode(likeliest.value)
  return Either.left(
    `${likeliest.truncated ? `${BROKE_OFF}; ` : ""}${
      Either.isLeft(decoded) ? faultWords(decoded.left) : "it does not fit"
    }`
  )
}

/** A bare list where an object with that one list is asked for, as models that like lists give it. */
const inItsField = ({ schema }: ReplyForm, value: unknown): unknown => {
  if (!Array.isArray(value) || !("properties" in schema)) return undefined
  const { properties } = schema
  const [only, ...others] = typeof properties === "object" && properties !== null ? Object.keys(properties) : []
  return only === undefined || others.length > 0 ? undefined : { [only]: value }
}

// A reply with more faults than these has one cause.
const MOST_FAULTS = 5

/** What does not fit, and where; of the values themselves nothing. */
const faultWords = (fault: ParseResult.ParseError): string => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(fault)
  const said = issues.map(({ _tag, message, path }) => {
    const where = path.length === 0 ? "the whole" : `\`${path.map(String).join(".")}\``
    const expected = /^Expected (.+?), actual /s.exec(message)?.[1]
    return _tag === "Missing"
      ? `${where} is missing`
      : expected === undefined
      ? `${where} is not valid`
      : `${where} is not ${expected.slice(0, 160)}`
  })
  return [...new Set(said)].slice(0, MOST_FAULTS).join("; ")
}

const whyOf = (fault: string, form: ReplyForm): string =>
  `That reply cannot be used: ${fault}. Give the whole reply once more.\n${formInWords(form)}`

/** The model, and what all its turns took. */
const bill = ({ model }: ModelReply, replies: ReadonlyArray<ModelReply>) => ({
  model,
  tokensIn: sum(replies.map(({ tokensIn }) => tokensIn)),
  tokensOut: sum(replies.map(({ tokensOut }) => tokensOut))
})

const sum = (counts: ReadonlyArray<number | null>): number | null => {
  const known = counts.filter((count) => count !== null)
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0)
}
