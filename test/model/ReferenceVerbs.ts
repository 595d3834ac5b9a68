/**
 * What memory.set, memory.bulk_set, memory.update, memory.delete and memory.restore must come to.
 */
import { isDeepStrictEqual } from "node:util"
import { sameBytes } from "./ModelClaims.ts"
import type { Claim } from "./ModelClaims.ts"
import { validAtOf } from "./ModelCommands.ts"
import { labelOf, placeOf, typeOf } from "./ModelSteps.ts"
import type { Aim, Match, SetPart, Slot, Stated } from "./ModelSteps.ts"
import { peersOf } from "./ReferenceDoing.ts"
import type { Doing } from "./ReferenceDoing.ts"
import { mergesInto } from "./ReferenceJudge.ts"
import type { Case } from "./ReferenceJudge.ts"
import { none, refused } from "./ReferenceOutcome.ts"
import type { Outcome } from "./ReferenceOutcome.ts"
import { isEnded, isExpired, isLive, isLocked } from "./ReferenceRow.ts"
import type { ReferenceRow } from "./ReferenceRow.ts"

const RESTORE_WINDOW = 14 * 86_400_000

export const set = (
  doing: Doing,
  { claim, match, run, slot, source, stated }: SetPart,
  proposed: boolean,
  bulk: boolean
): Outcome => {
  const place = placeOf(slot)
  const label = labelOf(place)
  const head = doing.world.get(label)
  const own = head !== undefined && isLive(head, doing.now) ? head : undefined
  const write: Case = {
    label,
    agent: place.agent,
    user: place.user_id,
    key: place.memory_key,
    type: typeOf(place.memory_key),
    claim,
    own,
    tags: stated.tags ?? [],
    run,
    mayReplacePinned: stated.pinned === true,
    pins: stated.pinned === true,
    proposed,
    corrects: false,
    revives: false,
    source,
    validAt: validAtOf(stated.valid_at ?? null),
    ...doing.ends(stated),
    matches: match === "none" ? null : match === "current" && own !== undefined && doing.isAsRead(own),
    bulk
  }
  const restates = own !== undefined && sameBytes(own.claim, claim) && (own.status !== "proposed" || proposed)
  // A restatement passes every guard, and what the guard holds stays as it is.
  const kept = restates ? heldTerms(doing, own, stated, write.mayReplacePinned) : []
  if (!restates && own !== undefined && isLocked(own, doing.now) && endsSooner(doing, own, stated)) {
    return refused("LOCKED")
  }
  const ruling = doing.world.judge(write)
  if (ruling.tag === "refused") return ruling
  if (ruling.tag === "restated") {
    const before = doing.row(label)
    const applied: Stated = Object.fromEntries(Object.entries(stated).filter(([name]) => !kept.includes(name)))
    const columns = doing.statedColumns(applied, before)
    // When it became true is said once.
    const validAt = before.validAt ?? columns.validAt ?? null
    doing.world.change(label, { ...columns, validAt, count: before.count + 1 })
    return doing.told(label, { verdicts: [verdictOf(before)] })
  }
  const stored = (columns: Partial<ReferenceRow>) => {
    doing.world.put({
      label,
      agent: write.agent,
      user: write.user,
      key: write.key,
      type: write.type,
      claim,
      status: proposed ? "proposed" : "active",
      pinned: stated.pinned ?? false,
      conflicts: [],
      duplicateOf: null,
      supersededBy: null,
      count: 1,
      validAt: write.validAt,
      validTo: write.validTo,
      expiresAt: write.expiresAt,
      lock: head?.lock ?? "",
      lockUntil: head?.lockUntil ?? null,
      tags: write.tags,
      run,
      source,
      goneAt: null,
      ranOut: false,
      ...columns
    }, "stated")
    doing.world.settle(label, doing.sighted)
  }
  return doing.carryOut(label, write, ruling, stored)
}

/** What is said of a row that nobody judged: how it stands already. */
export const verdictOf = ({ status }: ReferenceRow): string =>
  status === "conflicted" ? "conflict" : status === "duplicate" ? "duplicate" : "clear"

/** Whether a statement ends a memory before it would. */
const endsSooner = (doing: Doing, row: ReferenceRow, stated: Stated): boolean => {
  const ends = doing.ends(stated, row)
  const isSooner = (end: number | null, than: number | null) => end !== null && (than === null || end < than)
  return isSooner(ends.expiresAt, row.expiresAt) || isSooner(ends.validTo, row.validTo)
}

/**
 * What of a statement a guard keeps out: of a read_only lock, and of a pin where the write does not itself pin, all that it
 * would change; of a no_delete lock what ends the memory sooner.
 */
const heldTerms = (doing: Doing, row: ReferenceRow, stated: Stated, mayReplacePinned: boolean) => {
  const locked = isLocked(row, doing.now)
  const holdsAll = (locked && row.lock === "read_only") || (row.pinned && !mayReplacePinned)
  return Object.entries(stated).filter(([name, value]) => {
    const one: Stated = { [name]: value }
    return holdsAll
      ? !isDeepStrictEqual(row, { ...row, ...doing.statedColumns(one, row) })
      : locked && endsSooner(doing, row, one)
  }).map(([name]) => name)
}

