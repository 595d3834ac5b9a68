/**
 * Carries statements to ClickHouse for the port, in one of two ways: through `@clickhouse/client`, configured as the
 * given `ClickhouseClient` is, or straight to the embedded engine when that is what the client runs on. An interrupted
 * call stops its query and does not wait for it. Failures come as `TransportFailed`, without the values that a server
 * likes to quote.
 */
import { ClickHouseError, ClickHouseLogLevel, type ClickHouseSettings, createClient } from "@clickhouse/client"
import type { ClickhouseClient } from "@effect/sql-clickhouse/ClickhouseClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { engineOf } from "./ClickhouseConnection.ts"
import type { ClickhouseEngine } from "./ClickhouseEngine.ts"
import { EngineError } from "./ClickhouseEngineError.ts"
import { clientParams, encodeParams } from "./ClickhouseParam.ts"
import type { Settings, Statement } from "./ClickhouseStatement.ts"

export class TransportFailed extends Data.TaggedError("TransportFailed")<{
  /** ClickHouse's number of the error, or the code of a socket's failure. */
  readonly code: string
  /** The server's words with every quoted literal left out. */
  readonly reason: string
}> {}

export interface Transport {
  /** The whole body of the answer, in the format asked. */
  readonly select: (statement: Statement, format: "JSONCompact") => Effect.Effect<string, TransportFailed>
  readonly command: (statement: Statement) => Effect.Effect<void, TransportFailed>
  /** Rows that JSON can hold, into an already checked table name. */
  readonly insert: (
    table: string,
    rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
    settings: Settings,
    columns?: ReadonlyArray<string>
  ) => Effect.Effect<void, TransportFailed>
}

export const make = (sqlClient: ClickhouseClient): Effect.Effect<Transport, never, Scope.Scope> => {
  const engine = engineOf(sqlClient.config.connection)
  return engine === undefined ? overClient(sqlClient.config) : Effect.succeed(overEngine(engine))
}

const decoder = new TextDecoder()

const overEngine = (engine: ClickhouseEngine): Transport => ({
  select: ({ params, settings, text }, format) =>
    call((signal) => engine.run({ sql: text, params: encodeParams(params), settings: settings ?? {}, format, signal }))
      .pipe(Effect.map(({ bytes }) => decoder.decode(bytes))),
  command: ({ params, settings, text }) =>
    call((signal) => engine.run({ sql: text, params: encodeParams(params), settings: settings ?? {}, signal })),
  insert: (table, rows, settings, columns) =>
    call((signal) =>
      engine.run({
        sql: `INSERT INTO ${table} ${columns === undefined ? "" : `(${columns.join(", ")}) `}FORMAT JSONEachRow`,
        data: rows.map((row) => JSON.stringify(row)).join("\n"),
        settings,
        signal
      })
    )
})

const overClient = (config: ClickhouseClient["config"]): Effect.Effect<Transport, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      // Failures are logged by the port, once, with their operation and without values.
      Effect.sync(() => createClient({ ...config, log: { level: ClickHouseLogLevel.OFF } })),
      // An injected connection belongs to whoever made it.
      (opened) => config.connection === undefined ? Effect.promise(() => opened.close()) : Effect.void
    ),
    (client): Transport => {
      // Best effort and not awaited: a fiber that is interrupted must not wait for a slow server, whose own limit of time
      // ends what this misses.
      const stop = (query_id: string) => {
        client.command({ query: `KILL QUERY WHERE query_id = '${query_id}'` }).catch(() => undefined)
      }
      return {
        select: ({ params, settings, text }, format) =>
          call(async (abort_signal, query_id) => {
            const result = await client.query({
              query: text,
              query_params: clientParams(params),
              clickhouse_settings: clientSettings(settings),
              format,
              query_id,
              abort_signal
            })
            // Once the headers are there the client no longer listens to the signal.
            abort_signal.addEventListener("abort", () => result.close(), { once: true })
            return result.text()
          }, stop),
        command: ({ params, settings, text }) =>
          call((abort_signal, query_id) =>
            client.command({
              query: text,
              query_params: clientParams(params),
              clickhouse_settings: clientSettings(settings),
              query_id,
              abort_signal
            }), stop),
        insert: (table, values, settings, columns) =>
          call((abort_signal, query_id) =>
            client.insert({
              table,
              values,
              ...named(columns),
              format: "JSONEachRow",
              clickhouse_settings: clientSettings(settings),
              query_id,
              abort_signal
            }), stop)
      }
    }
  )

const named = ([first, ...rest]: ReadonlyArray<string> = []) =>
  first === undefined ? {} : { columns: [first, ...rest] satisfies [string, ...Array<string>] }

const call = <A>(
  run: (signal: AbortSignal, queryId: string) => Promise<A>,
  stop?: (queryId: string) => void
): Effect.Effect<A, TransportFailed> =>
  Effect.async((resume) => {
    const controller = new AbortController()
    const queryId = randomUUID()
    run(controller.signal, queryId).then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => resume(Effect.fail(failureOf(cause)))
    )
    return Effect.sync(() => {
      controller.abort()
      stop?.(queryId)
    })
  })

const clientSettings = (settings: Settings = {}): ClickHouseSettings => {
  const copy: ClickHouseSettings = {}
  for (const [name, value] of Object.entries(settings)) copy[name] = typeof value === "boolean" ? Number(value) : value
  return copy
}

// As much of a message as tells the reason; the rest may be a row.
const reasonLength = 300

const failureOf = (cause: unknown): TransportFailed => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new TransportFailed({
    code: codeOf(cause),
    reason: message.replace(/(['"`])(?:[^\\]|\\[^])*?(?:\1|$)/g, "$1…$1").slice(0, reasonLength)
  })
}

// The client's errors carry no tag: their class is how a server's answer is told from the failure of a socket.
const codeOf = (cause: unknown): string => {
  if (cause instanceof EngineError) return String(cause.code)
  if (cause instanceof ClickHouseError) return `${cause.code} ${cause.type ?? ""}`.trim()
  return cause instanceof Error && "code" in cause ? String(cause.code) : ""
}
