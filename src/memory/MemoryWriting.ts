/**
 * The rows of one plan as they are drawn up, pure: each takes the next version, each sees the ones before it, and what
 * one change means for the rows linked to it (contradictions, duplicates) is written here once. Links stay whole: no row
 * names another as its contradiction unless that row names it back, and none waits for a row that no longer answers.
 */
import type { BlacklistHit } from "../blacklist/BlacklistModel.ts"
import type { Scope } from "../kernel/Identity.ts"
import { identityKey, identityOf } from "../kernel/Identity.ts"
import type { HeadView } from "./HeadView.ts"
import { causeText } from "./MemoryCause.ts"
import type { WriteMeta } from "./MemoryCommand.ts"
import type { Content } from "./MemoryContent.ts"
import { carried } from "./MemoryDraft.ts"
import type { Moment } from "./MemoryDraft.ts"
import type { Change, MemoryRow } from "./MemoryModel.ts"
import { isLive, isServed, isVerified } from "./MemoryModel.ts"
import type { Derived, EntityProjection } from "./MemoryStore.ts"
import { SOURCE_LOST } from "./MemorySupports.ts"
import type { Supports } from "./MemorySupports.ts"
import type { JudgedPeer, Rules, WritePolicy } from "./WritePolicy.ts"

/** What a plan needs beside the command. */
export interface Planning {
  readonly scope: Scope
  readonly view: HeadView
  readonly policy: typeof WritePolicy.Service
  /** The namespace's rules for a memory of this type with these tags. */
  readonly rulesFor: (claim: { readonly memory_type: string; readonly tags: ReadonlyArray<string> }) => Rules
  /** The blacklist pattern that a value matches. */
  readonly blacklisted: (content: Pick<Content, "value" | "value_kind">) => BlacklistHit | undefined
  /** What rests on the rows that the batch takes away or brings back. */
  readonly supports: Supports
  readonly moment: Moment
  /** An id for a row that may be created. */
  readonly mintId: () => string
}

/** The rows a command appends (its own first) and its answer. */
export interface Planned<A> {
  readonly rows: ReadonlyArray<MemoryRow>
  readonly derived: ReadonlyArray<Derived>
  readonly entities: ReadonlyArray<EntityProjection>
  readonly answer: A
}

export const nothing = <A>(answer: A): Planned<A> => ({ rows: [], derived: [], entities: [], answer })

/** The derived rows of a version: searchable copies when its content is new, and the entities it names. */
export const derivedOf = (
  row: MemoryRow,
  content: Content | null
): Pick<Planned<unknown>, "derived" | "entities"> => {
  const searchable = content?.searchable ?? null
  const isHidden = row.sensitivity === "high" || (content !== null && searchable === null)
  return {
    derived: searchable === null ? [] : [{
      identity: identityOf(row),
      content_sha256: row.content_sha256,
      memory_type: row.memory_type,
      source_class: row.source_class,
      verified: isVerified(row),
      version: row.version,
      searchable
    }],
    entities: isHidden
      ? []
      : row.entities.map((entity) => ({ identity: identityOf(row), entity, version: row.version }))
  }
}

/** The rule behind a change to a row that was not written to, and what it went by. */
export interface Ground {
  readonly rule: string
  /** The row on whose account it happens. */
  readonly by: string | null
  readonly evidence: string
}

/** Whether a row is contested by nothing once only these contradict it. */
export const isSettled = ({ status, tags }: MemoryRow, left: ReadonlyArray<string>): boolean =>
  status === "conflicted" && left.length === 0 && !tags.includes(SOURCE_LOST)

export class Writing {
  readonly rows: Array<MemoryRow> = []
  readonly derived: Array<Derived> = []
  readonly entities: Array<EntityProjection> = []
  /** Derived rows that went or were marked along with a source, by id. */
  readonly dependents: { readonly tombstoned: Array<string>; readonly downgraded: Array<string> } = {
    tombstoned: [],
    downgraded: []
  }
  private readonly latest = new Map<string, MemoryRow>()

  constructor(readonly planning: Planning, readonly meta: WriteMeta) {}

  get now() {
    return this.planning.moment.now
  }

  planned<A>(answer: A): Planned<A> {
    return { rows: this.rows, derived: this.derived, entities: this.entities, answer }
  }

  /** The newest version of a row's identity, this plan's writes included. */
  current(row: MemoryRow): MemoryRow {
    return this.latest.get(identityKey(row)) ?? row
  }

  add(make: (moment: Moment) => MemoryRow): MemoryRow {
    const { moment } = this.planning
    const row = make({ ...moment, version: moment.version + BigInt(this.rows.length) })
    this.rows.push(row)
    this.latest.set(identityKey(row), row)
    return row
  }

  /** Adds the searchable copies of a row's content, when that is new, and the entities it names. */
  derive(row: MemoryRow, content: Content | null): void {
    const { derived, entities } = derivedOf(row, content)
    this.derived.push(...derived)
    this.entities.push(...entities)
  }

