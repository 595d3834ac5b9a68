/**
 * `npm run bench:get`: `memory.get` by the full identity against a keyed FINAL read of the same row and columns through the
 * same client, in one process and in turns. The verb is called through `Dispatch`, which is all that a reader pays beside
 * the wire; over HTTP it is told beside that. `hot_…` are second and later reads of a few keys.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import { Dispatch } from "../services/gateway/Dispatch.ts"
import { localCaller } from "../src/kernel/Caller.ts"
import type { Scope } from "../src/kernel/Identity.ts"
import { MemoryStore } from "../src/memory/MemoryStore.ts"
import { Clickhouse } from "../src/platform/Clickhouse.ts"
import { layerTest } from "../src/platform/EmbedderTest.ts"
import * as Callers from "./support/Callers.ts"
import { Chance } from "./support/Chance.ts"
import { factAt } from "./support/Facts.ts"
import * as Fill from "./support/Fill.ts"
import * as House from "./support/House.ts"
import * as Options from "./support/Options.ts"
import * as Raw from "./support/RawGetClickhouse.ts"
import * as Say from "./support/Say.ts"
import { compared, isOver, percentile, rounded, timed } from "./support/Timing.ts"

const options = Options.read("bench:get", { rows: 100_000, callers: 1, seconds: 20 })
const { callers, rows, seconds, seed } = options
const scope: Scope = { org: "dev", namespace: "bench-get" }

// Enough for a steady 95th percentile.
const READS = 1_000
const WARM_UP = 100
const HOT_KEYS = 16

const request = (memory_key: string) => ({
  namespace: scope.namespace,
  memory_key,
  agent: "",
  user_id: "-",
  session_id: ""
})

const chance = new Chance(seed, "reads")
const anyKey = () => factAt(seed, chance.below(rows)).memory_key

/** One pair after the other, by so many callers; who goes first alternates, since the second finds the row in the cache. */
const pairs = (count: number, key: (nth: number) => string) =>
  Effect.gen(function*() {
    const dispatch = yield* Dispatch
    const clickhouse = yield* Clickhouse
    const verb: Array<number> = []
    const raw: Array<number> = []
    const began = performance.now()
    const pair = (nth: number) =>
      Effect.gen(function*() {
        if (isOver(began, seconds)) return
        const asked = key(nth)
        const ours = timed(dispatch.call("memory.get", request(asked), localCaller)).pipe(
          Effect.tap(([millis, answer]) =>
            Object(answer).found === true
              ? Effect.sync(() => verb.push(millis))
              : Effect.dieMessage(`${asked} was not found`)
          )
        )
        const theirs = Effect.tap(timed(Raw.get(clickhouse, scope, asked)), ([millis, found]) =>
          found.length === 1
            ? Effect.sync(() => raw.push(millis))
            : Effect.dieMessage(`${asked} is not one row`))
        yield* nth % 2 === 0 ? Effect.zipRight(ours, theirs) : Effect.zipRight(theirs, ours)
      })
    yield* Effect.forEach(Array.from({ length: count }, (_, nth) => nth), pair, { concurrency: callers, discard: true })
    return { verb, raw }
  })

const measure = Effect.gen(function*() {
  const store = yield* MemoryStore
  const there = (yield* store.position(scope)).rows
  if (there < rows) yield* Fill.fill({ scope, seed, rows, vectors: null })

  yield* pairs(WARM_UP, anyKey)
  const cold = yield* pairs(READS, anyKey)
  const keys = Array.from({ length: HOT_KEYS }, anyKey)
  yield* pairs(HOT_KEYS, (nth) => keys[nth % HOT_KEYS]!)
  const hot = yield* pairs(READS / 2, (nth) => keys[nth % HOT_KEYS]!)

  const url = yield* HttpServer.addressFormattedWith((address) => Effect.succeed(address))
  const over = yield* Callers.start(url)
  const payloads = Array.from({ length: READS / 2 }, () => request(anyKey()))
  const { outcomes, times } = yield* over.run({ via: "http", verb: "memory.get", payloads, callers, seconds })

  const ofHot = compared(hot.verb, hot.raw)
  return {
    bench: "get",
    ...compared(cold.verb, cold.raw),
    rows,
    callers,
    hot_p50_ms: ofHot.p50_ms,
    hot_raw_p50_ms: ofHot.raw_p50_ms,
    hot_ratio_p50: ofHot.ratio_p50,
    http_p50_ms: rounded(percentile(times, 0.5)),
    http_p95_ms: rounded(percentile(times, 0.95)),
    http_outcomes: outcomes
  }
})

const bench = Effect.gen(function*() {
  const data = yield* House.dataFolder(options.data)
  const found = yield* Effect.provide(Effect.scoped(measure), House.layer(data, layerTest))
  yield* Say.result(found, options.json)
})

NodeRuntime.runMain(Effect.scoped(bench))
