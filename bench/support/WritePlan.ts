/**
 * What the callers of a write bench say, in order: mostly new facts, and among them what agents do as well: a fact stated
 * anew with another value, the very same fact again, and the same words under another key.
 */
import { Chance } from "./Chance.ts"
import { factAt, retold } from "./Facts.ts"
import type { Fact } from "./Facts.ts"

// For each hundred new facts: revisions, restatements and retellings.
const REVISED = 0.07
const RESTATED = 0.05
const RETOLD = 0.04

/** New facts from one index to another, and whatever is said again about the facts before them. */
export const plan = (seed: number, from: number, to: number): ReadonlyArray<Fact> => {
  const chance = new Chance(seed, "plan", from)
  const facts: Array<Fact> = []
  for (let index = from; index < to; index++) {
    facts.push(factAt(seed, index))
    if (from === 0) continue
    // Facts that stand since before the plan, so that no two of its calls are about one key.
    const earlier = () => chance.below(from)
    if (chance.next() < REVISED) facts.push(factAt(seed, earlier(), 1 + index))
    if (chance.next() < RESTATED) facts.push(factAt(seed, earlier()))
    if (chance.next() < RETOLD) {
      const at = earlier()
      facts.push(retold(factAt(seed, at), index))
    }
  }
  return facts
}

/** A fact as a request of `memory.set`, or an item of `memory.bulk_set`. */
export const asItem = ({ entities, memory_key, tags, value }: Fact) => ({ memory_key, value, tags, entities })
