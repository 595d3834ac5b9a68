/**
 * The worker that drains the queue: each job once, whatever breaks at whichever point; what does not answer is waited for,
 * what fails for its own sake becomes a dead letter, and a former owner writes nothing more.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { Extraction } from "../../src/extraction/Extraction.ts"
import { versionAfter } from "../../src/extraction/ExtractionJobModel.ts"
import type { ExtractionJob, Receipts } from "../../src/extraction/ExtractionJobModel.ts"
import { reopened } from "../../src/extraction/ExtractionJobPolicy.ts"
import { ExtractionJobStore, layerMemory } from "../../src/extraction/ExtractionJobStore.ts"
import { refuse, Unavailable } from "../../src/kernel/LoomError.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { WorkerStore } from "../../src/work/WorkerStore.ts"
import * as ExtractionQueue from "../../workers/ExtractionQueue.ts"
import { Faults, layer as layerWorker, pass } from "./WorkerFixture.ts"

const scope = { org: "acme", namespace: "eng" }

const receipts: Receipts = {
  written: [],
  refused: [],
  forgets: [],
  extractor: "scripted",
  segments: 1,
  tokens_in: 0,
  tokens_out: 0
}

const jobOf = (name: string, changed: Partial<ExtractionJob> = {}): ExtractionJob => ({
  ...scope,
  agent: "",
  user_id: "ada",
  session_id: name,
  job_id: `ext_${name}`,
  run_id: "",
  actor: "human:ada",
  bound_user: null,
  user_name: "",
  extractor: "model",
  max_tokens: 0,
  turn_ids: [],
  told: 0,
  observed_at: null,
  state: "queued",
  code: "",
  tries: 0,
  faults: 0,
  retry_at: null,
  receipts: null,
  created_at: 0,
  at: 0,
  epoch: 0n,
  version: 1n,
  ...changed
})

/** Carries jobs out as a test says, and remembers which. */
class Scripted {
  readonly ran: Array<string> = []
  hasModel = true
  answer: (job: ExtractionJob) => Effect.Effect<Receipts, LoomError> = () => Effect.succeed(receipts)

  readonly layer = Layer.succeed(Extraction, {
    asks: ({ extractor }) => ({ model: extractor !== "rules", able: extractor === "rules" || this.hasModel }),
    run: (job) =>
      Effect.suspend(() => {
        this.ran.push(job.job_id)
        return this.answer(job)
      }),
    probe: () => Effect.succeed(receipts)
  })
}

const start = Effect.suspend(() => Layer.build(ExtractionQueue.make()("process")))

const house = <A, E, R>(test: (scripted: Scripted) => Effect.Effect<A, E, R>) => {
  const scripted = new Scripted()
  return test(scripted).pipe(
    Effect.provide(Layer.mergeAll(layerWorker, layerMemory, scripted.layer))
  )
}

/** Written now, unless a job says when. */
const put = (...jobs: ReadonlyArray<ExtractionJob>) =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const { put } = yield* ExtractionJobStore
    yield* put(jobs.map((job) => job.version === 1n ? { ...job, version: versionAfter(1n, now) } : job))
  })
const get = (name: string) =>
  Effect.flatMap(ExtractionJobStore, ({ byIds }) => Effect.map(byIds(scope, null, [`ext_${name}`]), ([job]) => job))

