/**
 * `npm run bench:cluster`: what a cluster costs beside one `loom serve` on the same machine and the same engine, and on the
 * same work. (a) Writes spread over many namespaces, (b) into one namespace, through a gateway to three runners, against
 * serve. (c) The fence of a runner, on against off. (d) What a gateway adds to a read. All are real processes; the sides take
 * turns, and vectors are replayed.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import type { Job } from "./support/CallersProcess.ts"
import * as ClusterHouse from "./support/ClusterHouse.ts"
import type { Side } from "./support/ClusterHouse.ts"
import * as ClusterWork from "./support/ClusterWork.ts"
import * as House from "./support/House.ts"
import * as Options from "./support/Options.ts"
import * as Rounds from "./support/Rounds.ts"
import * as Say from "./support/Say.ts"
import { percentile, rounded } from "./support/Timing.ts"
import * as Vectors from "./support/Vectors.ts"
import * as WritePlan from "./support/WritePlan.ts"

const options = Options.read("bench:cluster", { rows: 3_000, namespaces: 30, callers: 64, seconds: 120 })
const { callers, namespaces, rows, seconds, seed } = options

const isWanted = (part: string) => options.part === undefined || options.part === part

const RUNNERS = 3
// Enough that one of them may be spoilt, and one more at first, in which code and stores become warm.
const ROUNDS = 7
// New facts of a round in each of the spread namespaces, and in the hot one: some seconds of either.
const SPREAD_FACTS = 30
const HOT_FACTS = 800
// Of each side, in blocks that take turns.
const READS = 1_000
const BLOCK = 25

const split = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const size = Math.ceil(items.length / (ROUNDS + 1))
  return Array.from({ length: ROUNDS + 1 }, (_, at) => items.slice(at * size, (at + 1) * size))
}

const perNamespace = Math.ceil(rows / namespaces)
const filling = WritePlan.plan(seed, 0, rows)
const spreadRounds = split(WritePlan.plan(seed, perNamespace, perNamespace + SPREAD_FACTS * (ROUNDS + 1)))
const hotRounds = split(WritePlan.plan(seed, rows, rows + HOT_FACTS * (ROUNDS + 1)))

const job = (payloads: ReadonlyArray<object>): Job => ({
  via: "http",
  verb: "memory.set",
  payloads,
  callers,
  seconds: seconds / ROUNDS / 2
})

/** Writes spread over the namespaces of each side, in rounds. */
const spread = (part: string, sides: ReadonlyArray<Side>) =>
  Effect.gen(function*() {
    const names = ({ name }: Side) => ClusterWork.namespacesOf(name, part, namespaces)
    for (const side of sides) {
      yield* side.callers.run(ClusterWork.fill(names(side), filling.slice(0, perNamespace)))
      yield* side.callers.run(job(ClusterWork.sets(names(side), spreadRounds[ROUNDS] ?? [])))
    }
    return yield* Rounds.play(part, sides, ROUNDS, (side, round) =>
      job(ClusterWork.sets(names(side), spreadRounds[round] ?? [])))
  })

/** Writes into one namespace of each side, in rounds. */
const hot = (sides: ReadonlyArray<Side>) =>
  Effect.gen(function*() {
    const names = ({ name }: Side) => ClusterWork.namespacesOf(name, "hot", 1)
    for (const side of sides) {
      yield* side.callers.run(ClusterWork.fill(names(side), filling))
      yield* side.callers.run(job(ClusterWork.sets(names(side), hotRounds[ROUNDS] ?? [])))
    }
    return yield* Rounds.play("hot", sides, ROUNDS, (side, round) =>
      job(ClusterWork.sets(names(side), hotRounds[round] ?? [])))
  })

