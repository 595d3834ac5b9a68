/**
 * `npm run bench:write`: what judging costs beside the raw engine. (a) `memory.set` by one RPC caller into a namespace of
 * many rows, in turns with a commit of the very same row. (b) Judged writes of many RPC callers into one growing namespace,
 * (c) `memory.bulk_set` and plain `memory.set` over HTTP: each in rounds with the same commits through the same committer.
 * The server is this process, the callers are another one; vectors are replayed.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../src/kernel/Identity.ts"
import type { Committer } from "../src/memory/Committer.ts"
import { MemoryStore } from "../src/memory/MemoryStore.ts"
import type { Commit } from "../src/memory/MemoryStore.ts"
import { Embedder } from "../src/platform/Embedder.ts"
import * as Callers from "./support/Callers.ts"
import type { Job, Report } from "./support/CallersProcess.ts"
import type { Fact } from "./support/Facts.ts"
import * as Fill from "./support/Fill.ts"
import * as Heap from "./support/Heap.ts"
import * as House from "./support/House.ts"
import * as Options from "./support/Options.ts"
import * as Raw from "./support/RawWrites.ts"
import * as Say from "./support/Say.ts"
import { compared, isOver, mean, percentile, rounded, timed } from "./support/Timing.ts"
import * as Vectors from "./support/Vectors.ts"
import * as WritePlan from "./support/WritePlan.ts"

const options = Options.read("bench:write", { rows: 100_000, callers: 64, seconds: 60 })
const { callers, rows, seconds, seed } = options
const org = "dev"
const scopeOf = (namespace: string): Scope => ({ org, namespace })

// Pairs of a set and a raw commit.
const SETS = 300
const WARM_UP = 20
// The namespace of the judged writes starts with this many rows, or with as many as the large one if that has fewer, and
// doubles.
const GROW_FROM = Math.min(10_000, rows)
// Turns of judged and raw writes, so that both meet the same noise of the machine.
const ROUNDS = 5
const BULK = 50
const BULK_CALLERS = 4
// What the HTTP parts write: enough rounds of each for a steady rate, and less than the main part.
const HTTP_ROWS = Math.ceil(GROW_FROM / 4)

interface Measured {
  readonly times: Array<number>
  readonly outcomes: Record<string, number>
  readonly batches: Array<number>
  millis: number
  rawMillis: number
  writes: number
  rawRows: number
}

const bench = Effect.gen(function*() {
  const data = yield* House.dataFolder(options.data)
  const vectors = yield* Vectors.make(seed)

  const measure = Effect.gen(function*() {
    const watch = yield* House.Watch
    const store = yield* MemoryStore
    const committer = yield* Raw.committer(watch.store)
    const url = yield* HttpServer.addressFormattedWith((address) => Effect.succeed(address))
    const over = yield* Callers.start(url)

    const filled = (namespace: string, wanted: number) =>
      Effect.gen(function*() {
        const scope = scopeOf(namespace)
        const there = (yield* store.position(scope)).rows
        if (there < wanted) yield* Fill.fill({ scope, seed, rows: wanted, vectors })
        return there < wanted ? wanted : there
      })

    /** One caller: a set, and the row it wrote once more without judging; who goes first cannot change, since the row must be known. */
    const alone = Effect.gen(function*() {
      const namespace = "bench-set"
      const from = yield* filled(namespace, rows)
      const facts = WritePlan.plan(seed, from, from + SETS + WARM_UP + 1)
      const fresh = facts.filter((fact) => !fact.memory_key.startsWith("inbox/"))
      vectors.learn(facts)
      const before = Heap.bytesInUse()
      const [activation] = yield* timed(set(fresh[0]!, namespace))
      const stateBytes = Heap.bytesInUse() - before
      const ours: Array<number> = []
      const raw: Array<number> = []
      const began = performance.now()
      for (const [nth, fact] of fresh.slice(1, 1 + SETS + WARM_UP).entries()) {
        if (isOver(began, seconds)) break
        const [report, commits] = yield* watch.commits(set(fact, namespace))
        const [millis] = yield* timed(rawCommits(watch.store, commits))
        if (nth < WARM_UP || commits.length !== 1) continue
        ours.push(report.times[0]!)
        raw.push(millis)
      }
      return { ...compared(ours, raw), state_bytes: stateBytes, activation_ms: rounded(activation) }
    })

    const set = (fact: Fact, namespace: string): Effect.Effect<Report, Callers.CallersGone> =>
      over.run({
        via: "rpc",
        verb: "memory.set",
        payloads: [{ namespace, ...WritePlan.asItem(fact) }],
        callers: 1,
        seconds
      })

    const rawCommits = (into: MemoryStore["Type"], commits: ReadonlyArray<Commit>) => {
      const scratch = scopeOf("bench-scratch")
      const copies = commits.map((commit) => Raw.moved(commit, scratch))
      return Effect.forEach(copies, (copy) => into.commit(copy), { discard: true })
    }

    /** Many callers: rounds of a job, and of its commits once more. */
    const rounds = (namespace: string, from: number, to: number, jobOf: (facts: ReadonlyArray<Fact>) => Job) =>
      Effect.gen(function*() {
        const facts = WritePlan.plan(seed, from, to)
        vectors.learn(facts)
        const found: Measured = { times: [], outcomes: {}, batches: [], millis: 0, rawMillis: 0, writes: 0, rawRows: 0 }
        const size = Math.ceil(facts.length / ROUNDS)
        for (let round = 0; round < ROUNDS; round++) {
          const job = { ...jobOf(facts.slice(round * size, (round + 1) * size)), seconds: seconds / ROUNDS }
          if (job.payloads.length === 0) continue
          const [report, commits] = yield* watch.commits(over.run(job))
          found.times.push(...report.times)
          found.millis += report.millis
          for (const [name, count] of Object.entries(report.outcomes)) {
            found.outcomes[name] = (found.outcomes[name] ?? 0) + count
            found.writes += count
          }
          const scratch = scopeOf(`${namespace}-scratch`)
          const copies = commits.map((commit) => Raw.moved(commit, scratch))
          found.batches.push(...copies.map((copy) => copy.rows.length))
          found.rawRows += copies.reduce((sum, copy) => sum + copy.rows.length, 0)
          found.rawMillis += yield* rawThrough(committer, scratch, copies)
        }
        vectors.forget()
        return ratesOf(found)
      })

    const rpcSets = (namespace: string) => (facts: ReadonlyArray<Fact>): Job => ({
      via: "rpc",
      verb: "memory.set",
      payloads: facts.map((fact) => ({ namespace, ...WritePlan.asItem(fact) })),
      callers,
      seconds
    })
    const httpSets = (namespace: string) => (facts: ReadonlyArray<Fact>): Job => ({
      ...rpcSets(namespace)(facts),
      via: "http"
    })
    const httpBulks = (namespace: string) => (facts: ReadonlyArray<Fact>): Job => ({
      via: "http",
      verb: "memory.bulk_set",
      payloads: Array.from({ length: Math.ceil(facts.length / BULK) }, (_, at) => ({
        namespace,
        items: facts.slice(at * BULK, (at + 1) * BULK).map(WritePlan.asItem)
      })),
      callers: BULK_CALLERS,
      seconds
    })

    yield* Say.note("(a) memory.set, one RPC caller")
    const one = yield* alone
    yield* Say.note(`(b) judged writes, ${callers} RPC callers`)
    const namespace = "bench-judged"
    const from = yield* filled(namespace, GROW_FROM)
    const to = from + GROW_FROM
    yield* over.run({
      ...rpcSets(namespace)([]),
      payloads: [{ namespace, memory_key: "bench/warm/up", value: WARM }],
      callers: 1
    })
    const judged = yield* rounds(namespace, from, to, rpcSets(namespace))
    const grown = (yield* store.position(scopeOf(namespace))).rows
    yield* Say.note(`(c) memory.bulk_set of ${BULK} over HTTP`)
    const bulk = yield* rounds(namespace, to, to + HTTP_ROWS, httpBulks(namespace))
    yield* Say.note(`(d) memory.set over HTTP, ${callers} callers`)
    const plain = yield* rounds(namespace, to + HTTP_ROWS, to + 2 * HTTP_ROWS, httpSets(namespace))
    return {
      bench: "write",
      ...one,
      rows,
      callers,
      rate: judged.rate,
      raw_rate: judged.raw_rate,
      ratio: judged.ratio,
      batch: judged.batch.mean,
      verdicts: judged.verdicts,
      judged: { ...judged, rows_from: from, rows_to: grown, callers },
      bulk_set: { ...bulk, items: BULK, callers: BULK_CALLERS },
      http_set: { ...plain, callers }
    }
  })

  const house = House.layer(data, Layer.succeed(Embedder, vectors.embedder))
  const found = yield* Effect.provide(Effect.scoped(measure), house)
  yield* Say.result(found, options.json)
})

// One of the recorded facts, so that it needs no learning.
const WARM = WritePlan.plan(seed, 0, 1)[0]?.value ?? ""

/** Milliseconds that the committer takes for these commits, one after the other, as they came. */
const rawThrough = (committer: Committer["Type"], scope: Scope, commits: ReadonlyArray<Commit>) =>
  Effect.map(
    timed(
      Effect.forEach(commits, (commit) => committer.commit({ scope, epoch: 0n, seq: 0n }, commit), { discard: true })
    ),
    ([millis]) => millis
  )

const ratesOf = (found: Measured) => {
  const rate = (1_000 * found.writes) / found.millis
  const raw = (1_000 * found.rawRows) / found.rawMillis
  return {
    rate: rounded(rate),
    raw_rate: rounded(raw),
    ratio: rounded(rate / raw),
    writes: found.writes,
    p50_ms: rounded(percentile(found.times, 0.5)),
    p95_ms: rounded(percentile(found.times, 0.95)),
    batch: {
      mean: rounded(mean(found.batches)),
      p50: percentile(found.batches, 0.5),
      max: Math.max(...found.batches),
      commits: found.batches.length
    },
    verdicts: found.outcomes
  }
}

NodeRuntime.runMain(Effect.scoped(bench))
