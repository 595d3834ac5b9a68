/**
 * What the callers of the cluster's bench say: the same facts in the same order on every side, spread over namespaces or all
 * in one. Every namespace of a spread says the same facts, so that few vectors serve many of them.
 */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { keyWords } from "../../src/memory/MemoryIntake.ts"
import * as EmbedderReplay from "../../src/platform/EmbedderReplay.ts"
import type { Job } from "./CallersProcess.ts"
import type { Fact } from "./Facts.ts"
import type { Vectors } from "./Vectors.ts"
import * as WritePlan from "./WritePlan.ts"

/** Writes the vectors of these facts into a file for other processes to replay; the file's path. */
export const record = (vectors: Vectors, facts: ReadonlyArray<Fact>, folder: string) =>
  Effect.suspend(() => {
    vectors.learn(facts)
    const file = join(folder, "facts.vectors")
    return EmbedderReplay.recording(vectors.embedder, file).pipe(
      Effect.flatMap((embedder) =>
        embedder.embed(facts.flatMap(({ memory_key, value }) => [value, keyWords(memory_key)]))
      ),
      Effect.scoped,
      Effect.as(file)
    )
  })

/** The names of so many namespaces of a side. */
export const namespacesOf = (side: string, part: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `${side}-${part}-${at}`)

/** Each fact in each namespace, fact by fact, so that callers meet all namespaces at any time. */
export const sets = (namespaces: ReadonlyArray<string>, facts: ReadonlyArray<Fact>): ReadonlyArray<object> =>
  facts.flatMap((fact) => namespaces.map((namespace) => ({ namespace, ...WritePlan.asItem(fact) })))

const BULK = 50

/** The same, in bulk writes, to fill the namespaces before anything is measured. */
export const fill = (namespaces: ReadonlyArray<string>, facts: ReadonlyArray<Fact>): Job => ({
  via: "http",
  verb: "memory.bulk_set",
  payloads: Array.from({ length: Math.ceil(facts.length / BULK) }, (_, at) => at).flatMap((at) =>
    namespaces.map((namespace) => ({
      namespace,
      items: facts.slice(at * BULK, (at + 1) * BULK).map(WritePlan.asItem)
    }))
  ),
  callers: 4,
  seconds: 600
})

/** Whether an outcome is an answer to a write and no error, whose codes are in capitals. */
export const isAcknowledged = (outcome: string): boolean => !/^[A-Z_]+$|^undefined$/.test(outcome)

export const acknowledged = (outcomes: Readonly<Record<string, number>>): number =>
  Object.entries(outcomes).reduce((sum, [outcome, count]) => isAcknowledged(outcome) ? sum + count : sum, 0)
