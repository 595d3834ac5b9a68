/**
 * Derived rows and their sources: random derivations, deletes, restores and revisions through the actor against a small
 * model. A derived row without a source is never served, and every answer counts right.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { localCaller } from "../../src/kernel/Caller.ts"
import { beliefSource, BeliefSources } from "../../src/memory/BeliefSources.ts"
import { MemoryPin, MemoryReject } from "../../src/memory/LifecycleVerbs.ts"
import { MemoryClient } from "../../src/memory/MemoryClient.ts"
import { MemoryIntake } from "../../src/memory/MemoryIntake.ts"
import { MemoryReader } from "../../src/memory/MemoryReader.ts"
import { MemoryDelete, MemoryGet, MemoryRestore, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemoryClear } from "../../src/memory/SweepVerbs.ts"
import { ask, layer } from "../support/ActorHouse.ts"

const org = localCaller.org
let spaces = 0
const fresh = () => ({ org, namespace: `derived-${++spaces}` })
type Space = ReturnType<typeof fresh>

const subjects = ["otters", "glaciers", "violins", "turbines", "orchids", "ledgers"]
const anyone = { agent: null, user_id: null, session_id: null }

const source = (space: Space, at: number, turn: number) =>
  ask(MemorySet, {
    ...space,
    memory_key: `s/${at}`,
    value: `${subjects[at]} number ${at} rest near the ${["harbour", "quarry", "meadow", "station"][turn % 4]} ${turn}`
  })

/** A derived row as a consolidation writes it: sources first, then the memory, refused when a source moved. */
const derive = (space: Space, key: string, value: string, sources: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const reader = yield* MemoryReader
    const rows = (yield* Effect.forEach(sources, (at) => reader.byKey(space, at, anyone))).flat()
    const content = yield* (yield* MemoryIntake).prepare({
      memory_key: key,
      value,
      memory_type: "semantic",
      sensitivity: undefined
    })
    const place = { agent: "", user_id: "-", session_id: "", memory_key: key }
    const links = rows.map((row) =>
      beliefSource(
        { ...space, ...place, content_sha256: content.content_sha256 },
        row,
        { support_type: "derived_from", actor: "process:consolidation", write_id: "wr_test", at: 0 }
      )
    )
    yield* (yield* BeliefSources).record(links)
    return yield* (yield* MemoryClient).bulkSet(space, {
      _tag: "memory.bulk_set",
      meta: {
        write_id: `wr_${key}_${value.length}_${sources.length}_${spaces}`,
        idem_hash: "",
        payload_hash: "",
        actor: "process:consolidation",
        bound_user: null,
        source_class: "derived",
        run_id: "",
        dry_run: false,
        advisories: [],
        degraded: []
      },
      items: [{
        ...place,
        run_id: "",
        content,
        statement: {},
        source_class: "derived",
        if_match_sha256: null,
        proposed: false,
        advisories: [],
        rests_on: rows.map(({ memory_id, version }) => ({ memory_id, version: version.toString() }))
      }]
    })
  })

const standingOf = (space: Space, memory_key: string) =>
  Effect.map(
    ask(MemoryGet, { ...space, memory_key }),
    ({ found, status, tags }) => found ? `${status}${tags?.includes("source-lost") === true ? " marked" : ""}` : "gone"
  )

const SOURCES = 4
const DERIVED = 2

type Step =
  | { readonly _tag: "delete" | "restore" | "revise" | "reject"; readonly at: number }
  | { readonly _tag: "derive"; readonly at: number; readonly from: ReadonlyArray<number> }
  | { readonly _tag: "deleteDerived" | "restoreDerived"; readonly at: number }

const at = FastCheck.integer({ min: 0, max: SOURCES - 1 })
const derivedAt = FastCheck.integer({ min: 0, max: DERIVED - 1 })
const steps: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.array(
  FastCheck.oneof(
    { weight: 4, arbitrary: FastCheck.record({ _tag: FastCheck.constant("delete" as const), at }) },
    { weight: 3, arbitrary: FastCheck.record({ _tag: FastCheck.constant("restore" as const), at }) },
    { weight: 1, arbitrary: FastCheck.record({ _tag: FastCheck.constant("revise" as const), at }) },
    { weight: 1, arbitrary: FastCheck.record({ _tag: FastCheck.constant("reject" as const), at }) },
    {
      weight: 3,
      arbitrary: FastCheck.record({
        _tag: FastCheck.constant("derive" as const),
        at: derivedAt,
        from: FastCheck.uniqueArray(at, { minLength: 2, maxLength: SOURCES })
      })
    },
    { weight: 1, arbitrary: FastCheck.record({ _tag: FastCheck.constant("deleteDerived" as const), at: derivedAt }) },
    { weight: 1, arbitrary: FastCheck.record({ _tag: FastCheck.constant("restoreDerived" as const), at: derivedAt }) }
  ),
  { minLength: 4, maxLength: 16 }
)