export const update = (
  doing: Doing,
  rows: ReadonlyArray<ReferenceRow>,
  slot: Slot,
  aim: Aim,
  { claim, match, run, stated }: {
    readonly claim: Claim | null
    readonly stated: Stated
    readonly match: Match
    readonly run: string
  }
): Outcome => {
  const [row] = rows
  if (row === undefined) {
    if (match !== "none") return refused("PRECONDITION_FAILED")
    const ended = doing.meant(
      slot,
      aim,
      (one) => isExpired(one) || (one.status !== "tombstoned" && isEnded(one, doing.now))
    )
    return none(ended.length > 0 ? "expired" : "not_found")
  }
  if (rows.length > 1) return refused("AMBIGUOUS_KEY")
  const { label } = row
  const matches = match === "none" ? null : match === "current"
  const columns = { ...doing.statedColumns(stated, row), ...(run === "" ? {} : { run }) }
  if (heldTerms(doing, row, stated, true).length > 0) return refused("LOCKED")
  if (claim === null || sameBytes(claim, row.claim)) {
    if (matches === false) return refused("PRECONDITION_FAILED")
    if (claim === null && isDeepStrictEqual(row, { ...row, ...columns })) return none("unchanged")
    doing.world.change(label, { ...columns, ...(claim === null ? {} : { claim, count: row.count + 1 }) })
    return doing.told(label, { verdicts: [verdictOf(row)] })
  }
  const write: Case = {
    ...row,
    ...doing.ends(stated, row),
    claim,
    own: row,
    tags: stated.tags ?? row.tags,
    run,
    mayReplacePinned: true,
    pins: stated.pinned === true,
    proposed: row.status === "proposed",
    corrects: true,
    revives: false,
    source: "asserted",
    validAt: stated.valid_at === undefined ? row.validAt : validAtOf(stated.valid_at),
    matches,
    bulk: false
  }
  const ruling = doing.world.judge(write)
  if (ruling.tag === "refused") return ruling
  if (ruling.tag === "restated") throw new Error("the model restates what differs")
  const links = { conflicts: [], duplicateOf: null, supersededBy: null }
  const status = write.proposed ? "proposed" : "active"
  return doing.carryOut(label, write, ruling, (more) => {
    doing.world.change(label, { ...columns, ...links, claim, status, source: "asserted", ...more }, "corrected")
    doing.world.settle(label, doing.sighted)
  })
}

export const remove = (doing: Doing, slot: Slot, aim: Aim, match: Match): Outcome => {
  // A rejected row is out of service already, and a restore must not bring it back.
  const present = doing.meant(
    slot,
    aim,
    (row) => isExpired(row) || (row.status !== "tombstoned" && row.status !== "rejected")
  )
  const live = present.filter((row) => isLive(row, doing.now))
  const rows = live.length > 0 ? live : present
  const [row] = rows
  if (row === undefined) return none("not_found")
  if (rows.length > 1) return refused("AMBIGUOUS_KEY")
  if (match === "other") return refused("PRECONDITION_FAILED")
  if (isLocked(row, doing.now)) return refused("LOCKED")
  if (isExpired(row)) doing.world.change(row.label, { status: "active", goneAt: null, ranOut: false })
  doing.world.remove(row.label, false, doing.sighted)
  return { tag: "deleted", label: row.label }
}

export const restore = (doing: Doing, slot: Slot, aim: Aim): Outcome => {
  const gone = doing.meant(
    slot,
    aim,
    (row) => (row.status === "tombstoned" && !isExpired(row)) || row.status === "superseded"
  )
  const [row] = gone
  if (row === undefined) {
    const all = doing.meant(slot, aim, () => true)
    const ended = all.some((one) => isExpired(one) || isEnded(one, doing.now))
    return none(ended ? "expired" : all.length > 0 ? "not_deleted" : "not_found")
  }
  if (gone.length > 1) return refused("AMBIGUOUS_KEY")
  if (row.status === "tombstoned" && doing.now - (row.goneAt ?? 0) > RESTORE_WINDOW) {
    return refused("RESTORE_WINDOW_PASSED")
  }
  return comeBack(doing, row, "asserted")
}

/** A claim that was out of service is judged like a new one and retires nothing. */
export const comeBack = (doing: Doing, row: ReferenceRow, source: string): Outcome => {
  const write: Case = {
    ...row,
    own: undefined,
    mayReplacePinned: true,
    pins: row.pinned,
    proposed: false,
    corrects: false,
    revives: true,
    source,
    matches: null,
    bulk: false
  }
  const ruling = doing.world.judge(write)
  if (ruling.tag === "refused") return ruling
  const back = { status: "active", conflicts: [], duplicateOf: null, supersededBy: null, goneAt: null } as const
  switch (ruling.tag) {
    case "same":
    case "duplicate": {
      const of = doing.chosen(ruling.rows)
      doing.world.change(row.label, { ...back, status: "duplicate", duplicateOf: of.label })
      const peers = ruling.tag === "duplicate"
        ? peersOf(ruling)
        : [`${of.label} ${mergesInto(of, write) ? "merge" : "duplicate"}`]
      return doing.told(row.label, { verdicts: ["duplicate"], peers })
    }
    case "stored":
      doing.world.change(row.label, back)
      doing.world.cross(row.label, ruling.conflicts.map(({ label }) => label))
      return doing.told(row.label, { verdicts: ruling.verdicts, peers: peersOf(ruling) })
    default:
      throw new Error(`a claim that comes back is ${ruling.tag}`)
  }
}
