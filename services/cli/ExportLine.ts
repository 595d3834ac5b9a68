/**
 * A stored memory as a line that imports again: what its writer stated, with `expires_at` in the place of a time to live,
 * so that it ends when it would have. What the server decided (versions, verdicts, locks, ids) stays behind. Pure.
 */
import type { MemoryView } from "../../src/memory/MemoryViewFields.ts"

type Line = { readonly [field: string]: unknown }

// What a row shows of a field that its writer left open.
const open: ReadonlySet<unknown> = new Set([undefined, null, "", false, "none"])

const stated = (fields: Line): Line =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !open.has(value) && !(Array.isArray(value) && value.length === 0))
  )

/** The classes a writer may declare. */
const declarable: ReadonlySet<string> = new Set(["derived", "external", "imported"])

export const of = (view: typeof MemoryView.Type): Line => ({
  namespace: view.namespace,
  memory_key: view.memory_key,
  value: view.value,
  ...stated({
    agent: view.agent,
    user_id: view.user_id === "-" ? "" : view.user_id,
    session_id: view.session_id,
    run_id: view.run_id,
    memory_type: view.memory_type,
    tags: view.tags,
    entities: view.entities,
    relations: view.relations,
    files: view.files,
    source_trace: view.source_trace,
    source_class: declarable.has(view.source_class) ? view.source_class : "",
    source_resource_id: view.source_resource_id,
    valid_at: view.valid_at,
    valid_to: view.valid_to,
    pinned: view.pinned,
    char_limit: view.char_limit,
    sensitivity: view.sensitivity,
    expires_at: view.expires_at,
    on_expire: view.on_expire,
    expire_reason: view.expire_reason
  }),
  confidence: view.confidence
})
