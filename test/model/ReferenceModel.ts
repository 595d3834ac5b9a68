/**
 * What every act must come to: the reply in brief and the rows after it, by the page. `ReferenceJudge` says how a claim is
 * judged, `ReferenceWorld` what a change means for linked rows, `ReferenceVerbs` and `ReferenceMoves` what each verb does.
 */
import type { Act } from "./ModelSteps.ts"
import type { Move } from "./ReferenceBeliefs.ts"
import { Doing } from "./ReferenceDoing.ts"
import type { Laws } from "./ReferenceJudge.ts"
import { move, rollback } from "./ReferenceMoves.ts"
import type { Outcome } from "./ReferenceOutcome.ts"
import { isLive } from "./ReferenceRow.ts"
import type { Rows } from "./ReferenceRow.ts"
import { remove, restore, set, update } from "./ReferenceVerbs.ts"
import { ReferenceWorld } from "./ReferenceWorld.ts"
import type { Sighted } from "./ReferenceWorld.ts"

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

  get log(): ReadonlyArray<Move> {
    return this.world.log
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
    const outcome = done(new Doing(world, sighted, this.past), act)
    this.past.push(this.world.rows)
    return outcome
  }
}

const done = (doing: Doing, act: Act): Outcome => {
  switch (act.tag) {
    case "set":
      return set(doing, act.part, act.proposed, false)
    case "bulk":
      return doing.each(act.parts, (part) => set(doing, part, false, true))
    case "update":
      return update(doing, doing.meant(act.slot, act.aim, (row) => isLive(row, doing.now)), act.slot, act.aim, act)
    case "delete":
      return remove(doing, act.slot, act.aim, act.match)
    case "restore":
      return restore(doing, act.slot, act.aim)
    case "move":
      return doing.each(act.parts, (part) => move(doing, part))
    case "rollback":
      return rollback(doing, doing.past[doing.past.length - 1 - act.back] ?? new Map())
  }
}
