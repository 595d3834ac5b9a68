/**
 * The handlers of apply and clear: which rows are meant, within the caller's bounds, and what is to be done with each.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { allows, readableUser, resolveScope } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import type { Refusal } from "../kernel/LoomError.ts"
import { refuse } from "../kernel/LoomError.ts"
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { bind } from "../kernel/Verb.ts"
import type { BoundVerb, Payload } from "../kernel/Verb.ts"
import { isAnswered } from "./FirstAnswer.ts"
import { lockOf, touchOf } from "./LifecycleRequest.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { Transition } from "./MemoryCommand.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import { SERVED_STATUSES } from "./MemoryModel.ts"
import type { MemoryRow, Status } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import type { ListFilter } from "./MemoryReader.ts"
import { metaOf } from "./MemoryRequest.ts"
import { gather, sweep } from "./MemorySweep.ts"
import { MemoryApply, MemoryClear } from "./SweepVerbs.ts"
import type { RowFilter } from "./SweepVerbs.ts"

type Apply = Payload<typeof MemoryApply>

// What memory.clear takes out of service: everything but what is out already.
const CLEARED = [
  "active",
  "conflicted",
  "duplicate",
  "superseded",
  "proposed"
] as const satisfies ReadonlyArray<Status>

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, MemoryClient | MemoryIntake | MemoryReader> = Effect
  .gen(
    function*() {
      const client = yield* MemoryClient
      const intake = yield* MemoryIntake
      const reader = yield* MemoryReader

      const apply = (request: Apply, caller: Caller) =>
        Effect.gen(function*() {
          const scope = yield* resolveScope(caller, request)
          const asked = yield* mergedFilter(request)
          const { advisories, transition } = yield* transitionOf(request, caller)
          // A credential that got into a tag is taken away by its name.
          const tags = request.action === "add_tags" ? request.tags : undefined
          yield* intake.labels({ tags, expire_reason: request.expire_reason }, undefined)
          const meta = {
            ...(yield* metaOf(MemoryApply.tag, { ...request, dry_run: request.dry_run ?? true }, caller, "asserted")),
            advisories
          }
          const filter = yield* filterOf(caller, asked)
          const rows = filter === null ? [] : yield* gather(reader, scope, filter, hasAnyTag(asked.tags ?? []))
          const exceeds = request.max_rows !== undefined && rows.length > request.max_rows
          if (exceeds && !(yield* isAnswered(client, scope, meta))) {
            return yield* refuse("INVALID_ARGUMENT", `${rows.length} rows match, more than \`max_rows\` allows`, {
              field: "max_rows",
              matched: rows.length,
              max_rows: request.max_rows
            })
          }
          const swept = yield* sweep(client, { scope, meta, rows, transition })
          return { action: request.action, ...swept, dry_run: meta.dry_run, advisories, degraded: [] }
        })

      const clear = (request: Payload<typeof MemoryClear>, caller: Caller) =>
        Effect.gen(function*() {
          const scope = yield* resolveScope(caller, request)
          if (request.agent === undefined && request.user_id === undefined) {
            return yield* refuse("INVALID_ARGUMENT", "`agent` or `user_id` is needed: whose memories go", {
              field: "user_id"
            })
          }
          const meta = yield* metaOf(MemoryClear.tag, request, caller, "asserted")
          const { agent, memory_type, prefix, session_id, user_id } = request
          const filter = yield* filterOf(caller, { agent, user_id, session_id, memory_type, prefix, statuses: CLEARED })
          // A row past its expiry is still there to be found by its history; it goes too.
          const rows = filter === null ? [] : yield* gather(reader, scope, { ...filter, endedBefore: null }, () => true)
          const swept = yield* sweep(client, {
            scope,
            meta,
            rows: rows.map(({ memory_id }) => ({ memory_id, version: null })),
            transition: {
              _tag: "tombstone",
              change: "delete",
              rule: MemoryClear.tag,
              reason: request.reason ?? ""
            }
          })
          return { cleared: swept.changed, ...swept, dry_run: meta.dry_run, advisories: [], degraded: [] }
        })

      return [bind(MemoryApply, apply), bind(MemoryClear, clear)]
    }
  )

/** The filter with the writer that the request names beside it; refused when nothing narrows and `all` is not said. */
const mergedFilter = (request: Apply): Effect.Effect<RowFilter, Refusal> =>
  Effect.gen(function*() {
    const filter = request.filter ?? {}
    for (const field of ["agent", "user_id", "session_id"] as const) {
      const inside = filter[field]
      if (inside !== undefined && request[field] !== undefined && inside !== request[field]) {
        return yield* refuse("INVALID_ARGUMENT", `\`${field}\` and \`filter.${field}\` differ`, { field })
      }
    }
    const { statuses, ...narrowing } = filter
    const narrows = Object.values(narrowing).some((value) => value !== undefined && value.length > 0) ||
      filter.agent !== undefined || filter.session_id !== undefined || filter.run_id !== undefined
    if (!narrows && request.all !== true) {
      return yield* refuse("INVALID_ARGUMENT", "The filter is empty: say `all: true` to mean every row", {
        field: "filter"
      })
    }
    if (statuses?.includes("superseded") === true && request.action !== "delete" && request.action !== "reject") {
      return yield* refuse("INVALID_ARGUMENT", "A superseded row can only be deleted or rejected", {
        field: "filter.statuses"
      })
    }
    const { agent = request.agent, session_id = request.session_id, user_id = request.user_id } = filter
    return { ...filter, agent, user_id, session_id }
  })

