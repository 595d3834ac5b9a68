/** What every store of workers keeps, whatever it stands on. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { DeadLetter } from "../../src/work/WorkerModel.ts"
import { WorkerStore } from "../../src/work/WorkerStore.ts"

const eng = { org: "acme", namespace: "eng" }
const ops = { org: "acme", namespace: "o'ps \\ 😀" }
const foreign = { org: "globex", namespace: "eng" }

let names = 0
const fresh = () => `worker-${++names}`

const cursorAt = (
  scope: typeof eng,
  position: bigint,
  failed: { failures: number; code: string } = { failures: 0, code: "" }
) => ({
  scope,
  position,
  ...failed,
  at: 1_700_000_000_123
})

const letter = (worker: string, changed: Partial<DeadLetter> = {}): DeadLetter => ({
  worker,
  scope: eng,
  position: 2n ** 63n,
  memory_id: "mem_1",
  change: "create",
  code: "INTERNAL",
  tries: 5,
  first_at: 1_700_000_000_000,
  at: 1_700_000_000_000,
  state: "open",
  actor: "",
  ...changed
})

export const suite = <E>(name: string, store: Layer.Layer<WorkerStore, E>) =>
  layer(store, { timeout: 60_000 })(`WorkerStore: ${name}`, (it) => {
    it.effect("keeps the furthest cursor of an epoch, and the last word on why it does not move", () =>
      Effect.gen(function*() {
        const { cursors, move } = yield* WorkerStore
        const worker = fresh()
        yield* move(worker, 0n, [cursorAt(eng, 5n), cursorAt(ops, 2n ** 63n), cursorAt(foreign, 1n)])
        yield* move(worker, 0n, [cursorAt(eng, 5n, { failures: 2, code: "UNAVAILABLE" })])
        const found = yield* cursors(worker, "everything")
        assert.deepEqual(found.find(({ scope }) => scope.namespace === ops.namespace), cursorAt(ops, 2n ** 63n))
        assert.deepInclude(found.find(({ scope }) => scope.org === "acme" && scope.namespace === "eng"), {
          position: 5n,
          failures: 2,
          code: "UNAVAILABLE"
        })
        yield* move(worker, 0n, [cursorAt(eng, 9n)])
        yield* move(worker, 0n, [cursorAt(eng, 7n)])
        assert.deepEqual(yield* cursors(worker, { org: "acme", namespaces: ["eng"] }), [cursorAt(eng, 9n)])
        assert.deepEqual((yield* cursors(worker, { org: "globex", namespaces: "*" })).map(({ scope }) => scope), [
          foreign
        ])
        assert.deepEqual(yield* cursors(worker, { org: "acme", namespaces: [] }), [])
        assert.deepEqual(yield* cursors(fresh(), "everything"), [])
      }))

    it.effect("counts no cursor of an epoch below one that has written its own, pruned or not", () =>
      Effect.gen(function*() {
        const { cursors, move, prune } = yield* WorkerStore
        const worker = fresh()
        const position = Effect.map(cursors(worker, "everything"), ([one]) => one?.position)
        yield* move(worker, 1n, [cursorAt(eng, 5n)])
        yield* move(worker, 2n, [cursorAt(eng, 5n)])
        yield* move(worker, 1n, [cursorAt(eng, 9n)])
        assert.strictEqual(yield* position, 5n)
        yield* prune(worker, 2n)
        yield* move(worker, 1n, [cursorAt(eng, 11n)])
        assert.strictEqual(yield* position, 5n)
        yield* move(worker, 2n, [cursorAt(eng, 6n)])
        assert.strictEqual(yield* position, 6n)
      }))

    it.effect("keeps pauses until they are taken back", () =>
      Effect.gen(function*() {
        const { pause, pauses } = yield* WorkerStore
        const worker = fresh()
        const said = { worker, org: "acme", namespace: "", paused: true, actor: "human:ada", at: 1_700_000_000_000 }
        yield* pause(said)
        yield* pause({ ...said, namespace: "eng" })
        assert.deepEqual((yield* pauses(worker)).map(({ namespace }) => namespace), ["", "eng"])
        yield* pause({ ...said, paused: false, at: said.at + 1 })
        assert.deepEqual(yield* pauses(worker), [{ ...said, namespace: "eng" }])
        assert.deepEqual((yield* pauses(null)).filter((one) => one.worker === worker), yield* pauses(worker))
      }))

    it.effect("keeps the last sign of life", () =>
      Effect.gen(function*() {
        const { report, statuses } = yield* WorkerStore
        const worker = fresh()
        yield* report({ worker, state: "failed", code: "UNAVAILABLE", epoch: 3n, at: 1_700_000_000_000 })
        yield* report({ worker, state: "running", code: "", epoch: 4n, at: 1_700_000_000_001 })
        assert.deepEqual((yield* statuses).filter((one) => one.worker === worker), [
          { worker, state: "running", code: "", epoch: 4n, at: 1_700_000_000_001 }
        ])
      }))

    it.effect("keeps letters, oldest first, within what a caller may see", () =>
      Effect.gen(function*() {
        const { countLetters, file, letters } = yield* WorkerStore
        const worker = fresh()
        const later = letter(worker, { position: 7n, first_at: 1_700_000_000_500 })
        const others = letter(worker, { scope: foreign })
        yield* file([later, letter(worker), others])
        const all = { worker, states: ["open", "retry"] as const, limit: 10 }
        assert.deepEqual(yield* letters({ ...all, reach: { org: "acme", namespaces: "*" } }), [letter(worker), later])
        assert.deepEqual(yield* letters({ ...all, reach: { org: "acme", namespaces: ["ops"] } }), [])
        assert.strictEqual((yield* letters({ ...all, reach: "everything", limit: 1 })).length, 1)
        yield* file([{ ...later, state: "dropped", at: later.at + 1, actor: "human:ada" }])
        const counts = yield* countLetters("everything", ["open"])
        assert.deepEqual(
          counts.filter((one) => one.worker === worker).map(({ count, scope }) => [scope.org, count]).sort(),
          [["acme", 1], ["globex", 1]]
        )
        const [dropped] = yield* letters({ ...all, reach: "everything", states: ["dropped"] })
        assert.deepInclude(dropped, { position: 7n, actor: "human:ada" })
      }))
  })