interface ModelSource {
  status: "live" | "deleted" | "rejected"
  content: number
}
interface ModelDerived {
  status: "never" | "live" | "went" | "deleted"
  marked: boolean
  from: ReadonlyArray<{ readonly at: number; readonly content: number }>
}

/** What the rules say, written down once more without rows, versions or batches. */
class Model {
  readonly sources: ReadonlyArray<ModelSource> = Array.from(
    { length: SOURCES },
    () => ({ status: "live", content: 0 })
  )
  readonly derived: ReadonlyArray<ModelDerived> = Array.from(
    { length: DERIVED },
    () => ({ status: "never", marked: false, from: [] })
  )

  borne(one: ModelDerived): number {
    return one.from.filter(({ at, content }) =>
      this.sources[at]?.status === "live" && this.sources[at]?.content === content
    ).length
  }

  resting(at: number): ReadonlyArray<ModelDerived> {
    return this.derived.filter(({ from }) => from.some((link) => link.at === at))
  }

  lose(at: number, status: "deleted" | "rejected") {
    const one = this.sources[at]
    if (one !== undefined) one.status = status
    const counts = { tombstoned: 0, downgraded: 0 }
    for (const derived of this.resting(at)) {
      if (derived.status !== "live") continue
      if (this.borne(derived) === 0) {
        derived.status = "went"
        counts.tombstoned += 1
      } else if (!derived.marked) {
        derived.marked = true
        counts.downgraded += 1
      }
    }
    return counts
  }

  restore(at: number): number {
    const one = this.sources[at]
    if (one !== undefined) one.status = "live"
    let back = 0
    for (const derived of this.resting(at)) {
      const borne = this.borne(derived)
      if (derived.status === "went" && borne > 0) {
        derived.status = "live"
        derived.marked = borne < derived.from.length
        back += 1
      } else if (derived.status === "live" && derived.marked && borne === derived.from.length) {
        derived.marked = false
      }
    }
    return back
  }
}

const play = (all: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const space = fresh()
    const model = new Model()
    let turn = 0
    for (let one = 0; one < SOURCES; one++) yield* source(space, one, 0)
    for (const step of all) {
      turn += 1
      const stored = model.sources[step.at]
      const derived = model.derived[step.at]
      switch (step._tag) {
        case "delete": {
          const isThere = stored?.status === "live"
          const expected = isThere ? model.lose(step.at, "deleted") : { tombstoned: 0, downgraded: 0 }
          const answer = yield* ask(MemoryDelete, { ...space, memory_key: `s/${step.at}` })
          assert.deepStrictEqual(
            [answer.tombstoned, answer.dependents_tombstoned, answer.dependents_downgraded],
            [isThere, expected.tombstoned, expected.downgraded]
          )
          break
        }
        case "reject": {
          if (stored?.status !== "live") break
          const expected = model.lose(step.at, "rejected")
          const answer = yield* ask(MemoryReject, { ...space, memory_key: `s/${step.at}` })
          assert.deepStrictEqual(
            [answer.dependents_tombstoned, answer.dependents_downgraded],
            [expected.tombstoned, expected.downgraded]
          )
          break
        }
        case "restore": {
          const isGone = stored?.status === "deleted"
          const expected = isGone ? model.restore(step.at) : 0
          const answer = yield* ask(MemoryRestore, { ...space, memory_key: `s/${step.at}` })
          assert.deepStrictEqual([answer.restored, answer.dependents_restored ?? 0], [isGone, expected])
          break
        }
        case "revise":
          if (stored?.status !== "live") break
          stored.content = turn
          yield* source(space, step.at, turn)
          break
        case "derive": {
          if (derived === undefined) break
          const isBorne = step.from.every((one) => model.sources[one]?.status === "live")
          const answer = yield* derive(
            space,
            `d/${step.at}/summary`,
            `Digest ${step.at} of turn ${turn} tells what ${step.from.map((one) => subjects[one]).join(" and ")} do`,
            step.from.map((one) => `s/${one}`)
          )
          assert.strictEqual(answer.refused, isBorne ? 0 : 1)
          assert.strictEqual(answer.results[0]?.code, isBorne ? null : "STALE_VERSION")
          if (!isBorne) break
          derived.status = "live"
          derived.marked = false
          derived.from = step.from.map((one) => ({ at: one, content: model.sources[one]?.content ?? 0 }))
          break
        }
        case "deleteDerived":
          if (derived?.status !== "live") break
          derived.status = "deleted"
          yield* ask(MemoryDelete, { ...space, memory_key: `d/${step.at}/summary` })
          break
        case "restoreDerived": {
          if (derived === undefined || (derived.status !== "deleted" && derived.status !== "went")) break
          const borne = model.borne(derived)
          const answer = yield* Effect.either(ask(MemoryRestore, { ...space, memory_key: `d/${step.at}/summary` }))
          assert.strictEqual(answer._tag, borne === 0 ? "Left" : "Right")
          if (borne === 0) break
          derived.status = "live"
          derived.marked = borne < derived.from.length
          break
        }
      }
      for (const [index, one] of model.derived.entries()) {
        assert.strictEqual(
          yield* standingOf(space, `d/${index}/summary`),
          one.status !== "live" ? "gone" : one.marked ? "conflicted marked" : "active",
          `d/${index} after ${turn} steps: ${JSON.stringify(all)}`
        )
      }
    }
  }).pipe(Effect.provide(layer()))

