/**
 * The protocol of the fence holds in every moment of its model, and every piece of it is needed: with any one left out the
 * model finds the harm, and tells the shortest way there.
 */
import { assert, describe, it } from "@effect/vitest"
import { aDelete, auditedRead, protocol, twoKeys, without } from "../model/fence/FenceRules.ts"
import type { Rule, Scenario } from "../model/fence/FenceRules.ts"
import { explore } from "../model/fence/FenceSearch.ts"

/** For each piece the scenario that needs it, and what happens without. */
const needed: Readonly<Record<Rule, readonly [Scenario, RegExp]>> = {
  reserveChecks: [twoKeys, /the history of key 0 ends with version 0, and B answered by 1/],
  reserveEndures: [twoKeys, /the history of key 0 ends with version 0, and B answered by 1/],
  oneAtATime: [twoKeys, /write 1 was answered and is not in the history/],
  confirms: [twoKeys, /write 1 was answered and is not in the history/],
  confirmChecks: [twoKeys, /write 1 was answered and is not in the history/],
  rowlessConfirmEndures: [auditedRead, /write 2 was answered and is not in the history/],
  settles: [twoKeys, /the history of key 0 ends with version 0, and B answered by 1/],
  doomMarks: [twoKeys, /the head of key 0 shows version 0, and A1 was 1/],
  doomReserves: [twoKeys, /version 2 is handed out twice/],
  doomBinds: [twoKeys, /the head of key 0 shows version 0, and A1 was 1/],
  voidsVersions: [twoKeys, /A1 was voided and is in the history/],
  voidsFresh: [twoKeys, /write 1 is 2 times in the history/],
  voidsFirst: [twoKeys, /write 1 is 2 times in the history/],
  freshHeads: [twoKeys, /A1 was voided and is a head/],
  voidHeads: [twoKeys, /A1 was voided and is a head/],
  headsFromHistory: [twoKeys, /A1 was voided and is a head/],
  derivesAgain: [aDelete, /version 1 is the head of key 0, and no search finds it/],
  forgetsBounded: [aDelete, /version 2 is the head of key 0, and no search finds it/],
  repairs: [twoKeys, /the history of key 0 ends with version 0, and A answered by 1/]
}

describe("Fence model", () => {
  for (const scenario of [twoKeys, auditedRead, aDelete]) {
    it(`holds whatever happens when: ${scenario.name}`, () => {
      const { harm, states, trace } = explore(protocol, scenario)
      assert.isNull(harm, trace.join("\n"))
      // A step that got lost would leave few.
      assert.isAbove(states, 40_000)
      process.stdout.write(`fence model, ${scenario.name}: ${states} states\n`)
    })
  }

  for (const rule of Object.keys(protocol).filter((name): name is Rule => name in protocol)) {
    const [scenario, harm] = needed[rule]
    it(`is harmed without ${rule}`, () => {
      const found = explore(without(rule), scenario)
      assert.match(found.harm ?? "nothing", harm)
      process.stdout.write(`${[`fence model without ${rule}:`, ...found.trace, found.harm].join("\n  ")}\n`)
    })
  }
})
