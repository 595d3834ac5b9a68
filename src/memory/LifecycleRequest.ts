/**
 * What the lifecycle verbs share between request and actor: the lock and the expiry that a request asks for, and the
 * actor's answer for one row as the verb tells it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Types from "effect/Types"
import { allows } from "../kernel/Caller.ts"
import type { Caller } from "../kernel/Caller.ts"
import { refusalCodes, refuse } from "../kernel/LoomError.ts"
import type { Refusal, RefusalCode } from "../kernel/LoomError.ts"
import { parseTime } from "../kernel/Time.ts"
import type { RowOutcome } from "./LifecycleVerbs.ts"
import type { Target, Transition, TransitionItem, TransitionResult } from "./MemoryCommand.ts"

type Tagged<Tag extends Transition["_tag"]> = Types.ExtractTag<Transition, Tag>

const invalid = (field: string, message: string): Refusal => refuse("INVALID_ARGUMENT", message, { field })

export interface LockRequest {
  readonly mode?: "read_only" | "no_delete" | "none" | undefined
  readonly until?: string | undefined
  readonly ttl_seconds?: number | null | undefined
  readonly reason?: string | undefined
}

/** The lock a request asks for; whether it may loosen one is the caller's role. */
export const lockOf = (request: LockRequest, caller: Caller) =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const mode = request.mode ?? "read_only"
    const ttl = request.ttl_seconds ?? undefined
    if (request.until !== undefined && ttl !== undefined) {
      return yield* invalid("until", "`until` and `ttl_seconds` exclude each other")
    }
    const reason = request.reason?.trim() ?? ""
    if (mode !== "none" && reason === "") {
      return yield* invalid("reason", "`reason` is needed: whoever meets the lock is told why")
    }
    if (mode === "none" && (request.until !== undefined || ttl !== undefined)) {
      return yield* invalid("until", "A lock that is taken away has no end")
    }
    const parsed = request.until === undefined ? undefined : parseTime(request.until)
    const given = typeof parsed === "object" ? parsed : undefined
    const until = given?.millis ?? (ttl === undefined ? null : now + ttl * 1000)
    if (until !== null && until <= now) return yield* invalid("until", "`until` lies in the past")
    const transition: Tagged<"lock"> = {
      _tag: "lock",
      mode: mode === "none" ? "" : mode,
      until,
      reason: mode === "none" ? "" : reason,
      mayLoosen: allows(caller, "admin")
    }
    return { transition, advisories: given?.naive === true ? ["until named no offset and was read as UTC"] : [] }
  })

export interface ExpiryRequest {
  readonly ttl_seconds?: number | null | undefined
  readonly clear_expiry?: boolean | undefined
  readonly on_expire?: string | undefined
  readonly expire_reason?: string | undefined
}

/** The expiry a request asks for; what it leaves out stays. */
export const touchOf = (request: ExpiryRequest) =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const { expire_reason, on_expire } = request
    const ttl = request.ttl_seconds ?? undefined
    const clears = request.clear_expiry === true || request.ttl_seconds === null
    if (clears && (ttl !== undefined || on_expire !== undefined || expire_reason !== undefined)) {
      return yield* invalid("clear_expiry", "A row without expiry has no `ttl_seconds`, `on_expire` or `expire_reason`")
    }
    if (!clears && ttl === undefined && on_expire === undefined && expire_reason === undefined) {
      return yield* invalid("ttl_seconds", "`ttl_seconds`, `clear_expiry`, `on_expire` or `expire_reason` is needed")
    }
    const touch: Tagged<"touch"> = clears
      ? { _tag: "touch", expires_at: null, on_expire: "", expire_reason: "" }
      : {
        _tag: "touch",
        ...(ttl === undefined ? {} : { expires_at: now + ttl * 1000 }),
        ...(on_expire === undefined ? {} : { on_expire }),
        ...(expire_reason === undefined ? {} : { expire_reason })
      }
    return touch
  })

/** One change to the row a target names, as it stands when its turn comes. */
export const itemFor = (target: Target, transition: Transition): TransitionItem => ({
  target,
  expected_version: null,
  content: null,
  transition
})

const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(refusalCodes, code)

/** A refused item as the refusal of a verb that is about that row alone. */
export const refusalOf = ({ code, facts, message, outcome }: TransitionResult): Refusal | undefined =>
  outcome === "refused" && code !== null && isRefusalCode(code)
    ? refuse(code, message ?? "The change was refused", facts)
    : undefined

/** A row's part of an answer that tells of several. */
export const outcomeOf = (result: TransitionResult): RowOutcome => ({
  memory_key: result.memory_key,
  memory_id: result.memory_id,
  outcome: result.outcome,
  code: result.code,
  message: result.message,
  facts: result.facts,
  status: result.answer?.status ?? result.status_before,
  version_text: result.answer?.version_text ?? null
})

export const isoOf = (millis: number): string => new Date(millis).toISOString()
