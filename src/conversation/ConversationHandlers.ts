/**
 * The handlers of conversations: append, get, list and delete. They never pass the actor, since a turn meets no other row,
 * but for the note that a withheld turn was read and the answer that is kept for a delete under its key. What the caller
 * may not read looks exactly like what does not exist.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readableUser, resolveScope, resolveUser } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { BeliefSources } from "../memory/BeliefSources.ts"
import { once } from "../memory/FirstAnswer.ts"
import { MemoryClient } from "../memory/MemoryClient.ts"
import { metaOf } from "../memory/MemoryRequest.ts"
import { Cursors } from "../platform/Cursors.ts"
import { naiveTimes, turnFilterOf, turnView } from "./ConversationFields.ts"
import { ConversationAppend, ConversationDelete, ConversationGet, ConversationList } from "./ConversationVerbs.ts"
import { TurnIntake } from "./TurnIntake.ts"
import type { Receipt } from "./TurnIntake.ts"
import type { Turn } from "./TurnModel.ts"
import { placeOf, TurnStore } from "./TurnStore.ts"
import type { TurnFilter } from "./TurnStore.ts"

const DEFAULT_PAGE = 50
// What the pages of an answer hold together at most, but for a single turn: as much as a request may.
const PAGE_BYTES = 4 * 1024 * 1024
// Turns that are read and deleted at a time: one statement for each table, and no more than this is read into memory.
const DELETED_AT_ONCE = 1_000

/** Where a page of turns goes on, as a cursor keeps it. */
const CursorPlace = Schema.Tuple(Schema.String, Schema.Number, Schema.BigInt, Schema.String)
const SessionCursor = Schema.Tuple(Schema.Number, Schema.String, Schema.String, Schema.String)

const nothing = { found: false, turns: [], total: 0, next_cursor: null, degraded: [] } as const

