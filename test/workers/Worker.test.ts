/** The frame of the workers: what it promises of every change, whatever breaks and whoever else believes to be the owner. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { Corrupt, refuse, Unavailable } from "../../src/kernel/LoomError.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { WorkerStore } from "../../src/work/WorkerStore.ts"
import * as Worker from "../../workers/Worker.ts"
import type { Batch } from "../../workers/Worker.ts"
import { append, Faults, layer, pass } from "./WorkerFixture.ts"

const eng = { org: "acme", namespace: "eng" }
const ops = { org: "acme", namespace: "ops" }

/** Remembers what it was given, and does as a test says. */
class Watched {
  readonly batches: Array<Batch> = []
  answer: (batch: Batch) => Effect.Effect<void, LoomError> = () => Effect.void

  readonly run = (batch: Batch) =>
    Effect.suspend(() => {
      this.batches.push(batch)
      return this.answer(batch)
    })

  versions(namespace = "eng"): ReadonlyArray<bigint> {
    return this.batches.filter(({ scope }) => scope.namespace === namespace)
      .flatMap(({ changes }) => changes.map(({ version }) => version))
  }
}

const worker = (watched: Watched, pace: Partial<Worker.Pace> = {}) =>
  Worker.make({ name: "watched", batch: 3, run: watched.run, pace })

const start = (watched: Watched, host: Worker.Host = "process", pace: Partial<Worker.Pace> = {}) =>
  Layer.build(worker(watched, pace)(host))

const cursor = Effect.gen(function*() {
  const [found] = yield* (yield* WorkerStore).cursors("watched", "everything")
  return found?.position ?? 0n
})

const house = <A, E>(test: Effect.Effect<A, E, Layer.Layer.Success<typeof layer> | Scope>) =>
  Effect.provide(test, layer)

