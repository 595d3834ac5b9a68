/**
 * Who may set, end and see which pattern. A pattern refuses the writes of everybody in its place, so who sets it must be
 * an admin of all of that place: of the namespace, of the whole org (a token that opens every namespace of it), or of
 * the platform. A token bound to one user sets none. Whoever may not end a pattern sees that it is there and why, for it
 * may refuse his writes, but not its text, which may be the very thing that must not be known.
 */
import type { Caller } from "../kernel/Caller.ts"
import { allows, opensNamespace } from "../kernel/Caller.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { PatternScope, Place } from "./BlacklistModel.ts"

/** A pattern's scope and where that is. */
export interface Target extends Place {
  readonly scope: PatternScope
}

/** Whether the caller opens every namespace of his org. */
export const opensAll = (caller: Caller): boolean => caller.namespaces.includes("*")

const isPlatform = (caller: Caller): boolean => caller.platform === true

/** Why the caller may not set or end a pattern there, in words; undefined when he may. */
export const manageFault = (caller: Caller, { namespace, org, scope }: Target): Refusal | undefined => {
  if (caller.boundUser !== null) {
    return refuse("FORBIDDEN", "A token bound to one user sets no pattern, since a pattern refuses every user's writes")
  }
  if (!allows(caller, "admin")) return refuse("FORBIDDEN", "This needs a token of role admin", { role: "admin" })
  switch (scope) {
    case "global":
      return isPlatform(caller)
        ? undefined
        : refuse("FORBIDDEN", "Only the root token sets patterns for every org", { field: "scope" })
    case "org":
      return isPlatform(caller) || (org === caller.org && opensAll(caller))
        ? undefined
        : refuse("FORBIDDEN", "A pattern of the whole org needs a token that opens every namespace of it", {
          field: "scope"
        })
    case "namespace":
      return org === caller.org && opensNamespace(caller, namespace)
        ? undefined
        : refuse("FORBIDDEN", "The token does not open this org and namespace")
  }
}

/** Whether the caller may know that the pattern is there: it may refuse what he writes, or is his to administer. */
export const sees = (caller: Caller, { namespace, org, scope }: Target): boolean =>
  scope === "global" ||
  (isPlatform(caller) && scope === "org") ||
  (org === caller.org && (scope === "org" || opensNamespace(caller, namespace)))

/** Whether the caller may read the pattern itself. */
export const reads = (caller: Caller, target: Target): boolean => manageFault(caller, target) === undefined
