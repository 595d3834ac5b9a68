/** What every store of uses keeps and adds up, whatever it stands on. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import { Outcome } from "../../src/run/RunModel.ts"
import { HALF_LIFE_MILLIS, votesOf } from "../../src/run/UseModel.ts"
import type { Use } from "../../src/run/UseModel.ts"
import { layerMemory, UseStore } from "../../src/run/UseStore.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

export const useOf = (scope: Use["scope"], changed: Partial<Use> = {}): Use => {
  const at = changed.at ?? noon
  return {
    scope,
    memory_id: "mem_1",
    owner_id: "-",
    caller: "human:ada",
    source: "run",
    run_id: "run_1",
    user_id: "-",
    outcome: "success",
    credit: 1,
    harm: 0,
    note: "",
    at,
    recorded_at: at,
    ...changed
  }
}

export const suite = <E>(name: string, store: Layer.Layer<UseStore, E>) =>
  layer(store, { timeout: 60_000 })(`UseStore: ${name}`, (it) => {
    it.effect("adds up a caller's days, each of which is one vote", () =>
      Effect.gen(function*() {
        const { record, tallies } = yield* UseStore
        const scope = freshScope()
        const thousand = Array.from({ length: 1000 }, (_, n) => useOf(scope, { run_id: `run_${n}`, at: noon + n }))
        yield* record(thousand)
        yield* record([
          useOf(scope, { run_id: "run_b", at: noon + DAY, credit: 0, harm: 1, outcome: "failure" }),
          useOf(scope, { run_id: "run_c", at: noon + DAY, credit: 0, harm: 0, outcome: "unknown" }),
          useOf(scope, { memory_id: "mem_2", caller: "human:bob", owner_id: "bob", credit: 0.5 }),
          useOf(freshScope(), { caller: "human:eve" })
        ])
        const found = yield* tallies(scope, ["mem_2", "mem_1", "mem_3"])
        assert.deepInclude(found[1], { memory_id: "mem_2", owner_id: "bob", caller: "human:bob", credit: 0.5, uses: 1 })
        const [one] = found
        assert.deepInclude(one, { caller: "human:ada", uses: 1002, harms: 1, last_at: noon + DAY })
        assert.closeTo(one?.credit ?? 0, 2 ** (-(DAY - 999) / HALF_LIFE_MILLIS), 1e-9)
        assert.closeTo(one?.harm ?? 0, 0.5, 1e-9)
        assert.deepStrictEqual(yield* tallies(scope, []), [])
      }))

    it.effect("takes the same report again for the same, and the later word for the truth", () =>
      Effect.gen(function*() {
        const { record, tallies } = yield* UseStore
        const scope = freshScope()
        const use = useOf(scope)
        yield* record([use])
        yield* record([{ ...use, recorded_at: noon + 9 }])
        const again = { ...use, outcome: "failure", ...votesOf("failure", 1), at: noon + HOUR } as const
        yield* record([{ ...again, recorded_at: noon + HOUR }])
        yield* record([{ ...use, recorded_at: noon + 5 }])
        assert.deepInclude((yield* tallies(scope, ["mem_1"]))[0], { uses: 1, credit: 0, harm: 1, harms: 1 })
        // By the other verb, or in another run, it is another report.
        yield* record([{ ...again, source: "outcome" }, { ...again, run_id: "" }])
        assert.deepInclude((yield* tallies(scope, ["mem_1"]))[0], { uses: 3, harm: 1 })
      }))

    it.effect("finds what was reported since, in the order of its places, page by page", () =>
      Effect.gen(function*() {
        const { record, reported } = yield* UseStore
        const [one, other] = [freshScope(), freshScope()]
        // Above everything that other tests of the file wrote.
        const later = noon + 100 * DAY
        yield* record([
          useOf(one, { memory_id: "mem_b", recorded_at: later }),
          useOf(one, { memory_id: "mem_b", recorded_at: later + 1, caller: "human:bob" }),
          useOf(one, { memory_id: "mem_a", recorded_at: later + 2 }),
          useOf(other, { memory_id: "mem_a", recorded_at: later }),
          useOf(other, { memory_id: "mem_c", recorded_at: later - 1 })
        ])
        const places = [{ scope: one, memory_id: "mem_a" }, { scope: one, memory_id: "mem_b" }, {
          scope: other,
          memory_id: "mem_a"
        }].sort((left, right) =>
          left.scope.namespace === right.scope.namespace ? 0 : left.scope.namespace < right.scope.namespace ? -1 : 1
        )
        assert.deepStrictEqual(yield* reported(later, { after: null, limit: 9 }), places)
        const first = yield* reported(later, { after: null, limit: 2 })
        const rest = yield* reported(later, { after: first[1] ?? null, limit: 2 })
        assert.deepStrictEqual([...first, ...rest], places)
      }))

    it.effect("comes to what the store in memory comes to, whatever is reported", () =>
      Effect.gen(function*() {
        const reports = FastCheck.array(
          FastCheck.record({
            memory_id: FastCheck.constantFrom("mem_1", "mem_2"),
            caller: FastCheck.constantFrom("human:ada", "human:bob", "process:o'x"),
            run_id: FastCheck.constantFrom("", "run_1", "run_2"),
            outcome: FastCheck.constantFrom(...Outcome.literals),
            weight: FastCheck.constantFrom(1, 0.3),
            hours: FastCheck.integer({ min: 0, max: 24 * 40 })
          }),
          { minLength: 1, maxLength: 40 }
        )
        const own = yield* UseStore
        const plain = yield* Effect.provide(UseStore, layerMemory)
        for (const sample of FastCheck.sample(reports, { numRuns: 12, seed: 7 })) {
          const scope = freshScope()
          const uses = sample.map(({ hours, outcome, weight, ...rest }, n) =>
            useOf(scope, {
              ...rest,
              outcome,
              ...votesOf(outcome, weight),
              at: noon - hours * HOUR,
              recorded_at: noon + n
            })
          )
          yield* own.record(uses)
          yield* plain.record(uses)
          const [found, expected] = [
            yield* own.tallies(scope, ["mem_1", "mem_2"]),
            yield* plain.tallies(scope, ["mem_1", "mem_2"])
          ]
          assert.strictEqual(found.length, expected.length)
          expected.forEach((tally, at) => {
            const { credit = -1, harm = -1, ...rest } = found[at] ?? {}
            assert.deepStrictEqual({ ...tally, credit: 0, harm: 0 }, { ...tally, ...rest, credit: 0, harm: 0 })
            assert.closeTo(credit, tally.credit, 1e-9)
            assert.closeTo(harm, tally.harm, 1e-9)
          })
        }
      }))
  })
