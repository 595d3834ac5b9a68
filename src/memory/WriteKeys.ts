/**
 * Writes that came without an idempotency key, where a call may be carried out twice: a cluster sends a call again when its
 * owner is lost, and nobody knows what became of it. Such a write is remembered under its own id, for as long as it may
 * still be under way.
 */
import type { WriteMeta } from "./MemoryCommand.ts"

// No digest begins like this.
export const WRITE_KEY_PREFIX = "write:"

// Ten times the longest call (`MemoryClient`), so that clocks of two hosts may differ by minutes.
export const WRITE_KEY_TTL_MILLIS = 5 * 60_000

/** Whether a hash of a key is the id of a write. */
export const isWriteKey = (idemHash: string): boolean => idemHash.startsWith(WRITE_KEY_PREFIX)

/**
 * The stamps of a call that is answered once, however often it arrives. A verb may make several under one write id (a
 * sweep, a roll-back), so the call is counted by its caller.
 */
export const answeredOnce = (meta: WriteMeta, call: number): WriteMeta =>
  meta.idem_hash !== "" || meta.dry_run
    ? meta
    : { ...meta, idem_hash: `${WRITE_KEY_PREFIX}${meta.write_id}.${call}` }
