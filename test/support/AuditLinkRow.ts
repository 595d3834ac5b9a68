/**
 * A link of the audit chain as `loom.audit_log` shows it.
 */
import * as Schema from "effect/Schema"
import { EpochMillis, UInt64 } from "../../src/platform/ClickhouseValue.ts"

export const AuditLinkRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  position: UInt64,
  at: EpochMillis,
  actor: Schema.String,
  action: Schema.String,
  memory_id: Schema.String,
  content_sha256: Schema.String,
  write_id: Schema.String,
  prev_hash: Schema.String,
  hash: Schema.String
})