type Needs = TurnStore | TurnIntake | BeliefSources | MemoryClient | Cursors

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, Needs> = Effect.gen(function*() {
  const store = yield* TurnStore
  const intake = yield* TurnIntake
  const beliefs = yield* BeliefSources
  const client = yield* MemoryClient
  const cursors = yield* Cursors

  const append = (request: Payload<typeof ConversationAppend>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const user_id = yield* resolveUser(caller, request.user_id)
      const { idem_hash } = yield* metaOf(ConversationAppend.tag, request, caller, "asserted")
      const { advisories, receipts } = yield* intake.take({
        writer: { ...scope, agent: request.agent ?? "", user_id, session_id: request.session_id },
        messages: request.messages,
        actor: caller.actor,
        run_id: request.run_id ?? "",
        are: "added",
        idem_hash
      })
      const count = (outcome: Receipt["outcome"]) => receipts.filter((one) => one.outcome === outcome).length
      return {
        namespace: scope.namespace,
        session_id: request.session_id,
        receipts: receipts.map((receipt, index) => ({
          index,
          outcome: receipt.outcome,
          turn_id: receipt.outcome === "refused" ? null : receipt.turn.turn_id,
          withheld: receipt.outcome !== "refused" && receipt.turn.sensitivity === "high",
          code: receipt.outcome === "refused" ? receipt.error.code : null,
          message: receipt.outcome === "refused" ? receipt.error.message : null
        })),
        turn_ids: receipts.flatMap((receipt) => receipt.outcome === "refused" ? [] : [receipt.turn.turn_id]),
        stored: count("stored"),
        known: count("known"),
        refused: count("refused"),
        ok: count("refused") === 0,
        advisories,
        degraded: []
      }
    })

  /** One turn by its id; the content of one that is withheld is shown once the read is in the audit chain. */
  const one = (scope: Scope, caller: Caller, user: string | null, id: string) =>
    Effect.gen(function*() {
      const [turn] = yield* store.byIds(scope, user, [id])
      if (turn === undefined) return nothing
      if (turn.sensitivity === "high") {
        const meta = yield* metaOf(ConversationGet.tag, {}, caller, "asserted")
        const { content_sha256, turn_id } = turn
        yield* client.auditRead(scope, { _tag: "memory.audit_read", meta, memory_id: turn_id, content_sha256 })
      }
      return {
        found: true,
        turns: [turnView(turn, { reveal: true, maxChars: null })],
        total: 1,
        next_cursor: null,
        degraded: []
      }
    })

  const get = (request: Payload<typeof ConversationGet>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, user } = readableUser(caller, request.user_id)
      const { cursor, limit = DEFAULT_PAGE, order = "oldest", session_id, turn_id, ...rest } = request
      if ((session_id === undefined) === (turn_id === undefined)) {
        return yield* refuse("INVALID_ARGUMENT", "`session_id` or `turn_id` is needed, and not both", {
          field: "session_id"
        })
      }
      if (none) return { ...nothing, ...naiveTimes(request) }
      if (turn_id !== undefined) return yield* one(scope, caller, user, turn_id)
      const listing = { verb: ConversationGet.tag, caller, filter: { ...rest, ...scope, session_id, order, user } }
      const place = cursor === undefined ? null : yield* cursors.take(listing, CursorPlace, cursor)
      const filter = turnFilterOf(request, user)
      const rows = yield* store.page(scope, filter, {
        by: "session",
        backwards: order === "newest",
        after: place === null
          ? null
          : { session_id: place[0], said_at: place[1], position: place[2], turn_id: place[3] },
        limit: limit + 1
      })
      const page = fitting(rows.slice(0, limit))
      const last = page[page.length - 1]
      const isWhole = place === null && page.length === rows.length
      const total = isWhole ? rows.length : yield* store.count(scope, filter)
      return {
        found: total > 0,
        turns: page.map((turn) => turnView(turn, { reveal: false, maxChars: null })),
        total,
        next_cursor: page.length < rows.length && last !== undefined
          ? yield* cursors.give(listing, cursorPlace(last))
          : null,
        ...naiveTimes(request),
        degraded: []
      }
    })

  const list = (request: Payload<typeof ConversationList>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { none, user } = readableUser(caller, request.user_id)
      if (none) return { sessions: [], next_cursor: null, ...naiveTimes(request), degraded: [] }
      const { cursor, limit = DEFAULT_PAGE, ...deciding } = request
      const listing = { verb: ConversationList.tag, caller, filter: { ...deciding, ...scope, user } }
      const place = cursor === undefined ? null : yield* cursors.take(listing, SessionCursor, cursor)
      const rows = yield* store.sessions(scope, turnFilterOf(request, user), {
        after: place === null
          ? null
          : { last_at: place[0], session_id: place[1], agent: place[2], user_id: place[3] },
        limit: limit + 1
      })
      const page = rows.slice(0, limit)
      const last = page[page.length - 1]
      return {
        sessions: page.map(({ first_at, last_at, ...facts }) => ({
          namespace: scope.namespace,
          ...facts,
          first_at: new Date(first_at).toISOString(),
          last_at: new Date(last_at).toISOString()
        })),
        next_cursor: rows.length > limit && last !== undefined
          ? yield* cursors.give(listing, [last.last_at, last.session_id, last.agent, last.user_id])
          : null,
        ...naiveTimes(request),
        degraded: []
      }
    })

  /** Deletes these turns; answers how many, and adds the memories drawn from them to `resting`. */
  const removed = (
    scope: Scope,
    caller: Caller,
    turns: ReadonlyArray<Turn>,
    reason: string,
    resting: Set<string>
  ): Effect.Effect<number, LoomError> =>
    Effect.gen(function*() {
      if (turns.length === 0) return 0
      const drawn = yield* beliefs.drawnFrom(scope, caller.boundUser, turns.map(({ turn_id }) => turn_id))
      for (const key of drawn) resting.add(key)
      const at = yield* Clock.currentTimeMillis
      yield* store.remove(turns, { actor: caller.actor, reason, at })
      return turns.length
    })

  /** A batch at a time, always the first that is left: what was deleted is in no page any more. */
  const removeAll = (
    scope: Scope,
    caller: Caller,
    filter: TurnFilter,
    reason: string,
    resting: Set<string>
  ): Effect.Effect<number, LoomError> =>
    Effect.gen(function*() {
      let deleted = 0
      for (;;) {
        const turns = yield* store.page(scope, filter, {
          by: "session",
          backwards: false,
          after: null,
          limit: DELETED_AT_ONCE
        })
        deleted += yield* removed(scope, caller, turns, reason, resting)
        if (turns.length < DELETED_AT_ONCE) return deleted
      }
    })

  const remove = (request: Payload<typeof ConversationDelete>, caller: Caller) =>
    Effect.gen(function*() {
      const scope = yield* resolveScope(caller, request)
      const { session_id, turn_ids } = request
      if ((session_id === undefined) === (turn_ids === undefined)) {
        return yield* refuse("INVALID_ARGUMENT", "`session_id` or `turn_ids` is needed, and not both", {
          field: "session_id"
        })
      }
      const user = request.user_id === undefined && caller.boundUser === null
        ? null
        : yield* resolveUser(caller, request.user_id)
      const meta = yield* metaOf(ConversationDelete.tag, request, caller, "asserted")
      return yield* once(
        client,
        { scope, meta, verb: ConversationDelete },
        Effect.gen(function*() {
          const resting = new Set<string>()
          const reason = request.reason ?? ""
          const named = turn_ids === undefined
            ? []
            : (yield* store.byIds(scope, user, turn_ids)).filter(({ agent }) => (request.agent ?? agent) === agent)
          const deleted = turn_ids === undefined
            ? yield* removeAll(scope, caller, turnFilterOf({ agent: request.agent, session_id }, user), reason, resting)
            : yield* removed(scope, caller, named, reason, resting)
          return {
            found: deleted > 0,
            deleted,
            not_found: turn_ids === undefined ? 0 : new Set(turn_ids).size - deleted,
            memories_resting: resting.size,
            degraded: []
          }
        })
      )
    })

  return [
    bind(ConversationAppend, append),
    bind(ConversationGet, get),
    bind(ConversationList, list),
    bind(ConversationDelete, remove)
  ]
})

const cursorPlace = (turn: Turn) => {
  const { position, said_at, session_id, turn_id } = placeOf(turn)
  return [session_id, said_at, position.toString(), turn_id]
}

/** As many of the turns as an answer has room for, one at least. */
const fitting = (turns: ReadonlyArray<Turn>): ReadonlyArray<Turn> => {
  let bytes = 0
  const end = turns.findIndex(({ content }, index) => {
    bytes += Buffer.byteLength(content, "utf8")
    return index > 0 && bytes > PAGE_BYTES
  })
  return end === -1 ? turns : turns.slice(0, end)
}
