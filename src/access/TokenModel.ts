/**
 * A token as it is stored and as it is handed out. `loom_<id>_<secret>` is shown once; the store keeps the id and the
 * SHA-256 of the secret. The secret is 32 random bytes, so a plain hash is enough: there is nothing to guess slowly.
 */
import * as Schema from "effect/Schema"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { Caller } from "../kernel/Caller.ts"
import { Role } from "../kernel/Caller.ts"
import { Name, UserId } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"

/** A person or a program; it decides whether the actor is `human:` or `process:`. */
export const TokenKind = Schema.Literal("human", "service")
export type TokenKind = typeof TokenKind.Type

/** Every namespace of the org. */
export const ALL_NAMESPACES = "*"

export const Token = Schema.Struct({
  token_id: Schema.String,
  secret_sha256: Schema.String,
  org: Name,
  namespaces: Schema.Array(Schema.String),
  role: Role,
  /** The one user the token is bound to, or null. */
  bound_user: Schema.NullOr(UserId),
  kind: TokenKind,
  subject: Schema.String,
  description: Schema.String,
  /** Epoch milliseconds, as the other times here. */
  created_at: Schema.Int,
  created_by: Schema.String,
  expires_at: Schema.NullOr(Schema.Int),
  revoked_at: Schema.NullOr(Schema.Int),
  /** Grows with every change; nanoseconds of the change. */
  version: Schema.BigIntFromSelf
})
export type Token = typeof Token.Type

/** The two halves of a presented token. */
export interface Presented {
  readonly id: string
  readonly secret: string
}

const tokenText = /^loom_([0-9a-f]{16})_([0-9a-f]{64})$/

/** The halves of `loom_<id>_<secret>`, or undefined for any other text. */
export const parseToken = (text: string): Presented | undefined => {
  const [, id, secret] = tokenText.exec(text) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

export const formatToken = ({ id, secret }: Presented): string => `loom_${id}_${secret}`

export const newId = (): string => randomBytes(8).toString("hex")

export const newSecret = (): string => randomBytes(32).toString("hex")

export const hashSecret = sha256

/** Compares in a time that does not tell how much of the secret was right. */
export const secretMatches = (token: Token, secret: string): boolean => {
  const stored = Buffer.from(token.secret_sha256, "hex")
  const given = createHash("sha256").update(secret, "utf8").digest()
  return stored.length === given.length && timingSafeEqual(stored, given)
}

/** Whether the token still opens anything at `now` (epoch milliseconds). */
export const isLive = (token: Token, now: number): boolean =>
  token.revoked_at === null && (token.expires_at === null || now < token.expires_at)

export const actorOf = ({ kind, subject }: Pick<Token, "kind" | "subject">): string =>
  `${kind === "human" ? "human" : "process"}:${subject}`

/** The caller that a live token stands for. */
export const callerOf = (token: Token): Caller => {
  const [only, ...more] = token.namespaces
  return {
    actor: actorOf(token),
    org: token.org,
    namespaces: token.namespaces,
    defaultNamespace: only === undefined || only === ALL_NAMESPACES || more.length > 0 ? null : only,
    role: token.role,
    boundUser: token.bound_user
  }
}
