/**
 * A real HTTP server that misbehaves as told: each request takes the next act of a script. It remembers what it was sent
 * and what it "applied" (once per idempotency key, as the real one does).
 */
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Seen {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Record<string, unknown>
}

/** What a request meets. */
export type Act =
  | { readonly kind: "answer"; readonly body: unknown; readonly headers?: Record<string, string> }
  | {
    readonly kind: "error"
    readonly status: number
    readonly detail: unknown
    readonly headers?: Record<string, string>
  }
  /** Applies the request and cuts the connection before an answer. */
  | { readonly kind: "drop" }
  /** Applies the request and cuts the connection in the middle of the answer. */
  | { readonly kind: "half" }
  /** Applies the request and never answers. */
  | { readonly kind: "hang" }
  | { readonly kind: "text"; readonly status: number; readonly text: string }

export interface FaultyServer {
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
  /** Distinct requests that took effect. */
  readonly applied: ReadonlySet<string>
  /** Sets what the next requests meet; the last act repeats. */
  readonly script: (...acts: ReadonlyArray<Act>) => void
}

const perform = (act: Act, response: ServerResponse) => {
  switch (act.kind) {
    case "answer":
      response.writeHead(200, { "content-type": "application/json", "x-request-id": "req_1", ...act.headers })
      return response.end(JSON.stringify(act.body))
    case "error":
      response.writeHead(act.status, { "content-type": "application/json", "x-request-id": "req_1", ...act.headers })
      return response.end(JSON.stringify({ detail: act.detail }))
    case "text":
      response.writeHead(act.status)
      return response.end(act.text)
    case "drop":
      return response.destroy()
    case "half":
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
      response.write(`{"found": tr`)
      return setImmediate(() => response.destroy())
    case "hang":
      return undefined
  }
}

const read = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString() || "{}")
}

export const make = Effect.acquireRelease(
  Effect.async<{ readonly faulty: FaultyServer; readonly close: () => void }>((resume) => {
    const seen: Array<Seen> = []
    const applied = new Set<string>()
    let acts: ReadonlyArray<Act> = []
    const server = createServer((request, response) => {
      void read(request).then((body) => {
        seen.push({ path: request.url ?? "", headers: request.headers, body })
        const [act = { kind: "drop" } as const, ...rest] = acts
        if (rest.length > 0) acts = rest
        if (act.kind !== "error" && act.kind !== "text") applied.add(String(body["idempotency_key"] ?? seen.length))
        perform(act, response)
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const script = (...next: ReadonlyArray<Act>) => {
        acts = next
        seen.length = 0
        applied.clear()
      }
      const faulty = { url: `http://127.0.0.1:${port}`, seen, applied, script }
      resume(Effect.succeed({
        faulty,
        close: () => {
          server.closeAllConnections()
          server.close()
        }
      }))
    })
  }),
  ({ close }) => Effect.sync(close)
).pipe(Effect.map(({ faulty }) => faulty))
