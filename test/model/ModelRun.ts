/**
 * The property: histories are drawn from a seed and played; a history that goes wrong is made as short as it can be and told
 * step by step.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { setImmediate } from "node:timers/promises"
import type { Committer } from "../../src/memory/Committer.ts"
import type { MemoryReader } from "../../src/memory/MemoryReader.ts"
import type { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { layerMemory } from "../../src/memory/MemoryStoreMemory.ts"
import type { Question } from "./AsOfQuestions.ts"
import { histories } from "./ModelHistories.ts"
import { fromSmallState, fromState, fromStore, makeHouse } from "./ModelHouse.ts"
import type { ModelTime } from "./ModelHouse.ts"
import { historyText, playAgain, playFirst } from "./ModelPlay.ts"
import type { History } from "./ModelSteps.ts"

/** Where the real store is tried. */
export interface Place {
  readonly store: Context.Context<MemoryStore | MemoryReader>
  readonly committer?: Committer["Type"]
}

const START = Date.UTC(2026, 2, 1)

const scope = { org: "acme", namespace: "model" }
const memory = Effect.scoped(Layer.build(layerMemory))

const boundsOf = ({ again }: History) => again === "state" ? fromSmallState : fromStore

/** What goes wrong in a history, over the in-memory store. */
export const inMemory = (history: History): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const time: ModelTime = { now: START }
    const house = (store: Context.Context<MemoryStore | MemoryReader>, bounds: typeof fromState) =>
      makeHouse({ scope, bounds, laws: history, time, store })
    const played = yield* playFirst(history, house(yield* memory, fromState), time)
    if (played.faults.length > 0) return played.faults
    time.now = START
    return yield* playAgain(played, house(yield* memory, boundsOf(history)), time, history)
  }).pipe(Effect.catchAll((error) => Effect.succeed([`failed: ${JSON.stringify(error)}`])))

let spaces = 0
// A list of what was true costs the engine as much as all the rest of a history: one history of so many asks for it.
const DEAR = 4

/** The same with the second house in a real store, in a namespace of its own, and no commit that fails. */
export const inPlace = (place: Place) => (history: History): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const time: ModelTime = { now: START }
    const laws = history
    const first = makeHouse({ scope, bounds: fromState, laws, time, store: yield* memory })
    const played = yield* playFirst(history, first, time)
    if (played.faults.length > 0) return played.faults
    time.now = START
    const own = { org: scope.org, namespace: `model-${++spaces}` }
    // To learn that a new namespace is empty costs the engine as much as the acts: only some histories ask.
    const blank = history.restarts.includes(true) ? {} : { blank: yield* memory }
    const house = makeHouse({ ...place, ...blank, scope: own, bounds: boundsOf(history), laws, time })
    // Each batch costs the engine some round trips: few, and larger ones.
    const cuts = history.cuts.map((size) => size + 2)
    const asksAll = (history.asks[0]?.at ?? 0) % DEAR === 0
    const isDear = ({ axis, what }: Question) => what === "list" && axis !== "knowledge"
    const questions = played.questions.filter((question) => asksAll || !isDear(question)).slice(0, 1)
    return yield* playAgain({ ...played, questions }, house, time, { ...history, cuts, faults: ["none"] })
  }).pipe(Effect.catchAll((error) => Effect.succeed([`failed: ${JSON.stringify(error)}`])))

export interface RunOptions {
  readonly runs: number
  readonly seed: number
  /** Steps of a history, at most. */
  readonly length: number
  /** Reads of the past in a history, at most; each is made about three times. */
  readonly asks: number
  readonly onRun?: (done: number) => void
  /** How many are played at once; 1 when it is not said. */
  readonly atOnce?: number
}

export interface RunReport {
  readonly runs: number
  /** The shortest history that goes wrong, with what does; null when none does. */
  readonly failure: string | null
}

const told = (history: History, faults: ReadonlyArray<string>, { seed }: RunOptions, path: string): string =>
  [
    `seed ${seed}, path ${path}`,
    historyText(history),
    ...faults.map((fault) => `!! ${fault}`)
  ]
    .join("\n")

type Play = (history: History) => Promise<ReadonlyArray<string>> | ReadonlyArray<string>

// Some tens of milliseconds.
const BREATHER = 20

/** The first of the histories that goes wrong, of those that are played at once. */
const firstWrong = async (
  all: ReadonlyArray<History>,
  play: Play,
  { atOnce = 1, onRun }: RunOptions
): Promise<number | null> => {
  let next = 0
  let done = 0
  let wrong: number | null = null
  const player = async () => {
    while (wrong === null) {
      const at = next++
      const history = all[at]
      if (history === undefined) return
      const faults = await play(history)
      onRun?.(++done)
      if (faults.length > 0 && (wrong === null || at < wrong)) wrong = at
      // A history in memory is one long turn: the process must come to its messages now and then.
      if (done % BREATHER === 0) await setImmediate()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, player))
  return wrong
}

/** Draws and plays `runs` histories; `play` answers what goes wrong in one. */
export const run = async (options: RunOptions, play: Play): Promise<RunReport> => {
  const { asks, length, runs, seed } = options
  const drawn = histories(length, asks)
  const all = FastCheck.sample(drawn, { numRuns: runs, seed })
  const wrong = await firstWrong(all, play, options)
  const history = wrong === null ? undefined : all[wrong]
  if (history === undefined) return { runs, failure: null }
  const property = FastCheck.asyncProperty(drawn, async (one) => (await play(one)).length === 0)
  // Drawn once more at its place, it is made shorter.
  const details = await FastCheck.check(property, { seed, path: String(wrong), numRuns: 1 })
  const shortest = details.counterexample?.[0] ?? history
  return {
    runs: (wrong ?? 0) + 1,
    failure: told(shortest, await play(shortest), options, details.counterexamplePath ?? String(wrong))
  }
}

/** Another seed each day, so that runs differ and a failure can be had again. */
export const seedOfDay = (): number => Math.floor(Date.now() / 86_400_000)

/** In a real store. */
export const playIn = (place: Place) => (history: History): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(inPlace(place)(history))

export const playInMemory = (history: History): ReadonlyArray<string> => Effect.runSync(inMemory(history))
