/**
 * The worker of expiries under a clock that stands until it is set: what it does to rows, and that no answer hangs on whether it
 * has come by.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import { layerWalk } from "../../src/memory/Expiring.ts"
import { MemoryLock, MemoryTouch } from "../../src/memory/LifecycleVerbs.ts"
import { MemoryDelete, MemoryGet, MemoryHistory, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import * as Expiry from "../../workers/Expiry.ts"
import { noon } from "../memory/MemoryFixture.ts"
import { ask, call, layer } from "../support/ActorHouse.ts"

const memory_key = "team/offer"
const value = "The offer of the week is a bag of plums"

const real = Clock.make()

/** A wall clock that a test sets; waiting goes on in real time, as actors need it. */
class SetClock {
  now = noon
  readonly clock: Clock.Clock = {
    ...real,
    sleep: (duration) => real.sleep(duration),
    unsafeCurrentTimeMillis: () => this.now,
    unsafeCurrentTimeNanos: () => BigInt(this.now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => this.now),
    currentTimeNanos: Effect.sync(() => BigInt(this.now) * 1_000_000n)
  }
}

const house = Layer.provideMerge(layerWalk, layer())

/** The write path of one process and the worker beside it. */
const at = <A, E>(test: (time: SetClock) => Effect.Effect<A, E, Layer.Layer.Success<typeof house>>) => {
  const time = new SetClock()
  return test(time).pipe(Effect.provide(house), Effect.withClock(time.clock))
}

const historyOf = (key = memory_key) => Effect.map(ask(MemoryHistory, { memory_key: key }), ({ versions }) => versions)

const withoutState = (answer: Record<string, unknown>) => {
  const { memories, ...rest } = answer
  return Array.isArray(memories) ? { ...rest, version_text: "", keys: memories.map((one) => one.memory_key) } : answer
}

/** What callers are answered about the row, by every way that could tell. */
const answers = (memory_id: string) =>
  Effect.gen(function*() {
    const told: Record<string, unknown> = {}
    const note = (name: string, verb: string, request: object) =>
      Effect.map(call(verb, request), (answer) => {
        told[name] = withoutState(answer)
      })
    yield* note("get", "memory.get", { memory_key })
    yield* note("get_by_id", "memory.get_by_id", { memory_id })
    for (const flag of ["include_expired", "include_tombstoned", "include_superseded", "count_only"]) {
      yield* note(flag, "memory.list", { [flag]: true })
    }
    yield* note("both", "memory.list", { include_expired: true, include_tombstoned: true })
    yield* note("again", "memory.set", { memory_key: "team/plums", value, dry_run: true })
    yield* note("set", "memory.set", { memory_key, value: "Another offer", dry_run: true })
    yield* note("derived", "memory.set", { memory_key: "team/x", value, source_class: "derived", dry_run: true })
    yield* note("update", "memory.update", { memory_key, value, dry_run: true })
    yield* note("restore", "memory.restore", { memory_key })
    for (const [name, instant] of [["before", noon + 1], ["at", noon + 60_000], ["after", noon + 60_001]] as const) {
      for (const as_of_basis of ["valid_time", "knowledge_time"]) {
        const { version: _, version_text: __, ...answer } = yield* call("memory.get", {
          memory_key,
          as_of: new Date(instant).toISOString(),
          as_of_basis,
          fields: ["value", "memory_key"]
        })
        told[`${as_of_basis} ${name}`] = answer
      }
    }
    // Minted anew for each request.
    return JSON.stringify(told, (name, one) =>
      ["write_id", "memory_id", "version", "version_text", "updated_at"].includes(name) ? undefined : one, 1)
  })

