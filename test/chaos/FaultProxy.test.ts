/**
 * Each line of the proxy, on real sockets: what passes comes back, what lags comes later, what hangs comes when it passes
 * again, what is gone is closed.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { connect, createServer } from "node:net"
import type { Socket } from "node:net"
import * as FaultProxy from "./FaultProxy.ts"

/** A server that sends back what it gets, and the port of each of its connections. */
const echo: Effect.Effect<{ readonly port: number; readonly peers: Array<number> }, never, Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly peers: Array<number>; readonly close: () => void }>((resume) => {
      const peers: Array<number> = []
      const open = new Set<Socket>()
      const server = createServer((socket) => {
        open.add(socket)
        peers.push(socket.remotePort ?? 0)
        socket.on("error", () => {})
        socket.pipe(socket)
      })
      server.listen(0, "127.0.0.1", () => {
        const close = () => {
          for (const socket of open) socket.destroy()
          server.close()
        }
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, peers, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ),
  ({ peers, port }) => ({ peers, port })
)

interface Line {
  readonly send: (text: string) => void
  /** When so much has come back, or the line was closed. */
  readonly heard: (text: string) => Effect.Effect<"heard" | "closed">
  readonly text: () => string
}

const dial = (port: number): Effect.Effect<Line, never, Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(port, "127.0.0.1")
      let text = ""
      let closed = false
      const listeners = new Set<() => void>()
      const tell = () => listeners.forEach((listener) => listener())
      socket.on("error", () => {})
      socket.on("data", (chunk) => {
        text += chunk.toString()
        tell()
      })
      socket.on("close", () => {
        closed = true
        tell()
      })
      const heard = (wanted: string) =>
        Effect.async<"heard" | "closed">((resume) => {
          const look = () => {
            if (text === wanted) resume(Effect.succeed("heard"))
            else if (closed) resume(Effect.succeed("closed"))
          }
          listeners.add(look)
          look()
        })
      return { send: (more: string) => void socket.write(more), heard, text: () => text, socket }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

describe("a proxy that can be cut", () => {
  it.live("passes, hangs and passes on, is gone and is back", () =>
    Effect.gen(function*() {
      const { peers, port } = yield* echo
      const proxy = yield* FaultProxy.make(() => port)
      const line = yield* dial(proxy.port)
      line.send("one ")
      assert.strictEqual(yield* line.heard("one "), "heard")
      assert.isTrue(proxy.isOf(peers[0] ?? 0))
      assert.isFalse(proxy.isOf(proxy.port))
      proxy.set({ _tag: "hang" })
      line.send("two ")
      const during = yield* dial(proxy.port)
      during.send("new")
      // A line that passed would have answered by then.
      const other = yield* dial(port)
      other.send("beside")
      assert.strictEqual(yield* other.heard("beside"), "heard")
      assert.strictEqual(line.text(), "one ")
      assert.strictEqual(during.text(), "")
      proxy.set({ _tag: "pass" })
      assert.strictEqual(yield* line.heard("one two "), "heard")
      assert.strictEqual(yield* during.heard("new"), "heard")
      proxy.set({ _tag: "gone" })
      assert.strictEqual(yield* line.heard("never"), "closed")
      assert.strictEqual(yield* (yield* dial(proxy.port)).heard("never"), "closed")
      proxy.set({ _tag: "pass" })
      const again = yield* dial(proxy.port)
      again.send("back")
      assert.strictEqual(yield* again.heard("back"), "heard")
    }).pipe(Effect.scoped))

  it.live("lags in both directions and keeps the order", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const proxy = yield* FaultProxy.make(() => port)
      const line = yield* dial(proxy.port)
      line.send("a")
      yield* line.heard("a")
      proxy.set({ _tag: "lag", millis: 60 })
      const began = performance.now()
      line.send("b")
      line.send("c")
      assert.strictEqual(yield* line.heard("abc"), "heard")
      assert.isAtLeast(performance.now() - began, 115)
    }).pipe(Effect.scoped))
})
