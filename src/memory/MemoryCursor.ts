/**
 * Where a listing of memories goes on: the keyset of the last row shown, in a cursor that the server signed. Scope and
 * reader bounds are applied to every page anyway; a cursor opens nothing.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Refusal, StoreError } from "../kernel/LoomError.ts"
import type { Listing } from "../kernel/SignedCursor.ts"
import type { Cursors } from "../platform/Cursors.ts"
import type { Keyset } from "./MemoryReader.ts"

// The version is there where a memory may be listed several times.
const Place = Schema.Tuple(Schema.String, Schema.String, Schema.optionalElement(Schema.BigInt))

export const cursorAfter = (
  cursors: Cursors["Type"],
  listing: Listing,
  { memory_id, value, version }: Keyset
): Effect.Effect<string, StoreError> =>
  cursors.give(listing, [value, memory_id, ...version === undefined ? [] : [version.toString()]])

/** The keyset that a request's cursor names; null without a cursor, at the beginning. */
export const keysetOf = (
  cursors: Cursors["Type"],
  listing: Listing,
  cursor: string | undefined
): Effect.Effect<Keyset | null, Refusal | StoreError> =>
  cursor === undefined
    ? Effect.succeed(null)
    : Effect.map(cursors.take(listing, Place, cursor), ([value, memory_id, version]) => ({ value, memory_id, version }))
