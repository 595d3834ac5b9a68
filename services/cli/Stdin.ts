/**
 * Reads what a command takes from a file or, where `-` stands in its place, from stdin.
 */
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { buffer } from "node:stream/consumers"
import type { CliFailure } from "./CliFailure.ts"
import { cliFailure } from "./CliFailure.ts"
import { Streams } from "./Streams.ts"

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

const words: { readonly [code: string]: string } = {
  ENOENT: "is not there",
  EISDIR: "is a folder",
  EACCES: "may not be read",
  ERR_FS_FILE_TOO_LARGE: "is larger than 2 GiB; split it"
}

// The library takes a lone `-` for an option and reads no further, so it is given another name before.
const STDIN = "stdin:"

/** Whether the argument stands for stdin. */
export const isStdin = (arg: string): boolean => arg === STDIN

/** A command line as the library reads it. */
export const withNamedStdin = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.map((arg) => arg === "-" ? STDIN : arg)

/** The bytes of the file, or of stdin for `-`. */
export const read = (file: string): Effect.Effect<Buffer, CliFailure> =>
  Effect.flatMap(Streams, ({ stdin }) =>
    Effect.tryPromise({
      try: () => isStdin(file) ? buffer(stdin) : readFile(file),
      catch: (cause) =>
        cliFailure("usage", "FILE", `${file} ${words[codeOf(cause)] ?? `cannot be read (${codeOf(cause)})`}`, { file })
    }))
