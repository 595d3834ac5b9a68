/**
 * What one batch sees: the heads as they are stored, with the batch's own writes on top. Judging reads and writes only
 * the view, so a batch that fails, and a dry run, leave nothing behind. A view holds every row that its batch may meet,
 * in full, and the peers that were nominated for each new value.
 */
import { identityKey } from "../kernel/Identity.ts"
import { claimSlot, entryOf, HeadIndex } from "./HeadIndex.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isServed } from "./MemoryModel.ts"
import type { Derived, LastWord, PeerQuery, PeerSlot } from "./MemoryStore.ts"
import type { Neighbour, PeerIndex } from "./PeerIndex.ts"

const byVersion = (left: MemoryRow, right: MemoryRow) =>
  left.version < right.version ? -1 : left.version > right.version ? 1 : 0

/** A served row close to a claim. */
export interface Near {
  readonly row: MemoryRow
  /** The cosine of the two values' vectors. */
  readonly similarity: number
}

// Claims compared for one write, closest first: five are shown, and the ones behind them are there for the case that the
// closest are about other things. Each comparison takes some hundredth of a millisecond.
export const NEAREST = 8

/** What the store knew before the batch. */
export interface Stored {
  readonly index: HeadIndex
  readonly rows: ReadonlyMap<string, MemoryRow>
  /** The stored rows closest to the vector of a new value, of every user it was sought for, by the vector itself. */
  readonly nominated: ReadonlyMap<Float32Array, ReadonlyArray<Neighbour>>
  /** The last word on claims that somebody may have taken away, by `claimSlot`. */
  readonly lastWords: ReadonlyMap<string, Pick<LastWord, "memory_key" | "status" | "change" | "version">>
  /** The vectors of contents that are not served now and may be when the batch is through, by `vectorKey`. */
  readonly asleep: ReadonlyMap<string, Float32Array>
}

/** Which content of which memory a vector was made from. */
export const vectorKey = (identity: string, content_sha256: string): string => `${identity}\u0000${content_sha256}`

// Cosines of the same two vectors differ in the last digits with the way they are computed; their order must not.
const closeness = ({ similarity }: Near): number => Math.round(similarity * 1_000_000)

interface Written {
  readonly rows: ReadonlyArray<MemoryRow>
  readonly derived: ReadonlyArray<Derived>
}

/** The vector of the value that a plan gave a row; null when the plan did not derive it. */
export const vectorOf = (row: MemoryRow, derived: Written["derived"]): Float32Array | null =>
  derived.find(({ content_sha256, version }) => version === row.version && content_sha256 === row.content_sha256)
    ?.searchable.value_vector ?? null

export class HeadView {
  private readonly puts: Array<readonly [MemoryRow, Float32Array | null]> = []
  /** The vectors of the batch's own values. */
  private readonly vectors = new Map<string, Float32Array>()

  private constructor(
    private readonly stored: Stored,
    private readonly written: HeadIndex,
    private readonly rows: Map<string, MemoryRow>,
    private readonly peers: PeerIndex
  ) {}

  /** `peers` starts empty and takes the vectors of the batch's own writes. */
  static over(stored: Stored, peers: PeerIndex): HeadView {
    return new HeadView(stored, new HeadIndex(), new Map(), peers)
  }

  /** Adds a version that the batch wrote; `vector` belongs to its value, when it has one. */
  put(row: MemoryRow, vector: Float32Array | null): void {
    const identity = identityKey(row)
    this.puts.push([row, vector])
    this.written.put(entryOf(row))
    this.rows.set(identity, row)
    // A row that serves again without having been written says what it said: its vector was given or read before.
    const content = vectorKey(identity, row.content_sha256)
    const own = vector ?? this.vectors.get(content) ?? this.stored.asleep.get(content)
    if (vector !== null) this.vectors.set(content, vector)
    if (own !== undefined && row.canonical_sha256 !== "") {
      this.peers.put(row, { identity, content_sha256: row.content_sha256 }, own)
    }
  }

  /** Adds what a plan wrote, with the vectors of its new values. */
  putAll({ derived, rows }: Written): void {
    for (const row of rows) this.put(row, vectorOf(row, derived))
  }

  /** The same view, to be written to and thrown away. */
  fork(): HeadView {
    const view = HeadView.over(this.stored, this.peers.empty())
    for (const [row, vector] of this.puts) view.put(row, vector)
    return view
  }

