/**
 * `npm run soak -- --minutes N [--json]`: one `loom serve` on a folder of its own under mixed work for as long as is said,
 * workers on, stopped by SIGTERM and started again every few minutes with calls under way. Each half minute it tells
 * resident memory, parts, how far workers lag, times and errors; at the end what grew after the warm-up, which is the first
 * third. Ctrl-C ends it with what it has.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as ProgressBar from "../services/cli/ProgressBar.ts"
import * as Stop from "../services/cli/Stop.ts"
import * as DemoProcess from "../services/demo/DemoProcess.ts"
import * as OwnServer from "./support/OwnServer.ts"
import { residentMegabytes } from "./support/ProcessFigures.ts"
import * as Say from "./support/Say.ts"
import * as SoakFigures from "./support/SoakFigures.ts"
import type { Sample } from "./support/SoakFigures.ts"
import { partsIn } from "./support/SoakParts.ts"
import * as SoakWork from "./support/SoakWork.ts"
import type { Call } from "./support/SoakWork.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false }
  }
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0)) {
  process.stderr.write("npm run soak -- --minutes N [--seed N] [--json]; N is a number above 0\n")
  process.exit(2)
}

// Few callers with a pause behind each call: a soak looks for what grows, not for how much goes through.
const READERS = 3
const WRITERS = 2
const PAUSE = Duration.millis(40)
const EVERY_SECONDS = 30
// Often enough for several in half an hour, seldom enough that a process is warm in between.
const RESTART_SECONDS = Math.max(45, Math.min(300, minutes * 20))
// A call that meets the restart is made again under its key for so long, as a client of the house does.
const PATIENCE_MILLIS = 60_000
const SETTLE_SECONDS = 60

interface Counts {
  reads: Array<number>
  writes: Array<number>
  errors: number
  calls: number
  restarts: number
  readonly codes: Map<string, number>
}

// What a caller may be told of a memory that another has just deleted or pinned; anything else is an error.
const EXPECTED = new Set(["SUPPRESSED", "RESTORE_WINDOW_PASSED", "AMBIGUOUS_KEY"])

const post = (url: string, verb: string, body: object): Promise<{ readonly status: number; readonly text: string }> =>
  fetch(`${url}/v1/${verb}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MILLIS)
  }).then(async (response) => ({ status: response.status, text: await response.text() }))

const codeOf = (text: string): string => /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? "UNREADABLE"

/** A server on the folder, which may be stopped and started under its callers. */
const house = (folder: string) =>
  Effect.gen(function*() {
    const outer = yield* Scope.Scope
    const env = { LOOM_DATA: folder, LOOM_EMBEDDER: "test", LOOM_LOG_LEVEL: "WARN", UV_THREADPOOL_SIZE: "16" }
    const begin = Effect.gen(function*() {
      const life = yield* Scope.fork(outer, ExecutionStrategy.sequential)
      const started = yield* Scope.extend(DemoProcess.start(["serve", "--port", "0"], env), life)
      return { life, ...started }
    })
    let current = yield* begin
    return {
      url: () => current.url,
      pid: () => current.pid,
      restart: Effect.gen(function*() {
        yield* Scope.close(current.life, Exit.void)
        current = yield* begin
      })
    }
  })