describe("what was derived from memories", () => {
  it(
    "goes, is contested and comes back with them, whatever happens in whatever order",
    { timeout: 300_000 },
    () =>
      FastCheck.assert(
        FastCheck.asyncProperty(steps, (all) => Effect.runPromise(play(all))),
        { numRuns: 60, seed: 20_261_130 }
      )
  )

  it.live("counts a row that loses its sources one by one in a sweep for the last of them, and never as missed", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* source(space, 0, 0)
      yield* source(space, 1, 0)
      yield* derive(space, "d/0/summary", "Otters and glaciers have this digest in common", ["s/0", "s/1"])
      const answer = yield* ask(MemoryClear, { ...space, user_id: "-" })
      assert.deepInclude(answer, { ok: true, dependents_downgraded: 0, refused: 0, not_found: 0 })
      assert.strictEqual(yield* standingOf(space, "d/0/summary"), "gone")
    }).pipe(Effect.provide(layer())))

  it.live("stays when somebody states it outright, under its key or another", () =>
    Effect.gen(function*() {
      const value = "Otters and glaciers have one digest between them"
      for (const memory_key of ["d/0/summary", "d/elsewhere"]) {
        const space = fresh()
        yield* source(space, 0, 0)
        yield* source(space, 1, 0)
        yield* derive(space, "d/0/summary", value, ["s/0", "s/1"])
        yield* ask(MemoryDelete, { ...space, memory_key: "s/0" })
        assert.strictEqual(yield* standingOf(space, "d/0/summary"), "conflicted marked")
        yield* ask(MemorySet, { ...space, memory_key, value })
        assert.strictEqual(yield* standingOf(space, "d/0/summary"), "active")
        assert.strictEqual((yield* ask(MemoryGet, { ...space, memory_key: "d/0/summary" })).source_class, "asserted")
        const last = yield* ask(MemoryDelete, { ...space, memory_key: "s/1" })
        assert.strictEqual(last.dependents_tombstoned, 0)
        assert.strictEqual(yield* standingOf(space, "d/0/summary"), "active")
      }
    }).pipe(Effect.provide(layer())))

  it.live("is only marked where somebody pinned it", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* source(space, 0, 0)
      yield* source(space, 1, 0)
      yield* derive(space, "d/0/summary", "Otters and glaciers have one digest between them", ["s/0", "s/1"])
      yield* ask(MemoryPin, { ...space, memory_key: "d/0/summary" })
      yield* ask(MemoryDelete, { ...space, memory_key: "s/0" })
      const last = yield* ask(MemoryDelete, { ...space, memory_key: "s/1" })
      assert.deepInclude(last, { dependents_tombstoned: 0, dependents_downgraded: 0 })
      assert.strictEqual(yield* standingOf(space, "d/0/summary"), "conflicted marked")
    }).pipe(Effect.provide(layer())))

  it.live("stands in no other's place: what somebody stated under its key stays", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* source(space, 0, 0)
      yield* source(space, 1, 0)
      yield* ask(MemorySet, { ...space, memory_key: "d/0/summary", value: "Ada wrote this summary by hand" })
      const answer = yield* derive(space, "d/0/summary", "Otters and glaciers in one line", ["s/0", "s/1"])
      assert.strictEqual(answer.results[0]?.code, "KEY_TAKEN")
    }).pipe(Effect.provide(layer())))
})
