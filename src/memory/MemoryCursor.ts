/**
 * Where a listing goes on: an opaque text bound to its filter, so that a cursor cannot be carried over to another
 * listing. Scope and reader bounds are applied to every page anyway; a cursor opens nothing.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { canonical, sha256 } from "../kernel/Json.ts"
import type { Json } from "../kernel/Json.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import type { Keyset, SortBy } from "./MemoryReader.ts"

const Cursor = Schema.parseJson(Schema.Struct({ v: Schema.String, id: Schema.String, f: Schema.String }))

/** A short hash of everything a listing filters by. */
export const filterHash = (filter: object): string => {
  const plain: Json = JSON.parse(JSON.stringify(filter))
  return sha256(canonical(plain)).slice(0, 16)
}

export const encodeCursor = (after: Keyset, filter: string): string =>
  Buffer.from(JSON.stringify({ v: after.value, id: after.memory_id, f: filter }), "utf8").toString("base64url")

export const decodeCursor = (cursor: string, filter: string, sort: SortBy): Either.Either<Keyset, Refusal> =>
  Either.flatMap(
    Either.mapLeft(
      Schema.decodeEither(Cursor)(Buffer.from(cursor, "base64url").toString("utf8")),
      () => refuse("INVALID_ARGUMENT", "`cursor` is not one that a listing gave", { field: "cursor" })
    ),
    (found) =>
      found.f === filter && (sort === "memory_key" || /^-?\d{1,15}$/.test(found.v))
        ? Either.right({ value: found.v, memory_id: found.id })
        : Either.left(
          refuse("INVALID_ARGUMENT", "`cursor` belongs to a listing with another filter", { field: "cursor" })
        )
  )
