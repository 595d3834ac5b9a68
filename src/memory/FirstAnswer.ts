/**
 * The first answer of a verb that is more than one command to the actor, or that reads before it writes: it is kept as a
 * whole under the caller's idempotency key, whether anything was written or not, and looked for before anything is read.
 * A dry run keeps nothing. What was refused, or broke off, may be tried again under its key.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { Corrupt } from "../kernel/LoomError.ts"
import type { MemoryClient } from "./MemoryClient.ts"
import type { WriteMeta } from "./MemoryCommand.ts"

type Client = typeof MemoryClient.Service

/** Whether the key was used with this request before; refused when it was with another. */
export const isAnswered = (client: Client, scope: Scope, meta: WriteMeta): Effect.Effect<boolean, LoomError> =>
  meta.idem_hash === "" || meta.dry_run
    ? Effect.succeed(false)
    : Effect.map(client.answer(scope, { _tag: "memory.answer", meta, answer: null }), ({ first }) => first !== null)

export interface Once<A, I> {
  /** Where the key is kept: the namespace that the verb writes to. */
  readonly scope: Scope
  readonly meta: WriteMeta
  readonly verb: { readonly tag: string; readonly answer: Schema.Schema<A, I> }
  /** Whether an answer is the last word, or the same request may do what is left. */
  readonly isFinal?: (answer: A) => boolean
}

/** Runs `attempt` unless it was answered before; of two at once both get the answer that was kept first. */
export const once = <A, I>(
  client: Client,
  { isFinal = () => true, meta, scope, verb }: Once<A, I>,
  attempt: Effect.Effect<A, LoomError>
): Effect.Effect<A, LoomError> => {
  if (meta.idem_hash === "" || meta.dry_run) return attempt
  const text = Schema.parseJson(verb.answer)
  const corrupt = () => new Corrupt({ operation: `${verb.tag} answer` })
  const decode = (answer: string) => Effect.mapError(Schema.decode(text)(answer), corrupt)
  return Effect.gen(function*() {
    const { first } = yield* client.answer(scope, { _tag: "memory.answer", meta, answer: null })
    if (first !== null) return yield* decode(first)
    const answer = yield* attempt
    if (!isFinal(answer)) return answer
    const own = yield* Effect.mapError(Schema.encode(text)(answer), corrupt)
    const { first: kept } = yield* client.answer(scope, { _tag: "memory.answer", meta, answer: own })
    return kept === null || kept === own ? answer : yield* decode(kept)
  })
}
