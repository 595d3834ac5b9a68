/**
 * The embedded engine behind the ClickHouse HTTP interface, for the other processes of this machine: loopback only, a
 * token with every statement, bounded bodies and a bounded number of requests. Answers are whole before their first
 * byte, so a status of 200 means done. A client that goes away takes its query with it. The server is plain node, since
 * it hands the engine's buffers on as they are.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { killedQueryId } from "./ClickhouseConnection.ts"
import { ClickhouseEmbedded } from "./ClickhouseEmbedded.ts"
import type { ClickhouseEngine, EngineResult } from "./ClickhouseEngine.ts"
import { EngineError, engineError, fromCause } from "./ClickhouseEngineError.ts"
import { isAuthorized, readRequest } from "./ClickhouseEngineRequest.ts"
import * as EngineOwner from "./EngineOwner.ts"

export class ClickhouseEngineServer extends Context.Tag("loom/platform/ClickhouseEngineServer")<
  ClickhouseEngineServer,
  {
    /** Where it listens, such as `http://127.0.0.1:7778`. */
    readonly url: string
  }
>() {}

/** The port cannot be opened: it is taken, or not allowed. Choose another. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  port: Schema.Int,
  message: Schema.String
}) {}

export interface ServerOptions {
  /** 0 takes any free port. */
  readonly port: number
  readonly token: Redacted.Redacted
  /** Bytes of a body, packed and unpacked; 128 MiB by default, twice the largest insert. */
  readonly maxBody?: number
  /** Requests at work or waiting; more are refused with a 503. 256 by default. */
  readonly maxRequests?: number
}

/** Serves as long as the scope lives, and writes its address into the folder's owner file. */
export const layer = (
  options: ServerOptions
): Layer.Layer<ClickhouseEngineServer, ListenFailed, ClickhouseEmbedded> =>
  Layer.scoped(
    ClickhouseEngineServer,
    Effect.gen(function*() {
      const engine = yield* ClickhouseEmbedded
      const server = createServer({ keepAliveTimeout: keepAliveMillis, maxHeaderSize }, handler(engine, options))
      const port = yield* Effect.acquireRelease(listen(server, options.port), () => close(server))
      const url = `http://127.0.0.1:${port}`
      yield* EngineOwner.claim(engine.path, url)
      return { url }
    })
  )

// Longer than a client keeps an idle socket, so that it is the client who drops it and no request meets a closed one.
const keepAliveMillis = 30_000
// Parameters travel in the url; a real server allows it 1 MiB too.
const maxHeaderSize = 1_048_576
// Below this a packed answer saves nothing.
const packFrom = 1_024

const listen = (server: Server, port: number): Effect.Effect<number, ListenFailed> =>
  Effect.async((resume) => {
    const fail = (error: Error) => resume(Effect.fail(new ListenFailed({ port, message: error.message })))
    server.once("error", fail)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", fail)
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

// Clients that wait for an answer are cut off, which also stops their queries: the engine closes next.
const close = (server: Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const handler = (engine: ClickhouseEngine, { maxBody = 134_217_728, maxRequests = 256, token }: ServerOptions) => {
  const secret = Redacted.value(token)
  let requests = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    // As a server does, without a token: it says no more than that someone is here.
    if (url.pathname === "/ping") return void response.end("Ok.\n")
    if (!isAuthorized(request, url, secret)) {
      throw engineError(516, "AUTHENTICATION_FAILED", "Authentication failed: the token is missing or wrong")
    }
    if (url.pathname !== "/" || (request.method !== "POST" && request.method !== "GET")) {
      throw engineError(48, "NOT_IMPLEMENTED", "Send a GET or POST to /")
    }
    if (requests >= maxRequests) throw engineError(202, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many requests wait")
    requests++
    const controller = new AbortController()
    response.once("close", () => response.writableFinished ? undefined : controller.abort())
    try {
      const { compress, format, query } = await readRequest(request, url, maxBody)
      const killed = killedQueryId(query.sql)
      if (killed !== undefined) await engine.kill(killed)
      const result = killed === undefined
        ? await engine.run({ ...query, signal: controller.signal })
        : { queryId: killed, bytes: new Uint8Array(0), elapsed: 0, rowsRead: 0, bytesRead: 0 }
      await send(response, result, format, compress)
    } finally {
      requests--
    }
  }
  return (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((cause: unknown) => sendError(request, response, cause))
  }
}

const pack = promisify<Uint8Array, { level: number }, Buffer>(gzip)

const send = async (response: ServerResponse, result: EngineResult, format: string, compress: boolean) => {
  const packed = compress && result.bytes.length >= packFrom
  const body = packed ? await pack(result.bytes, { level: 1 }) : result.bytes
  response.writeHead(200, {
    "Content-Type": "text/plain; charset=UTF-8",
    "Content-Length": body.length,
    ...(packed ? { "Content-Encoding": "gzip" } : {}),
    "X-ClickHouse-Query-Id": result.queryId,
    "X-ClickHouse-Format": format,
    "X-ClickHouse-Timezone": "UTC",
    "X-ClickHouse-Server-Display-Name": "loom-engine",
    "X-ClickHouse-Summary": JSON.stringify({
      read_rows: String(result.rowsRead),
      read_bytes: String(result.bytesRead),
      written_rows: "0",
      written_bytes: "0",
      total_rows_to_read: "0",
      result_rows: "0",
      result_bytes: String(result.bytes.length),
      elapsed_ns: String(Math.round(result.elapsed * 1e9))
    })
  })
  response.end(body)
}

// As a server answers; whatever is not listed is 500, as an exception of a query is there.
const statuses: Readonly<Record<number, number>> = {
  36: 400,
  47: 404,
  48: 501,
  60: 404,
  62: 400,
  81: 404,
  89: 400,
  115: 404,
  202: 503,
  307: 413,
  354: 400,
  456: 400,
  516: 403
}

const sendError = (request: IncomingMessage, response: ServerResponse, cause: unknown): void => {
  if (response.destroyed || response.headersSent) return void response.destroy()
  const error = cause instanceof EngineError ? cause : fromCause(cause)
  const code = error.code === 0 ? 1002 : error.code
  const body = Buffer.from(
    error.code === 0
      ? `Code: 1002. DB::Exception: ${error.message}. (UNKNOWN_EXCEPTION)\n`
      : `${error.message.trimEnd()}\n`
  )
  response.writeHead(statuses[code] ?? 500, {
    "Content-Type": "text/plain; charset=UTF-8",
    "Content-Length": body.length,
    "X-ClickHouse-Exception-Code": code,
    // A body that was not read to its end would be taken for the next request.
    ...(request.complete ? {} : { Connection: "close" })
  })
  response.end(body)
}