  private rowOf(identity: string): MemoryRow | undefined {
    return this.rows.get(identity) ?? this.stored.rows.get(identity)
  }

  /** Rows of both layers; what the batch rewrote is looked up in its own layer alone. */
  private all(stored: ReadonlySet<string>, written: ReadonlySet<string>): ReadonlyArray<MemoryRow> {
    const found: Array<MemoryRow> = []
    const add = (identity: string) => {
      const row = this.rowOf(identity)
      if (row !== undefined) found.push(row)
    }
    stored.forEach((identity) => {
      if (!this.rows.has(identity)) add(identity)
    })
    written.forEach(add)
    return found.sort(byVersion)
  }

  /** The head of an identity, whatever its status. */
  head(identity: string): MemoryRow | undefined {
    return this.rowOf(identity)
  }

  /** Heads under a key, whatever their writer and status. */
  underKey(key: string): ReadonlyArray<MemoryRow> {
    return this.all(this.stored.index.underKey(key), this.written.underKey(key))
  }

  withId(memoryId: string): MemoryRow | undefined {
    const identity = this.written.withId(memoryId) ?? this.stored.index.withId(memoryId)
    return identity === undefined ? undefined : this.rowOf(identity)
  }

  /** Rows of a type and user with this canonical form, whatever their status, oldest first. */
  canonical(slot: PeerSlot, sha256: string): ReadonlyArray<MemoryRow> {
    return sha256 === ""
      ? []
      : this.all(this.stored.index.withCanonical(slot, sha256), this.written.withCanonical(slot, sha256))
  }

  /** The last word on a claim, the batch's own included; undefined when nobody asked for it or it was never said. */
  lastWord(slot: PeerSlot, sha256: string): Pick<LastWord, "memory_key" | "status" | "change"> | undefined {
    // What is not searched has no canonical form, and nothing to do with others that have none.
    if (sha256 === "") return undefined
    const stored = this.stored.lastWords.get(claimSlot(slot, sha256))
    // Every write of the batch is later than what was stored; a value overwritten within it is among its puts.
    let last: MemoryRow | undefined
    for (const [row] of this.puts) {
      const isIt = row.canonical_sha256 === sha256 && row.memory_type === slot.memory_type &&
        row.user_id === slot.user_id
      if (isIt && (last === undefined || row.version > last.version)) last = row
    }
    return last ?? stored
  }

  /** Rows of a user with these bytes, whatever their status, oldest first. */
  content(user: string, sha256: string): ReadonlyArray<MemoryRow> {
    return this.all(this.stored.index.withContent(user, sha256), this.written.withContent(user, sha256))
  }

  /** Rows that name the id as the one that answers for them, oldest first. */
  duplicatesOf(memoryId: string): ReadonlyArray<MemoryRow> {
    return this.linkedTo(memoryId).filter((row) => row.status === "duplicate" && row.duplicate_of === memoryId)
  }

  /** Rows that contradict the id, oldest first. */
  contradicting(memoryId: string): ReadonlyArray<MemoryRow> {
    return this.linkedTo(memoryId).filter((row) => row.conflict_with.includes(memoryId))
  }

  private linkedTo(memoryId: string): ReadonlyArray<MemoryRow> {
    return this.all(this.stored.index.linkedTo(memoryId), this.written.linkedTo(memoryId))
  }

  /** Served rows close to a vector, closest first; `except` is the identity the vector is written under. */
  near(query: PeerQuery, except: string, now: number): ReadonlyArray<Near> {
    const stored = this.stored.nominated.get(query.vector) ?? []
    const found: Array<Near> = []
    const seen = new Set<string>([except])
    for (const neighbour of [...this.peers.near(query, NEAREST), ...stored]) {
      const row = this.rowOf(neighbour.identity)
      // A vector outlives the value it was made from: the head may say something else by now.
      if (
        row !== undefined && !seen.has(neighbour.identity) && row.content_sha256 === neighbour.content_sha256 &&
        row.memory_type === query.memory_type && row.user_id === query.user_id && isServed(row, now)
      ) {
        seen.add(neighbour.identity)
        found.push({ row, similarity: neighbour.similarity })
      }
    }
    return found
      .sort((left, right) => closeness(right) - closeness(left) || byVersion(left.row, right.row))
      .slice(0, NEAREST)
  }
}
