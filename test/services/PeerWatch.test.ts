/**
 * Who watches whom, what a port says, and that a runner whose port refuses is marked gone, and only that one.
 */
import * as Runner from "@effect/cluster/Runner"
import { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { createServer } from "node:net"
import type { Server } from "node:net"
import * as PeerWatch from "../../services/layers/PeerWatch.ts"
import * as TcpProbe from "../../src/platform/TcpProbe.ts"

const HOST = "127.0.0.1"
const at = (port: number) => RunnerAddress.make({ host: HOST, port })

/** A port on which somebody listens for as long as the scope lasts. */
const listening = Effect.acquireRelease(
  Effect.async<Server>((resume) => {
    const server = createServer((socket) => socket.on("error", () => {}))
    server.listen(0, HOST, () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
).pipe(Effect.map((server) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}))

describe("PeerWatch", () => {
  it("every well runner is watched by two others, itself never, and who is not well watches nobody", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.uniqueArray(FastCheck.integer({ min: 1, max: 65_535 }), { minLength: 1, maxLength: 12 }),
        FastCheck.infiniteStream(FastCheck.boolean()),
        (ports, well) => {
          const runners = ports.map((port) => ({ address: at(port), healthy: well.next().value }))
          const healthy = runners.filter((runner) => runner.healthy).map(({ address }) => address.port)
          const watchers = new Map<number, number>()
          for (const { address, healthy } of runners) {
            const watched = PeerWatch.watchedBy(address, runners).map(({ port }) => port)
            if (!healthy) assert.deepStrictEqual(watched, [])
            assert.notInclude(watched, address.port)
            for (const port of watched) watchers.set(port, (watchers.get(port) ?? 0) + 1)
          }
          for (const port of healthy) {
            assert.strictEqual(watchers.get(port) ?? 0, Math.min(2, healthy.length - 1))
          }
        }
      )
    )
  })

  it.live("tells a port that refuses from one that is open", () =>
    Effect.gen(function*() {
      const gone = yield* Effect.scoped(listening)
      const open = yield* listening
      assert.strictEqual(yield* TcpProbe.probe(at(gone), 1_000), "refused")
      assert.strictEqual(yield* TcpProbe.probe(at(open), 1_000), "open")
    }).pipe(Effect.scoped))

  it.live("marks the runner that refuses, and no other", () =>
    Effect.gen(function*() {
      const gone = yield* Effect.scoped(listening)
      const [self, other] = [yield* listening, yield* listening]
      const storage = yield* RunnerStorage.makeMemory
      for (const port of [self, other, gone]) {
        yield* storage.register(Runner.make({ address: at(port), groups: ["default"], weight: 1 }), true)
      }
      const marks = yield* Queue.unbounded<string>()
      const layerStorage = Layer.succeed(RunnerStorage.RunnerStorage, {
        ...storage,
        setRunnerHealth: ({ port }, healthy) => Queue.offer(marks, `${port} ${healthy}`)
      })
      yield* Layer.build(Layer.provide(PeerWatch.layer(at(self)), layerStorage))
      // Looks go on, since this store forgets what it is told.
      const three = yield* Effect.replicateEffect(Queue.take(marks), 3)
      assert.deepStrictEqual(three, Array.from({ length: 3 }, () => `${gone} false`))
    }).pipe(Effect.scoped))
})
