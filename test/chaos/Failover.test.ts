/**
 * The times of fail-overs, and the plan of faults they come from.
 */
import { assert, describe, it } from "@effect/vitest"
import { errorsDuring, failovers, median } from "./Failover.ts"
import { FAULT_KINDS, plan } from "./FaultPlan.ts"
import type { DoneFault } from "./Faults.ts"
import type { Call, Ending } from "./History.ts"

let id = 0
const write = (namespace: string, start: number, end: number, ending: Ending = done): Call => ({
  id: ++id,
  op: `op-${id}`,
  client: "c",
  namespace,
  action: "set",
  parts: [{ key: "k", value: "v" }],
  if_match: null,
  idempotency_key: null,
  dry_run: false,
  attempt: "first",
  start,
  end,
  ending
})
const done: Ending = { _tag: "done", effects: [], answer: "" }
const unknown: Ending = { _tag: "unknown", reason: "UNAVAILABLE" }

const fault = (start: number, end: number, namespaces: ReadonlyArray<string>): DoneFault => ({
  kind: "kill",
  way: "SIGKILL",
  runner: "runner-0",
  namespaces,
  start,
  end
})

describe("a fail-over", () => {
  it("lasts to the first acknowledged write that shows the fault is over", () => {
    const calls = [
      write("a", 9_000, 9_900),
      // On its way when the fault came, so it shows nothing.
      write("a", 9_950, 10_050),
      write("a", 9_980, 14_000),
      write("a", 14_100, 14_300),
      write("b", 10_100, 10_200)
    ]
    const [first, ...more] = failovers(calls, [fault(10_000, 13_000, ["a"])], [], 60_000)
    assert.deepInclude(first, { namespace: "a", first: 4_000, gap: 3_950, alone: true })
    assert.deepStrictEqual(more, [])
  })

  it("is as long as the run when nobody wrote again", () => {
    const [only] = failovers([write("a", 1, 2)], [fault(10_000, 13_000, ["a"])], [], 60_000)
    assert.deepInclude(only, { first: 50_000, alone: false })
  })

  it("is not alone beside another fault, or across a stall", () => {
    const calls = [write("a", 12_000, 12_500)]
    const one = fault(10_000, 13_000, ["a"])
    assert.isTrue(failovers(calls, [one], [], 60_000)[0]?.alone)
    assert.isFalse(failovers(calls, [one, fault(11_000, 11_500, [])], [], 60_000)[0]?.alone)
    assert.isFalse(failovers(calls, [one], [{ start: 11_000, end: 12_000 }], 60_000)[0]?.alone)
  })

  it("counts the callers that heard of it", () => {
    const calls = [
      write("a", 10_000, 11_000, unknown),
      write("a", 10_000, 11_000),
      write("b", 10_000, 11_000, unknown),
      write("a", 30_000, 31_000, unknown)
    ]
    assert.strictEqual(errorsDuring(calls, fault(10_500, 12_000, ["a"]), 25_000), 1)
    assert.strictEqual(median([5, 1, 3, 9]), 3)
    assert.isNull(median([]))
  })
})

describe("a plan of faults", () => {
  it("is the same for a seed, and has each kind at least five times in twenty minutes", () => {
    const take = (seed: number) => {
      const counts = new Map<string, number>()
      let at = 0
      for (const { after, kind, length, runner, way } of plan(seed, 3, FAULT_KINDS)) {
        at += after
        if (at > 1_100_000) break
        counts.set(kind, (counts.get(kind) ?? 0) + 1)
        assert.isTrue(runner < 3 && way < 1 && length < 1)
      }
      return counts
    }
    for (let seed = 1; seed < 50; seed++) {
      const counts = take(seed)
      assert.deepStrictEqual(counts, take(seed))
      assert.isTrue(FAULT_KINDS.every((kind) => (counts.get(kind) ?? 0) >= 5), `seed ${seed}`)
    }
  })
})
