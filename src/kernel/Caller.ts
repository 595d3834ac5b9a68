/**
 * Who is calling, as the server knows it (never as the body says): the actor that is stamped on rows, the scope the
 * token opens and its bounds. Edges build it from the token; handlers receive it as an argument.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "./Identity.ts"
import { ANONYMOUS, Name, UserId } from "./Identity.ts"
import { refuse } from "./LoomError.ts"
import type { Refusal } from "./LoomError.ts"

/** What a token may do; each role includes the ones before it. */
export const Role = Schema.Literal("read", "write", "admin")
export type Role = typeof Role.Type

const rank: Record<Role, number> = { read: 0, write: 1, admin: 2 }

export const Caller = Schema.Struct({
  /** `human:<subject>` or `process:<subject>`. */
  actor: Schema.String,
  org: Name,
  /** The namespaces the token opens; `*` opens every namespace of the org. */
  namespaces: Schema.Array(Schema.String),
  /** Where a request goes that names no namespace. */
  defaultNamespace: Schema.NullOr(Name),
  role: Role,
  /** A token bound to one user reads and writes that user's rows alone. */
  boundUser: Schema.NullOr(UserId),
  /**
   * The operator's root token: it opens no namespace, so it reads and writes no memory; it may administer any org.
   * Absent means false.
   */
  platform: Schema.optional(Schema.Boolean)
}).annotations({ identifier: "Caller" })
export type Caller = typeof Caller.Type

/** Whether the caller's role includes the one a verb needs. */
export const allows = (caller: Caller, role: Role): boolean => rank[caller.role] >= rank[role]

export const requireRole = (caller: Caller, role: Role): Effect.Effect<void, Refusal> =>
  allows(caller, role)
    ? Effect.void
    : Effect.fail(refuse("FORBIDDEN", `This needs a token of role ${role}`, { role }))

/** The caller of single-user mode: no token, loopback only. */
export const localCaller: Caller = {
  actor: "human:local",
  org: "dev",
  namespaces: ["*"],
  defaultNamespace: "local",
  role: "admin",
  boundUser: null
}

export const opensNamespace = (caller: Caller, namespace: string): boolean =>
  caller.namespaces.includes("*") || caller.namespaces.includes(namespace)

/**
 * The scope a request may act in. A scope that the token does not open is `FORBIDDEN` with the same words whether or
 * not it exists, so nothing of another tenant can be probed.
 */
export const resolveScope = (
  caller: Caller,
  request: { readonly org?: string | undefined; readonly namespace?: string | undefined }
): Effect.Effect<Scope, Refusal> => {
  const org = request.org ?? caller.org
  const namespace = request.namespace ?? caller.defaultNamespace
  if (namespace === null) {
    return Effect.fail(
      refuse("INVALID_ARGUMENT", "`namespace` is needed: the token opens several", { field: "namespace" })
    )
  }
  return org === caller.org && opensNamespace(caller, namespace)
    ? Effect.succeed({ org, namespace })
    : Effect.fail(refuse("FORBIDDEN", "The token does not open this org and namespace"))
}

/** The user a write is for: a bound token's user whatever the body says, else the body's, else the anonymous one. */
export const resolveUser = (
  caller: Caller,
  userId: string | undefined
): Effect.Effect<string, Refusal> =>
  caller.boundUser === null
    ? Effect.succeed(userId ?? ANONYMOUS)
    : userId === undefined || userId === caller.boundUser
    ? Effect.succeed(caller.boundUser)
    : Effect.fail(refuse("FORBIDDEN", "The token is bound to another user"))

/** The user filter of a read: null reads every user's rows. A bound token asking for another user sees none. */
export const readableUser = (
  caller: Caller,
  userId: string | undefined
): { readonly user: string | null; readonly none: boolean } =>
  caller.boundUser === null
    ? { user: userId ?? null, none: false }
    : { user: caller.boundUser, none: userId !== undefined && userId !== caller.boundUser }
