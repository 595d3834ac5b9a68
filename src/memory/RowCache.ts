/**
 * A bounded cache of full head rows, least recently used out first, so that restating, merging into and correcting
 * recent memories costs no read. Sizes are estimates in bytes.
 */
import { identityKey } from "../kernel/Identity.ts"
import type { MemoryRow } from "./MemoryModel.ts"

// Measured on 20,000 rows of short values as they are read: 640 bytes each, their 60 columns being mostly empty. With the
// map's key and slot, and room for rows that were written here and share no text with others.
const ROW_OVERHEAD = 1_100

/** What a row takes in memory, by estimate. */
export const rowBytes = (row: MemoryRow): number => ROW_OVERHEAD + row.value.length * 2

export class RowCache {
  private readonly rows = new Map<string, MemoryRow>()
  private bytes = 0

  constructor(private readonly maxBytes: number) {}

  get size() {
    return this.bytes
  }

  has(identity: string): boolean {
    return this.rows.has(identity)
  }

  /** Whether another row fits without one going out. */
  get hasRoom(): boolean {
    return this.bytes + ROW_OVERHEAD < this.maxBytes
  }

  /** Whether so many rows of short values fit. */
  holds(rows: number): boolean {
    return rows * ROW_OVERHEAD < this.maxBytes
  }

  get(identity: string): MemoryRow | undefined {
    const row = this.rows.get(identity)
    if (row !== undefined) {
      this.rows.delete(identity)
      this.rows.set(identity, row)
    }
    return row
  }

  put(row: MemoryRow): void {
    const identity = identityKey(row)
    this.drop(identity)
    this.rows.set(identity, row)
    this.bytes += rowBytes(row)
    for (const oldest of this.rows.keys()) {
      if (this.bytes <= this.maxBytes) return
      this.drop(oldest)
    }
  }

  private drop(identity: string): void {
    const row = this.rows.get(identity)
    if (row === undefined) return
    this.rows.delete(identity)
    this.bytes -= rowBytes(row)
  }
}
