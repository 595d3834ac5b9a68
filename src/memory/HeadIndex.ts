/**
 * The actor's map of a namespace's heads: small entries, found by identity, key, id, canonical form, content or link. It
 * holds no values, so its size grows with the number of heads and not with what they say. `View` joins it with the full
 * rows that one batch needs.
 */
import { identityKey } from "../kernel/Identity.ts"
import { LIVE_STATUSES } from "./MemoryModel.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import type { HeadEntry, PeerSlot, Probes } from "./MemoryStore.ts"

/** One claim of one type and user, by its canonical form. */
export const claimSlot = ({ memory_type, user_id }: PeerSlot, sha256: string) =>
  `${memory_type}\u0000${user_id}\u0000${sha256}`
const contentSlot = (user: string, sha256: string) => `${user}\u0000${sha256}`

type Slots = Map<string, Set<string>>

const addTo = (slots: Slots, slot: string, member: string) => {
  const members = slots.get(slot)
  if (members === undefined) slots.set(slot, new Set([member]))
  else members.add(member)
}

const removeFrom = (slots: Slots, slot: string, member: string) => {
  const members = slots.get(slot)
  if (members === undefined) return
  members.delete(member)
  if (members.size === 0) slots.delete(slot)
}

/** What the index keeps of a row; the value stays out. */
export const entryOf = (row: MemoryRow): HeadEntry => ({
  agent: row.agent,
  user_id: row.user_id,
  session_id: row.session_id,
  memory_key: row.memory_key,
  memory_id: row.memory_id,
  memory_type: row.memory_type,
  status: row.status,
  content_sha256: row.content_sha256,
  canonical_sha256: row.canonical_sha256,
  version: row.version,
  expires_at: row.expires_at,
  valid_to: row.valid_to,
  duplicate_of: row.duplicate_of,
  conflict_with: row.conflict_with
})

const none: ReadonlySet<string> = new Set()

/** The ids a row names: the row that answers for it, and those it contradicts. */
const linksOf = (entry: Pick<HeadEntry, "duplicate_of" | "conflict_with">): ReadonlyArray<string> =>
  entry.duplicate_of === "" ? entry.conflict_with : [entry.duplicate_of, ...entry.conflict_with]

export class HeadIndex {
  private readonly entries = new Map<string, HeadEntry>()
  private readonly keys: Slots = new Map()
  private readonly ids = new Map<string, string>()
  private readonly canonicals: Slots = new Map()
  private readonly contents: Slots = new Map()
  private readonly links: Slots = new Map()

  get size() {
    return this.entries.size
  }

  get(identity: string): HeadEntry | undefined {
    return this.entries.get(identity)
  }

  /** The served and waiting heads written last, newest first. */
  newest(limit: number): ReadonlyArray<HeadEntry> {
    return Array.from(this.entries.values())
      .filter(({ status }) => LIVE_STATUSES.some((live) => live === status))
      .sort((left, right) => left.version > right.version ? -1 : 1)
      .slice(0, limit)
  }

  put(entry: HeadEntry): void {
    const identity = identityKey(entry)
    const before = this.entries.get(identity)
    if (before !== undefined) this.unlink(identity, before)
    this.entries.set(identity, entry)
    addTo(this.keys, entry.memory_key, identity)
    this.ids.set(entry.memory_id, identity)
    if (entry.canonical_sha256 !== "") addTo(this.canonicals, claimSlot(entry, entry.canonical_sha256), identity)
    addTo(this.contents, contentSlot(entry.user_id, entry.content_sha256), identity)
    for (const id of linksOf(entry)) addTo(this.links, id, identity)
  }

  private unlink(identity: string, entry: HeadEntry): void {
    removeFrom(this.keys, entry.memory_key, identity)
    removeFrom(this.canonicals, claimSlot(entry, entry.canonical_sha256), identity)
    removeFrom(this.contents, contentSlot(entry.user_id, entry.content_sha256), identity)
    for (const id of linksOf(entry)) removeFrom(this.links, id, identity)
  }

  underKey(key: string): ReadonlySet<string> {
    return this.keys.get(key) ?? none
  }

  withId(memoryId: string): string | undefined {
    return this.ids.get(memoryId)
  }

  withCanonical(slot: PeerSlot, sha256: string): ReadonlySet<string> {
    return this.canonicals.get(claimSlot(slot, sha256)) ?? none
  }

  withContent(user: string, sha256: string): ReadonlySet<string> {
    return this.contents.get(contentSlot(user, sha256)) ?? none
  }

  /** Rows that name the id: its duplicates, and rows it is contradicted by. */
  linkedTo(memoryId: string): ReadonlySet<string> {
    return this.links.get(memoryId) ?? none
  }

  /** The identities that the probes name. */
  matches(probes: Probes): ReadonlySet<string> {
    const found = new Set<string>()
    const addAll = (identities: ReadonlySet<string>) => identities.forEach((identity) => found.add(identity))
    for (const key of probes.keys) addAll(this.underKey(key))
    for (const id of probes.ids) {
      const identity = this.withId(id)
      if (identity !== undefined) found.add(identity)
    }
    for (const probe of probes.canonical) addAll(this.withCanonical(probe, probe.sha256))
    for (const probe of probes.content) addAll(this.withContent(probe.user_id, probe.sha256))
    for (const id of probes.linked) addAll(this.linkedTo(id))
    return found
  }
}
