/**
 * How a row looks to a reader: wire names, ISO times, empty columns as null. A high-sensitivity value is shown by a read
 * by key alone; everywhere else it is withheld and the view says so.
 */
import * as Schema from "effect/Schema"
import { actorOf, nothingHidden } from "./LinkedRows.ts"
import type { Hidden } from "./LinkedRows.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isRedacted, valueOf, verification } from "./MemoryModel.ts"
import type { MemoryView } from "./MemoryViewFields.ts"
import { isLocked } from "./WritePolicy.ts"

const iso = (millis: number | null): string | null => millis === null ? null : new Date(millis).toISOString()
const text = (column: string): string | null => column === "" ? null : column

const Relations = Schema.parseJson(Schema.Array(Schema.Array(Schema.String)))
const relationsOf = Schema.decodeUnknownOption(Relations)

export interface ViewOptions {
  /** Milliseconds since 1970: a lock that has lapsed by then is not shown. Null shows a version as it was written. */
  readonly now: number | null
  /** Whether a high-sensitivity value is shown. */
  readonly reveal: boolean
  /** Whether the value is withheld as that of a high row: an earlier version of a row that is one by now. */
  readonly withhold?: boolean
  /** Rows that the reader may not know of: what took the place of a row may be another user's. */
  readonly hidden?: Hidden
  /** Longest value shown, in characters; null shows it whole. */
  readonly previewCharacters: number | null
}

export const viewOf = (row: MemoryRow, options: ViewOptions): MemoryView => {
  const { hidden = nothingHidden } = options
  const withheld = (row.sensitivity === "high" || options.withhold === true) && !options.reveal
  const value = withheld ? null : valueOf(row)
  const relations = relationsOf(row.relations)
  const isLockShown = options.now === null || isLocked(row, options.now)
  return {
    memory_id: row.memory_id,
    memory_key: row.memory_key,
    namespace: row.namespace,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    run_id: row.run_id,
    value: typeof value === "string" && options.previewCharacters !== null
      ? value.slice(0, options.previewCharacters)
      : value,
    ...(withheld ? { value_withheld: true } : {}),
    ...(isRedacted(row) ? { redacted: true } : {}),
    memory_type: row.memory_type,
    tags: row.tags,
    entities: row.entities,
    relations: relations._tag === "Some" ? relations.value : [],
    files: row.files,
    confidence: row.confidence,
    status: row.status,
    pinned: row.pinned,
    conflict_with: row.conflict_with,
    duplicate_of: text(row.duplicate_of),
    superseded_by: hidden.foreign.has(row.superseded_by) ? null : text(row.superseded_by),
    version: Number(row.version),
    version_text: row.version.toString(),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    valid_at: iso(row.valid_at),
    valid_to: iso(row.valid_to),
    temporal_anchor: iso(row.temporal_anchor),
    invalid_at: iso(row.invalid_at),
    tombstoned_at: iso(row.tombstoned_at),
    expires_at: iso(row.expires_at),
    on_expire: text(row.on_expire),
    expire_reason: text(row.expire_reason),
    actor: actorOf(row, hidden),
    source_class: row.source_class,
    source_trace: text(row.source_trace),
    source_resource_id: text(row.source_resource_id),
    verification: verification(row),
    verified_by: text(row.verified_by),
    lock_mode: isLockShown ? text(row.lock_mode) : null,
    lock_until: isLockShown ? iso(row.lock_until) : null,
    lock_reason: isLockShown ? text(row.lock_reason) : null,
    sensitivity: row.sensitivity,
    char_limit: row.char_limit === 0 ? null : row.char_limit,
    retyped_from: text(row.retyped_from),
    reinforcement_count: row.reinforcement_count,
    content_sha256: row.content_sha256
  }
}

/** Only the named fields of a view; all of them when none is named. */
export const project = (view: MemoryView, fields: ReadonlyArray<string> | undefined): Partial<MemoryView> => {
  if (fields === undefined || fields.length === 0) return view
  // Whoever asks for the value hears that it is withheld.
  const wanted = new Set(fields.includes("value") ? [...fields, "value_withheld"] : fields)
  const entries = Object.entries(view).filter(([name]) => wanted.has(name))
  return Object.fromEntries(entries)
}
