/**
 * The worker that has vectors made: it brings up the namespaces that lack some at its start whatever the time of the last
 * run, goes on while that helps, and leaves what does not to the next day.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryClient } from "../../src/memory/MemoryClient.ts"
import { Unembedded } from "../../src/memory/Unembedded.ts"
import { Embedder } from "../../src/platform/Embedder.ts"
import * as ReEmbed from "../../workers/ReEmbed.ts"
import { layer as layerNoActor } from "../support/NoActor.ts"
import { layer as layerHouse, pass } from "./WorkerFixture.ts"

const scope = (namespace: string) => ({ org: "acme", namespace })

/** Memories without vectors by namespace; an activation of any but `stuck` gives two of them theirs. */
const world = (lacking: Map<string, number>) => {
  const activated: Array<string> = []
  const looks: Array<string> = []
  const layer = Layer.mergeAll(
    layerHouse,
    Layer.succeed(Embedder, {
      id: "toy/v2",
      dimensions: 2,
      embed: () => Effect.succeed([]),
      embedQuery: () => Effect.succeed(new Float32Array(2))
    }),
    Layer.succeed(Unembedded, {
      find: (id) =>
        Effect.sync(() => {
          looks.push(id)
          return [...lacking].filter(([, memories]) => memories > 0).map(([namespace, memories]) => ({
            scope: scope(namespace),
            memories
          }))
        })
    }),
    Layer.project(layerNoActor, MemoryClient, MemoryClient, (client) => ({
      ...client,
      activate: ({ namespace }) =>
        Effect.sync(() => {
          activated.push(namespace)
          if (namespace !== "stuck") lacking.set(namespace, Math.max(0, (lacking.get(namespace) ?? 0) - 2))
        })
    }))
  )
  return { activated, looks, layer }
}

const start = Effect.suspend(() => Layer.build(ReEmbed.make({ idle: "1 second" })("process")))

describe("ReEmbed", () => {
  it.scoped("goes on until nothing lacks, at each start, and then rests for a day", () => {
    const lacking = new Map([["a", 3], ["b", 1]])
    const { activated, layer, looks } = world(lacking)
    return Effect.gen(function*() {
      yield* Effect.scoped(Effect.zipRight(start, pass(5)))
      assert.deepStrictEqual(activated, ["a", "b", "a"])
      assert.deepStrictEqual(looks, ["toy/v2", "toy/v2", "toy/v2"])
      // A process with another embedder starts within the day.
      lacking.set("b", 1)
      yield* start
      yield* pass(60)
      assert.deepStrictEqual(activated, ["a", "b", "a", "b"])
      assert.strictEqual(looks.length, 5)
    }).pipe(Effect.provide(layer))
  })

  it.scoped("leaves what it cannot help to the next day", () => {
    const { activated, layer, looks } = world(new Map([["stuck", 7]]))
    return Effect.gen(function*() {
      yield* start
      yield* pass(60)
      assert.deepStrictEqual(activated, ["stuck"])
      assert.strictEqual(looks.length, 2)
    }).pipe(Effect.provide(layer))
  })
})
