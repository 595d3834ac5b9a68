/**
 * What every verb that writes takes from its request before it speaks to the actor: the stamps that the server gives a
 * write, and the row it is about, within the caller's bounds.
 */
import * as Effect from "effect/Effect"
import { resolveUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { mintWriteId } from "../kernel/Ids.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refusalCodeNames, refuse } from "../kernel/LoomError.ts"
import type { Assumed, Target, TransitionResult, WriteMeta } from "./MemoryCommand.ts"
import type { MemoryRow, SourceClass } from "./MemoryModel.ts"
import { idempotencyOf, sourceClassOf } from "./MemoryStatement.ts"

export interface WriteRequest {
  readonly idempotency_key?: string | undefined
  readonly run_id?: string | undefined
  readonly source_class?: string | undefined
  readonly dry_run?: boolean | undefined
}

/** The stamps of a write; `stamped` is the source class it has when the request declares none. */
export const metaOf = (verb: string, request: WriteRequest, caller: Caller, stamped: SourceClass) =>
  Effect.gen(function*() {
    const meta: WriteMeta = {
      ...idempotencyOf(caller, verb, request),
      write_id: yield* mintWriteId,
      actor: caller.actor,
      bound_user: caller.boundUser,
      source_class: yield* sourceClassOf(request.source_class, stamped),
      run_id: request.run_id ?? "",
      dry_run: request.dry_run ?? false,
      advisories: [],
      degraded: []
    }
    return meta
  })

/** A target with the caller's bound: a token bound to one user never reaches another user's row. */
export const targetOf = (
  caller: Caller,
  request: { readonly [Field in keyof Target]?: string | undefined }
): Effect.Effect<Target, Refusal> => {
  const memory_key = request.memory_key ?? null
  const memory_id = request.memory_id ?? null
  return memory_key === null && memory_id === null
    ? Effect.fail(refuse("INVALID_ARGUMENT", "`memory_key` or `memory_id` is needed", { field: "memory_key" }))
    : Effect.map(
      request.user_id === undefined && caller.boundUser === null
        ? Effect.succeed(null)
        : resolveUser(caller, request.user_id),
      (user_id) => ({
        memory_key,
        memory_id,
        agent: request.agent ?? null,
        user_id,
        session_id: request.session_id ?? null
      })
    )
}

/** The row that a prepared content was made for. */
export const assumedOf = (row: MemoryRow | undefined, fromOldValue: boolean): Assumed => ({
  memory_id: row?.memory_id ?? "",
  content_sha256: fromOldValue ? row?.content_sha256 ?? "" : "",
  memory_type: row?.memory_type ?? "",
  sensitivity: row?.sensitivity ?? "none"
})

/** The target that names one row that was read, within its own user's bound. */
export const idTarget = (row: MemoryRow): Target => ({
  memory_key: null,
  memory_id: row.memory_id,
  agent: null,
  user_id: row.user_id,
  session_id: null
})

/** Why an item of a transition was not carried out, as the verb's own refusal; undefined when it was. */
export const refusedItem = ({ code, facts, memory_id, message, outcome }: TransitionResult): Refusal | undefined => {
  if (outcome === "not_found") {
    return refuse("STALE_VERSION", "A memory went out of service since it was read", { memory_id })
  }
  if (outcome !== "refused") return undefined
  const named = refusalCodeNames.find((name) => name === code) ?? "STALE_VERSION"
  return refuse(named, message ?? "The memory changed since it was read", { memory_id, ...facts })
}
