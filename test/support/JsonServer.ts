/** A server on a real socket of the loopback that takes JSON; what it was asked is kept, each answer is the test's own. */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { IncomingHttpHeaders, Server, ServerResponse } from "node:http"
import { createServer } from "node:http"

export interface Asked<Body> {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Body
}

export type Behave<Body> = (asked: Asked<Body>, response: ServerResponse, turn: number) => void

export interface JsonServer<Body> {
  readonly port: number
  readonly asked: ReadonlyArray<Asked<Body>>
  readonly server: Server
}

export const start = <Body>(behave: Behave<Body>): Effect.Effect<JsonServer<Body>, never, Scope> =>
  Effect.gen(function*() {
    const asked: Array<Asked<Body>> = []
    const server = createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        const body: Body = JSON.parse(Buffer.concat(parts).toString())
        const one = { path: request.url, headers: request.headers, body }
        asked.push(one)
        behave(one, response, asked.length)
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.async<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    const address = server.address()
    return { port: typeof address === "object" && address !== null ? address.port : 0, asked, server }
  })
