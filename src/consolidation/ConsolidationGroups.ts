/**
 * Which memories are fragments about one subject, pure. A subject is a stem of keys, or else a leading entity; within it a
 * group holds only memories of one user and type that are close to each other, every one to every other: two that are
 * strangers never come together over a third that is close to both. Next: `ConsolidationText` (what a group says).
 */
import { isEnded, isVerified } from "../memory/MemoryModel.ts"
import type { MemoryRow } from "../memory/MemoryModel.ts"
import { PROCEDURAL_TYPE } from "../memory/MemoryType.ts"

export interface Fragment {
  readonly row: MemoryRow
  readonly vector: Float32Array
}

export interface Group {
  /** The stem of the members' keys, or the entity that leads them. */
  readonly subject: string
  readonly by: "key" | "entity"
  /** Whether the subject has other groups beside this one. */
  readonly isOneOfSeveral: boolean
  /** Oldest first. */
  readonly members: ReadonlyArray<MemoryRow>
}

// Two are the least that can be merged; more than twenty facts are no paragraph.
const LEAST = 2
export const MOST = 20

// The pairs of a subject are compared all with all: some ten thousand cosines take milliseconds.
const MOST_OF_A_SUBJECT = 200

/**
 * Whether a memory may be merged with others: served and contested by nothing, a plain text that may be shown to a model, and
 * neither merged from others itself nor outside content that nobody vouched for.
 */
export const isFragment = (row: MemoryRow, now: number): boolean =>
  row.status === "active" && !isEnded(row, now) && row.value_kind === "string" && row.canonical_sha256 !== "" &&
  row.sensitivity !== "high" && row.source_class !== "derived" && row.memory_type !== PROCEDURAL_TYPE &&
  (row.source_class !== "external" || isVerified(row))

/** What a key is about: all of it but the attribute. */
export const stemOf = (key: string): string | null => {
  const end = key.lastIndexOf("/")
  return end < 0 ? null : key.slice(0, end)
}

/** The groups of these fragments, each memory in one of them at most; `closeness` is the least cosine within a group. */
export const groupsOf = (fragments: ReadonlyArray<Fragment>, closeness: number): ReadonlyArray<Group> => {
  const ordered = [...fragments].sort((left, right) => byAge(left.row, right.row))
  const byStem = grouped(ordered, "key", ({ row }) => stemOf(row.memory_key), closeness)
  const taken = new Set(byStem.flatMap(({ members }) => members.map(({ memory_id }) => memory_id)))
  const left = ordered.filter(({ row }) => !taken.has(row.memory_id))
  return [...byStem, ...grouped(left, "entity", ({ row }) => row.entities[0] ?? null, closeness)]
}

const byAge = (left: MemoryRow, right: MemoryRow): number =>
  left.created_at - right.created_at || (left.memory_id < right.memory_id ? -1 : 1)

const grouped = (
  fragments: ReadonlyArray<Fragment>,
  by: Group["by"],
  subjectOf: (fragment: Fragment) => string | null,
  closeness: number
): ReadonlyArray<Group> => {
  const buckets = new Map<string, { readonly subject: string; readonly members: Array<Fragment> }>()
  for (const fragment of fragments) {
    const subject = subjectOf(fragment)
    if (subject === null) continue
    const slot = `${fragment.row.user_id}\u0000${fragment.row.memory_type}\u0000${subject}`
    const bucket = buckets.get(slot)
    if (bucket === undefined) buckets.set(slot, { subject, members: [fragment] })
    else if (bucket.members.length < MOST_OF_A_SUBJECT) bucket.members.push(fragment)
  }
  return [...buckets.values()].flatMap(({ members, subject }) => {
    const clusters = clustered(members, closeness).filter((cluster) => cluster.length >= LEAST)
    return clusters.map((cluster): Group => ({
      subject,
      by,
      isOneOfSeveral: clusters.length > 1,
      members: cluster.map(({ row }) => row).sort(byAge)
    }))
  })
}

/** Clusters in which all are close to all: the closest two come together first, as long as none of either is a stranger. */
const clustered = (bucket: ReadonlyArray<Fragment>, closeness: number): ReadonlyArray<ReadonlyArray<Fragment>> => {
  const cosines = bucket.map(({ vector }) => bucket.map((other) => dot(vector, other.vector)))
  const at = (left: number, right: number): number => cosines[left]?.[right] ?? 0
  let clusters: ReadonlyArray<ReadonlyArray<number>> = bucket.map((_, index) => [index])
  while (true) {
    let best: { readonly left: number; readonly right: number; readonly least: number } | null = null
    for (const [left, ours] of clusters.entries()) {
      for (let right = left + 1; right < clusters.length; right++) {
        const theirs = clusters[right] ?? []
        if (ours.length + theirs.length > MOST) continue
        const least = Math.min(...ours.flatMap((one) => theirs.map((other) => at(one, other))))
        if (least >= closeness && (best === null || least > best.least)) best = { left, right, least }
      }
    }
    if (best === null) break
    const { left, right } = best
    const merged = [...clusters[left] ?? [], ...clusters[right] ?? []]
    clusters = clusters.flatMap((cluster, index) => index === left ? [merged] : index === right ? [] : [cluster])
  }
  return clusters.map((cluster) => cluster.flatMap((index) => bucket[index] ?? []))
}

export const dot = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
