/**
 * One act as the model does it: the world it changes, what was seen of it, and what every verb needs of them. A decision about
 * a claim is carried out here, whichever verb it came by.
 */
import { sameBytes } from "./ModelClaims.ts"
import { validAtOf } from "./ModelCommands.ts"
import { labelOf, placeOf } from "./ModelSteps.ts"
import type { Aim, Slot, Stated } from "./ModelSteps.ts"
import { mergesInto } from "./ReferenceJudge.ts"
import type { Case, Ruling } from "./ReferenceJudge.ts"
import type { Outcome } from "./ReferenceOutcome.ts"
import type { ReferenceRow, Rows } from "./ReferenceRow.ts"
import type { ReferenceWorld, Sighted } from "./ReferenceWorld.ts"

interface Facts {
  readonly verdicts: ReadonlyArray<string>
  readonly peers?: ReadonlyArray<string>
  readonly merged?: string
  readonly retired?: ReadonlyArray<string>
}

const unseen: Sighted = { answered: undefined, served: () => false }

/** A claim on trial waits for its decision, whoever says the same. */
const waitsFor = (row: ReferenceRow, { proposed }: Case): Partial<ReferenceRow> =>
  proposed ? {} : { status: "duplicate", duplicateOf: row.label }

export class Doing {
  at = 0
  /** The rows as the caller read them. */
  readonly start: Rows

  constructor(
    readonly world: ReferenceWorld,
    readonly all: ReadonlyArray<Sighted>,
    readonly past: ReadonlyArray<Rows>
  ) {
    this.start = world.rows
  }

  get sighted(): Sighted {
    return this.all[this.at] ?? unseen
  }

  get now(): number {
    return this.world.now
  }

  each<A>(parts: ReadonlyArray<A>, one: (part: A) => Outcome): Outcome {
    return {
      tag: "each",
      results: parts.map((part, at) => {
        this.at = at
        return one(part)
      })
    }
  }

  /** Whether this act has not written the row. */
  isUntouched(row: ReferenceRow): boolean {
    return this.start.get(row.label) === row
  }

  /** Whether a row says what it said when the act began. */
  isAsRead(row: ReferenceRow): boolean {
    const before = this.start.get(row.label)
    return before !== undefined && sameBytes(before.claim, row.claim)
  }

  told(label: string, { merged, peers, retired, verdicts }: Facts, key?: string): Outcome {
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

  row(label: string): ReferenceRow {
    const row = this.world.get(label)
    if (row === undefined) throw new Error(`the model lost ${label}`)
    return row
  }

  /** Which of several rows answers is left open. */
  chosen(rows: ReadonlyArray<ReferenceRow>): ReferenceRow {
    const row = rows.find(({ label }) => label === this.sighted.answered) ?? rows[0]
    if (row === undefined) throw new Error("the model has nothing to choose from")
    return row
  }

  ends({ expires_at, valid_to }: Stated, before?: ReferenceRow) {
    const from = (millis: number | null | undefined, kept: number | null) =>
      millis === undefined ? kept : millis === null ? null : this.now + millis
    return {
      expiresAt: from(expires_at, before?.expiresAt ?? null),
      validTo: from(valid_to, before?.validTo ?? null)
    }
  }

  statedColumns(stated: Stated, before: ReferenceRow): Partial<ReferenceRow> {
    return {
      ...this.ends(stated, before),
      pinned: stated.pinned ?? before.pinned,
      validAt: stated.valid_at === undefined ? before.validAt : validAtOf(stated.valid_at),
      tags: stated.tags ?? before.tags
    }
  }

  carryOut(
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
        else stored(waitsFor(into, write))
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
        stored(waitsFor(of, write))
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
          const columns = {
            status: "superseded",
            conflicts: [],
            duplicateOf: null,
            supersededBy: label,
            count: 1
          } as const
          const standing = this.row(label)
          const { claim, expiresAt, pins, run, source, tags, validAt, validTo } = write
          const past = { claim, expiresAt, pinned: pins, run, source, tags, validAt, validTo }
          this.world.note({ ...standing, ...past, ...columns }, "stated")
          this.world.note(standing, { back: standing, rolled: false })
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

  meant(slot: Slot, aim: Aim, isMeant: (row: ReferenceRow) => boolean): ReadonlyArray<ReferenceRow> {
    const place = placeOf(slot)
    return [...this.world.rows.values()].filter((row) =>
      (aim === "key" ? row.key === place.memory_key : row.label === labelOf(place)) && isMeant(row)
    )
  }
}

export const peersOf = ({ peers }: Extract<Ruling, { readonly tag: "duplicate" | "backfill" | "stored" }>) =>
  peers.map(({ row, verdict }) => `${row.label} ${verdict}`)
