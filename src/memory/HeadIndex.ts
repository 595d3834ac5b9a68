/**
 * The actor's map of a namespace's heads: small entries, found by identity, key, id, canonical form or content. It holds
 * no values, so its size grows with the number of heads and not with what they say. `View` joins it with the full rows
 * that one batch needs; judging a batch reads and writes only the view.
 */
import { identityKey } from "../kernel/Identity.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isLive, isServed } from "./MemoryModel.ts"
import type { HeadEntry, Probes } from "./MemoryStore.ts"

const canonicalSlot = (type: string, user: string, sha256: string) => `${type}\u0000${user}\u0000${sha256}`
const contentSlot = (agent: string, user: string, sha256: string) => `${agent}\u0000${user}\u0000${sha256}`

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
  valid_to: row.valid_to
})

const none: ReadonlySet<string> = new Set()

export class HeadIndex {
  private readonly entries = new Map<string, HeadEntry>()
  private readonly keys: Slots = new Map()
  private readonly ids = new Map<string, string>()
  private readonly canonicals: Slots = new Map()
  private readonly contents: Slots = new Map()

  get size() {
    return this.entries.size
  }

  get(identity: string): HeadEntry | undefined {
    return this.entries.get(identity)
  }

  put(entry: HeadEntry): void {
    const identity = identityKey(entry)
    const before = this.entries.get(identity)
    if (before !== undefined) this.unlink(identity, before)
    this.entries.set(identity, entry)
    addTo(this.keys, entry.memory_key, identity)
    this.ids.set(entry.memory_id, identity)
    if (entry.canonical_sha256 !== "") {
      addTo(this.canonicals, canonicalSlot(entry.memory_type, entry.user_id, entry.canonical_sha256), identity)
    }
    addTo(this.contents, contentSlot(entry.agent, entry.user_id, entry.content_sha256), identity)
  }

  private unlink(identity: string, entry: HeadEntry): void {
    removeFrom(this.keys, entry.memory_key, identity)
    removeFrom(this.canonicals, canonicalSlot(entry.memory_type, entry.user_id, entry.canonical_sha256), identity)
    removeFrom(this.contents, contentSlot(entry.agent, entry.user_id, entry.content_sha256), identity)
  }

  underKey(key: string): ReadonlySet<string> {
    return this.keys.get(key) ?? none
  }

  withId(memoryId: string): string | undefined {
    return this.ids.get(memoryId)
  }

  withCanonical(type: string, user: string, sha256: string): ReadonlySet<string> {
    return this.canonicals.get(canonicalSlot(type, user, sha256)) ?? none
  }

  withContent(agent: string, user: string, sha256: string): ReadonlySet<string> {
    return this.contents.get(contentSlot(agent, user, sha256)) ?? none
  }

  /** The identities that the probes name. */
  matches(probes: Probes): ReadonlySet<string> {
    const found = new Set<string>()
    for (const key of probes.keys) this.underKey(key).forEach((identity) => found.add(identity))
    for (const id of probes.ids) {
      const identity = this.withId(id)
      if (identity !== undefined) found.add(identity)
    }
    for (const probe of probes.canonical) {
      this.withCanonical(probe.memory_type, probe.user_id, probe.sha256).forEach((identity) => found.add(identity))
    }
    for (const probe of probes.content) {
      this.withContent(probe.agent, probe.user_id, probe.sha256).forEach((identity) => found.add(identity))
    }
    return found
  }
}

const byVersion = (left: MemoryRow, right: MemoryRow) =>
  left.version < right.version ? -1 : left.version > right.version ? 1 : 0

/** What one batch sees: the index and the full rows its probes matched, kept current as the batch is judged. */
export class View {
  constructor(private readonly index: HeadIndex, private readonly rows: Map<string, MemoryRow>) {}

  put(row: MemoryRow): void {
    this.index.put(entryOf(row))
    this.rows.set(identityKey(row), row)
  }

  private all(identities: Iterable<string>): ReadonlyArray<MemoryRow> {
    const found: Array<MemoryRow> = []
    for (const identity of identities) {
      const row = this.rows.get(identity)
      if (row !== undefined) found.push(row)
    }
    return found.sort(byVersion)
  }

  /** The head of an identity, whatever its status. */
  head(identity: string): MemoryRow | undefined {
    return this.rows.get(identity)
  }

  /** Heads under a key, whatever their writer and status. */
  underKey(key: string): ReadonlyArray<MemoryRow> {
    return this.all(this.index.underKey(key))
  }

  withId(memoryId: string): MemoryRow | undefined {
    const identity = this.index.withId(memoryId)
    return identity === undefined ? undefined : this.rows.get(identity)
  }

  /** Served rows of a type and user with this canonical form, other than the identity given, oldest first. */
  canonical(type: string, user: string, sha256: string, except: string, now: number): ReadonlyArray<MemoryRow> {
    return this.all(this.index.withCanonical(type, user, sha256)).filter((row) =>
      identityKey(row) !== except && isServed(row, now)
    )
  }

  /** Served rows of an agent and user with these bytes, other than the identity given, oldest first. */
  content(agent: string, user: string, sha256: string, except: string, now: number): ReadonlyArray<MemoryRow> {
    return this.all(this.index.withContent(agent, user, sha256)).filter((row) =>
      identityKey(row) !== except && isLive(row, now) && isServed(row, now)
    )
  }
}
