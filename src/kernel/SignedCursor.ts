/**
 * The text of a cursor: where a listing goes on, signed with HMAC-SHA256 by a key of the server's. A cursor is bound to
 * whom it was given and to what he asked, so that it can neither be made nor carried over to another caller, verb or
 * filter. What it holds is signed and not hidden: it must be nothing that its holder may not know. Pure.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { createHmac, timingSafeEqual } from "node:crypto"
import type { Caller } from "./Caller.ts"
import { canonical, sha256 } from "./Json.ts"
import type { Json } from "./Json.ts"

export interface CursorKey {
  readonly key_id: string
  /** 64 hex digits. */
  readonly secret: string
}

/** What a cursor is bound to. */
export interface Listing {
  readonly verb: string
  readonly caller: Caller
  /** Everything that decides which rows are listed, and in which order; a page's size is no part of it. */
  readonly filter: object
}

/**
 * How long a cursor holds. Long enough for a walk over a large namespace with pauses for a night; a page after it would
 * mostly go on in a list that nobody has in mind any more.
 */
export const MAX_AGE_MILLIS = 24 * 60 * 60 * 1000

// A cursor is from the future when the clocks of two processes differ by this, and then it is not one of ours.
const CLOCK_SKEW_MILLIS = 60 * 1000

/** Why a cursor does not open a listing. */
export type CursorFault = "unknown" | "foreign" | "other" | "old"

const VERSION = 1

const Sealed = Schema.parseJson(Schema.Struct({
  v: Schema.Literal(VERSION),
  /** When it was given, in milliseconds since 1970. */
  t: Schema.Int,
  /** Hashes of the caller, and of the verb and filter. */
  c: Schema.String,
  f: Schema.String,
  /** Where the listing goes on. */
  p: Schema.Unknown
}))

/** A short hash; as it is signed, nobody can look for another text of the same. */
const shortHash = (value: Json): string => sha256(canonical(value)).slice(0, 16)

const plain = (value: object): Json => JSON.parse(JSON.stringify(value))

/** The caller as far as it decides what he may read, and who he is. Another token of the same reach goes on as well. */
const callerHash = ({ actor, boundUser, namespaces, org, platform }: Caller): string =>
  shortHash([actor, org, [...namespaces].sort(), boundUser, platform === true])

const askedHash = ({ filter, verb }: Listing): string => shortHash([verb, plain(filter)])

const mac = ({ secret }: CursorKey, signed: string): Buffer =>
  createHmac("sha256", Buffer.from(secret, "hex")).update("loom cursor ").update(signed, "utf8").digest()

/** `<key>.<content>.<signature>`; `at` is milliseconds since 1970, `place` any JSON. */
export const seal = (key: CursorKey, listing: Listing, at: number, place: Json): string => {
  const content = JSON.stringify({ v: VERSION, t: at, c: callerHash(listing.caller), f: askedHash(listing), p: place })
  const signed = `${key.key_id}.${Buffer.from(content, "utf8").toString("base64url")}`
  return `${signed}.${mac(key, signed).toString("base64url")}`
}

/** The key that a text names; undefined when it is no cursor. */
export const keyIdOf = (text: string): string | undefined => /^([0-9a-f]{8})\.[\w-]+\.[\w-]{43}$/.exec(text)?.[1]

/** Where the listing goes on, once the signature, the binding and the age hold. The signature is compared in constant time. */
export const open = (
  key: CursorKey,
  listing: Listing,
  now: number,
  text: string
): Either.Either<unknown, CursorFault> => {
  const dot = text.lastIndexOf(".")
  const signed = text.slice(0, dot)
  const given = Buffer.from(text.slice(dot + 1), "base64url")
  const expected = mac(key, signed)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return Either.left("unknown")
  const content = Buffer.from(signed.slice(signed.indexOf(".") + 1), "base64url").toString("utf8")
  return Either.flatMap(
    Either.mapLeft(Schema.decodeEither(Sealed)(content), (): CursorFault => "unknown"),
    ({ c, f, p, t }) =>
      c !== callerHash(listing.caller)
        ? Either.left("foreign")
        : f !== askedHash(listing)
        ? Either.left("other")
        : now - t > MAX_AGE_MILLIS || t - now > CLOCK_SKEW_MILLIS
        ? Either.left("old")
        : Either.right(p)
  )
}
