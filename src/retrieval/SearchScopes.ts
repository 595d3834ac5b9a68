/**
 * Which namespaces a search is about. The one that `namespace` names must be open to the token, as on every verb; of
 * `namespaces` those that are not open are passed over. Their names are told to nobody: namespace.list would not tell them
 * either, and whether one exists stays unknown.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../kernel/Caller.ts"
import { opensNamespace, resolveScope } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { Refusal } from "../kernel/LoomError.ts"

/**
 * Each namespace costs a search of its own, some tens of milliseconds on a small host: so many stay within a second or
 * two. They also fit a byte in a cursor.
 */
export const MOST_NAMESPACES = 32

export interface Scopes {
  /** Each once, in the order they were named. */
  readonly open: ReadonlyArray<Scope>
  /** How many more were named that the token does not open. */
  readonly closed: number
}

interface Named {
  readonly org?: string | undefined
  readonly namespace?: string | undefined
  readonly namespaces?: ReadonlyArray<string> | undefined
}

export const scopesOf = (caller: Caller, request: Named): Effect.Effect<Scopes, Refusal> =>
  Effect.gen(function*() {
    const { namespace, namespaces = [], org } = request
    if (namespaces.length === 0) return { open: [yield* resolveScope(caller, request)], closed: 0 }
    const home = namespace === undefined ? [] : [(yield* resolveScope(caller, request)).namespace]
    const named = [...new Set([...home, ...namespaces])]
    // Of another org nothing is open; the refusal is that of every verb.
    if (org !== undefined && org !== caller.org) yield* resolveScope(caller, { org, namespace: named[0] })
    const open = named.filter((one) => opensNamespace(caller, one))
    return { open: open.map((one) => ({ org: caller.org, namespace: one })), closed: named.length - open.length }
  })
