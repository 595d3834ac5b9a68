/**
 * `npm run test:model -- [--store memory|clickhouse|clickhouse-url] [--runs N] [--seed S] [--length N]`: plays random
 * histories against the reference model. Ends with 1 when one goes wrong, shortest form first; with 2 on a wrong argument.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { layerEmbedded, layerHttp, place } from "./ModelPlaces.ts"
import { playIn, playInMemory, run, seedOfDay } from "./ModelRun.ts"
import type { RunReport } from "./ModelRun.ts"

const usage = "npm run test:model -- [--store memory|clickhouse|clickhouse-url] [--runs N] [--seed N] [--length N]"

const leave = (text: string): never => {
  process.stderr.write(`${text}\n${usage}\n`)
  process.exit(2)
}

const parsed = () => {
  const text = { type: "string" } as const
  try {
    return parseArgs({ options: { store: text, runs: text, seed: text, length: text } }).values
  } catch (cause) {
    return leave(cause instanceof Error ? cause.message : String(cause))
  }
}

const whole = (name: string, text: string | undefined, fallback: number): number => {
  const number = text === undefined ? fallback : Number(text)
  return Number.isSafeInteger(number) && number > 0 ? number : leave(`--${name} takes a whole number above 0`)
}

const values = parsed()
const store = values.store ?? "memory"
const layers = { clickhouse: layerEmbedded, "clickhouse-url": layerHttp }
const runs = whole("runs", values.runs, store === "memory" ? 10_000 : 200)
const seed = whole("seed", values.seed, seedOfDay())
const length = whole("length", values.length, 12)

const startedAt = performance.now()
const ASKS = 6
// What a real store does at once costs it less than one after the other: commits are merged, and two cores have work.
const AT_ONCE = 16
// A line now and then, so that one sees it moves.
const EVERY_MILLIS = 5_000
let toldAt = startedAt
const onRun = (done: number) => {
  if (performance.now() - toldAt < EVERY_MILLIS) return
  toldAt = performance.now()
  const left = Math.ceil((performance.now() - startedAt) / done * (runs - done) / 60_000)
  process.stderr.write(`${done} of ${runs} histories, about ${left} min left\n`)
}

const report = (): Promise<RunReport> => {
  const options = { runs, seed, length, asks: ASKS, onRun }
  if (store === "memory") return run(options, playInMemory)
  if (store !== "clickhouse" && store !== "clickhouse-url") return leave(`--store is unknown: ${store}`)
  return Effect.runPromise(
    Effect.flatMap(place, (one) => Effect.promise(() => run({ ...options, atOnce: AT_ONCE }, playIn(one)))).pipe(
      Effect.provide(layers[store])
    )
  )
}

process.stdout.write(`store ${store}, ${runs} histories of at most ${length} steps, seed ${seed}\n`)
const { failure, runs: played } = await report()
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
process.stdout.write(failure === null ? `${played} histories agree, ${seconds} s\n` : `${failure}\n`)
process.exitCode = failure === null ? 0 : 1
