/**
 * The token verbs: mint, revoke, list. They act on the org's tokens and not in a namespace, so they pass no actor.
 */
import * as Schema from "effect/Schema"
import { Role } from "../kernel/Caller.ts"
import { Name, NamespaceName, UserId } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { CursorText } from "../platform/Cursors.ts"
import { ALL_NAMESPACES, TokenKind } from "./TokenModel.ts"

/** A subject becomes part of the actor `human:<subject>` on every row. */
const Subject = Name.pipe(Schema.filter((text) => text.length <= 128 || "is longer than 128 characters", {
  jsonSchema: { type: "string" }
}))

const OpenedNamespace = Schema.Union(Schema.Literal(ALL_NAMESPACES), NamespaceName)

// A century: longer is a mistake in the unit.
const TtlSeconds = Schema.Int.pipe(Schema.between(1, 3_155_760_000))

const tokenView = {
  token_id: Schema.String,
  org: Schema.String,
  namespaces: Schema.Array(Schema.String),
  role: Schema.String,
  /** The one user it is bound to; null when it is bound to none. */
  user_id: Schema.NullOr(Schema.String),
  kind: Schema.String,
  subject: Schema.String,
  /** What is stamped on the rows it writes. */
  actor: Schema.String,
  description: Schema.String,
  created_at: Schema.String,
  created_by: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String)
}

export const TokenMint = make("token.mint", {
  access: "admin",
  idempotent: false,
  writes: true,
  listed: false,
  teaching: {
    what: "Mint a token for a person or a program. The secret is in this answer and never shown again.",
    when: "A person or a program needs its own access.",
    whenNot: "It already has a token: revoke that one first if it was lost.",
    args:
      "namespaces lists what it opens (`[\"*\"]` for all of the org); role is read, write or admin and not above your own; user_id binds it to one user's rows; ttl_seconds ends it. The same idempotency_key answers the same token with token=null, since its secret is not kept."
  },
  payload: Schema.Struct({
    org: Schema.optional(Name),
    namespaces: Schema.Array(OpenedNamespace).pipe(Schema.minItems(1), Schema.maxItems(256)),
    role: Role,
    kind: TokenKind,
    subject: Subject,
    user_id: Schema.optional(UserId),
    ttl_seconds: Schema.optional(TtlSeconds),
    description: Schema.optional(Schema.String.pipe(Schema.maxLength(512))),
    idempotency_key: Schema.optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(256)))
  }),
  answer: Schema.Struct({
    /** `loom_<id>_<secret>`, once; null when the same request was answered before. */
    token: Schema.NullOr(Schema.String),
    ...tokenView
  })
})

export const TokenRevoke = make("token.revoke", {
  access: "admin",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what: "Revoke a token for good; within two seconds no process accepts it.",
    when: "A token was lost, or its holder left.",
    whenNot: "It should do less: mint another one and revoke this one after.",
    args: "found=false means there is no such token among those you may see; revoking twice changes nothing."
  },
  payload: Schema.Struct({ token_id: Schema.String.pipe(Schema.maxLength(64)) }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    revoked: Schema.Boolean,
    token_id: Schema.String,
    /** When it was first revoked. */
    revoked_at: Schema.NullOr(Schema.String)
  })
})

export const TokenList = make("token.list", {
  access: "admin",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "List the tokens that open no more than yours does, newest first; secrets are not kept and not shown.",
    when: "You look for a token to revoke or check who has access.",
    whenNot: "You need a new one (token.mint).",
    args: "next_cursor walks on; a page may hold fewer tokens than limit and still have a next one."
  },
  payload: Schema.Struct({
    org: Schema.optional(Name),
    include_revoked: Schema.optional(Schema.Boolean),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 1000))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    tokens: Schema.Array(Schema.Struct(tokenView)),
    next_cursor: Schema.NullOr(Schema.String)
  })
})
