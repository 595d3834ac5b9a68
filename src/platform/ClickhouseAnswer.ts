/**
 * Reads the answer of a query. The format is JSONCompact: one JSON document, so that a body which broke off can never be
 * taken for a short result, with the column names once. Anything but a whole document is an `AnswerBroken`.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

export const answerFormat = "JSONCompact"

/** The body is not a whole answer: it broke off, carries an exception, or is no answer of ClickHouse at all. */
export class AnswerBroken extends Data.TaggedError("AnswerBroken")<{ readonly reason: string }> {}

/** A row of a whole answer does not decode. `issue` names types and columns; it may hold a value, so it is not logged. */
export class RowUndecodable extends Data.TaggedError("RowUndecodable")<{
  readonly row: number
  readonly path: string
}> {}

type Rows = ReadonlyArray<ReadonlyArray<unknown>>

// Checked without a copy: an answer may hold millions of numbers.
const Rows = Schema.declare((value: unknown): value is Rows => Array.isArray(value) && value.every(Array.isArray))

const Answer = Schema.parseJson(Schema.Struct({
  meta: Schema.Array(Schema.Struct({ name: Schema.String })),
  data: Rows,
  // A number, or a string where 64-bit integers are quoted.
  rows: Schema.Union(Schema.Int, Schema.NumberFromString),
  // A server may close a document well after its headers and put the failure inside.
  exception: Schema.optional(Schema.Unknown)
}))

const decodeAnswer = ParseResult.decodeUnknownEither(Answer)

export interface Answer {
  readonly columns: ReadonlyArray<string>
  readonly rows: Rows
}

export const readAnswer = (body: string): Either.Either<Answer, AnswerBroken> =>
  Either.flatMap(
    Either.mapLeft(decodeAnswer(body), () => new AnswerBroken({ reason: "the body is not a whole document" })),
    ({ data, exception, meta, rows }) => {
      const columns = meta.map(({ name }) => name)
      if (exception !== undefined) return Either.left(new AnswerBroken({ reason: "the body carries an exception" }))
      if (rows !== data.length || data.some((row) => row.length !== columns.length)) {
        return Either.left(new AnswerBroken({ reason: "the body lacks rows or columns" }))
      }
      return Either.right({ columns, rows: data })
    }
  )

// A few milliseconds of decoding between two turns of the event loop.
const rowsPerTurn = 2_000

/** Rows as objects by column name, decoded by `row`, which must not need effects. */
export const decodeRows = <A, I>(
  { columns, rows }: Answer,
  row: Schema.Schema<A, I>
): Effect.Effect<ReadonlyArray<A>, RowUndecodable> => {
  const decode = ParseResult.decodeUnknownEither(row)
  const decoded: Array<A> = []
  const turn = (): Effect.Effect<ReadonlyArray<A>, RowUndecodable> => {
    const end = Math.min(rows.length, decoded.length + rowsPerTurn)
    for (let index = decoded.length; index < end; index++) {
      const values = rows[index] ?? []
      const result = decode(Object.fromEntries(columns.map((column, position) => [column, values[position]])))
      if (Either.isLeft(result)) return Effect.fail(new RowUndecodable({ row: index, path: issuePath(result.left) }))
      decoded.push(result.right)
    }
    return end === rows.length ? Effect.succeed(decoded) : Effect.flatMap(Effect.yieldNow(), turn)
  }
  return Effect.suspend(turn)
}

// The place alone: the message of an issue quotes the stored value.
const issuePath = (issue: ParseResult.ParseIssue): string =>
  ParseResult.ArrayFormatter.formatIssueSync(issue).map(({ _tag, path }) => `${path.map(String).join(".")}: ${_tag}`)
    .join("; ")
