/**
 * The rows of the reference model and what changes them: contradictions are mutual, a duplicate waits for the row that
 * answers for it, a row that leaves service leaves no link behind. Rows are values; a world is one map of them, so that a
 * snapshot is the map itself.
 */
import { saidOf } from "./ModelClaims.ts"
import type { How, Move } from "./ReferenceBeliefs.ts"
import { judge } from "./ReferenceJudge.ts"
import type { Case, Laws, Ruling } from "./ReferenceJudge.ts"
import { isLive, isServed } from "./ReferenceRow.ts"
import type { ReferenceRow, Rows } from "./ReferenceRow.ts"

/** What the model leaves open, read off what happened: which of several equals answered, which duplicate came back. */
export interface Sighted {
  readonly answered: string | undefined
  readonly served: (label: string) => boolean
}

export class ReferenceWorld {
  /** Every row as it was ever written, the last one last: what was said before counts too. */
  constructor(
    public rows: Rows,
    readonly laws: Laws,
    public now: number,
    private said: ReadonlyArray<ReferenceRow> = [],
    /** Every move so far, for what was true or known at a time. */
    public log: ReadonlyArray<Move> = []
  ) {}

  /** The same world, to be changed and thrown away. */
  fork(): ReferenceWorld {
    return new ReferenceWorld(this.rows, this.laws, this.now, this.said, this.log)
  }

  get(label: string): ReferenceRow | undefined {
    return this.rows.get(label)
  }

  put(row: ReferenceRow, how: How = "carried"): ReferenceRow {
    this.rows = new Map(this.rows).set(row.label, row)
    this.said = [...this.said, row]
    this.note(row, how)
    return row
  }

  change(label: string, columns: Partial<ReferenceRow>, how: How = "carried"): void {
    const row = this.rows.get(label)
    if (row !== undefined) this.put({ ...row, ...columns }, how)
  }

  /** Something that was said and does not stand. */
  note(row: ReferenceRow, how: How): void {
    this.log = [...this.log, { at: this.now, row, how }]
  }

  judge(write: Case): Ruling {
    return judge([...this.rows.values()], write, this.laws, this.now, this.said)
  }

  /** No row contradicts this one any more, but for those it names itself. */
  unlink(label: string): void {
    const named = this.rows.get(label)?.conflicts ?? []
    for (const row of this.rows.values()) {
      if (row.conflicts.includes(label) && !named.includes(row.label)) this.uncross(row, [label])
    }
  }

  /** Takes contradictions off a row; one without any is active again. */
  uncross(row: ReferenceRow, others: ReadonlyArray<string>): void {
    const conflicts = row.conflicts.filter((label) => !others.includes(label))
    this.change(row.label, {
      conflicts,
      ...(conflicts.length === 0 && row.status === "conflicted" ? { status: "active" } : {})
    })
  }

  /** The two contradict each other from now on; `label` names the other already or is told to. */
  cross(label: string, others: ReadonlyArray<string>): void {
    for (const [one, other] of others.flatMap((other) => [[label, other], [other, label]] as const)) {
      const row = this.rows.get(one)
      if (row === undefined || row.conflicts.includes(other)) continue
      this.change(one, {
        conflicts: [...row.conflicts, other],
        ...(row.status === "active" ? { status: "conflicted" } : {})
      })
    }
  }

  /**
   * Whoever waited for this row waits no more: one of them serves, live ones first, and the others wait for that one. It
   * contradicts what the row says by now, where that is served and says otherwise.
   */
  release(label: string, sighted: Sighted): void {
    const waiting = [...this.rows.values()].filter((row) => row.status === "duplicate" && row.duplicateOf === label)
    const live = waiting.filter((row) => isLive(row, this.now))
    const first = (live.length > 0 ? live : waiting).reduce<ReferenceRow | undefined>(
      (chosen, row) =>
        chosen === undefined || (!sighted.served(chosen.label) && sighted.served(row.label)) ? row : chosen,
      undefined
    )
    if (first === undefined) return
    this.change(first.label, { status: "active", duplicateOf: null, conflicts: [] })
    const now = this.rows.get(label)
    const stands = now !== undefined && isServed(now, this.now) && isLive(first, this.now)
    if (stands && saidOf(now.claim, first.claim) === "differs") {
      this.cross(first.label, [label])
    }
    for (const row of waiting) {
      if (row !== first) this.change(row.label, { duplicateOf: first.label })
    }
  }

  /** A row under an identity says something else by now. */
  settle(label: string, sighted: Sighted): void {
    this.unlink(label)
    this.release(label, sighted)
  }

  retire(row: ReferenceRow, by: string): void {
    this.change(row.label, { conflicts: [] })
    this.unlink(row.label)
    this.change(row.label, { status: "superseded", supersededBy: by })
  }

  remove(label: string, ranOut: boolean, sighted: Sighted): void {
    this.change(label, { status: "tombstoned", goneAt: this.now, ranOut, duplicateOf: null, conflicts: [] })
    this.settle(label, sighted)
  }

  /** Marked wrong; whoever said the same under another key was wrong too. */
  reject(label: string): void {
    const along = [...this.rows.values()].filter((row) => row.status === "duplicate" && row.duplicateOf === label)
    for (const one of [label, ...along.map((row) => row.label)]) {
      this.change(one, { status: "rejected", duplicateOf: null, conflicts: [] })
      this.unlink(one)
    }
  }
}