  /** A change to a row on another's account. */
  change(row: MemoryRow, change: Change, ground: Ground, columns: Partial<MemoryRow>): MemoryRow {
    const cause = this.causeOf(ground)
    return this.add((moment) => carried(this.current(row), this.meta, moment, change, { ...columns, cause }))
  }

  /** Writes a row once more as it was, above what was written over it. */
  reassert(row: MemoryRow, ground: Ground): void {
    const cause = this.causeOf(ground)
    this.add((moment) => carried(row, this.meta, moment, "label", { cause }))
  }

  private causeOf({ by, evidence, rule }: Ground): string {
    return causeText({ write_id: this.meta.write_id, rule, memory_id: by, evidence })
  }

  /** Takes a row out of service for the one that replaces it. */
  retire(row: MemoryRow, ground: Ground & { readonly by: string }): void {
    // What the rule went by quotes this row and the one that replaces it; a third is told no word of either.
    const evidence = "the row it contradicted was replaced"
    this.unlink(row, [], { ...ground, rule: `${ground.rule}.unflag`, evidence })
    this.change(row, "retire", ground, {
      status: "superseded",
      superseded_by: ground.by,
      invalid_at: this.now,
      conflict_with: []
    })
  }

  /** Links the peers that contradict a row back to it; `row` itself already names them. */
  flag(row: MemoryRow, conflicts: ReadonlyArray<JudgedPeer>): void {
    for (const { reason, row: peer, rule } of conflicts) {
      const current = this.current(peer)
      if (current.conflict_with.includes(row.memory_id)) continue
      this.change(peer, "flag", { rule: `conflict.${rule}`, by: row.memory_id, evidence: reason }, {
        status: current.status === "active" ? "conflicted" : current.status,
        conflict_with: [...current.conflict_with, row.memory_id]
      })
    }
  }

  /** Takes a row out of the contradictions of others, but for those it still contradicts. */
  unlink(row: MemoryRow, still: ReadonlyArray<string>, ground: Ground): void {
    for (const other of this.contradicting(row.memory_id)) {
      const current = this.current(other)
      if (still.includes(current.memory_id) || !current.conflict_with.includes(row.memory_id)) continue
      const left = current.conflict_with.filter((id) => id !== row.memory_id)
      this.change(other, "unflag", ground, {
        conflict_with: left,
        ...(isSettled(current, left) ? { status: "active" } : {})
      })
    }
  }

  /** Rows that contradict the id, as stored and as this plan has made them. */
  private contradicting(memoryId: string): ReadonlyArray<MemoryRow> {
    const stored = this.planning.view.contradicting(memoryId)
    const known = new Set(stored.map(identityKey))
    const made = [...this.latest].filter(([identity, row]) =>
      !known.has(identity) && row.conflict_with.includes(memoryId)
    )
    return [...stored, ...made.map(([, row]) => row)]
  }

  /**
   * Brings back what waited behind a row that no longer answers for it: the oldest duplicate serves, the others wait for
   * that one. One whose time is over steps forward last, and still waits for nobody that is gone. `now` is what the row says by now, when it is still served: the duplicate may contradict it.
   */
  releaseDuplicates(row: MemoryRow, ground: Ground, now: MemoryRow | null): void {
    const all = this.planning.view.duplicatesOf(row.memory_id).map((duplicate) => this.current(duplicate))
    const isWaiting = (duplicate: MemoryRow) => isLive(duplicate, this.now)
    const [first, ...others] = [...all.filter(isWaiting), ...all.filter((duplicate) => !isWaiting(duplicate))]
    if (first === undefined) return
    const opposes = now === null || !isWaiting(first) ? undefined : this.opposition(first, now)
    const back = this.change(first, "restore", ground, {
      duplicate_of: "",
      status: opposes === undefined ? "active" : "conflicted",
      conflict_with: opposes === undefined ? [] : [opposes.row.memory_id]
    })
    if (opposes !== undefined) this.flag(back, [opposes])
    for (const duplicate of others) {
      this.change(duplicate, "label", { ...ground, by: back.memory_id }, { duplicate_of: back.memory_id })
    }
  }

  /** What repeats a row whose value is withheld from now on is withheld with it. */
  hideDuplicates(row: MemoryRow): void {
    const ground = { rule: "sensitivity.high", by: row.memory_id, evidence: "it says what is withheld" }
    for (const duplicate of this.planning.view.duplicatesOf(row.memory_id)) {
      if (this.current(duplicate).sensitivity === "high") continue
      this.change(duplicate, "label", ground, { sensitivity: "high", canonical_sha256: "" })
    }
  }

  private opposition(row: MemoryRow, other: MemoryRow): JudgedPeer | undefined {
    const { policy, rulesFor } = this.planning
    if (!isServed(other, this.now)) return undefined
    const { thresholds } = rulesFor(row)
    // Two rows that said the same a moment ago are close; how close now nobody measured.
    const similarity = thresholds.conflict
    const { reason, relation, rule } = policy.compare(other.value, row.value, similarity)
    return relation === "differs" ? { row: other, similarity, verdict: "conflict", rule, reason } : undefined
  }
}
