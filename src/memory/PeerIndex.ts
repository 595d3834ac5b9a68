/**
 * The vectors of a namespace's served rows, held by its actor so that finding the peers of a write costs no store
 * round trip. One dense matrix per type and user, scanned exactly; each vector is kept as 8-bit integers, a quarter of
 * the memory, unless `exact` asks for the floats (cosines then equal the store's). Closeness only nominates: the verdict
 * comes from what the claims say (`claims/ClaimCompare`).
 */
import { exactSearch, MetricKind } from "usearch"
import type { PeerQuery, PeerSlot } from "./MemoryStore.ts"

/** A row close to a query: the identity it was put under, its content and the cosine. */
export interface Neighbour {
  readonly identity: string
  readonly content_sha256: string
  readonly similarity: number
}

type Numbers = Float32Array | Int8Array

// Room for this many vectors at first; a partition then doubles. Most namespaces and most users have a few memories, and many
// thousand of them may be held at once.
const FIRST_CAPACITY = 2

// Rounding to 8 bits moves a cosine of these vectors by less than this; what is found a little below the threshold is cut.
const ROUNDING = 0.005

const PARTITION_OVERHEAD = 200
// Identity text, hash and map slots of one vector.
const ENTRY_OVERHEAD = 300

interface Entry {
  readonly identity: string
  readonly content_sha256: string
}

class Partition {
  private readonly entries: Array<Entry> = []
  private readonly places = new Map<string, number>()
  private matrix: Numbers
  /** Whether some vector has a scale of its own. */
  private peaked = false

  constructor(private readonly dimensions: number, private readonly exact: boolean) {
    this.matrix = this.room(FIRST_CAPACITY)
  }

  private room(vectors: number): Numbers {
    return this.exact ? new Float32Array(vectors * this.dimensions) : new Int8Array(vectors * this.dimensions)
  }

  get bytes() {
    return PARTITION_OVERHEAD + this.matrix.byteLength + this.entries.length * ENTRY_OVERHEAD
  }

  get size() {
    return this.entries.length
  }

  contentOf(identity: string): string | undefined {
    const place = this.places.get(identity)
    return place === undefined ? undefined : this.entries[place]?.content_sha256
  }

  put(entry: Entry, vector: Float32Array): void {
    const place = this.places.get(entry.identity) ?? this.entries.length
    const peaked = !this.exact && isPeaked(vector)
    this.peaked ||= peaked
    if ((place + 1) * this.dimensions > this.matrix.length) {
      const wider = this.room((this.matrix.length / this.dimensions) * 2)
      wider.set(this.matrix)
      this.matrix = wider
    }
    this.entries[place] = entry
    this.places.set(entry.identity, place)
    this.matrix.set(this.exact ? vector : quantised(vector, peaked), place * this.dimensions)
  }

  remove(identity: string): void {
    const place = this.places.get(identity)
    const last = this.entries[this.entries.length - 1]
    if (place === undefined || last === undefined) return
    const from = (this.entries.length - 1) * this.dimensions
    this.matrix.copyWithin(place * this.dimensions, from, from + this.dimensions)
    this.entries[place] = last
    this.places.set(last.identity, place)
    this.entries.pop()
    this.places.delete(identity)
  }

  near(vector: Float32Array, threshold: number, limit: number): ReadonlyArray<Neighbour> {
    if (this.entries.length === 0) return []
    const rows = this.matrix.subarray(0, this.entries.length * this.dimensions)
    const peaked = !this.exact && isPeaked(vector)
    const query = this.exact ? vector : quantised(vector, peaked)
    const level = !this.exact && !this.peaked && !peaked
    const { distances, keys } = exactSearch(
      rows,
      query,
      this.dimensions,
      Math.min(limit, this.entries.length),
      level ? MetricKind.IP : MetricKind.Cos,
      1
    )
    const unit = level ? scaleOf(this.dimensions) ** 2 : 1
    const found: Array<Neighbour> = []
    keys.forEach((key, index) => {
      const entry = this.entries[Number(key)]
      // Rounded to 8 bits, equal vectors may come out a little above one.
      const similarity = Math.min(1, (1 - (distances[index] ?? 1)) / unit)
      if (entry !== undefined && similarity >= threshold - (this.exact ? 0 : ROUNDING)) {
        found.push({ ...entry, similarity })
      }
    })
    return found
  }
}

// The numbers of a unit vector of n dimensions lie about 1/√n. Three times that fits into eight bits, in steps of a fortieth
// of it, and the few beyond are cut. Vectors so scaled are all of one length, and their product is then their cosine
// (measured over 20,000 vectors of 512: 0.36 ms, and 0.85 for cosines, which take the length of each anew).
const WIDEST = 3

// A vector that loses more of its square to the cut lies along few dimensions, and no common scale fits it.
const MOST_CUT = 0.001

const scaleOf = (dimensions: number): number => (127 * Math.sqrt(dimensions)) / WIDEST

const isPeaked = (vector: Float32Array): boolean => {
  const widest = WIDEST / Math.sqrt(vector.length)
  let cut = 0
  for (const number of vector) if (Math.abs(number) > widest) cut += (Math.abs(number) - widest) ** 2
  return cut > MOST_CUT
}

/** Eight bits a dimension, by the common scale, or by its own where that does not fit; a cosine does not depend on it. */
const quantised = (vector: Float32Array, peaked: boolean): Int8Array => {
  let scale = scaleOf(vector.length)
  if (peaked) {
    let largest = 0
    for (const number of vector) if (Math.abs(number) > largest) largest = Math.abs(number)
    scale = largest === 0 ? 0 : 127 / largest
  }
  const small = new Int8Array(vector.length)
  for (let index = 0; index < vector.length; index++) {
    small[index] = Math.max(-127, Math.min(127, Math.round((vector[index] ?? 0) * scale)))
  }
  return small
}

const slotKey = ({ memory_type, user_id }: PeerSlot): string => `${memory_type}\u0000${user_id}`

export class PeerIndex {
  private readonly partitions = new Map<string, Partition>()
  private readonly slots = new Map<string, string>()

  constructor(private readonly dimensions: number, private readonly exact = false) {}

  get bytes() {
    let total = 0
    for (const partition of this.partitions.values()) total += partition.bytes
    return total
  }

  /** An index of the same kind without vectors. */
  empty(): PeerIndex {
    return new PeerIndex(this.dimensions, this.exact)
  }

  /** Whether the identity's vector is here and was made from this content. */
  holds(identity: string, content_sha256: string): boolean {
    const key = this.slots.get(identity)
    return key !== undefined && this.partitions.get(key)?.contentOf(identity) === content_sha256
  }

  put(slot: PeerSlot, entry: Entry, vector: Float32Array): void {
    const key = slotKey(slot)
    if (this.slots.get(entry.identity) !== key) this.remove(entry.identity)
    let partition = this.partitions.get(key)
    if (partition === undefined) {
      partition = new Partition(this.dimensions, this.exact)
      this.partitions.set(key, partition)
    }
    partition.put(entry, vector)
    this.slots.set(entry.identity, key)
  }

  remove(identity: string): void {
    const key = this.slots.get(identity)
    if (key === undefined) return
    const partition = this.partitions.get(key)
    partition?.remove(identity)
    if (partition?.size === 0) this.partitions.delete(key)
    this.slots.delete(identity)
  }

  /** The closest rows at or above the threshold, closest first, at most `limit`. */
  near(query: PeerQuery, limit: number): ReadonlyArray<Neighbour> {
    return this.partitions.get(slotKey(query))?.near(query.vector, query.threshold, limit) ?? []
  }
}
