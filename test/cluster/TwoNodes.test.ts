/**
 * Two gateways and two runners: T01 with the same claims through both doors at once, and T24 from one door to the other,
 * both ways.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryHistory, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { foundOnTheOther } from "../cases/OtherNode.ts"
import * as LoomCluster from "../support/LoomCluster.ts"
import { freshNamespace, ok } from "../support/LoomHttp.ts"
import type { LoomProcess } from "../support/LoomProcess.ts"
import { LoomServer } from "../support/LoomServer.ts"

const CLAIM = "Otto likes oat coffee"
const together = { concurrency: "unbounded" } as const
const numbers: ReadonlyArray<number> = Array.from({ length: 20 }, (_, index) => index + 1)

const on = (node: LoomProcess) => <A, E>(call: Effect.Effect<A, E, LoomServer>) =>
  Effect.provideService(call, LoomServer, node)

/** Twenty writes at once, every second one through the other node; how often each saw the claim stated, in order. */
const counted = (nodes: readonly [LoomProcess, LoomProcess], namespace: string, key: (index: number) => string) =>
  Effect.forEach(
    numbers,
    (index) => on(nodes[index % 2 === 0 ? 0 : 1])(ok(MemorySet, { namespace, memory_key: key(index), value: CLAIM })),
    together
  ).pipe(Effect.map((answers) => answers.map((answer) => answer.reinforcement_count).sort((a, b) => a - b)))

describe("two nodes", () => {
  it.live(
    "T01 and T24",
    () =>
      Effect.gen(function*() {
        const cluster = yield* LoomCluster.make
        const [first, second] = yield* Effect.all(
          [cluster.gateway(), cluster.gateway(), cluster.runner(), cluster.runner()],
          together
        )
        const nodes = [first, second] as const
        for (const key of [(index: number) => `u/coffee/${index}`, () => "u/coffee"]) {
          const namespace = freshNamespace()
          assert.deepStrictEqual(yield* counted(nodes, namespace, key), numbers)
          for (const node of nodes) {
            const { memories, total } = yield* on(node)(ok(MemoryList, { namespace }))
            assert.deepStrictEqual([total, memories[0]?.reinforcement_count], [1, 20])
            const { versions } = yield* on(node)(
              ok(MemoryHistory, { namespace, memory_key: memories[0]?.memory_key ?? "" })
            )
            assert.strictEqual(versions.length, 20)
            assert.strictEqual(
              (yield* on(node)(ok(MemorySearch, { namespace, query: "oat coffee" }))).results.length,
              1
            )
          }
        }
        yield* foundOnTheOther(first, second)
        yield* foundOnTheOther(second, first)
      }).pipe(Effect.scoped),
    180_000
  )
})
