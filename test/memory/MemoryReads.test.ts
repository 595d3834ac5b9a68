/**
 * Reads by key over crafted rows: what answers for a row that does not, across hops and loops; what a bound token is told
 * of rows it may not read; and the timeline in pages.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import type { Caller } from "../../src/kernel/Caller.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import * as MemoryReads from "../../src/memory/MemoryReads.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"

import { layerMemory } from "../../src/memory/MemoryStoreMemory.ts"
import * as MemoryTimeReads from "../../src/memory/MemoryTimeReads.ts"
import { MemoryTimeline } from "../../src/memory/MemoryTimeVerbs.ts"
import * as MemoryUsageStore from "../../src/memory/MemoryUsageStore.ts"
import { MemoryGet, MemoryGetById, MemoryHistory, MemoryList } from "../../src/memory/MemoryVerbs.ts"
import * as Cursors from "../../src/platform/Cursors.ts"
import * as NoActor from "../support/NoActor.ts"
import { commitOf, freshScope, noon, revised, rowOf, versionAt } from "./MemoryFixture.ts"

const callerOf = (scope: Scope, boundUser: string | null = null): Caller => ({
  actor: "human:ada",
  org: scope.org,
  namespaces: [scope.namespace],
  defaultNamespace: scope.namespace,
  role: "read",
  boundUser
})

interface Verb<A, I> {
  readonly tag: string
  readonly answer: Schema.Schema<A, I>
}

const ask = <A, I>(verb: Verb<A, I>, raw: object, caller: Caller) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(noon + 1_000)
    const verbs = [...yield* MemoryReads.make, ...yield* MemoryTimeReads.make]
    const bound = verbs.find((one) => one.verb.tag === verb.tag)
    assert.isDefined(bound)
    return Schema.decodeUnknownSync(verb.answer)(yield* bound.call(raw, caller))
  })

const put = (rows: ReadonlyArray<MemoryRow>) => Effect.flatMap(MemoryStore, (store) => store.commit(commitOf(rows)))

/** One row for each key, in the order given. */
const rowsOf = (scope: Scope, rows: Record<string, Partial<MemoryRow>>): ReadonlyArray<MemoryRow> =>
  Object.entries(rows).map(([memory_key, changed], index) =>
    rowOf(scope, {
      memory_key,
      memory_id: `mem_${memory_key}`,
      value: `value of ${memory_key}`,
      version: versionAt(noon + index),
      ...changed
    })
  )

