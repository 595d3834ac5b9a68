/**
 * The handlers of the write verbs: authorise, stamp what the server stamps, prepare the content, and hand the command to
 * the namespace actor. They decide nothing about the write itself.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { resolveScope, resolveUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { identityKey } from "../kernel/Identity.ts"
import { isWellFormed, sha256 } from "../kernel/Json.ts"
import type { Json } from "../kernel/Json.ts"
import { refuse, toWire } from "../kernel/LoomError.ts"
import { bind, payloadFault, UNSOUND_TEXT } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { BeliefSources } from "./BeliefSources.ts"
import { isAnswered } from "./FirstAnswer.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { FailedItem, SetItem, Target, WriteMeta } from "./MemoryCommand.ts"
import { wentWithSources } from "./MemoryDependents.ts"
import { MemoryIntake, storedForm } from "./MemoryIntake.ts"
import { isLive, isOut, isRedacted, valueOf } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import * as MemoryPreparing from "./MemoryPreparing.ts"
import { untilSettled } from "./MemoryPreparing.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { assumedOf, metaOf, targetOf } from "./MemoryRequest.ts"
import { statementOf, validityFault } from "./MemoryStatement.ts"
import {
  BulkItem,
  MemoryBulkSet,
  MemoryDelete,
  MemoryRestore,
  MemorySet,
  MemoryUpdate,
  MemoryUpdateById
} from "./MemoryVerbs.ts"

export const make: Effect.Effect<
  ReadonlyArray<BoundVerb>,
  never,
  BeliefSources | MemoryClient | MemoryIntake | MemoryReader
> = Effect.gen(function*() {
  const beliefs = yield* BeliefSources
  const client = yield* MemoryClient
  const intake = yield* MemoryIntake
  const reader = yield* MemoryReader
  const { current, itemOf, prepared, wasProposed } = yield* MemoryPreparing.make

  const set = (request: Payload<typeof MemorySet>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const user = yield* resolveUser(caller, request.user_id)
      const meta = yield* metaOf(MemorySet.tag, request, caller, "asserted")
      const item = yield* itemOf(request, { run_id: "" }, user, request.proposed ?? false)
      return yield* client.set(scope, { _tag: "memory.set", meta, item })
    })

  const decodeItem = Schema.decodeUnknown(BulkItem, { onExcessProperty: "error", errors: "all" })

  const bulkSet = (request: Payload<typeof MemoryBulkSet>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const user = yield* resolveUser(caller, request.user_id)
      const meta = yield* metaOf(MemoryBulkSet.tag, request, caller, "asserted")
      const one = (raw: unknown): Effect.Effect<SetItem | FailedItem> =>
        (typeof raw !== "object" || raw === null || Array.isArray(raw)
          ? Effect.fail(refuse("INVALID_ARGUMENT", "The item is not an object"))
          : isWellFormed(raw)
          ? Effect.mapError(decodeItem(raw), payloadFault)
          : Effect.fail(refuse("INVALID_ARGUMENT", `The item ${UNSOUND_TEXT}`))).pipe(
            Effect.flatMap((item) =>
              Effect.gen(function*() {
                const itemUser = item.user_id === undefined ? user : yield* resolveUser(caller, item.user_id)
                return yield* itemOf(
                  item,
                  { agent: request.agent, session_id: request.session_id, run_id: meta.run_id },
                  itemUser,
                  false
                )
              })
            ),
            Effect.catchAll((error) => {
              const { detail } = toWire(error).body
              const failed: FailedItem = {
                outcome: error._tag === "Refusal" ? "refused" : "failed",
                memory_key: keyIn(raw),
                code: detail.code,
                message: detail.message
              }
              return Effect.succeed(failed)
            })
          )
      // Items are embedded side by side; the embedder batches them and bounds its own queue.
      const items = yield* Effect.forEach(request.items, one, { concurrency: 32 })
      return yield* client.bulkSet(scope, { _tag: "memory.bulk_set", meta, items })
    })

  /** The row out of service that held a value, or else the last one that went. */
  const withdrawn = (scope: Scope, target: Target, value: Json) =>
    Effect.gen(function*() {
      const hash = sha256(storedForm(value).value)
      return (yield* current(
        scope,
        target,
        ({ content_sha256, status }) => isOut(status) && content_sha256 === hash
      )) ??
        (yield* current(scope, target, ({ status }) => isOut(status)))
    })

  const updateCommand = (
    request: Payload<typeof MemoryUpdate> | Payload<typeof MemoryUpdateById>,
    scope: Scope,
    meta: WriteMeta,
    target: Target,
    live: MemoryRow | undefined
  ) =>
    Effect.gen(function*() {
      // A value may be that of a claim which was taken away and is stated again.
      const row = live ??
        (request.value === undefined ? undefined : yield* withdrawn(scope, target, request.value))
      const now = yield* Clock.currentTimeMillis
      // A new end of the same row does what the old one would have done.
      const prepared = statementOf(request, now, row === undefined || row.on_expire === "" ? undefined : row.on_expire)
      const fault = validityFault(prepared)
      if (fault !== undefined) return yield* fault
      const warned = yield* intake.labels(request, request.sensitivity)
      const retyped = row !== undefined && (
        (request.memory_type !== undefined && request.memory_type !== row.memory_type) ||
        (request.sensitivity !== undefined && request.sensitivity !== row.sensitivity)
      )
      const value = request.value === undefined
        ? row === undefined || !retyped ? undefined : valueOf(row)
        : request.value
      return {
        meta: { ...meta, advisories: [...prepared.advisories, ...warned] },
        target,
        // The old value matters only when the new content is made from it.
        assumed: assumedOf(row, retyped && request.value === undefined),
        content: value === undefined || row === undefined ? null : yield* intake.prepare({
          memory_key: row.memory_key,
          value,
          memory_type: request.memory_type ?? row.memory_type,
          sensitivity: request.sensitivity,
          // A label once set stays until it is changed; an unset one is judged by the new value.
          kept: row.sensitivity
        }),
        statement: prepared.statement,
        if_match_sha256: request.if_match_sha256 ?? null,
        ...(live === undefined && row !== undefined
          ? { revives: true, proposed: yield* wasProposed(scope, row) }
          : {})
      } as const
    })

  const update = (request: Payload<typeof MemoryUpdate>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const meta = yield* metaOf(MemoryUpdate.tag, request, caller, "asserted")
      const target = yield* targetOf(caller, request)
      return yield* untilSettled(Effect.gen(function*() {
        const command = yield* updateCommand(request, scope, meta, target, yield* current(scope, target, isLive))
        return yield* client.update(scope, { _tag: "memory.update", ...command })
      }))
    })

  const updateById = (request: Payload<typeof MemoryUpdateById>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const meta = yield* metaOf(MemoryUpdateById.tag, request, caller, "asserted")
      const target = yield* targetOf(caller, request)
      return yield* untilSettled(Effect.gen(function*() {
        const command = yield* updateCommand(request, scope, meta, target, yield* current(scope, target, isLive))
        return yield* client.updateById(scope, { _tag: "memory.update_by_id", ...command })
      }))
    })

  const remove = (request: Payload<typeof MemoryDelete>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const meta = yield* metaOf(MemoryDelete.tag, request, caller, "asserted")
      const target = yield* targetOf(caller, request)
      return yield* client.delete(scope, {
        _tag: "memory.delete",
        meta,
        target,
        reason: request.reason ?? "",
        if_match_sha256: request.if_match_sha256 ?? null
      })
    })

  /** What went with a row as the last of its sources, prepared to come back with it; the actor decides. */
  const dependentsOf = (scope: Scope, row: MemoryRow) =>
    Effect.gen(function*() {
      const links = yield* beliefs.derivations(scope, [row])
      const places = new Map(
        links.filter((link) => link.source_memory_id === row.memory_id).map((link) => [
          `${identityKey(link)}/${link.content_sha256}`,
          link
        ])
      )
      const found = yield* Effect.forEach(places.values(), (link) =>
        Effect.map(reader.byKey(scope, link.memory_key, link), (rows) =>
          rows.filter((one) =>
            one.content_sha256 === link.content_sha256 && wentWithSources(one)
          )))
      return yield* Effect.forEach(found.flat(), (one) =>
        Effect.map(prepared(one), (content) => ({ memory_id: one.memory_id, content })))
    })

  const restore = (request: Payload<typeof MemoryRestore>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const meta = yield* metaOf(MemoryRestore.tag, request, caller, "asserted")
      const target = yield* targetOf(caller, request)
      return yield* untilSettled(Effect.gen(function*() {
        const row = yield* current(scope, target, isGone)
        const isScrubbed = row !== undefined && isRedacted(row)
        if (isScrubbed && !(yield* isAnswered(client, scope, meta))) {
          return yield* refuse("INVALID_ARGUMENT", "The value was redacted: write the memory anew with memory.set", {
            memory_key: row.memory_key
          })
        }
        return yield* client.restore(scope, {
          _tag: "memory.restore",
          meta,
          target,
          assumed: assumedOf(row, true),
          content: row === undefined || isScrubbed ? null : yield* prepared(row),
          proposed: row !== undefined && (yield* wasProposed(scope, row)),
          dependents: row === undefined ? [] : yield* dependentsOf(scope, row)
        })
      }))
    })

  return [
    bind(MemorySet, set),
    bind(MemoryBulkSet, bulkSet),
    bind(MemoryUpdate, update),
    bind(MemoryUpdateById, updateById),
    bind(MemoryDelete, remove),
    bind(MemoryRestore, restore)
  ]
})

/** Whether a row is one that memory.restore brings back. */
const isGone = (row: MemoryRow): boolean => row.status === "tombstoned" || row.status === "superseded"

const keyIn = (raw: unknown): string | null =>
  typeof raw === "object" && raw !== null && "memory_key" in raw && typeof raw.memory_key === "string"
    ? raw.memory_key.slice(0, 512).toWellFormed()
    : null
