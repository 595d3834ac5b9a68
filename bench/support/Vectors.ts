/**
 * Vectors of the offline embedder without its waiting. A few hundred facts and questions are embedded once and kept in a
 * file under the system's temporary folder; every further fact takes the vector of a recorded fact of its own sort, turned
 * away from it by seeded noise. Facts of one sort then lie about as close to each other as the embedder itself puts them
 * (cosine 0.4 to 0.8 for nine pairs of ten).
 */
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Corrupt } from "../../src/kernel/LoomError.ts"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { keyWords } from "../../src/memory/MemoryIntake.ts"
import type { Embedder, EmbedError } from "../../src/platform/Embedder.ts"
import * as EmbedderReplay from "../../src/platform/EmbedderReplay.ts"
import * as EmbedderUseLite from "../../src/platform/EmbedderUseLite.ts"
import { Chance } from "./Chance.ts"
import { factAt, questionAbout } from "./Facts.ts"
import type { Fact } from "./Facts.ts"
import { kinds } from "./FactWords.ts"
import * as Say from "./Say.ts"

export interface Vectors {
  /** Knows the recorded questions, and the facts that it was told to learn. */
  readonly embedder: typeof Embedder.Service
  readonly questions: ReadonlyArray<string>
  /** From here on the embedder knows these facts' values and keys. */
  readonly learn: (facts: ReadonlyArray<Fact>) => void
  readonly forget: () => void
}

const sorts = kinds.reduce((sum, kind) => sum + kind.attributes.length, 0)
// Twenty of each sort: enough that siblings differ, few enough to embed while somebody waits.
const RECORDED = 20 * sorts
const QUESTIONS = 64
// What a learned vector keeps of the recorded one's direction.
const LEAST_SHARE = 0.75
const MOST_SHARE = 0.95
// The embedder's own batch; progress is told after each.
const AT_ONCE = 32

const chunked = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, at) => items.slice(at * AT_ONCE, (at + 1) * AT_ONCE))

const fileOf = (seed: number): string =>
  join(tmpdir(), "loom-bench", `facts-v1-${seed}-${RECORDED}-${QUESTIONS}.vectors`)

const record = (file: string, texts: ReadonlyArray<string>, questions: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    mkdirSync(join(file, ".."), { recursive: true })
    yield* Say.note(`embedding ${texts.length + questions.length} texts once, into ${file}`)
    const embedder = yield* Effect.flatMap(EmbedderUseLite.make(), (model) => EmbedderReplay.recording(model, file))
    let done = 0
    const told = (count: number) => Say.progress("embedded", done += count, texts.length + questions.length)
    for (const some of chunked(texts)) yield* Effect.zipRight(embedder.embed(some), told(some.length))
    for (const question of questions) yield* Effect.zipRight(embedder.embedQuery(question), told(1))
  }).pipe(Effect.scoped)

export const make = (seed: number): Effect.Effect<Vectors, EmbedError | Corrupt> =>
  Effect.gen(function*() {
    const file = fileOf(seed)
    const facts = Array.from({ length: RECORDED }, (_, index) => factAt(seed, index))
    const questions = Array.from({ length: QUESTIONS }, (_, index) => questionAbout(index))
    const texts = facts.flatMap((fact) => [fact.value, keyWords(fact.memory_key)])
    if (!existsSync(file)) yield* record(file, texts, questions)
    const replay = yield* EmbedderReplay.make({ file })
    const vectors = yield* replay.embed(texts)

    const bySort = new Map<string, Array<readonly [Float32Array, Float32Array]>>()
    for (const [index, fact] of facts.entries()) {
      const pair = [vectors[2 * index]!, vectors[2 * index + 1]!] as const
      bySort.set(fact.sort, [...bySort.get(fact.sort) ?? [], pair])
    }
    const known = new Map(texts.map((text, index) => [plain(text), vectors[index]!]))
    const recorded = new Set(known.keys())

    const learnText = (text: string, like: Float32Array) => {
      const words = plain(text)
      if (!known.has(words)) known.set(words, turned(like, new Chance(seed, words)))
    }
    return {
      questions,
      learn: (more) => {
        for (const fact of more) {
          const [value, key] = new Chance(seed, plain(fact.value)).pick(bySort.get(fact.sort) ?? [])
          learnText(fact.value, value)
          learnText(keyWords(fact.memory_key), key)
        }
      },
      forget: () => {
        for (const text of known.keys()) if (!recorded.has(text)) known.delete(text)
      },
      embedder: {
        id: replay.id,
        dimensions: replay.dimensions,
        embed: (wanted) =>
          Effect.forEach(wanted, (text) => {
            const vector = known.get(plain(text))
            return vector === undefined
              ? Effect.fail(new Unavailable({ operation: "bench: a text that was not learned" }))
              : Effect.succeed(vector)
          }),
        embedQuery: replay.embedQuery
      }
    }
  })

// The model tells neither case nor the mark at the end apart, or hardly.
const plain = (text: string): string => text.toLowerCase().replace(/[.!]$/, "")

/** A unit vector that keeps a share of another's direction; the rest is noise. */
const turned = (vector: Float32Array, chance: Chance): Float32Array => {
  const share = LEAST_SHARE + chance.next() * (MOST_SHARE - LEAST_SHARE)
  const noise = vector.map(() => chance.bell())
  const part = Math.sqrt(1 - share * share) / length(noise)
  const sum = vector.map((x, index) => share * x + part * noise[index]!)
  const size = length(sum)
  return sum.map((x) => x / size)
}

const length = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0))