layer(Layer.mergeAll(layerMemory, NoActor.layer, MemoryUsageStore.layerMemory, Cursors.layerMemory))(
  "Reads by key",
  (it) => {
    it.effect("a lock that has lapsed is shown as none, but for the history", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const locked = { lock_mode: "read_only", lock_reason: "audit" } as const
        yield* put(rowsOf(scope, {
          forever: locked,
          running: { ...locked, lock_until: noon + 1_001 },
          lapsed: { ...locked, lock_until: noon + 1_000 }
        }))
        const caller = callerOf(scope)
        const none = { lock_mode: null, lock_until: null, lock_reason: null }
        const shown = { lock_mode: "read_only", lock_reason: "audit" }
        for (const [memory_key, lock] of [["forever", shown], ["running", shown], ["lapsed", none]] as const) {
          assert.deepInclude(yield* ask(MemoryGet, { memory_key }, caller), lock)
          assert.deepInclude(yield* ask(MemoryGetById, { memory_id: `mem_${memory_key}` }, caller), lock)
          const { memories } = yield* ask(MemoryList, { prefix: memory_key }, caller)
          assert.deepInclude(memories[0], lock)
          const { versions } = yield* ask(MemoryHistory, { memory_key }, caller)
          assert.deepInclude(versions[0], shown)
        }
      }))

    it.effect("a row that does not answer says what became of it and what answers, across hops", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(rowsOf(scope, {
          a: { status: "superseded", superseded_by: "mem_b" },
          b: { status: "duplicate", duplicate_of: "mem_c" },
          c: { status: "superseded", superseded_by: "mem_d" },
          d: { conflict_with: ["mem_x"], status: "conflicted", reinforcement_count: 3 },
          r: { status: "rejected" },
          t: { status: "tombstoned" },
          e: { expires_at: 1 }
        }))
        const caller = callerOf(scope)
        const get = (memory_key: string, more: object = {}) => ask(MemoryGet, { memory_key, ...more }, caller)
        assert.deepInclude(yield* get("a"), {
          found: false,
          status: "superseded",
          superseded_by: "mem_b",
          duplicate_of: null,
          canonical_key: "d"
        })
        assert.deepInclude(yield* get("b"), {
          found: false,
          status: "duplicate",
          duplicate_of: "mem_c",
          canonical_key: "d"
        })
        const followed = yield* get("a", { follow: true })
        assert.deepInclude(followed, { found: true, memory_key: "d", resolved_from: "a", canonical_key: "d" })
        assert.deepInclude(yield* get("d"), { found: true, conflict_with: ["mem_x"], reinforcement_count: 3 })
        for (const [key, status] of [["r", "rejected"], ["t", "tombstoned"], ["e", "expired"]] as const) {
          assert.deepInclude(yield* get(key, { follow: true }), { found: false, status, canonical_key: null })
        }
      }))

    it.effect("a chain that leads nowhere or in a circle ends", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        yield* put(rowsOf(scope, {
          a: { status: "superseded", superseded_by: "mem_b" },
          b: { status: "superseded", superseded_by: "mem_a" },
          self: { status: "duplicate", duplicate_of: "mem_self" },
          lost: { status: "superseded", superseded_by: "mem_nobody" },
          dead: { status: "superseded", superseded_by: "mem_t" },
          t: { status: "tombstoned" }
        }))
        for (const memory_key of ["a", "self", "lost", "dead"]) {
          const answer = yield* ask(MemoryGet, { memory_key, follow: true }, callerOf(scope))
          assert.deepInclude(answer, { found: false, canonical_key: null })
        }
      }))

    it.effect("a bound token is not told which row of another user took over, and sees its own time alone", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const mine = rowOf(scope, {
          memory_key: "k",
          user_id: "ada",
          memory_id: "mem_mine",
          value: "Alder",
          valid_at: noon - 90
        })
        const theirs = rowOf(scope, {
          memory_key: "k",
          user_id: "eve",
          memory_id: "mem_theirs",
          value: "Birch",
          valid_at: noon - 30,
          version: versionAt(noon + 5)
        })
        const retired = revised(mine, 9, { change: "retire", status: "superseded", superseded_by: "mem_theirs" })
        yield* put([mine, theirs, retired])
        const bound = callerOf(scope, "ada")
        const iso = (shift: number) => new Date(noon + shift).toISOString()
        for (const follow of [false, true]) {
          const answer = yield* ask(MemoryGet, { memory_key: "k", ...(follow ? { follow } : {}) }, bound)
          assert.deepInclude(answer, { found: false, status: "superseded", superseded_by: null, canonical_key: null })
        }
        assert.strictEqual((yield* ask(MemoryGet, { memory_key: "k", as_of: iso(-40) }, bound)).value, "Alder")
        assert.isFalse((yield* ask(MemoryGet, { memory_key: "k", as_of: iso(-20) }, bound)).found)
        assert.strictEqual((yield* ask(MemoryList, { as_of: iso(-20) }, bound)).total, 0)
        const { beliefs } = yield* ask(MemoryTimeline, { memory_key: "k" }, bound)
        assert.deepStrictEqual(
          beliefs.map(({ superseded_by, valid_until, value }) => [value, valid_until, superseded_by]),
          [
            ["Alder", iso(-30), null]
          ]
        )
        const all = yield* ask(MemoryTimeline, { memory_key: "k" }, callerOf(scope))
        assert.deepStrictEqual(all.beliefs.map(({ superseded_by, value }) => [value, superseded_by]), [
          ["Alder", "mem_theirs"],
          ["Birch", null]
        ])
        const foreign = yield* ask(MemoryTimeline, { memory_key: "k", user_id: "eve" }, bound)
        assert.deepStrictEqual(foreign.beliefs, [])
      }))

    it.effect("a timeline shows gaps, overlaps and corrections as they are, in pages, and as it was known", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        const iso = (shift: number) => new Date(noon + shift).toISOString()
        const a = rowOf(scope, { memory_key: "k", value: "A", valid_at: noon - 90, valid_to: noon - 70 })
        const b = revised(a, 1, { value: "B", valid_at: noon - 60, valid_to: noon - 20 })
        const c = revised(b, 1, { value: "C", valid_at: noon - 40, valid_to: null })
        const corrected = revised(c, 1, { value: "C!", change: "correct" })
        const d = revised(corrected, 1, { value: "D", valid_at: null })
        yield* put([a, b, c, corrected, d])
        const caller = callerOf(scope)
        const shown = (answer: typeof MemoryTimeline.answer.Type) =>
          answer.beliefs.map(({ from_basis, until_derived, valid_from, valid_until, value }) => [
            value,
            Date.parse(valid_from) - noon,
            valid_until === null ? null : Date.parse(valid_until) - noon,
            until_derived,
            from_basis
          ])
        const whole = [
          ["A", -90, -70, false, "valid_at"],
          ["B", -60, -20, false, "valid_at"],
          ["C!", -40, 4, true, "valid_at"],
          ["D", 4, null, false, "learned"]
        ]
        const timeline = (more: object) => ask(MemoryTimeline, { memory_key: "k", ...more }, caller)
        assert.deepStrictEqual(shown(yield* timeline({})), whole)
        assert.deepStrictEqual(shown(yield* ask(MemoryTimeline, { memory_id: a.memory_id }, caller)), whole)
        const first = yield* timeline({ limit: 3 })
        assert.deepStrictEqual(shown(first), whole.slice(0, 3))
        const rest = yield* timeline({ limit: 3, cursor: first.next_cursor })
        assert.deepStrictEqual(shown(rest), whole.slice(3))
        assert.isNull(rest.next_cursor)
        assert.deepStrictEqual(shown(yield* timeline({ as_of_known: iso(2) })).map(([value]) => value), ["A", "B", "C"])
        const [, , third] = (yield* timeline({})).beliefs
        assert.deepInclude(third, { learned_at: iso(2), retired_at: iso(4), status: "superseded", withdrawn: false })
        yield* put([revised(d, 5, { change: "delete", status: "tombstoned" })])
        assert.deepStrictEqual((yield* timeline({})).beliefs, [])
        const withdrawn = yield* timeline({ include_withdrawn: true })
        assert.deepStrictEqual(withdrawn.beliefs.map(({ value, withdrawn }) => [value, withdrawn]), [
          ["A", true],
          ["B", true],
          ["C!", true],
          ["D", true]
        ])
      }))
  }
)
