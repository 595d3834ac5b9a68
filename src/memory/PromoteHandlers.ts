/**
 * The handler of memory.promote. The source is recorded first and the copy goes through the actor of its namespace like
 * any other write, judged there: a record without a copy is read by nobody, a copy without a record could not be traced.
 * The answer as a whole is kept under the caller's key where the copy is, so that a retry need not find the source.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { resolveScope, resolveUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Identity, Scope } from "../kernel/Identity.ts"
import { identityKey } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"
import { refuse } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { beliefSource, BeliefSources } from "./BeliefSources.ts"
import type { BeliefSource } from "./BeliefSources.ts"
import { once } from "./FirstAnswer.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { SetItem, Statement, WriteMeta } from "./MemoryCommand.ts"
import { statedOf } from "./MemoryDraft.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import { lookupOne } from "./MemoryLookup.ts"
import { isServed, valueOf } from "./MemoryModel.ts"
import type { MemoryRow, SourceClass } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import { metaOf } from "./MemoryRequest.ts"
import { MemoryPromote } from "./PromoteVerbs.ts"

type Promote = Payload<typeof MemoryPromote>

const DAY_MILLIS = 24 * 60 * 60 * 1000

// A copy is computed from another memory; outside content stays outside content, wherever it is carried.
const classOf = (row: MemoryRow): SourceClass => row.source_class === "external" ? "external" : "derived"

/** The copy's own key: a promotion that broke off behind it does not copy twice. */
const copyOf = (meta: WriteMeta): WriteMeta =>
  meta.idem_hash === "" ? meta : { ...meta, idem_hash: sha256(`${meta.idem_hash}/copy`) }

/** What the source states beside key and value. A pin, a lock and an attestation are the source's own. */
const statementOf = (row: MemoryRow): Statement => ({
  ...statedOf(row),
  valid_to: row.valid_to,
  ...(row.expires_at === null
    ? {}
    : { expires_at: row.expires_at, on_expire: row.on_expire, expire_reason: row.expire_reason })
})

export const make: Effect.Effect<
  ReadonlyArray<BoundVerb>,
  never,
  BeliefSources | MemoryClient | MemoryIntake | MemoryReader
> = Effect.gen(function*() {
  const beliefs = yield* BeliefSources
  const client = yield* MemoryClient
  const intake = yield* MemoryIntake
  const reader = yield* MemoryReader

  /** Where the copy goes; refused when that is where the source is. */
  const targetIn = (request: Promote, caller: Caller, row: MemoryRow) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, { org: row.org, namespace: request.target_namespace ?? row.namespace })
      const target: Identity = {
        ...scope,
        agent: request.target_agent ?? row.agent,
        user_id: yield* resolveUser(caller, request.target_user_id ?? row.user_id),
        // A shared memory belongs to no one session.
        session_id: "",
        memory_key: request.target_key ?? row.memory_key
      }
      return target.namespace === row.namespace && identityKey(target) === identityKey(row)
        ? yield* refuse(
          "INVALID_ARGUMENT",
          "The target is the memory itself: name another namespace, agent, user or key",
          {
            field: "target_namespace"
          }
        )
        : target
    })

  const sourceFor = (
    request: Promote,
    meta: WriteMeta,
    row: MemoryRow,
    supported: Identity & Pick<MemoryRow, "content_sha256">,
    now: number
  ): BeliefSource =>
    beliefSource(
      supported,
      row,
      { support_type: "promoted_from", actor: meta.actor, write_id: meta.write_id, at: now },
      {
        rationale: request.rationale ?? "",
        approver: request.approver ?? "",
        promoted_from_candidate_id: request.promoted_from_candidate_id ?? "",
        reversible_until: request.reversible_for_days === undefined
          ? null
          : now + request.reversible_for_days * DAY_MILLIS
      }
    )

  const promote = (request: Promote, caller: Caller) =>
    Effect.gen(function*() {
      const from = yield* resolveScope(caller, request)
      // Before anything is looked up: the answer must not tell what is in a namespace that the token does not open.
      const scope = request.target_namespace === undefined
        ? from
        : yield* resolveScope(caller, { org: from.org, namespace: request.target_namespace })
      const meta = yield* metaOf(MemoryPromote.tag, request, caller, "derived")
      return yield* once(client, { scope, meta, verb: MemoryPromote }, share(request, caller, from, meta))
    })

  const share = (request: Promote, caller: Caller, from: Scope, whole: WriteMeta) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const row = yield* lookupOne(reader, from, caller, request, (one) => isServed(one, now))
      if (row === undefined) {
        return {
          found: false,
          promoted: false,
          reason: "not_found",
          lineage_id: null,
          source_memory_id: null,
          reversible_until: null
        }
      }
      if (row.sensitivity === "high") {
        return yield* refuse("INVALID_ARGUMENT", "A memory of high `sensitivity` is not shared", {
          field: "sensitivity",
          memory_key: row.memory_key
        })
      }
      if (request.approved_sha256 !== undefined && request.approved_sha256 !== row.content_sha256) {
        return yield* refuse("PRECONDITION_FAILED", "The memory changed since it was approved", {
          memory_key: row.memory_key,
          content_sha256: row.content_sha256
        })
      }
      const target = yield* targetIn(request, caller, row)
      const source_class = classOf(row)
      const meta = { ...whole, source_class }
      const source = sourceFor(request, meta, row, { ...target, content_sha256: row.content_sha256 }, now)
      const content = yield* intake.prepare({
        memory_key: target.memory_key,
        value: valueOf(row),
        memory_type: row.memory_type,
        sensitivity: row.sensitivity === "none" ? undefined : row.sensitivity
      })
      if (!meta.dry_run) yield* beliefs.record([source])
      const item: SetItem = {
        agent: target.agent,
        user_id: target.user_id,
        session_id: target.session_id,
        memory_key: target.memory_key,
        run_id: meta.run_id,
        content,
        statement: statementOf(row),
        source_class,
        if_match_sha256: null,
        proposed: false,
        advisories: []
      }
      const answer = yield* client.set(target, { _tag: "memory.set", meta: copyOf(meta), item })
      const held = answer.merged_into_key === null || answer.memory_id === row.memory_id
        ? source
        : yield* merged(request, meta, caller, row, target, answer.memory_id, now)
      return {
        found: true,
        promoted: !meta.dry_run,
        reason: null,
        source_memory_id: row.memory_id,
        reversible_until: source.reversible_until === null ? null : new Date(source.reversible_until).toISOString(),
        ...answer,
        lineage_id: meta.dry_run ? null : held.lineage_id
      }
    })

  /** The copy merged into a memory that said the same: that one rests on the source from now on. */
  const merged = (
    request: Promote,
    meta: WriteMeta,
    caller: Caller,
    row: MemoryRow,
    target: Identity,
    memoryId: string,
    now: number
  ) =>
    Effect.gen(function*() {
      const bound = { agent: null, user_id: caller.boundUser, session_id: null }
      const [into] = yield* reader.byId(target, memoryId, bound)
      const recorded = sourceFor(request, meta, row, into ?? { ...target, content_sha256: row.content_sha256 }, now)
      if (!meta.dry_run && into !== undefined) yield* beliefs.record([recorded])
      return recorded
    })

  return [bind(MemoryPromote, promote)]
})
