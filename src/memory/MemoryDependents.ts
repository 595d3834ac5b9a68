/**
 * What the going and the coming back of a memory means for those that were derived from it, pure: one that no source bears
 * any more goes with the last of them, one that some still bear stays, contested and marked. A source bears what it said
 * when it was read, so one that says something else by now bears nothing. All of it in the same plan, so that no commit
 * leaves a derived row without a source. Read on: `MemorySupports` (which rows rest on which).
 */
import { identityKey } from "../kernel/Identity.ts"
import { causeIn } from "./MemoryCause.ts"
import type { Change, MemoryRow, SourceClass } from "./MemoryModel.ts"
import { isEnded, isRedacted, isVerified } from "./MemoryModel.ts"
import { SOURCE_LOST } from "./MemorySupports.ts"
import type { Support } from "./MemorySupports.ts"
import type { Ground, Writing } from "./MemoryWriting.ts"
import { isHeld, isIndirect } from "./WritePolicy.ts"

// The rule of a row that went with its last source; a source that comes back brings back such a row alone.
const SOURCES_GONE = "sources.gone"

const stands = ({ status }: MemoryRow): boolean =>
  status === "active" || status === "conflicted" || status === "duplicate"

/** The row of a support as the plan has left it; undefined where it says something else, or somebody states it himself. */
const supported = (writing: Writing, { content_sha256, identity }: Support): MemoryRow | undefined => {
  const head = writing.planning.view.head(identityKey(identity))
  const row = head === undefined ? undefined : writing.current(head)
  return row?.content_sha256 === content_sha256 && row.source_class === "derived" ? row : undefined
}

/** How many of a support's sources still bear it. */
export const borneBy = (writing: Writing, { sources }: Support): "all" | "some" | "none" => {
  const left = sources.filter(({ content_sha256, memory_id }) => {
    const head = writing.planning.view.withId(memory_id)
    const row = head === undefined ? undefined : writing.current(head)
    return row?.content_sha256 === content_sha256 && stands(row) && !isEnded(row, writing.now)
  })
  return left.length === 0 ? "none" : left.length < sources.length ? "some" : "all"
}

/** Takes a row out of service, and out of the contradictions and duplicates of others; what it bore goes or is marked. */
export const tombstone = (writing: Writing, row: MemoryRow, ground: Ground, change: Change): MemoryRow => {
  const next = writing.change(row, change, ground, {
    status: "tombstoned",
    tombstoned_at: writing.now,
    duplicate_of: "",
    conflict_with: []
  })
  const left = { ...ground, by: row.memory_id, evidence: "the row it was linked to was deleted" }
  writing.unlink(next, [], left)
  writing.releaseDuplicates(next, left, null)
  sourceLost(writing, next)
  return next
}

/** Marked wrong: whoever said the same under another key was wrong too. */
export const rejected = (writing: Writing, row: MemoryRow, reason: string): MemoryRow => {
  const ground: Ground = { rule: "memory.reject", by: null, evidence: reason }
  const off = { status: "rejected", invalid_at: writing.now, conflict_with: [], duplicate_of: "" } as const
  const next = writing.change(row, "reject", ground, off)
  const along = { rule: "memory.reject.same", by: row.memory_id, evidence: "it says what was rejected" }
  writing.unlink(next, [], { ...along, rule: "memory.reject.unflag" })
  const others = writing.planning.view.duplicatesOf(row.memory_id)
  for (const duplicate of others) writing.change(duplicate, "reject", along, off)
  for (const gone of [next, ...others]) sourceLost(writing, gone)
  return next
}

/** Follows a source that went out of service into what was derived from it. */
export const sourceLost = (writing: Writing, source: MemoryRow): void => {
  for (const support of writing.planning.supports.restingOn(source.memory_id)) {
    const row = supported(writing, support)
    if (row === undefined || !stands(row)) continue
    // Whoever pinned, locked or attested it has seen it, and decides.
    const isKept = isHeld(row, writing.now) || (isVerified(row) && row.verified_kind === "human")
    if (borneBy(writing, support) === "none" && !isKept) {
      const ground = { rule: SOURCES_GONE, by: source.memory_id, evidence: "none of its sources is left" }
      tombstone(writing, row, ground, "retire")
      writing.dependents.tombstoned.push(row.memory_id)
    } else if (!row.tags.includes(SOURCE_LOST)) {
      lacking(writing, row, source.memory_id)
      writing.dependents.downgraded.push(row.memory_id)
    }
  }
}

/** Marks a row that lacks a source. */
export const lacking = (writing: Writing, row: MemoryRow, by: string | null): MemoryRow =>
  writing.change(row, "flag", { rule: "sources.some_gone", by, evidence: "a source of it is not there" }, {
    status: row.status === "active" ? "conflicted" : row.status,
    tags: [...row.tags.filter((tag) => tag !== SOURCE_LOST), SOURCE_LOST]
  })

/**
 * What becomes of a derived row that somebody states outright: it stands by itself from then on, whatever becomes of what it
 * was derived from.
 */
export const statedOutright = (row: MemoryRow, by: SourceClass): Partial<MemoryRow> =>
  row.source_class !== "derived" || by === "external" || isIndirect({ source_class: by })
    ? {}
    : {
      source_class: by,
      tags: row.tags.filter((tag) => tag !== SOURCE_LOST),
      ...(row.status === "conflicted" && row.conflict_with.length === 0 ? { status: "active" } : {})
    }

/** Whether a row went with its last source, and nobody else took it away since. */
export const wentWithSources = (row: MemoryRow): boolean =>
  row.status === "tombstoned" && row.change === "retire" && !isRedacted(row) &&
  causeIn(row.cause)?.rule === SOURCES_GONE

/** The rows that a source which came back brings back, each with what it rests on. */
export const awaiting = (writing: Writing, source: MemoryRow) =>
  writing.planning.supports.restingOn(source.memory_id).flatMap((support) => {
    const row = supported(writing, support)
    return row !== undefined && wentWithSources(row) && borneBy(writing, support) !== "none" ? [{ row, support }] : []
  })

/** A source is there again: what lacked this one alone is contested for it no longer. */
export const sourceBack = (writing: Writing, source: MemoryRow): void => {
  for (const support of writing.planning.supports.restingOn(source.memory_id)) {
    const row = supported(writing, support)
    if (row === undefined || !stands(row) || !row.tags.includes(SOURCE_LOST)) continue
    if (borneBy(writing, support) !== "all") continue
    const ground = { rule: "sources.back", by: source.memory_id, evidence: "all of its sources are there again" }
    writing.change(row, "unflag", ground, {
      status: row.status === "conflicted" && row.conflict_with.length === 0 ? "active" : row.status,
      tags: row.tags.filter((tag) => tag !== SOURCE_LOST)
    })
  }
}

/** The ids that a row is not compared with: what it was derived from, and what was derived from it. */
export const kin = (writing: Writing, row: MemoryRow): ReadonlySet<string> => {
  const { supports, view } = writing.planning
  const above = supports.of(row)?.sources.map(({ memory_id }) => memory_id) ?? []
  const below = supports.restingOn(row.memory_id).flatMap(({ identity }) => {
    const head = view.head(identityKey(identity))
    return head === undefined ? [] : [head.memory_id]
  })
  return new Set([...above, ...below])
}
