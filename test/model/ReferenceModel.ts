/**
 * What every act must come to: the reply in brief and the rows after it, by the page. `ReferenceJudge` says how a claim is
 * judged, `ReferenceWorld` what a change means for linked rows; here is one function for each verb.
 */
import { isDeepStrictEqual } from "node:util"
import { validAtOf } from "./ModelCommands.ts"
import { sameBytes } from "./ModelClaims.ts"
import type { Claim } from "./ModelClaims.ts"
import { labelOf, placeOf, typeOf } from "./ModelSteps.ts"
import type { Act, Aim, Match, MovePart, SetPart, Slot, Stated } from "./ModelSteps.ts"
import { guarded, mergesInto } from "./ReferenceJudge.ts"
import type { Case, Laws, Ruling } from "./ReferenceJudge.ts"
import { isEnded, isLive, isLocked } from "./ReferenceRow.ts"
import type { ReferenceRow, Rows } from "./ReferenceRow.ts"
import { ReferenceWorld } from "./ReferenceWorld.ts"
import type { Sighted } from "./ReferenceWorld.ts"

/** How a write is answered, in brief; names are labels. */
export interface Told {
  readonly key: string
  readonly status: string
  /** The verdicts that may be given. */
  readonly verdicts: ReadonlyArray<string>
  readonly merged: string | null
  readonly duplicateOf: string | null
  readonly supersededBy: string | null
  readonly conflicts: ReadonlyArray<string>
  readonly count: number
  readonly pinned: boolean
  readonly retired: ReadonlyArray<string>
  /** `label verdict`, or null where the model leaves them open. */
  readonly peers: ReadonlyArray<string>
}

export type Outcome =
  | { readonly tag: "refused"; readonly code: string }
  /** Nothing was done, and why. */
  | { readonly tag: "none"; readonly reason: string }
  | { readonly tag: "told"; readonly told: Told }
  | { readonly tag: "deleted"; readonly label: string }
  | { readonly tag: "each"; readonly results: ReadonlyArray<Outcome> }

const refused = (code: string): Outcome => ({ tag: "refused", code })
const none = (reason: string): Outcome => ({ tag: "none", reason })

const RESTORE_WINDOW = 14 * 86_400_000

interface Facts {
  readonly verdicts: ReadonlyArray<string>
  readonly peers?: ReadonlyArray<string>
  readonly merged?: string
  readonly retired?: ReadonlyArray<string>
}

export class ReferenceModel {
  private world: ReferenceWorld
  /** The rows after each act so far. */
  private readonly past: Array<Rows> = []

  constructor(laws: Laws, now: number) {
    this.world = new ReferenceWorld(new Map(), laws, now)
  }

  get rows(): Rows {
    return this.world.rows
  }

  at(now: number): void {
    this.world.now = now
  }

  /** An act that changed nothing, since its first answer was given again. */
  skip(): void {
    this.past.push(this.world.rows)
  }

  act(act: Act, sighted: ReadonlyArray<Sighted>): Outcome {
    const world = act.dry ? this.world.fork() : this.world
    const outcome = new Doing(world, sighted, this.past).act(act)
    this.past.push(this.world.rows)
    return outcome
  }
}

const unseen: Sighted = { answered: undefined, served: () => false }

class Doing {
  private at = 0
  /** The rows as the caller read them. */
  private readonly start: Rows

  constructor(
    private readonly world: ReferenceWorld,
    private readonly all: ReadonlyArray<Sighted>,
    private readonly past: ReadonlyArray<Rows>
  ) {
    this.start = world.rows
  }

  private get sighted(): Sighted {
    return this.all[this.at] ?? unseen
  }

  private get now(): number {
    return this.world.now
  }

