/**
 * What a command shows: its result on stdout, everything else on stderr. A result is words for people or, with `--json`,
 * one JSON object on one line. Nothing here is ever coloured.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { Streams } from "./Streams.ts"

/** Text of stdout as it is; waits while the reader is slow. */
export const text = (text: string | Uint8Array): Effect.Effect<void> =>
  Effect.flatMap(
    Streams,
    ({ stdout }) => Effect.async<void>((resume) => void stdout.write(text, () => resume(Effect.void)))
  )

/** Lines of stdout. */
export const lines = (all: ReadonlyArray<string>): Effect.Effect<void> => text(all.map((line) => `${line}\n`).join(""))

/** One JSON value as one line of stdout. */
export const json = (value: unknown): Effect.Effect<void> => lines([JSON.stringify(value)])

/** A result: JSON when asked for, else the lines. */
export const result = (asJson: boolean, value: unknown, words: () => ReadonlyArray<string>): Effect.Effect<void> =>
  asJson ? json(value) : lines(words())

/** A line of stderr: what the command does, or why it fails. */
export const note = (line: string): Effect.Effect<void> =>
  Effect.map(Streams, ({ stderr }) => void stderr.write(`${line}\n`))

/** Rows as columns of equal width; the last column is not padded. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd())
}

const ansi = /\u001b\[[0-9;]*m/g

/** What the command-line library prints by itself (version, completions) without its colours and blank lines. */
export const withPlainConsole = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((inner) =>
    Effect.withConsole(program, {
      ...inner,
      log: (...parts) => lines([parts.map(String).join(" ").replace(ansi, "").trimEnd()]),
      // Its words about a wrong command line come back as an error and are told once, by us.
      error: () => Effect.void
    })
  )