describe("Worker", () => {
  it.scoped("reads each namespace in order, in bounded batches, and goes on with what comes later", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      yield* append(eng, 1n, 2n, 3n, 4n, 5n)
      yield* append(ops, 7n)
      yield* start(watched)
      yield* pass(3)
      assert.deepEqual(watched.versions(), [1n, 2n, 3n, 4n, 5n])
      assert.deepEqual(watched.versions("ops"), [7n])
      assert.isTrue(watched.batches.every(({ changes }) => changes.length <= 3))
      yield* append(eng, 6n)
      yield* pass(3)
      assert.deepEqual(watched.versions(), [1n, 2n, 3n, 4n, 5n, 6n])
      assert.strictEqual(
        yield* Effect.map(
          (yield* WorkerStore).cursors("watched", { org: "acme", namespaces: ["ops"] }),
          ([one]) => one?.position
        ),
        7n
      )
    })))

  it.scoped("handles several namespaces side by side when it may, each in order", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      const gates = new Map([["eng", yield* Deferred.make<void>()], ["ops", yield* Deferred.make<void>()]])
      watched.answer = ({ scope }) => {
        const gate = gates.get(scope.namespace)
        return gate === undefined ? Effect.void : Deferred.await(gate)
      }
      yield* append(eng, 1n, 2n, 3n, 4n)
      yield* append(ops, 1n)
      yield* Layer.build(Worker.make({ name: "watched", batch: 3, concurrency: 2, run: watched.run })("process"))
      yield* pass(1)
      assert.deepEqual([watched.versions(), watched.versions("ops")], [[1n, 2n, 3n], [1n]])
      for (const gate of gates.values()) yield* Deferred.succeed(gate, undefined)
      yield* pass(3)
      assert.deepEqual([watched.versions(), watched.versions("ops")], [[1n, 2n, 3n, 4n], [1n]])
      const cursors = yield* (yield* WorkerStore).cursors("watched", "everything")
      assert.deepEqual(cursors.map(({ position }) => position).sort(), [1n, 4n])
    })))

  it.scoped("goes on behind its cursor after a restart, in a cluster as in one process", () =>
    house(Effect.gen(function*() {
      for (const host of ["process", "singleton"] as const) {
        const watched = new Watched()
        const base = host === "process" ? 10n : 20n
        yield* append(eng, base, base + 1n)
        yield* Effect.scoped(Effect.zipRight(start(watched, host), pass(10)))
        assert.deepEqual(watched.versions(), [base, base + 1n], host)
        yield* append(eng, base + 2n)
        yield* Effect.scoped(Effect.zipRight(start(watched, host), pass(10)))
        assert.deepEqual(watched.versions(), [base, base + 1n, base + 2n], host)
      }
    })))

  it.scoped("handles at least once and skips nothing, wherever between handling and cursor it crashes", () =>
    house(Effect.gen(function*() {
      const faults = yield* Faults
      let version = 0n
      for (const point of ["worker.after_handle", "worker.after_reserve", "worker.before_confirm"]) {
        const watched = new Watched()
        yield* Effect.scoped(Effect.gen(function*() {
          yield* append(eng, ++version, ++version, ++version, ++version)
          faults.at.set(point, [Effect.void, Effect.die("crash"), Effect.die("crash again")])
          yield* start(watched)
          yield* pass(60)
        }))
        assert.strictEqual(faults.at.get(point)?.length, 0, point)
        assert.deepEqual([...new Set(watched.versions())], [version - 3n, version - 2n, version - 1n, version], point)
        assert.strictEqual(yield* cursor, version, point)
      }
    })))

  it.scoped("starts again after an error of the store and after a defect of its own", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      const store = yield* WorkerStore
      let broken = 3
      const failing = WorkerStore.of({
        ...store,
        pauses: (name) =>
          broken-- > 0 ? Effect.fail(new Unavailable({ operation: "WorkerStore.pauses" })) : store.pauses(name)
      })
      yield* append(eng, 1n)
      yield* Layer.build(worker(watched)("process")).pipe(Effect.provideService(WorkerStore, failing))
      yield* pass(1)
      assert.deepInclude((yield* store.statuses)[0], { state: "failed", code: "UNAVAILABLE" })
      yield* pass(30)
      assert.deepEqual(watched.versions(), [1n])
      assert.deepInclude((yield* store.statuses)[0], { state: "running", code: "" })
    })))

  it.scoped("gives up on what cannot be handled, with a letter that says which and by what code, and goes on", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      watched.answer = ({ changes }) =>
        changes.some(({ version }) => version === 2n)
          ? Effect.fail(refuse("INVALID_ARGUMENT", "a secret value"))
          : changes.some(({ version }) => version === 4n)
          ? Effect.die("a secret value")
          : Effect.void
      yield* append(eng, 1n, 2n, 3n, 4n, 5n)
      yield* append(ops, 9n)
      yield* start(watched)
      yield* pass(2)
      // The other namespace waits for nobody.
      assert.deepEqual(watched.versions("ops"), [9n])
      yield* pass(120)
      const store = yield* WorkerStore
      const letters = yield* store.letters({ reach: "everything", worker: "watched", states: ["open"], limit: 9 })
      assert.deepEqual(letters.map(({ code, memory_id, position, tries }) => [position, memory_id, code, tries]), [
        [2n, "mem_2", "INVALID_ARGUMENT", 5],
        [4n, "mem_4", "DEFECT", 5]
      ])
      assert.notInclude(
        JSON.stringify(letters, (_, value) => typeof value === "bigint" ? String(value) : value),
        "secret"
      )
      assert.strictEqual(
        yield* Effect.map(
          store.cursors("watched", "everything"),
          (all) => all.find(({ scope }) => scope.namespace === "eng")?.position
        ),
        5n
      )
      assert.includeMembers([...watched.versions()], [1n, 3n, 5n])
    })))

  it.scoped("keeps a letter and no gap when it crashes between letter and cursor", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      watched.answer = () => Effect.fail(new Corrupt({ operation: "x" }))
      ;(yield* Faults).at.set("worker.after_letter", [Effect.die("crash")])
      yield* append(eng, 1n)
      yield* start(watched, "process", { tries: 1 })
      yield* pass(20)
      const letters = yield* (yield* WorkerStore).letters({
        reach: "everything",
        worker: null,
        states: ["open"],
        limit: 9
      })
      assert.deepEqual(letters.map(({ code, position }) => [position, code]), [[1n, "INTERNAL"]])
      assert.strictEqual(yield* cursor, 1n)
    })))

  it.scoped("waits for what does not answer, more and more seldom, and loses nothing", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      let down = true
      watched.answer = () => down ? Effect.fail(new Unavailable({ operation: "model" })) : Effect.void
      yield* append(eng, 1n, 2n)
      yield* start(watched)
      yield* pass(200)
      const store = yield* WorkerStore
      assert.isBelow(watched.batches.length, 12)
      assert.deepEqual(yield* store.letters({ reach: "everything", worker: null, states: ["open"], limit: 9 }), [])
      const [kept] = yield* store.cursors("watched", "everything")
      assert.deepInclude(kept, { position: 0n, code: "UNAVAILABLE" })
      down = false
      yield* pass(90)
      const [after] = yield* store.cursors("watched", "everything")
      assert.deepInclude(after, { position: 2n, code: "", failures: 0 })
    })))

  it.scoped("stands still where it is paused, and nowhere else", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      const store = yield* WorkerStore
      const pause = (paused: boolean) =>
        store.pause({ worker: "watched", ...eng, paused, actor: "human:ada", at: paused ? 1 : 2 })
      yield* pause(true)
      yield* append(eng, 1n)
      yield* append(ops, 1n)
      yield* start(watched)
      yield* pass(10)
      assert.deepEqual([watched.versions(), watched.versions("ops")], [[], [1n]])
      yield* pause(false)
      yield* pass(10)
      assert.deepEqual(watched.versions(), [1n])
    })))

  it.scoped("tries a letter again when somebody asks", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      const store = yield* WorkerStore
      let broken = true
      watched.answer = () => broken ? Effect.fail(new Corrupt({ operation: "x" })) : Effect.void
      yield* append(eng, 1n)
      yield* start(watched, "process", { tries: 1 })
      yield* pass(10)
      const find = (state: "open" | "done") =>
        store.letters({ reach: "everything", worker: null, states: [state], limit: 9 })
      const ask = Effect.flatMap(find("open"), (letters) =>
        store.file(letters.map((letter) => ({ ...letter, state: "retry" as const, actor: "human:ada" }))))
      yield* ask
      yield* pass(10)
      assert.deepEqual(
        (yield* find("open")).map(({ tries }) =>
          tries
        ),
        [2]
      )
      broken = false
      yield* ask
      yield* pass(10)
      assert.deepEqual([(yield* find("open")).length, (yield* find("done")).length], [0, 1])
    })))

  it.scoped("moves no cursor once another owner has it, in the middle of its work", () =>
    house(Effect.gen(function*() {
      const [stale, next] = [new Watched(), new Watched()]
      const gate = yield* Deferred.make<void>()
      stale.answer = () => Deferred.await(gate)
      yield* append(eng, 1n, 2n, 3n, 4n)
      yield* start(stale)
      yield* pass(2)
      assert.deepEqual(stale.versions(), [1n, 2n, 3n])
      yield* start(next)
      yield* pass(2)
      assert.strictEqual(yield* cursor, 4n)
      const store = yield* WorkerStore
      const before = yield* store.cursors("watched", "everything")
      yield* append(eng, 5n)
      yield* Deferred.succeed(gate, undefined)
      yield* pass(1)
      const after = yield* store.cursors("watched", "everything")
      assert.deepEqual(after.map(({ position }) => position), before.map(({ position }) => position === 4n ? 4n : -1n))
      yield* pass(3)
      assert.deepEqual(next.versions(), [1n, 2n, 3n, 4n, 5n])
      // The stale one has not worked on: it has lost the worker, and takes it back only after the cluster had its time.
      assert.deepEqual(stale.versions(), [1n, 2n, 3n])
    })))

  it.scoped("what a stale owner writes late counts no more", () =>
    house(Effect.gen(function*() {
      const store = yield* WorkerStore
      const at = (position: bigint) => ({ scope: eng, position, failures: 0, code: "", at: 0 })
      yield* store.move("watched", 1n, [at(5n)])
      yield* store.move("watched", 2n, [at(5n)])
      yield* store.move("watched", 1n, [at(9n)])
      assert.strictEqual(yield* cursor, 5n)
      yield* store.move("watched", 2n, [at(4n)])
      assert.strictEqual(yield* cursor, 5n)
    })))

  it.scoped("ends at once when its layer does, and leaves the cursor where it was", () =>
    house(Effect.gen(function*() {
      const watched = new Watched()
      let interrupted = false
      watched.answer = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (interrupted = true)))
      yield* append(eng, 1n)
      yield* Effect.scoped(Effect.zipRight(start(watched), pass(2)))
      assert.isTrue(interrupted)
      assert.strictEqual(yield* cursor, 0n)
    })))

  it.scoped("runs every so often, or when there is something to do, and remembers when", () =>
    house(Effect.gen(function*() {
      let ran = 0
      let due = false
      const scheduled = Worker.makeScheduled({
        name: "watched",
        every: "1 minute",
        isDue: Effect.sync(() => due),
        run: Effect.sync(() => {
          ran += 1
          due = false
        }),
        pace: { idle: "1 second" }
      })
      yield* pass(61)
      const live = (seconds: number) => Effect.scoped(Effect.zipRight(Layer.build(scheduled("process")), pass(seconds)))
      yield* live(5)
      assert.strictEqual(ran, 1)
      yield* live(5)
      assert.strictEqual(ran, 1)
      due = true
      yield* live(5)
      assert.strictEqual(ran, 2)
      yield* live(62)
      assert.strictEqual(ran, 3)
    })))
})
