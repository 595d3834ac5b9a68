/**
 * For whom a client speaks: what `agent("…")`, `user("…")` and the others gather, and which fields of a request they
 * fill. The request's own value always wins, and only fields that the verb declares are filled.
 */
import type * as Schema from "effect/Schema"
import { payloadFields } from "../kernel/Verb.ts"
import { writerVerbs } from "./Verbs.ts"

export interface LoomIdentity {
  readonly org?: string | undefined
  readonly namespace?: string | undefined
  readonly agent?: string | undefined
  readonly user_id?: string | undefined
  readonly session_id?: string | undefined
  readonly run_id?: string | undefined
}

interface VerbShape {
  readonly tag: string
  readonly writes: boolean
  readonly payload: Schema.Schema.All
}

/**
 * The fields a verb takes from the identity. Org, namespace and user are a boundary, filled wherever a verb acts inside
 * one (a token's `user_id` is what is asked for, no boundary). Agent and session say who wrote a row: they are filled
 * where a row is written under them and left open where they would narrow a read, since an agent reads what others
 * learnt. The run is filled into every write.
 */
export const filledFields = (verb: VerbShape): ReadonlyArray<keyof LoomIdentity> => {
  const declared = new Set(payloadFields(verb))
  const wanted: ReadonlyArray<keyof LoomIdentity> = [
    "org",
    "namespace",
    ...(declared.has("namespace") ? ["user_id"] as const : []),
    ...(writerVerbs.includes(verb.tag) ? ["agent", "session_id"] as const : []),
    ...(verb.writes ? ["run_id"] as const : [])
  ]
  return wanted.filter((field) => declared.has(field))
}

/** The request with the identity's fields under it; fields that are undefined are left out. */
export const fill = (
  fields: ReadonlyArray<keyof LoomIdentity>,
  identity: LoomIdentity,
  request: object
): Record<string, unknown> => ({
  ...Object.fromEntries(fields.flatMap((field) => identity[field] === undefined ? [] : [[field, identity[field]]])),
  ...Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
})