describe("ExtractionQueue", () => {
  it.scoped("carries out what is there and what comes later, each once", () =>
    house((scripted) =>
      Effect.gen(function*() {
        yield* put(jobOf("a"), jobOf("b"), jobOf("old", { state: "done" }), jobOf("let-go", { state: "dropped" }))
        yield* start
        yield* pass(3)
        yield* put(jobOf("c"))
        yield* pass(3)
        assert.deepStrictEqual(scripted.ran, ["ext_a", "ext_b", "ext_c"])
        assert.deepInclude(yield* get("a"), { state: "done", tries: 1, receipts, code: "" })
      })
    ))

  for (const point of ["extraction.after_claim", "extraction.before_done", "extraction.after_done"]) {
    it.scoped(`goes on after a crash at ${point}`, () =>
      house(() =>
        Effect.gen(function*() {
          const faults = yield* Faults
          faults.at.set(point, [Effect.die("crash")])
          yield* put(jobOf("a"), jobOf("b"))
          yield* start
          yield* pass(20)
          for (const name of ["a", "b"]) assert.strictEqual((yield* get(name))?.state, "done", name)
        })
      ))
  }

  for (const point of ["worker.after_reserve", "worker.before_confirm"]) {
    it.scoped(`goes on after a crash at ${point}`, () =>
      house(() =>
        Effect.gen(function*() {
          const faults = yield* Faults
          faults.at.set(point, [Effect.die("crash"), Effect.void, Effect.die("crash")])
          yield* put(jobOf("a"))
          yield* start
          yield* pass(30)
          assert.strictEqual((yield* get("a"))?.state, "done")
        })
      ))
  }

  it.scoped(
    "waits for a model for as long as it takes, asks it once a minute at most, and holds nothing else back",
    () =>
      house((scripted) =>
        Effect.gen(function*() {
          scripted.answer = ({ extractor }) =>
            extractor === "rules" ? Effect.succeed(receipts) : Effect.fail(new Unavailable({ operation: "model" }))
          yield* put(...["a", "b", "c"].map((name) => jobOf(name)))
          yield* start
          yield* pass(60)
          yield* put(jobOf("rules", { extractor: "rules" }))
          yield* pass(2)
          assert.strictEqual((yield* get("rules"))?.state, "done")
          const before = scripted.ran.length
          yield* TestClock.adjust("10 minutes")
          yield* pass(60)
          assert.isAtMost(scripted.ran.length - before, 15)
          assert.deepInclude(yield* get("a"), { state: "waiting", code: "UNAVAILABLE", faults: 0 })
          scripted.answer = () => Effect.succeed(receipts)
          yield* pass(130)
          for (const name of ["a", "b", "c"]) assert.strictEqual((yield* get(name))?.state, "done", name)
        })
      ),
    90_000
  )

  it.scoped("gives up on what fails for its own sake, and tries it again when a person asks", () =>
    house((scripted) =>
      Effect.gen(function*() {
        scripted.answer = ({ job_id }) =>
          job_id === "ext_bad" ? Effect.fail(refuse("MODEL_REPLY_UNUSABLE", "No facts")) : Effect.succeed(receipts)
        yield* put(jobOf("bad"), jobOf("good"))
        yield* start
        yield* pass(20)
        const bad = yield* get("bad")
        assert.deepInclude(bad, { state: "failed", code: "MODEL_REPLY_UNUSABLE", tries: 3, faults: 3 })
        assert.strictEqual((yield* get("good"))?.state, "done")
        yield* pass(60)
        assert.lengthOf(scripted.ran.filter((id) => id === "ext_bad"), 3)
        scripted.answer = () => Effect.succeed(receipts)
        if (bad !== undefined) yield* put(reopened(bad, { now: bad.at + 60_000, epoch: 0n }))
        yield* pass(5)
        assert.strictEqual((yield* get("bad"))?.state, "done")
      })
    ))

  it.scoped("leaves a job alone that somebody answers, that is let go, that is paused, or that needs a model", () =>
    house((scripted) =>
      Effect.gen(function*() {
        scripted.hasModel = false
        const { pause } = yield* WorkerStore
        yield* pause({
          worker: ExtractionQueue.NAME,
          org: "acme",
          namespace: "ops",
          paused: true,
          actor: "human:ada",
          at: 0
        })
        yield* put(
          jobOf("answered", { extractor: "rules", state: "running", retry_at: 30_000 }),
          jobOf("model"),
          jobOf("paused", { extractor: "rules", namespace: "ops" })
        )
        yield* start
        yield* pass(20)
        assert.deepStrictEqual(scripted.ran, [])
        yield* pass(15)
        assert.deepStrictEqual(scripted.ran, ["ext_answered"])
        assert.strictEqual((yield* get("model"))?.state, "queued")
      })
    ))

  it.scoped("an owner that was taken over writes nothing more", () =>
    house((scripted) =>
      Effect.gen(function*() {
        let first = true
        // The first owner hangs at its job until another has done it.
        scripted.answer = () =>
          Effect.suspend(() => {
            if (!first) return Effect.succeed(receipts)
            first = false
            return Effect.zipRight(Effect.sleep("30 seconds"), Effect.fail(refuse("MODEL_REPLY_UNUSABLE", "late")))
          })
        yield* put(jobOf("a"))
        yield* start
        yield* pass(3)
        yield* Layer.build(ExtractionQueue.make()("process"))
        yield* pass(10)
        const done = yield* get("a")
        assert.strictEqual(done?.state, "done")
        yield* pass(40)
        assert.deepStrictEqual(yield* get("a"), done)
      })
    ))
})
