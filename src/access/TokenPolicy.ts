/**
 * Who may mint, see and revoke which token. A token reaches at most as far as the one that mints it: the same org, no
 * further namespace, no higher role, the same bound user. Only the operator's root token acts across orgs.
 */
import type { Caller, Role } from "../kernel/Caller.ts"
import { allows } from "../kernel/Caller.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import { ALL_NAMESPACES } from "./TokenModel.ts"

/** What a token opens. */
export interface Reach {
  readonly org: string
  readonly namespaces: ReadonlyArray<string>
  readonly role: Role
  readonly bound_user: string | null
}

const opensAll = (caller: Caller, namespaces: ReadonlyArray<string>): boolean =>
  caller.namespaces.includes(ALL_NAMESPACES) || namespaces.every((one) => caller.namespaces.includes(one))

/** Whether everything the token opens is open to the caller, so that he may see and revoke it. */
export const covers = (caller: Caller, token: Reach): boolean =>
  caller.platform === true ||
  (token.org === caller.org &&
    opensAll(caller, token.namespaces) &&
    allows(caller, token.role) &&
    (caller.boundUser === null || token.bound_user === caller.boundUser))

/** Why the caller may not mint a token of this reach, in words; undefined when he may. */
export const mintFault = (caller: Caller, wanted: Reach): Refusal | undefined => {
  if (covers(caller, wanted)) return undefined
  if (wanted.org !== caller.org) return refuse("FORBIDDEN", "Only the root token mints for another org")
  if (!opensAll(caller, wanted.namespaces)) {
    return refuse("FORBIDDEN", "A token opens no namespace that its minter does not open", { field: "namespaces" })
  }
  if (!allows(caller, wanted.role)) {
    return refuse("FORBIDDEN", "A token has no higher role than its minter", { field: "role" })
  }
  return refuse("FORBIDDEN", "A token bound to one user mints only tokens bound to the same user", { field: "user_id" })
}
