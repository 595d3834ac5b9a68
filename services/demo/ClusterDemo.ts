/**
 * `npm run cluster:demo`: a whole cluster on this machine, on loopback alone: a real Postgres, one engine, two gateways,
 * three runners. It takes a conversation in through one gateway, reads it through the other, and then shows who owns what
 * until it is stopped (Ctrl-C) or `--seconds` are over. Stop or kill a runner meanwhile and watch its namespaces move.
 */
import * as EntityId from "@effect/cluster/EntityId"
import { Sharding } from "@effect/cluster/Sharding"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LoomClient } from "../../src/client/LoomClient.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"
import * as Output from "../cli/Output.ts"
import { Stop } from "../cli/Stop.ts"
import * as ClusterSharding from "../layers/ClusterSharding.ts"
import type { Owner } from "./ClusterViewPostgres.ts"
import { view } from "./ClusterViewPostgres.ts"
import { conversation, question } from "./DemoConversation.ts"
import * as DemoProcess from "./DemoProcess.ts"
import type { Env } from "./DemoProcess.ts"

export interface DemoOptions {
  readonly asJson: boolean
  /** How long it shows who owns what; until it is stopped when undefined. */
  readonly seconds: number | undefined
}

const RUNNERS = 3
const GATEWAYS = 2
// As shipped.
const cluster = { shardLockExpiry: Duration.seconds(6) }
// Slow enough to read, fast enough to see a hand-over.
const SHOWN_EVERY = "2 seconds"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "loom-demo-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const several = <A, E, R>(count: number, one: (index: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }, (_, index) => index), one, { concurrency: "unbounded" })

const clientOf = (baseUrl: string) =>
  Effect.provide(LoomClient, Layer.provide(LoomClient.layer({ baseUrl }), FetchHttpClient.layer))

/** Takes the conversation in; answers how many memories it made. */
const takeIn = (url: string) =>
  Effect.flatMap(clientOf(url), (client) =>
    Effect.forEach(
      Object.entries(conversation),
      ([namespace, notes]) =>
        Effect.as(client.memory.bulk_set({ namespace, agent: "demo", items: [...notes] }), notes.length),
      { concurrency: "unbounded" }
    )).pipe(Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0)))

/** Reads it back; answers how many memories there are, and what the question finds. */
const readBack = (url: string) =>
  Effect.gen(function*() {
    const client = yield* clientOf(url)
    const lists = yield* Effect.forEach(
      Object.keys(conversation),
      (namespace) => client.memory.list({ namespace, limit: 100 }),
      { concurrency: "unbounded" }
    )
    const { results } = yield* client.memory.search({ namespace: question.namespace, query: question.query, top_k: 1 })
    const best = results[0]
    return {
      memories: lists.reduce((sum, { memories }) => sum + memories.length, 0),
      question: question.query,
      found: best === undefined ? null : best.content_excerpt
    }
  })

const ownerLines = (owners: ReadonlyArray<Owner>): ReadonlyArray<string> => [
  "",
  ...Output.table([
    ["runner", "shards", "namespaces (epoch)"],
    ...owners.map(({ address, namespaces, shards }) => [
      address,
      String(shards),
      namespaces.map(({ epoch, namespace }) => `${namespace} (${epoch})`).join(", ")
    ])
  ])
]

/** The processes: each needs those before it, and they end in the reverse order. */
const startAll = Effect.gen(function*() {
  const home = yield* folder
  yield* Output.note("demo: starting Postgres and the engine")
  const server = yield* PostgresServer.make()
  const postgres = yield* server.createDatabase("loom")
  const engine = yield* DemoProcess.start(["engine", "--port", "0", "--data", home], {})
  const env: Env = {
    LOOM_CLICKHOUSE_URL: engine.url,
    LOOM_CLICKHOUSE_PASSWORD: engine.token_file === undefined ? "" : readFileSync(engine.token_file, "utf8").trim(),
    LOOM_POSTGRES_URL: Redacted.value(postgres),
    LOOM_HOST: "127.0.0.1",
    LOOM_RUNNER_HOST: "127.0.0.1",
    LOOM_MODE: "single"
  }
  yield* Output.note("demo: migrating both")
  yield* DemoProcess.run(["migrate"], env)
  yield* Output.note(`demo: starting ${RUNNERS} runners and ${GATEWAYS} gateways`)
  const runners = yield* several(
    RUNNERS,
    () => DemoProcess.start(["runner", "--port", "0", "--runner-port", "0"], env)
  )
  const gateways = yield* several(
    GATEWAYS,
    (index) => DemoProcess.start(["gateway", "--port", "0", "--data", join(home, `gateway-${index}`)], env)
  )
  return { postgres, engine, runners, gateways }
})

type House = Effect.Effect.Success<typeof startAll>

const houseLines = ({ engine, gateways, runners }: House): ReadonlyArray<string> => [
  `Engine    ${engine.url} (process ${engine.pid})`,
  ...runners.map(({ address = "", pid }) => `Runner    ${address} (process ${pid}; try kill ${pid} or kill -9 ${pid})`),
  ...gateways.map(({ pid, url }) => `Gateway   ${url} (process ${pid}; docs at ${url}/docs)`),
  "Stop      Ctrl-C"
]

const show = ({ asJson, seconds }: DemoOptions) =>
  Effect.gen(function*() {
    const sharding = yield* Sharding
    const shardOf = (id: string) => sharding.getShardId(EntityId.make(id), ClusterSharding.SHARD_GROUP).id
    const once = Effect.flatMap(view(shardOf), (runners) =>
      Output.result(asJson, { event: "owners", runners }, () => ownerLines(runners)))
    yield* Effect.repeat(once, Schedule.spaced(SHOWN_EVERY)).pipe(
      Effect.timeoutOption(seconds === undefined ? Duration.infinity : Duration.seconds(seconds))
    )
  })

/** Runs the demonstration to its end. */
export const run = (options: DemoOptions) =>
  Effect.gen(function*() {
    const { asJson } = options
    yield* Effect.flatMap(Stop, ({ isNormal }) => isNormal)
    const house = yield* startAll
    const { engine, gateways, postgres, runners } = house
    yield* Output.result(asJson, { event: "ready", engine, runners, gateways }, () => houseLines(house))
    const [first = engine, second = first] = gateways
    const [spent, memories] = yield* Effect.timed(takeIn(first.url))
    const millis = Math.round(Duration.toMillis(spent))
    yield* Output.result(asJson, { event: "written", gateway: first.url, memories, millis }, () => [
      "",
      `Wrote ${memories} memories of ${
        Object.keys(conversation).length
      } namespaces through ${first.url} in ${millis} ms`
    ])
    const read = yield* readBack(second.url)
    yield* Output.result(asJson, { event: "read", gateway: second.url, ...read }, () => [
      `Read ${read.memories} memories through ${second.url}`,
      `Asked "${read.question}", found "${read.found ?? "nothing"}"`
    ])
    yield* Effect.provide(
      show(options),
      ClusterSharding.layerClient(cluster).pipe(
        Layer.provideMerge(Postgres.layerUrl(postgres, { applicationName: "loom demo", maxConnections: 3 }))
      )
    )
    return 0
  }).pipe(Effect.scoped)
