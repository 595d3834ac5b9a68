/** What the verbs of conversations share: which turns are meant, and how one looks on the wire. */
import * as Schema from "effect/Schema"
import { OptionalName } from "../kernel/Identity.ts"
import { isNaive, parseTime } from "../kernel/Time.ts"
import { scopeFields, TimeText, writerFields } from "../memory/MemoryFields.ts"
import { excerpt } from "../platform/Analyzer.ts"
import { TurnRole } from "./TurnModel.ts"
import type { Turn } from "./TurnModel.ts"
import { anyTurn } from "./TurnStore.ts"
import type { TurnFilter } from "./TurnStore.ts"

/** Which turns are meant; each field narrows, and one left out matches every turn. */
export const turnFields = {
  ...scopeFields,
  ...writerFields,
  run_id: Schema.optional(OptionalName),
  role: Schema.optional(TurnRole),
  speaker: Schema.optional(Schema.String.pipe(Schema.maxLength(256))),
  /** Said, or else stored, at or after, and before. */
  since: Schema.optional(TimeText),
  until: Schema.optional(TimeText)
}

/** The fields of a request that say which turns are meant. */
export interface TurnAsking {
  readonly agent?: string | undefined
  readonly session_id?: string | undefined
  readonly run_id?: string | undefined
  readonly role?: TurnRole | undefined
  readonly speaker?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

const millisOf = (text: string | undefined): number | null => {
  const parsed = text === undefined ? null : parseTime(text)
  return parsed === null || typeof parsed === "string" ? null : parsed.millis
}

/** `user` is the one whose turns the caller may read; null for every user. */
export const turnFilterOf = (request: TurnAsking, user: string | null): TurnFilter => ({
  ...anyTurn,
  user_id: user,
  agent: request.agent ?? null,
  session_ids: request.session_id === undefined ? [] : [request.session_id],
  run_id: request.run_id ?? null,
  role: request.role ?? null,
  speaker: request.speaker ?? null,
  since: millisOf(request.since),
  until: millisOf(request.until)
})

/** What an answer says of times that named no offset. */
export const naiveTimes = (request: TurnAsking): { readonly advisories?: ReadonlyArray<string> } => {
  const naive = (["since", "until"] as const).filter((field) => isNaive(request[field] ?? ""))
  return naive.length === 0
    ? {}
    : { advisories: naive.map((field) => `${field} named no offset and was read as UTC`) }
}

export const TurnView = Schema.Struct({
  turn_id: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  role: Schema.String,
  speaker: Schema.NullOr(Schema.String),
  /** Null when it is withheld. */
  content: Schema.NullOr(Schema.String),
  /** Whether the turn says more than the content that is shown. */
  content_truncated: Schema.Boolean,
  /** Whether its sensitivity is high: the content is read by `turn_id` alone. */
  withheld: Schema.Boolean,
  content_sha256: Schema.NullOr(Schema.String),
  /** When it was said; null when nobody knows. */
  at: Schema.NullOr(Schema.String),
  recorded_at: Schema.String,
  /** Grows in the order in which the turns of a session came. */
  position_text: Schema.String,
  sensitivity: Schema.String,
  actor: Schema.String,
  run_id: Schema.NullOr(Schema.String),
  source_resource_id: Schema.NullOr(Schema.String)
})
export type TurnView = typeof TurnView.Type

export interface TurnViewOptions {
  /** Whether the content of a turn of high sensitivity is shown. */
  readonly reveal: boolean
  /** Characters of the content at most; null shows it whole. */
  readonly maxChars: number | null
}

const text = (column: string): string | null => column === "" ? null : column

export const turnView = (turn: Turn, { maxChars, reveal }: TurnViewOptions): TurnView => {
  const withheld = turn.sensitivity === "high" && !reveal
  const shown = maxChars === null ? turn.content : excerpt(turn.content, maxChars)
  return {
    turn_id: turn.turn_id,
    namespace: turn.namespace,
    agent: turn.agent,
    user_id: turn.user_id,
    session_id: turn.session_id,
    role: turn.role,
    speaker: text(turn.speaker),
    content: withheld ? null : shown,
    content_truncated: !withheld && shown.length < turn.content.length,
    withheld,
    // A short secret could be guessed from its hash.
    content_sha256: withheld ? null : turn.content_sha256,
    at: turn.at === null ? null : new Date(turn.at).toISOString(),
    recorded_at: new Date(turn.recorded_at).toISOString(),
    position_text: turn.position.toString(),
    sensitivity: turn.sensitivity,
    actor: turn.actor,
    run_id: text(turn.run_id),
    source_resource_id: text(turn.source_resource_id)
  }
}
