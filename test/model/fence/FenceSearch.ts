/**
 * Walks through every moment that can follow from the beginning, nearest first, and stops at the first harm: the way there
 * is then a shortest one.
 */
import { harmIn, leftIn } from "./FenceInvariants.ts"
import type { Rules, Scenario } from "./FenceRules.ts"
import { steps } from "./FenceSteps.ts"
import { beginning } from "./FenceWorld.ts"
import type { World } from "./FenceWorld.ts"

export interface Found {
  readonly states: number
  /** Null when there is none. */
  readonly harm: string | null
  /** What happened on the way to the harm. */
  readonly trace: ReadonlyArray<string>
}

export const explore = (rules: Rules, scenario: Scenario, bound = 5_000_000): Found => {
  const start = beginning()
  const key = (world: World): string => world.toString("latin1")
  const seen = new Map<string, number>([[key(start), 0]])
  const worlds: Array<World> = [start]
  const before: Array<number> = [-1]

  const traceTo = (index: number): ReadonlyArray<string> => {
    const trace: Array<string> = []
    for (let to = index; to > 0; to = before[to] ?? 0) {
      const [from, target] = [worlds[before[to] ?? 0], worlds[to]]
      if (from === undefined || target === undefined) break
      let how = ""
      steps(from, rules, scenario, (what, next) => {
        if (how === "" && next.equals(target)) how = what
      })
      trace.unshift(how)
    }
    return trace
  }

  for (let index = 0; index < worlds.length; index++) {
    const world = worlds[index]
    if (world === undefined) break
    const harm = harmIn(world, rules, scenario)
    if (harm !== null) return { states: seen.size, harm, trace: traceTo(index) }
    if (seen.size > bound) throw new Error(`more than ${bound} states`)
    let ends = true
    steps(world, rules, scenario, (_, next) => {
      ends = false
      const name = key(next)
      if (seen.has(name)) return
      seen.set(name, worlds.length)
      worlds.push(next)
      before.push(index)
    })
    const left = ends ? leftIn(world) : null
    if (left !== null) return { states: seen.size, harm: left, trace: traceTo(index) }
  }
  return { states: seen.size, harm: null, trace: [] }
}
