/**
 * The one table from verb name to handler that every edge (HTTP, RPC, MCP) calls. An edge parses its own framing,
 * finds the caller, and hands raw JSON here; it never decides. Handlers come bound from the slices.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Caller } from "../../src/kernel/Caller.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { refuse } from "../../src/kernel/LoomError.ts"
import type { BoundVerb, VerbFacts } from "../../src/kernel/Verb.ts"
import { counted } from "./RequestMetrics.ts"

export class Dispatch extends Context.Tag("loom/services/gateway/Dispatch")<Dispatch, {
  /** Every verb of this server, by name. */
  readonly verbs: ReadonlyArray<VerbFacts>
  /** Decodes, authorises and runs one verb; answers encoded JSON. `UNKNOWN_VERB` when there is no such verb. */
  readonly call: (tag: string, raw: unknown, caller: Caller) => Effect.Effect<unknown, LoomError>
}>() {}

export const make = (bound: ReadonlyArray<BoundVerb>): typeof Dispatch.Service => {
  const table = new Map(bound.map((entry) => [entry.verb.tag, entry]))
  return {
    verbs: bound.map((entry) => entry.verb).sort((left, right) => left.tag < right.tag ? -1 : 1),
    call: (tag, raw, caller) => {
      const entry = table.get(tag)
      return entry === undefined
        ? Effect.fail(refuse("UNKNOWN_VERB", `There is no verb \`${tag.slice(0, 80)}\``, { verb: tag.slice(0, 80) }))
        : counted(entry.verb.tag, entry.call(raw, caller))
    }
  }
}
