/**
 * Labelled pairs of claims and what a judge's verdicts on them come to, pure. Two file forms: TSV `class<TAB>a<TAB>b` with
 * the classes dup, conf, compat and unrel, and JSONL `{"class","a","b"}` with merge, duplicate, conflict and clear.
 */
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const TsvClass = Schema.Literal("dup", "conf", "compat", "unrel")
const JsonClass = Schema.Literal("merge", "duplicate", "conflict", "clear")

export const Pair = Schema.Struct({
  class: Schema.Union(TsvClass, JsonClass),
  a: Schema.NonEmptyString,
  b: Schema.NonEmptyString
})
export type Pair = typeof Pair.Type

/** What a pair's class stands for: the same claim, opposed claims, or claims that both hold. */
const meaning: Record<Pair["class"], "same" | "opposed" | "apart"> = {
  dup: "same",
  merge: "same",
  duplicate: "same",
  conf: "opposed",
  conflict: "opposed",
  compat: "apart",
  unrel: "apart",
  clear: "apart"
}

const decodeJson = Schema.decodeUnknownEither(Schema.parseJson(Pair))
const decodeTsv = Schema.decodeUnknownEither(Pair)

/** The pairs of a file, or the first line that is none. Empty lines and lines that begin with `#` are left out. */
export const parse = (text: string): Either.Either<ReadonlyArray<Pair>, string> => {
  const pairs: Array<Pair> = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue
    const [name, a, b, ...rest] = line.split("\t")
    const pair: Either.Either<Pair, ParseResult.ParseError> = line.startsWith("{")
      ? decodeJson(line)
      : decodeTsv(rest.length > 0 ? {} : { class: name, a, b })
    if (Either.isLeft(pair)) {
      return Either.left(`Line ${at + 1} is no pair: class<TAB>a<TAB>b, or {"class","a","b"} in JSON`)
    }
    pairs.push(pair.right)
  }
  return Either.right(pairs)
}

/** What the judge made of a pair; a refinement replaces the stored claim and counts as a conflict. */
export type Verdict = "merge" | "duplicate" | "conflict" | "clear"

export interface Judged {
  readonly pair: Pair
  readonly verdict: Verdict
}

export interface Report {
  readonly pairs: number
  /** How often each class met each verdict. */
  readonly matrix: Record<string, Record<Verdict, number>>
  /** Of the pairs that do not say the same, the share judged merge or duplicate: what would be lost. */
  readonly loss_rate: number
  /** Of the opposed pairs, the share judged conflict. */
  readonly conflict_flagged: number
  /** Of the reworded pairs, the share judged duplicate or merge. */
  readonly duplicate_recognised: number
  /** Of the pairs that both hold, the share judged conflict. */
  readonly false_conflict: number
}

const share = (judged: ReadonlyArray<Judged>, of: (one: Judged) => boolean): number =>
  judged.length === 0 ? 0 : judged.filter(of).length / judged.length

const isOne = ({ verdict }: Judged): boolean => verdict === "merge" || verdict === "duplicate"

export const report = (judged: ReadonlyArray<Judged>): Report => {
  const matrix: Record<string, Record<Verdict, number>> = {}
  for (const { pair, verdict } of judged) {
    const row = matrix[pair.class] ?? { merge: 0, duplicate: 0, conflict: 0, clear: 0 }
    matrix[pair.class] = { ...row, [verdict]: row[verdict] + 1 }
  }
  const of = (...meant: ReadonlyArray<string>) => judged.filter(({ pair }) => meant.includes(meaning[pair.class]))
  const reworded = of("same").filter(({ pair }) => pair.class !== "merge")
  return {
    pairs: judged.length,
    matrix,
    loss_rate: share(of("opposed", "apart"), isOne),
    conflict_flagged: share(of("opposed"), ({ verdict }) => verdict === "conflict"),
    duplicate_recognised: share(reworded, isOne),
    false_conflict: share(of("apart"), ({ verdict }) => verdict === "conflict")
  }
}

/** Whether a verdict is what the class of its pair calls for. */
export const isRight = (one: Judged): boolean => {
  switch (meaning[one.pair.class]) {
    case "same":
      return isOne(one)
    case "opposed":
      return one.verdict === "conflict"
    case "apart":
      return one.verdict === "clear"
  }
}
