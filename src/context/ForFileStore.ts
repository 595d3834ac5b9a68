/**
 * The port to the memories about a file. Only what is served counts: not ended, not redacted, never of high sensitivity.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { FileHead } from "./ForFileModel.ts"

/** Null matches every writer. */
export type WriterFilter = { readonly [Name in keyof Writer]: string | null }

export interface FileHeads {
  readonly heads: ReadonlyArray<FileHead>
  /** How many there are, those included that a bound kept from being read. */
  readonly total: number
}

export interface FileText {
  readonly text: string
  readonly isCut: boolean
}

export class ForFileStore extends Context.Tag("loom/context/ForFileStore")<ForFileStore, {
  /** The memories of a scope whose files name the path; `path` is a `repositoryPath`, `now` milliseconds since 1970. */
  readonly heads: (
    scope: Scope,
    writer: WriterFilter,
    path: string,
    now: number
  ) => Effect.Effect<FileHeads, StoreError>
  /** The beginnings of their values, by `memory_id`; one that may be read no more is left out. */
  readonly texts: (
    scope: Scope,
    heads: ReadonlyArray<FileHead>
  ) => Effect.Effect<ReadonlyMap<string, FileText>, StoreError>
}>() {}

/**
 * How much of a value is read, in characters: one that goes on behind the first number fits no block whole, one that
 * goes on behind the second no line.
 */
export const READ_WHOLE = 10_000
export const READ_LINE = 1_000
