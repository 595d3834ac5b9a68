/**
 * The hash chain over a namespace's writes: each link's hash covers the link before and the fields of `loom.audit_log`,
 * so a changed, missing or reordered link shows. Hashes only; content and keys never enter the log.
 */
import type { Scope } from "../kernel/Identity.ts"
import { canonical, sha256 } from "../kernel/Json.ts"
import type { MemoryRow } from "./MemoryModel.ts"

export interface AuditLink extends Scope {
  readonly position: bigint
  /** Milliseconds since 1970. */
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly memory_id: string
  readonly content_sha256: string
  readonly write_id: string
}

/** The link that a version of a row makes; the view `memory_to_journal` projects the same columns. */
export const linkOf = (row: MemoryRow): AuditLink => ({
  org: row.org,
  namespace: row.namespace,
  position: row.version,
  at: row.updated_at,
  actor: row.actor,
  action: row.change,
  memory_id: row.memory_id,
  content_sha256: row.content_sha256,
  write_id: row.write_id
})

/** SHA-256 over the previous hash, a line feed, and the RFC 8785 form of the link. */
export const linkHash = (previous: string, link: AuditLink): string =>
  sha256(`${previous}\n${
    canonical({
      org: link.org,
      namespace: link.namespace,
      position: link.position.toString(),
      at: link.at,
      actor: link.actor,
      action: link.action,
      memory_id: link.memory_id,
      content_sha256: link.content_sha256,
      write_id: link.write_id
    })
  }`)