const make = Effect.gen(function*() {
  const folder = yield* OwnServer.tempFolder
  const server = yield* house(folder)
  const counts: Counts = { reads: [], writes: [], errors: 0, calls: 0, restarts: 0, codes: new Map() }
  const samples: Array<Sample> = []
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000

  const listed = yield* Effect.promise(() => fetch(`${server.url()}/v1/verbs`).then((response) => response.text()))
  const verbs = new Set([...listed.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].flatMap(([, name]) => name ?? []))

  const failed = (code: string) => {
    counts.errors += 1
    counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1)
  }

  /** Makes a call until it is answered; what it takes while the server is there is its time. */
  const make = (call: Call) =>
    Effect.promise(async () => {
      const body = call.kind === "write" ? { ...call.body, idempotency_key: randomUUID() } : call.body
      const first = performance.now()
      while (true) {
        const [sentAt, restarts] = [performance.now(), counts.restarts]
        const answer = await post(server.url(), call.verb, body).catch(() => undefined)
        const isAway = answer === undefined || answer.status === 503
        if (isAway && performance.now() - first < PATIENCE_MILLIS) {
          await new Promise((resolve) => setTimeout(resolve, 200))
          continue
        }
        counts.calls += 1
        if (answer === undefined) return failed("NO_ANSWER")
        if (answer.status !== 200 && !EXPECTED.has(codeOf(answer.text))) return failed(codeOf(answer.text))
        // One that met the restart tells of the restart.
        if (restarts === counts.restarts) {
          const times = call.kind === "read" ? counts.reads : counts.writes
          times.push(performance.now() - sentAt)
        }
        return
      }
    })

  const caller = (kind: Call["kind"], at: number) => {
    const next = SoakWork.calls(seed, at, kind, verbs)
    return Effect.forever(Effect.zipRight(Effect.suspend(() => make(next())), Effect.sleep(PAUSE)))
  }

  const lag = Effect.promise(() =>
    post(server.url(), "ops.workers", {}).then(
      ({ text }) =>
        [...text.matchAll(/"lag_changes":(\d+)/g)].reduce((most, [, one]) => Math.max(most, Number(one)), 0),
      () => Number.NaN
    )
  )

  const sample = Effect.gen(function*() {
    const parts = [...partsIn(join(folder, "clickhouse"))].sort(([, one], [, other]) => other - one)
    const [most = "none"] = parts.map(([table, count]) => `${table} ${count}`)
    const seen: Sample = {
      seconds: seconds(),
      resident_mb: residentMegabytes(server.pid()),
      parts: parts.reduce((sum, [, count]) => sum + count, 0),
      parts_most: most,
      lag: yield* lag,
      reads: counts.reads,
      writes: counts.writes,
      errors: counts.errors,
      restarts: counts.restarts
    }
    counts.reads = []
    counts.writes = []
    samples.push(seen)
    return seen
  })

  const bar = yield* ProgressBar.make({ label: "soaked seconds", total: Math.round(minutes * 60), before: 0 })
  const over = yield* Deferred.make<void>()

  const watch = Effect.gen(function*() {
    let [told, restarted, drawn] = [0, 0, 0]
    while (seconds() < minutes * 60) {
      yield* Effect.sleep("1 second")
      const now = Math.min(Math.round(minutes * 60), Math.floor(seconds()))
      yield* bar.advance(now - drawn)
      drawn = now
      if (seconds() - told >= EVERY_SECONDS) {
        told = seconds()
        yield* bar.say(SoakFigures.lineOf(yield* sample))
      }
      // None that the end would cut short.
      if (seconds() - restarted >= RESTART_SECONDS && minutes * 60 - seconds() > EVERY_SECONDS) {
        restarted = seconds()
        counts.restarts += 1
        yield* server.restart
      }
    }
    yield* bar.end
    yield* Deferred.succeed(over, undefined)
  })

  const work = Effect.all(
    [
      watch,
      ...Array.from({ length: READERS }, (_, at) => caller("read", at)),
      ...Array.from({ length: WRITERS }, (_, at) => caller("write", at))
    ],
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.raceFirst(Deferred.await(over)))

  /** Until the workers have nothing left to do, or long enough. */
  const settled = Effect.gen(function*() {
    for (let waited = 0; waited < SETTLE_SECONDS; waited++) {
      const left = yield* lag
      if (left === 0) return 0
      yield* Effect.sleep("1 second")
    }
    return yield* lag
  })

  const report = (lag_end: number) =>
    Effect.gen(function*() {
      const codes = Object.fromEntries(counts.codes)
      yield* Say.result({ ...SoakFigures.summary(samples, { ...counts, lag_end }), codes }, values.json)
    })

  /** How far the workers were behind when that was last looked at; -1 before. */
  const last = () => samples[samples.length - 1]?.lag ?? -1

  return { work, settled, sample, last, report }
})

const program = Effect.gen(function*() {
  const { last, report, sample, settled, work } = yield* make
  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(restore(work))
      const isStopped = Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)
      if (Exit.isFailure(exit) && !isStopped) return yield* Effect.failCause(exit.cause)
      // Whoever stops it waits for its end, and may do so while the server is away.
      const lag_end = isStopped ? last() : yield* Effect.zipRight(sample, settled)
      yield* report(lag_end)
      return 0
    })
  )
}).pipe(
  Effect.scoped,
  Effect.catchTag("DemoFailed", (error) => Effect.as(Say.note(error.message), 1))
)

Stop.runMain(program)
