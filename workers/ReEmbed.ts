/**
 * Gives vectors to memories that have none of the embedder in use: after a change of embedder, or a repair that met an
 * embedder that was away. The work is the actors': an actor that comes up repairs its namespace, and this worker brings up
 * those that lack something, at its start and once a day. Without it a namespace that nobody writes to would be found by
 * its words alone.
 */
import * as Effect from "effect/Effect"
import { MemoryClient } from "../src/memory/MemoryClient.ts"
import { Unembedded } from "../src/memory/Unembedded.ts"
import { Embedder } from "../src/platform/Embedder.ts"
import * as Worker from "./Worker.ts"

export const NAME = "re_embed"

// Of a look; the next one has those that are left.
const NAMESPACES = 1_000

// An actor that embeds keeps a core busy, and the callers' writes come first.
const AT_ONCE = 2

/** The worker: one for an installation. */
export const make = (pace: Partial<Worker.Pace> = {}) => {
  /** How many memories lacked vectors at the last look; a process that starts does not know, and looks. */
  let lacking: number | undefined
  return Worker.makeScheduled({
    name: NAME,
    every: "24 hours",
    isDue: Effect.sync(() => lacking !== 0),
    run: Effect.gen(function*() {
      const client = yield* MemoryClient
      const { id } = yield* Embedder
      const lacks = yield* (yield* Unembedded).find(id, NAMESPACES)
      const memories = lacks.reduce((sum, lack) => sum + lack.memories, 0)
      // Those that the last look did not help wait for the next day, or for a write.
      const isStuck = memories === lacking
      lacking = isStuck ? 0 : memories
      if (memories === 0) return
      yield* Effect.logInfo("Memories lack vectors of the embedder in use").pipe(
        Effect.annotateLogs({ embedder: id, memories, namespaces: lacks.length, given_up: isStuck })
      )
      if (isStuck) return
      // One that takes longer than a call goes on without it.
      yield* Effect.forEach(lacks, ({ scope }) => Effect.ignore(client.activate(scope)), {
        concurrency: AT_ONCE,
        discard: true
      })
    }),
    pace: { idle: "5 seconds", limit: "1 hour", ...pace }
  })
}
