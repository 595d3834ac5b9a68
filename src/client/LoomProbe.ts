/**
 * A cheap contract test between a client and a server: which verbs and request fields each has that the other lacks.
 */
import * as Schema from "effect/Schema"
import { payloadFields } from "../kernel/Verb.ts"
import { allVerbs } from "./Verbs.ts"

/** The part of `GET /v1/verbs` that the probe reads. */
export const VerbsListing = Schema.Struct({
  verbs: Schema.Array(Schema.Struct({ verb: Schema.String, fields: Schema.Array(Schema.String) })),
  build_version: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })
})

export interface Probe {
  /** Whether the server has every verb and field that this client can send. */
  readonly ok: boolean
  /** Of the server, when it says so. */
  readonly build_version: string | null
  /** Verbs of this client that the server lacks. */
  readonly missing_ops: ReadonlyArray<string>
  /** Fields of this client that the server's verb lacks, by verb. */
  readonly missing_fields: { readonly [verb: string]: ReadonlyArray<string> }
  /** Verbs of the server that this client lacks. */
  readonly unknown_to_sdk: ReadonlyArray<string>
}

export const compare = (listing: typeof VerbsListing.Type): Probe => {
  const server = new Map(listing.verbs.map((entry) => [entry.verb, new Set(entry.fields)]))
  const known = new Set<string>(allVerbs.map((verb) => verb.tag))
  const missing_ops = [...known].filter((tag) => !server.has(tag)).sort()
  const missing_fields = Object.fromEntries(allVerbs.flatMap((verb) => {
    const fields = server.get(verb.tag)
    const missing = fields === undefined ? [] : payloadFields(verb).filter((field) => !fields.has(field))
    return missing.length === 0 ? [] : [[verb.tag, missing]]
  }))
  return {
    ok: missing_ops.length === 0 && Object.keys(missing_fields).length === 0,
    build_version: listing.build_version,
    missing_ops,
    missing_fields,
    unknown_to_sdk: [...server.keys()].filter((tag) => !known.has(tag)).sort()
  }
}