describe("expiry", () => {
  for (const on_expire of ["tombstone", "demote", "keep"] as const) {
    it.live(`changes no answer by carrying out ${on_expire}`, () =>
      at((time) =>
        Effect.gen(function*() {
          const { memory_id } = yield* ask(MemorySet, {
            memory_key,
            value,
            ttl_seconds: 60,
            on_expire,
            confidence: 0.8
          })
          time.now = noon + 59_999
          yield* Expiry.run
          assert.strictEqual((yield* historyOf()).length, 1)
          time.now = noon + 60_002
          const late = yield* answers(memory_id ?? "")
          yield* Expiry.run
          assert.strictEqual(yield* answers(memory_id ?? ""), late)
          const versions = yield* historyOf()
          const seen = versions.map((one) => [one.status, one.change, one.confidence, one.on_expire, one.cause?.rule])
          const first = ["active", "create", 0.8, on_expire, undefined]
          assert.deepStrictEqual(
            seen,
            {
              tombstone: [["tombstoned", "expire", 0.8, "tombstone", "expiry.tombstone"], first],
              demote: [["active", "label", 0.8 * Expiry.DEMOTED, "keep", "expiry.demote"], first],
              keep: [first]
            }[on_expire]
          )
          if (on_expire !== "keep") assert.strictEqual(versions[0]?.actor, "process:expiry")
          if (on_expire === "demote") assert.match(versions[0]?.cause?.evidence ?? "", /from 0\.8 to 0\.4/)
          // Again it does nothing.
          yield* Expiry.run
          assert.strictEqual((yield* historyOf()).length, versions.length)
          // A new end serves it again.
          yield* ask(MemoryTouch, { memory_key, ttl_seconds: 60 })
          assert.deepInclude(yield* ask(MemoryGet, { memory_key }), { found: true, value, status: "active" })
          assert.strictEqual((yield* ask(MemoryList, {})).total, 1)
        })
      ))
  }

  it.live("leaves a row whose end was moved, and one under a lock until that is over", () =>
    at((time) =>
      Effect.gen(function*() {
        yield* ask(MemorySet, { memory_key, value, ttl_seconds: 60 })
        yield* ask(MemorySet, { memory_key: "locked", value: "Lock me up", ttl_seconds: 60 })
        yield* ask(MemoryLock, { memory_key: "locked", reason: "frozen", ttl_seconds: 120 })
        yield* ask(MemoryTouch, { memory_key, ttl_seconds: 600 })
        time.now = noon + 61_000
        yield* Expiry.run
        assert.isTrue((yield* ask(MemoryGet, { memory_key })).found)
        assert.deepStrictEqual((yield* historyOf("locked")).map(({ status }) => status), ["active", "active"])
        time.now = noon + 121_000
        yield* Expiry.run
        assert.deepInclude((yield* historyOf("locked"))[0], { status: "tombstoned", change: "expire" })
      })
    ))

  it.live("keeps apart what ran out and what somebody takes back", () =>
    at((time) =>
      Effect.gen(function*() {
        yield* ask(MemorySet, { memory_key, value, ttl_seconds: 60 })
        time.now = noon + 61_000
        yield* Expiry.run
        const then = { memory_key, as_of: new Date(noon + 1).toISOString() }
        assert.isTrue((yield* ask(MemoryGet, then)).found)
        assert.deepInclude(yield* ask(MemoryDelete, { memory_key }), { found: true, tombstoned: true })
        assert.isFalse((yield* ask(MemoryGet, then)).found)
        assert.deepInclude(yield* ask(MemoryGet, { memory_key }), { found: false, status: "tombstoned" })
        assert.deepInclude(yield* ask(MemoryDelete, { memory_key }), { found: false })
      })
    ))

  it.live(
    "does each row once, however many there are and wherever it is cut short",
    () =>
      at((time) =>
        Effect.gen(function*() {
          const keys = Array.from({ length: 230 }, (_, index) => `k/${index}`)
          yield* call("memory.bulk_set", {
            items: keys.map((memory_key, index) => ({
              memory_key,
              value: `Offer ${index} of plums`,
              memory_type: "episodic",
              ttl_seconds: 60 + index % 3
            }))
          })
          time.now = noon + 63_000
          for (const point of ["expiry.before_command", "expiry.after_command"]) {
            let left = 1
            const faults = FaultPoint.of({
              hit: (name) =>
                Effect.suspend(() => name === point && left-- > 0 ? Effect.dieMessage("crash") : Effect.void)
            })
            const exit = yield* Effect.exit(Effect.provideService(Expiry.run, FaultPoint, faults))
            assert.strictEqual(exit._tag, "Failure", point)
          }
          yield* Expiry.run
          const { memories, total } = yield* ask(MemoryList, { include_expired: true, limit: 500 })
          assert.strictEqual(total, keys.length)
          assert.isTrue(memories.every(({ status }) => status === "tombstoned"))
          for (const key of ["k/0", "k/120", "k/229"]) {
            assert.deepStrictEqual((yield* historyOf(key)).map(({ change }) => change), ["expire", "create"])
          }
        })
      ),
    60_000
  )
})
