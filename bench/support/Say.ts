/**
 * What a bench prints. Notes and progress go to stderr; the result goes to stdout, as lines for people or, with `--json`,
 * as one JSON object in the last line.
 */
import * as Effect from "effect/Effect"

export const note = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`bench: ${line}\n`)
  })

const toldUpTo = new Map<string, number>()

/** Tells how far a long step is, at each tenth of the way. */
export const progress = (what: string, done: number, of: number): Effect.Effect<void> => {
  const tenth = Math.floor((10 * done) / of)
  if (tenth === (toldUpTo.get(what) ?? 0)) return Effect.void
  toldUpTo.set(what, tenth)
  return note(`${what} ${done} of ${of}`)
}

/** A result: numbers, words and groups of them. */
export interface Result {
  readonly [key: string]: number | string | ReadonlyArray<number | Result> | Result
}

const lines = (result: Result, indent: string): ReadonlyArray<string> =>
  Object.entries(result).flatMap(([key, value]) =>
    Array.isArray(value)
      ? [`${indent}${key.padEnd(24)} ${JSON.stringify(value)}`]
      : typeof value === "object"
      ? [`${indent}${key}`, ...lines(Object(value), `${indent}  `)]
      : [`${indent}${key.padEnd(24)} ${value}`]
  )

export const result = (found: Result, asJson: boolean): Effect.Effect<void> =>
  Effect.sync(() => {
    console.log(asJson ? JSON.stringify(found) : lines(found, "").join("\n"))
  })