  act(act: Act): Outcome {
    switch (act.tag) {
      case "set":
        return this.set(act.part, act.proposed, false)
      case "bulk":
        return this.each(act.parts, (part) => this.set(part, false, true))
      case "update":
        return this.update(this.meant(act.slot, act.aim, (row) => isLive(row, this.now)), act.slot, act.aim, act)
      case "delete":
        return this.remove(act.slot, act.aim, act.match)
      case "restore":
        return this.restore(act.slot, act.aim)
      case "move":
        return this.each(act.parts, (part) => this.move(part))
      case "rollback":
        return this.rollback(this.past[this.past.length - 1 - act.back] ?? new Map())
    }
  }

  private each<A>(parts: ReadonlyArray<A>, one: (part: A) => Outcome): Outcome {
    return {
      tag: "each",
      results: parts.map((part, at) => {
        this.at = at
        return one(part)
      })
    }
  }

  /** Whether a row says what it said when the act began. */
  private isAsRead(row: ReferenceRow): boolean {
    const before = this.start.get(row.label)
    return before !== undefined && sameBytes(before.claim, row.claim)
  }

  private told(label: string, { merged, peers, retired, verdicts }: Facts, key?: string): Outcome {
    const row = this.row(label)
    return {
      tag: "told",
      told: {
        key: key ?? row.key,
        status: row.status,
        verdicts,
        merged: merged ?? null,
        duplicateOf: row.duplicateOf,
        supersededBy: row.supersededBy,
        conflicts: row.conflicts,
        count: row.count,
        pinned: row.pinned,
        retired: retired ?? [],
        peers: peers ?? []
      }
    }
  }

  private row(label: string): ReferenceRow {
    const row = this.world.get(label)
    if (row === undefined) throw new Error(`the model lost ${label}`)
    return row
  }

  /** Which of several rows answers is left open. */
  private chosen(rows: ReadonlyArray<ReferenceRow>): ReferenceRow {
    const row = rows.find(({ label }) => label === this.sighted.answered) ?? rows[0]
    if (row === undefined) throw new Error("the model has nothing to choose from")
    return row
  }

  private ends({ expires_at, valid_to }: Stated, before?: ReferenceRow) {
    const from = (millis: number | null | undefined, kept: number | null) =>
      millis === undefined ? kept : millis === null ? null : this.now + millis
    return {
      expiresAt: from(expires_at, before?.expiresAt ?? null),
      validTo: from(valid_to, before?.validTo ?? null)
    }
  }

  private statedColumns(stated: Stated, before: ReferenceRow): Partial<ReferenceRow> {
    return {
      ...this.ends(stated, before),
      pinned: stated.pinned ?? before.pinned,
      validAt: stated.valid_at === undefined ? before.validAt : validAtOf(stated.valid_at),
      tags: stated.tags ?? before.tags
    }
  }

  // ---- memory.set, memory.bulk_set --------------------------------------------------------------------------------

