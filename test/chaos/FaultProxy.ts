/**
 * A way between a runner and a store that can be cut: a TCP proxy whose lines pass, lag, hang (both ends stay
 * open and nothing comes through, as behind a dead switch) or are gone (closed, and every new one refused). Plain driver
 * code on sockets.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { connect, createServer } from "node:net"
import type { Server, Socket } from "node:net"

export type Line =
  | { readonly _tag: "pass" }
  /** Everything comes through so many milliseconds later. */
  | { readonly _tag: "lag"; readonly millis: number }
  | { readonly _tag: "hang" }
  | { readonly _tag: "gone" }

export interface FaultProxy {
  readonly port: number
  readonly set: (line: Line) => void
  /** Whether a connection that the store sees from this port is of this proxy. */
  readonly isOf: (storePort: number) => boolean
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

class Proxy {
  private line: Line = { _tag: "pass" }
  private readonly pairs = new Set<Pair>()

  constructor(private readonly target: () => number) {}

  accept(near: Socket): void {
    if (this.line._tag === "gone") {
      near.destroy()
      return
    }
    const far = connect({ host: "127.0.0.1", port: this.target(), noDelay: true })
    const pair = { near, far }
    this.pairs.add(pair)
    near.setNoDelay(true)
    const end = () => {
      this.pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [[near, far], [far, near]] as const) {
      // Their close, which always follows, says all.
      from.on("error", () => {})
      from.on("close", end)
      from.on("data", (chunk) => this.forward(chunk, to))
      if (this.line._tag === "hang") from.pause()
    }
  }

  private forward(chunk: Buffer, to: Socket): void {
    if (this.line._tag !== "lag") {
      to.write(chunk)
      return
    }
    // Chunks of one line lag alike, so they keep their order.
    setTimeout(() => to.destroyed || to.write(chunk), this.line.millis)
  }

  set(line: Line): void {
    this.line = line
    for (const { far, near } of Array.from(this.pairs)) {
      for (const socket of [near, far]) {
        if (line._tag === "gone") socket.destroy()
        else if (line._tag === "hang") socket.pause()
        else socket.resume()
      }
    }
  }

  isOf(storePort: number): boolean {
    return [...this.pairs].some(({ far }) => far.localPort === storePort)
  }
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Listens on a free port until the scope ends; where the store listens is asked for each new connection. */
export const make = (target: () => number, host = "127.0.0.1"): Effect.Effect<FaultProxy, never, Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly proxy: Proxy; readonly server: Server }>((resume) => {
        const proxy = new Proxy(target)
        const server = createServer((socket) => proxy.accept(socket))
        server.listen(0, host, () => resume(Effect.succeed({ proxy, server })))
      }),
      ({ proxy, server }) =>
        Effect.sync(() => {
          proxy.set({ _tag: "gone" })
          server.close()
        })
    ),
    ({ proxy, server }) => ({
      port: portOf(server),
      set: (line) => proxy.set(line),
      isOf: (port) => proxy.isOf(port)
    })
  )
