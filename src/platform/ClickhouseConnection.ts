/**
 * The in-process transport of `@clickhouse/client`: the engine in the place of its HTTP connection, so that
 * `ClickhouseClient.layer` runs unchanged over it. The client does not export the contract; its type is read off the
 * client's own option, so no cast is needed and a change there fails the type check. Closing a client does not close
 * the engine, which several clients share and whoever opened it closes.
 */
import { type ClickHouseClientConfigOptions, parseError } from "@clickhouse/client"
import { Readable } from "node:stream"
import type { ClickhouseEngine, EngineResult } from "./ClickhouseEngine.ts"
import { encodeClientParam } from "./ClickhouseParam.ts"

export type ClickhouseConnection = NonNullable<ClickHouseClientConfigOptions["connection"]>

type QueryParams = Parameters<ClickhouseConnection["query"]>[0]

const engines = new WeakMap<ClickhouseConnection, ClickhouseEngine>()

/** The engine behind a connection made here: our own port runs on it without the client's streams in between. */
export const engineOf = (connection: ClickhouseConnection | undefined): ClickhouseEngine | undefined =>
  connection === undefined ? undefined : engines.get(connection)

export const makeConnection = (engine: ClickhouseEngine): ClickhouseConnection => {
  const run = async (params: QueryParams, data?: string): Promise<EngineResult> => {
    const killed = killedQueryId(params.query)
    if (killed !== undefined) {
      await engine.kill(killed)
      return { queryId: killed, bytes: new Uint8Array(0), elapsed: 0, rowsRead: 0, bytesRead: 0 }
    }
    const { default_format: format, ...settings } = params.clickhouse_settings ?? {}
    return engine.run({
      sql: params.query,
      ...(data === undefined ? {} : { data }),
      params: encodeParams(params.query_params ?? {}),
      settings: textSettings(settings),
      format: typeof format === "string" ? format : undefined,
      queryId: params.query_id,
      signal: params.abort_signal
    }).catch((cause: unknown) => {
      // The same class as over HTTP, with code and type, so that `instanceof ClickHouseError` holds.
      throw Object.assign(parseError(cause instanceof Error ? cause : String(cause)), { cause })
    })
  }
  const connection: ClickhouseConnection = {
    query: async (params) => answer(await run(params)),
    exec: async (params) => answer(await run(params, await textOf(params.values))),
    command: async (params) => answer(await run(params)),
    insert: async (params) => answer(await run(params, await textOf(params.values))),
    ping: async ({ abort_signal }) => {
      try {
        await engine.run({ sql: "SELECT 1", signal: abort_signal })
        return { success: true }
      } catch (cause) {
        return { success: false, error: cause instanceof Error ? cause : new Error(String(cause)) }
      }
    },
    close: () => Promise.resolve()
  }
  engines.set(connection, engine)
  return connection
}

/** `ClickhouseClient` stops an interrupted query with this statement; the engine has no query ids and stops it its own way. */
export const killedQueryId = (sql: string): string | undefined =>
  /^\s*KILL\s+QUERY\s+WHERE\s+query_id\s*=\s*'([^'\\]+)'\s*$/i.exec(sql)?.[1]

const encodeParams = (params: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, encodeClientParam(value)]))

const textSettings = (settings: NonNullable<QueryParams["clickhouse_settings"]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "boolean" ? String(Number(value)) : String(value)]]
    )
  )

const textOf = async (values: string | Readable | undefined): Promise<string | undefined> => {
  if (values === undefined || typeof values === "string") return values
  const chunks: Array<Buffer> = []
  for await (const chunk of values) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const answer = (result: EngineResult) => ({
  query_id: result.queryId,
  response_headers: {},
  http_status_code: 200,
  stream: Readable.from(chunksOf(result.bytes), { objectMode: false }),
  summary: {
    read_rows: String(result.rowsRead),
    read_bytes: String(result.bytesRead),
    written_rows: "0",
    written_bytes: "0",
    total_rows_to_read: "0",
    result_rows: "0",
    result_bytes: String(result.bytes.byteLength),
    elapsed_ns: String(Math.round(result.elapsed * 1e9))
  }
})

// As large as the pieces of a socket: the client's row splitter works piece by piece.
const chunkBytes = 65_536

function* chunksOf(bytes: Uint8Array): Generator<Buffer> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let offset = 0; offset < buffer.length; offset += chunkBytes) yield buffer.subarray(offset, offset + chunkBytes)
}