  private set({ claim, match, run, slot, source, stated }: SetPart, proposed: boolean, bulk: boolean): Outcome {
    const place = placeOf(slot)
    const label = labelOf(place)
    const head = this.world.get(label)
    const own = head !== undefined && isLive(head, this.now) ? head : undefined
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
      ...this.ends(stated),
      matches: match === "none" ? null : match === "current" && own !== undefined && this.isAsRead(own),
      bulk
    }
    const ruling = this.world.judge(write)
    if (ruling.tag === "refused") return ruling
    if (ruling.tag === "restated") {
      const before = this.row(label)
      this.world.change(label, { ...this.statedColumns(stated, before), count: before.count + 1 })
      return this.told(label, { verdicts: ["clear"] })
    }
    const stored = (columns: Partial<ReferenceRow>) => {
      this.world.put({
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
      })
      this.world.settle(label, this.sighted)
    }
    return this.carryOut(label, write, ruling, stored)
  }

  private carryOut(
    label: string,
    write: Case,
    ruling: Exclude<Ruling, { readonly tag: "refused" | "restated" }>,
    stored: (columns: Partial<ReferenceRow>) => void
  ): Outcome {
    switch (ruling.tag) {
      case "same": {
        const into = this.chosen(ruling.rows)
        const retires = ruling.retires.filter((row) => row !== into)
        const merges = mergesInto(into, write)
        if (merges) this.world.change(into.label, { count: into.count + 1 })
        else stored({ status: "duplicate", duplicateOf: into.label })
        for (const row of retires) this.world.retire(row, into.label)
        const facts = { retired: retires.map((row) => row.label), verdicts: [merges ? "merge" : "duplicate"] }
        return this.told(merges ? into.label : label, {
          ...facts,
          peers: [`${into.label} ${merges ? "merge" : "duplicate"}`],
          ...(merges ? { merged: into.key } : {})
        }, write.key)
      }
      case "duplicate": {
        const of = this.chosen(ruling.rows)
        stored({ status: "duplicate", duplicateOf: of.label })
        const retires = ruling.retires.filter((row) => row !== of)
        for (const row of retires) this.world.retire(row, of.label)
        return this.told(label, {
          verdicts: ["duplicate"],
          peers: peersOf(ruling),
          retired: retires.map((row) => row.label)
        })
      }
      case "backfill": {
        const later = this.chosen(ruling.rows)
        if (later.label === label) {
          // One identity has one head: the later value stands, the write is history at once.
          const columns = { status: "superseded", conflicts: [], duplicateOf: null, supersededBy: label, count: 1 } as const
          const told = this.told(label, { verdicts: ["conflict"], peers: peersOf(ruling) })
          return told.tag === "told"
            ? { ...told, told: { ...told.told, ...columns, pinned: write.pins } }
            : told
        }
        stored({ status: "superseded", supersededBy: later.label })
        return this.told(label, { verdicts: ["conflict"], peers: peersOf(ruling) })
      }
      case "stored": {
        stored({})
        for (const row of ruling.retires) this.world.retire(row, label)
        const conflicts = ruling.conflicts.map((row) => row.label)
        // A claim on trial names what it contradicts and touches no other row.
        if (write.proposed) this.world.change(label, { conflicts })
        else this.world.cross(label, conflicts)
        return this.told(label, {
          verdicts: ruling.verdicts,
          peers: peersOf(ruling),
          retired: ruling.retires.map((row) => row.label)
        })
      }
    }
  }

  // ---- verbs with a target ----------------------------------------------------------------------------------------

  private meant(slot: Slot, aim: Aim, isMeant: (row: ReferenceRow) => boolean): ReadonlyArray<ReferenceRow> {
    const place = placeOf(slot)
    return [...this.world.rows.values()].filter((row) =>
      (aim === "key" ? row.key === place.memory_key : row.label === labelOf(place)) && isMeant(row)
    )
  }

  private update(
    rows: ReadonlyArray<ReferenceRow>,
    slot: Slot,
    aim: Aim,
    { claim, match, run, stated }: {
      readonly claim: Claim | null
      readonly stated: Stated
      readonly match: Match
      readonly run: string
    }
  ): Outcome {
    const [row] = rows
    if (row === undefined) {
      const ended = this.meant(slot, aim, (one) => one.status !== "tombstoned" && isEnded(one, this.now))
      return none(ended.length > 0 ? "expired" : "not_found")
    }
    if (rows.length > 1) return refused("AMBIGUOUS_KEY")
    const { label } = row
    const matches = match === "none" ? null : match === "current"
    const columns = { ...this.statedColumns(stated, row), ...(run === "" ? {} : { run }) }
    if (claim === null || sameBytes(claim, row.claim)) {
      if (matches === false) return refused("PRECONDITION_FAILED")
      if (stated.expires_at !== undefined && guarded(row, this.now, true) !== undefined) return refused("LOCKED")
      this.world.change(label, { ...columns, ...(claim === null ? {} : { claim, count: row.count + 1 }) })
      return this.told(label, { verdicts: ["clear"] })
    }
    const write: Case = {
      ...row,
      ...this.ends(stated, row),
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
    const ruling = this.world.judge(write)
    if (ruling.tag === "refused") return ruling
    if (ruling.tag === "restated") throw new Error("the model restates what differs")
    const links = { conflicts: [], duplicateOf: null, supersededBy: null }
    const status = write.proposed ? "proposed" : "active"
    return this.carryOut(label, write, ruling, (more) => {
      this.world.change(label, { ...columns, ...links, claim, status, source: "asserted", ...more })
      this.world.settle(label, this.sighted)
    })
  }

  private remove(slot: Slot, aim: Aim, match: Match): Outcome {
    const present = this.meant(slot, aim, (row) => row.status !== "tombstoned")
    const live = present.filter((row) => isLive(row, this.now))
    const rows = live.length > 0 ? live : present
    const [row] = rows
    if (row === undefined) return none("not_found")
    if (rows.length > 1) return refused("AMBIGUOUS_KEY")
    if (match === "other") return refused("PRECONDITION_FAILED")
    if (isLocked(row, this.now)) return refused("LOCKED")
    this.world.remove(row.label, false, this.sighted)
    return { tag: "deleted", label: row.label }
  }

  private restore(slot: Slot, aim: Aim): Outcome {
    const gone = this.meant(slot, aim, (row) => row.status === "tombstoned" || row.status === "superseded")
    const [row] = gone
    if (row === undefined) {
      const all = this.meant(slot, aim, () => true)
      return none(all.some((one) => isEnded(one, this.now)) ? "expired" : all.length > 0 ? "not_deleted" : "not_found")
    }
    if (gone.length > 1) return refused("AMBIGUOUS_KEY")
    if (row.status === "tombstoned" && this.now - (row.goneAt ?? 0) > RESTORE_WINDOW) {
      return refused("RESTORE_WINDOW_PASSED")
    }
    return this.comeBack(row, "asserted")
  }

  /** A claim that was out of service is judged like a new one and retires nothing. */
  private comeBack(row: ReferenceRow, source: string): Outcome {
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
    const ruling = this.world.judge(write)
    if (ruling.tag === "refused") return ruling
    const back = { status: "active", conflicts: [], duplicateOf: null, supersededBy: null, goneAt: null } as const
    switch (ruling.tag) {
      case "same":
      case "duplicate": {
        const of = this.chosen(ruling.rows)
        this.world.change(row.label, { ...back, status: "duplicate", duplicateOf: of.label })
        const peers = ruling.tag === "duplicate"
          ? peersOf(ruling)
          : [`${of.label} ${mergesInto(of, write) ? "merge" : "duplicate"}`]
        return this.told(row.label, { verdicts: ["duplicate"], peers })
      }
      case "stored":
        this.world.change(row.label, back)
        this.world.cross(row.label, ruling.conflicts.map(({ label }) => label))
        return this.told(row.label, { verdicts: ruling.verdicts, peers: peersOf(ruling) })
      default:
        throw new Error(`a claim that comes back is ${ruling.tag}`)
    }
  }

  // ---- memory.transition ------------------------------------------------------------------------------------------

  private move({ expected, move, slot }: MovePart): Outcome {
    const row = this.world.get(labelOf(placeOf(slot)))
    if (row === undefined || !isAbout(row, move.kind)) return none("not_found")
    if (expected === "other" || (expected === "current" && this.start.get(row.label) !== row)) {
      return refused("STALE_VERSION")
    }
    const { label } = row
    const locked = isLocked(row, this.now)
    const columns = (changed: Partial<ReferenceRow>): Outcome => {
      this.world.change(label, changed)
      return this.told(label, { verdicts: ["clear"] })
    }
    switch (move.kind) {
      case "tombstone":
        if (locked) return refused("LOCKED")
        this.world.remove(label, move.change === "expire", this.sighted)
        return this.told(label, { verdicts: ["clear"] })
      case "reject":
        if (row.status === "rejected") return none("unchanged")
        if (locked) return refused("LOCKED")
        this.world.reject(label)
        return this.told(label, { verdicts: ["clear"] })
      case "pin":
        return row.pinned === move.pinned ? none("unchanged") : columns({ pinned: move.pinned })
      case "lock":
        return this.lock(row, move, columns)
      case "touch": {
        const { expiresAt } = this.ends({ expires_at: move.expires_at })
        return locked ? refused("LOCKED") : row.expiresAt === expiresAt ? none("unchanged") : columns({ expiresAt })
      }
      case "label": {
        const kept = row.tags.filter((tag) => !move.remove.includes(tag))
        const tags = [...kept, ...move.add.filter((tag) => !kept.includes(tag))]
        return isDeepStrictEqual(tags, row.tags) ? none("unchanged") : columns({ tags })
      }
      case "verify":
        return move.matches && this.isAsRead(row) ? columns({}) : refused("PRECONDITION_FAILED")
      case "accept":
        return this.comeBack(row, row.source)
      case "allow": {
        const other = labelOf(placeOf(move.other))
        if (!row.conflicts.includes(other)) return none("unchanged")
        this.world.uncross(row, [other])
        const back = this.world.get(other)
        if (back?.conflicts.includes(label) === true) this.world.uncross(back, [label])
        return this.told(label, { verdicts: ["clear"] })
      }
      case "retire":
        if (locked) return refused("LOCKED")
        if (row.pinned) return refused("PINNED_CONFLICT")
        // The row that takes its place must stand (the page has no word on it).
        if (!this.stands(labelOf(placeOf(move.by)), label)) return refused("STALE_VERSION")
        this.world.retire(row, labelOf(placeOf(move.by)))
        return this.told(label, { verdicts: ["clear"] })
      case "correct": {
        if (!isLive(row, this.now)) return none("unchanged")
        return this.update([row], slot, "id", { claim: move.claim, stated: move.stated, match: "none", run: "" })
      }
    }
  }

  private stands(label: string, other: string): boolean {
    const row = this.world.get(label)
    return row !== undefined && label !== other && isLive(row, this.now)
  }

  private lock(
    row: ReferenceRow,
    move: Extract<MovePart["move"], { readonly kind: "lock" }>,
    columns: (changed: Partial<ReferenceRow>) => Outcome
  ): Outcome {
    const strictness = ["", "no_delete", "read_only"]
    const until = move.mode === "" || move.until === null ? null : this.now + move.until
    const looser = strictness.indexOf(move.mode) < strictness.indexOf(row.lock) ||
      (until !== null && (row.lockUntil === null || until < row.lockUntil))
    if (isLocked(row, this.now) && looser && !move.mayLoosen) return refused("LOCKED")
    return row.lock === move.mode && row.lockUntil === until
      ? none("unchanged")
      : columns({ lock: move.mode, lockUntil: until })
  }

  // ---- namespace.rollback -----------------------------------------------------------------------------------------

  /** Every head as it was; what was not there is taken out of service. Links need no care: all go back together. */
  private rollback(then: Rows): Outcome {
    const labels = [...this.world.rows.keys()].sort()
    const results = labels.map((label): Outcome => {
      const row = this.row(label)
      const before = then.get(label)
      if (before === undefined && row.status === "tombstoned") return none("unchanged")
      this.world.put({
        ...(before ?? { ...row, status: "tombstoned", goneAt: this.now, conflicts: [], duplicateOf: null }),
        ranOut: false
      })
      return this.told(label, { verdicts: ["clear"] })
    })
    return { tag: "each", results }
  }
}

const peersOf = ({ peers }: Extract<Ruling, { readonly tag: "duplicate" | "backfill" | "stored" }>) =>
  peers.map(({ row, verdict }) => `${row.label} ${verdict}`)

/** Whether a transition is about rows of this status. */
const isAbout = ({ status }: ReferenceRow, kind: MovePart["move"]["kind"]): boolean => {
  switch (kind) {
    case "accept":
      return status === "proposed"
    case "reject":
      return status !== "tombstoned"
    case "tombstone":
    case "verify":
      return status !== "tombstoned" && status !== "rejected"
    default:
      return status !== "tombstoned" && status !== "rejected" && status !== "superseded"
  }
}
