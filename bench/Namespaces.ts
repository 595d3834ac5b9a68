/**
 * `npm run bench:namespaces`: what many namespaces cost a runner. One gateway and one runner; each of 10,000 namespaces is
 * written and read once, then all are left alone until their actors are put away. Told at each tenth of the way: the
 * memory that the runner has resident, the actors it holds, the time; and what a few actors cost that stay busy.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Report } from "./support/CallersProcess.ts"
import * as ClusterHouse from "./support/ClusterHouse.ts"
import * as ClusterWork from "./support/ClusterWork.ts"
import * as Gauges from "./support/Gauges.ts"
import * as House from "./support/House.ts"
import * as Options from "./support/Options.ts"
import { residentMegabytes } from "./support/ProcessFigures.ts"
import * as Say from "./support/Say.ts"
import { percentile, rounded } from "./support/Timing.ts"
import * as Vectors from "./support/Vectors.ts"
import * as WritePlan from "./support/WritePlan.ts"

const options = Options.read("bench:namespaces", { rows: 1_000, namespaces: 10_000, callers: 32, seconds: 3_600 })
const { callers, namespaces, rows, seconds, seed } = options

const STEPS = 10
// Actors are put away after so long: long enough that all of them are held at once when the last namespace comes (at 17 a
// second), short enough to wait for. As shipped it is five minutes.
const IDLE_SECONDS = Math.max(20, Math.ceil(0.06 * namespaces))
// The cluster looks for idle actors every thirty seconds at the latest, and puts away thousands in some seconds more.
const PATIENCE_SECONDS = IDLE_SECONDS + 90
// An active actor is one that holds rows: so many namespaces get `rows` each.
const ACTIVE = 10

const facts = WritePlan.plan(seed, 0, rows)
const [first] = facts

const namesOf = (from: number, to: number): ReadonlyArray<string> =>
  Array.from({ length: to - from }, (_, at) => `many-${from + at}`)

/** Writes and reads each of these namespaces once. */
const visit = ({ callers: ask }: ClusterHouse.Side, names: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const told = { via: "http", callers, seconds } as const
    const written = yield* ask.run({
      ...told,
      verb: "memory.set",
      payloads: ClusterWork.sets(names, facts.slice(0, 1))
    })
    const payloads = names.map((namespace) => ({
      namespace,
      memory_key: first?.memory_key,
      agent: "",
      user_id: "-",
      session_id: ""
    }))
    const read = yield* ask.run({ ...told, verb: "memory.get", payloads })
    return { written, read }
  })

const times = ({ millis, times }: Report, count: number) => ({
  seconds: rounded(millis / 1_000),
  rate: rounded((1_000 * count) / millis),
  p50_ms: rounded(percentile(times, 0.5)),
  p95_ms: rounded(percentile(times, 0.95))
})

/** Visits all namespaces, told step by step. */
const fill = (side: ClusterHouse.Side, runner: ClusterHouse.Worker) =>
  Effect.gen(function*() {
    const size = Math.ceil(namespaces / STEPS)
    const steps: Array<Say.Result> = []
    const note = (done: number, more: Say.Result) =>
      Effect.gen(function*() {
        const { actors, shards } = yield* Gauges.of(runner.url)
        const step = { namespaces: done, resident_mb: residentMegabytes(runner.pid), actors, shards, ...more }
        steps.push(step)
        yield* Say.note(JSON.stringify(step))
      })
    yield* note(0, {})
    for (let from = 0; from < namespaces; from += size) {
      const names = namesOf(from, Math.min(from + size, namespaces))
      const { read, written } = yield* visit(side, names)
      const lost = names.length - ClusterWork.acknowledged(written.outcomes)
      yield* note(from + names.length, {
        written: times(written, names.length),
        read: times(read, names.length),
        ...(lost === 0 ? {} : { refused: lost, outcomes: written.outcomes })
      })
    }
    return steps
  })

/** Waits until the runner holds no actor; how long that took. */
const emptied = (runner: ClusterHouse.Worker) =>
  Effect.gen(function*() {
    const began = performance.now()
    const look = Effect.flatMap(Gauges.of(runner.url), ({ actors }) =>
      Effect.as(Say.note(`${actors} actors left`), actors))
    const left = yield* look.pipe(
      Effect.repeat({
        until: (actors) =>
          actors === 0,
        schedule: Schedule.spaced("5 seconds")
      }),
      Effect.timeoutOption(Duration.seconds(PATIENCE_SECONDS))
    )
    return { seconds: rounded((performance.now() - began) / 1_000), evicted: left._tag === "Some" ? "all" : "not all" }
  })

const bench = Effect.gen(function*() {
  const data = yield* House.dataFolder(options.data)
  const vectors = yield* Vectors.make(seed)
  const file = yield* ClusterWork.record(vectors, facts, data)
  const house = yield* ClusterHouse.make({ data, vectors: file })
  yield* Say.note(`starting a gateway and a runner whose actors are put away after ${IDLE_SECONDS} s`)
  const side = yield* house.cluster("many", 1, { LOOM_ACTOR_IDLE: `${IDLE_SECONDS} seconds` })
  const runner = side.workers.find(({ role }) => role === "runner")
  const gateway = side.workers.find(({ role }) => role === "gateway")
  if (runner === undefined || gateway === undefined) return yield* Effect.dieMessage("The side has no runner")

  yield* Effect.sleep("5 seconds")
  const steps = yield* fill(side, runner)
  const before = residentMegabytes(runner.pid)
  const { actors } = yield* Gauges.of(runner.url)
  const gatewayMegabytes = residentMegabytes(gateway.pid)
  const away = yield* emptied(runner)
  const after = residentMegabytes(runner.pid)

  yield* Say.note(`${ACTIVE} namespaces of ${rows} memories`)
  const busy = Array.from({ length: ACTIVE }, (_, at) => `busy-${at}`)
  yield* side.callers.run(ClusterWork.fill(busy, facts))
  const busyMegabytes = residentMegabytes(runner.pid)

  // Those put away first come back, in the place that they left.
  const again = namesOf(0, Math.ceil(namespaces / STEPS))
  const { read, written } = yield* visit(side, again)
  const [first] = steps
  const empty = Number(first?.["resident_mb"])
  yield* Say.result({
    bench: "namespaces",
    namespaces,
    idle_seconds: IDLE_SECONDS,
    resident_mb_at_start: empty,
    resident_mb_before_eviction: before,
    actors_before_eviction: actors,
    resident_kb_per_actor: rounded((1_024 * (before - empty)) / actors),
    gateway_resident_mb: gatewayMegabytes,
    evicted: away.evicted,
    evicted_after_s: away.seconds,
    resident_mb_after_eviction: after,
    resident_mb_with_busy: busyMegabytes,
    back: { written: times(written, again.length), read: times(read, again.length), outcomes: written.outcomes },
    resident_mb_with_those_back: residentMegabytes(runner.pid),
    steps
  }, options.json)
})

NodeRuntime.runMain(Effect.scoped(bench))