const given = (text: string | undefined): string | null => text === undefined || text === "" ? null : text

/** The filter as a read has it; null when the caller asks for a user whose rows it may not read. */
const filterOf = (caller: Caller, asked: RowFilter): Effect.Effect<ListFilter | null> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { none, user } = readableUser(caller, asked.user_id)
    return none ? null : {
      agent: asked.agent ?? null,
      user_id: user,
      session_id: asked.session_id ?? null,
      run_id: asked.run_id ?? null,
      prefix: given(asked.prefix),
      memory_type: asked.memory_type ?? null,
      source_trace: given(asked.source_trace),
      tags: asked.tags ?? [],
      tags_every: asked.tags_every ?? [],
      entities: (asked.entity_filter ?? []).map(canonicalEntity),
      contains: given(asked.contains),
      pinned_only: false,
      statuses: asked.statuses === undefined || asked.statuses.length === 0 ? SERVED_STATUSES : asked.statuses,
      endedBefore: now
    }
  })

/** A listing takes tags in any case; a change takes those of one spelling. */
const hasAnyTag = (tags: ReadonlyArray<string>) => (row: MemoryRow): boolean =>
  tags.length === 0 || tags.some((tag) => row.tags.includes(tag))

interface Asked {
  readonly transition: Transition
  readonly advisories: ReadonlyArray<string>
}

/** The fields beside the filter that each action takes. */
const actionFields: Record<Apply["action"], ReadonlyArray<keyof Apply>> = {
  delete: ["reason"],
  pin: [],
  unpin: [],
  lock: ["mode", "until", "ttl_seconds", "reason"],
  unlock: [],
  touch: ["ttl_seconds", "clear_expiry", "on_expire", "expire_reason"],
  reject: ["reason"],
  add_tags: ["tags"],
  remove_tags: ["tags"]
}

const optionFields = new Set(Object.values(actionFields).flat())

const transitionOf = (request: Apply, caller: Caller): Effect.Effect<Asked, Refusal> =>
  Effect.gen(function*() {
    const { action, reason = "" } = request
    const stray = [...optionFields].find((field) =>
      request[field] !== undefined && field !== "reason" && !actionFields[action].includes(field)
    )
    if (stray !== undefined) {
      return yield* refuse("INVALID_ARGUMENT", `\`${stray}\` means nothing to \`${action}\``, { field: stray })
    }
    const plain = (transition: Transition): Asked => ({ transition, advisories: [] })
    switch (action) {
      case "delete":
        return plain({ _tag: "tombstone", change: "delete", rule: MemoryApply.tag, reason })
      case "reject":
        return plain({ _tag: "reject", reason })
      case "pin":
      case "unpin":
        return plain({ _tag: "pin", pinned: action === "pin" })
      case "lock":
        return yield* lockOf(request, caller)
      case "unlock":
        return plain({ _tag: "lock", mode: "", until: null, reason: "", mayLoosen: allows(caller, "admin") })
      case "touch":
        return plain(yield* touchOf(request))
      case "add_tags":
      case "remove_tags": {
        const tags = [...new Set(request.tags ?? [])]
        if (tags.length === 0) {
          return yield* refuse("INVALID_ARGUMENT", "`tags` is needed: which labels", { field: "tags" })
        }
        return plain({
          _tag: "label",
          add_tags: action === "add_tags" ? tags : [],
          remove_tags: action === "remove_tags" ? tags : []
        })
      }
    }
  })