/** Reads by key of rows that nobody has read, by one caller, in turns; the times of each side. */
const reads = (sides: ReadonlyArray<Side>) =>
  Effect.gen(function*() {
    yield* Say.note("reads by one caller")
    const names = ({ name }: Side) => ClusterWork.namespacesOf(name, "reads", namespaces)
    for (const side of sides) yield* side.callers.run(ClusterWork.fill(names(side), filling.slice(0, perNamespace)))
    const times = sides.map((): Array<number> => [])
    const asked = sides.map((side) =>
      filling.slice(0, perNamespace).flatMap(({ memory_key }) =>
        names(side).map((namespace) => ({
          namespace,
          memory_key,
          agent: "",
          user_id: "-",
          session_id: ""
        }))
      ).slice(0, READS)
    )
    for (let from = 0; from < READS; from += BLOCK) {
      for (let turn = 0; turn < sides.length; turn++) {
        const at = (turn + from / BLOCK) % sides.length
        const payloads = asked[at]?.slice(from, from + BLOCK) ?? []
        const report = yield* sides[at]!.callers.run({ via: "http", verb: "memory.get", payloads, callers: 1, seconds })
        times[at]?.push(...report.times)
      }
    }
    return times.map((of) => rounded(percentile(of, 0.5)))
  })

const against = (house: ClusterHouse.ClusterHouse) =>
  Effect.gen(function*() {
    yield* Say.note(`starting serve twice, and a gateway with ${RUNNERS} runners`)
    const serve = yield* house.serve("serve", "engine")
    const embedded = yield* house.serve("embedded", "itself")
    const cluster = yield* house.cluster("cluster", RUNNERS)
    const sides = [serve, cluster, embedded]
    const spreads = isWanted("spread") ? yield* spread("spread", sides) : []
    const hots = isWanted("hot") ? yield* hot(sides) : []
    const [serveGet = Number.NaN, gatewayGet = Number.NaN] = isWanted("reads") ? yield* reads([serve, cluster]) : []
    return { spreads, hots, serveGet, gatewayGet }
  }).pipe(Effect.scoped)

const fencing = (house: ClusterHouse.ClusterHouse) =>
  Effect.gen(function*() {
    yield* Say.note("starting two gateways with a runner each, one of them without its fence")
    const on = yield* house.cluster("fenced", 1)
    const off = yield* house.cluster("unfenced", 1, { LOOM_TEST_FENCE_OFF: "all" })
    return yield* spread("fence", [on, off])
  }).pipe(Effect.scoped)

const nothing = { spreads: [], hots: [], serveGet: Number.NaN, gatewayGet: Number.NaN }

const bench = Effect.gen(function*() {
  const data = yield* House.dataFolder(options.data)
  const vectors = yield* Vectors.make(seed)
  const file = yield* ClusterWork.record(vectors, [...filling, ...spreadRounds.flat(), ...hotRounds.flat()], data)
  const house = yield* ClusterHouse.make({ data, vectors: file })
  const { gatewayGet, hots, serveGet, spreads } = options.part === "fence" ? nothing : yield* against(house)
  const fences = isWanted("fence") ? yield* fencing(house) : []

  const [serve, cluster, embedded] = spreads
  const [hotServe, hotCluster, hotEmbedded] = hots
  const [on, off] = fences
  const fence = Rounds.ratio(on, off)
  yield* Say.result({
    bench: "cluster",
    serve_rate: Rounds.rateOf(serve),
    cluster_rate: Rounds.rateOf(cluster),
    ratio: Rounds.ratio(cluster, serve),
    hot_serve_rate: Rounds.rateOf(hotServe),
    hot_cluster_rate: Rounds.rateOf(hotCluster),
    hot_ratio: Rounds.ratio(hotCluster, hotServe),
    fence_on_rate: Rounds.rateOf(on),
    fence_off_rate: Rounds.rateOf(off),
    fence_cost: rounded(1 - fence),
    gateway_get_p50_ms: gatewayGet,
    serve_get_p50_ms: serveGet,
    gateway_adds_ms: rounded(gatewayGet - serveGet),
    embedded_rate: Rounds.rateOf(embedded),
    hot_embedded_rate: Rounds.rateOf(hotEmbedded),
    callers,
    namespaces,
    errors: Rounds.errorsOf([...spreads, ...hots, ...fences]),
    spread: Rounds.byName(["serve", "cluster", "embedded"], spreads),
    hot: Rounds.byName(["serve", "cluster", "embedded"], hots),
    fence: Rounds.byName(["on", "off"], fences)
  }, options.json)
})

NodeRuntime.runMain(Effect.scoped(bench))
