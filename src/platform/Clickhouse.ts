/**
 * The one door to ClickHouse, over one `ClickhouseClient`, be it an embedded engine or a server. It promises what the
 * client alone does not: an answer is whole and decodes or it is a typed error, never an empty result; 64-bit integers
 * are exact; settings and parameters end with their statement; an interrupted fiber stops its query and goes on.
 * Statements are built with `ch` (`ClickhouseStatement.ts`); schemas of columns are in `ClickhouseValue.ts`.
 */
import { ClickHouseLogLevel } from "@clickhouse/client"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as ClickhouseSql from "@effect/sql-clickhouse/ClickhouseClient"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { homedir } from "node:os"
import { join } from "node:path"
import { Corrupt, Unavailable } from "../kernel/LoomError.ts"
import { answerFormat, decodeRows, readAnswer } from "./ClickhouseAnswer.ts"
import * as ClickhouseEmbedded from "./ClickhouseEmbedded.ts"
import type { Settings, Statement } from "./ClickhouseStatement.ts"
import * as ClickhouseTransport from "./ClickhouseTransport.ts"

export { ch, type Fragment, type Interpolation, type Settings, type Statement } from "./ClickhouseStatement.ts"

export interface InsertOptions {
  /** More engine settings, such as `{ optimize_on_insert: 0 }`; they win over those of every insert. */
  readonly settings?: Settings
  /** The columns the rows give, needed when one of them is EPHEMERAL; otherwise whatever the rows hold. */
  readonly columns?: ReadonlyArray<string>
}

export class Clickhouse extends Context.Tag("loom/platform/Clickhouse")<Clickhouse, {
  /**
   * All rows of a read, decoded. `row` must decode without effects. `Unavailable` when the query fails, runs over its
   * time or its answer breaks off; `Corrupt` when a row of a whole answer does not decode.
   */
  readonly query: <A, I>(
    statement: Statement,
    row: Schema.Schema<A, I>
  ) => Effect.Effect<ReadonlyArray<A>, Unavailable | Corrupt>
  /**
   * Writes all rows as one block, so one part in each partition, or none. A column that a row leaves out takes its
   * default; a column that the table lacks is refused. A row may hold `bigint`, `Date` and `Float32Array`. After
   * `Unavailable` or an interrupt the rows may or may not be there: repeat with the same identity.
   */
  readonly insert: (
    table: string,
    rows: ReadonlyArray<object>,
    options?: InsertOptions
  ) => Effect.Effect<void, Unavailable>
  /** DDL, `INSERT … SELECT`, `DELETE`, `OPTIMIZE`: whatever has no answer. */
  readonly command: (statement: Statement) => Effect.Effect<void, Unavailable>
  /** Succeeds when a trivial query does. */
  readonly ping: Effect.Effect<void, Unavailable>
  /** The client underneath, for composers who bring their own SQL. */
  readonly client: ClickhouseSql.ClickhouseClient
}>() {}

export interface ClickhouseOptions {
  /** Seconds after which the engine ends a read that sets no `max_execution_time` of its own; 30 by default. */
  readonly readTimeoutSeconds?: number
}

export const make = (
  client: ClickhouseSql.ClickhouseClient,
  { readTimeoutSeconds = 30 }: ClickhouseOptions = {}
): Effect.Effect<Clickhouse["Type"], never, Scope.Scope> =>
  Effect.map(ClickhouseTransport.make(client), (transport): Clickhouse["Type"] => {
    const readSettings: Settings = { ...everySetting, max_execution_time: readTimeoutSeconds }
    const query: Clickhouse["Type"]["query"] = (statement, row) =>
      transport.select({ ...statement, settings: { ...readSettings, ...statement.settings } }, answerFormat).pipe(
        Effect.flatMap(readAnswer),
        Effect.flatMap((answer) => decodeRows(answer, row)),
        Effect.catchTags({
          TransportFailed: (failure) => unavailable(statement.operation, failure),
          AnswerBroken: (failure) => unavailable(statement.operation, failure),
          RowUndecodable: ({ path, row }) =>
            Effect.logError("A row of ClickHouse does not decode").pipe(
              Effect.annotateLogs({ operation: statement.operation, row, path }),
              Effect.zipRight(Effect.fail(new Corrupt({ operation: statement.operation })))
            )
        }),
        Effect.withSpan("Clickhouse.query", spanOf(statement.operation))
      )
    const command: Clickhouse["Type"]["command"] = (statement) =>
      transport.command({ ...statement, settings: { ...everySetting, ...statement.settings } }).pipe(
        Effect.catchTag("TransportFailed", (failure) => unavailable(statement.operation, failure)),
        Effect.withSpan("Clickhouse.command", spanOf(statement.operation))
      )
    const insert: Clickhouse["Type"]["insert"] = (table, rows, options = {}) => {
      if (!tableName.test(table)) return Effect.dieMessage(`"${table}" is not the name of a table`)
      if (options.columns?.every((column) => columnName.test(column)) === false) {
        return Effect.dieMessage(`A name among the columns of "${table}" is not one`)
      }
      if (rows.length === 0) return Effect.void
      const settings = { ...everySetting, ...insertSettings, ...options.settings }
      return transport.insert(table, rows.map(jsonRow), settings, options.columns)
        .pipe(
          Effect.catchTag("TransportFailed", (failure) => unavailable(`insert into ${table}`, failure)),
          Effect.withSpan("Clickhouse.insert", spanOf(table))
        )
    }
    const ping = command({ operation: "Clickhouse.ping", text: "SELECT 1", params: {} })
    return { query, insert, command, ping, client }
  })

/** The port over whatever `ClickhouseClient` a composer provides. */
export const layer = (
  options: ClickhouseOptions = {}
): Layer.Layer<Clickhouse, never, ClickhouseSql.ClickhouseClient> =>
  Layer.scoped(Clickhouse, Effect.flatMap(ClickhouseSql.ClickhouseClient, (client) => make(client, options)))

/** The engine in this process on the data folder `path`. Fails when the folder is taken or `chdb` is not installed. */
export const layerEmbedded = (
  options: ClickhouseEmbedded.EmbeddedOptions & ClickhouseOptions
): Layer.Layer<
  Clickhouse | ClickhouseSql.ClickhouseClient | ClickhouseEmbedded.ClickhouseEmbedded,
  ClickhouseEmbedded.EngineOpenError
> =>
  layer(options).pipe(
    Layer.provideMerge(ClickhouseEmbedded.layerClient),
    Layer.provideMerge(ClickhouseEmbedded.layer(options))
  )

export interface UrlOptions extends ClickhouseOptions {
  /** `http://host:8123`, of a server or of `loom engine`. */
  readonly url: string | URL
  readonly username?: string
  readonly password?: Redacted.Redacted
  readonly database?: string
}

/** A server, or an engine that another process serves. Fails when nothing answers there within 5 seconds. */
export const layerUrl = (
  { database, password, url, username, ...options }: UrlOptions
): Layer.Layer<Clickhouse | ClickhouseSql.ClickhouseClient, Unavailable> => {
  const client = Effect.suspend(() =>
    ClickhouseSql.make({
      url,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password: Redacted.value(password) }),
      ...(database === undefined ? {} : { database }),
      clickhouse_settings: everySetting,
      // A node answers hundreds of requests at once; queries wait in the server's queue, not in the client's.
      max_open_connections: 64,
      request_timeout: requestTimeoutMillis,
      // Long lists of parameters do not fit a url.
      use_multipart_params_auto: true,
      log: { level: ClickHouseLogLevel.OFF }
    })
  )
  return layer(options).pipe(
    Layer.provideMerge(
      Layer.scoped(
        ClickhouseSql.ClickhouseClient,
        Effect.catchAllCause(client, (cause) =>
          Effect.logError(connectFault(cause)).pipe(
            Effect.annotateLogs({ url: plainUrl(url) }),
            Effect.zipRight(Effect.fail(new Unavailable({ operation: "Clickhouse.connect" })))
          ))
      ).pipe(Layer.provide(Reactivity.layer))
    )
  )
}

/**
 * A server when `LOOM_CLICKHOUSE_URL` is set (with `LOOM_CLICKHOUSE_USER` and `LOOM_CLICKHOUSE_PASSWORD`), else the
 * engine on the folder `clickhouse` under `LOOM_DATA` (`~/.loom` by default).
 */
export const layerConfig: Layer.Layer<
  Clickhouse | ClickhouseSql.ClickhouseClient,
  ConfigError | Unavailable | ClickhouseEmbedded.EngineOpenError
> = Layer.unwrapEffect(
  Config.nested(
    Config.all({
      url: Config.option(Config.url("CLICKHOUSE_URL")),
      username: Config.option(Config.string("CLICKHOUSE_USER")),
      password: Config.option(Config.redacted("CLICKHOUSE_PASSWORD")),
      data: Config.withDefault(Config.string("DATA"), join(homedir(), ".loom"))
    }),
    "LOOM"
  ).pipe(Effect.map(({ data, password, url, username }): Layer.Layer<
    Clickhouse | ClickhouseSql.ClickhouseClient,
    Unavailable | ClickhouseEmbedded.EngineOpenError
  > =>
    Option.isNone(url)
      ? layerEmbedded({ path: join(data, "clickhouse") })
      : layerUrl({
        url: url.value,
        ...Option.match(username, { onNone: () => ({}), onSome: (username) => ({ username }) }),
        ...Option.match(password, { onNone: () => ({}), onSome: (password) => ({ password }) })
      })
  ))
)

/** The texts and codes of an error and of what caused it; causes nest a few levels deep. */
const wordsOf = (fault: unknown, depth = 0): string => {
  if (typeof fault !== "object" || fault === null || depth > 6) return ""
  const own = ["code", "type", "message"].map((name) => String(Reflect.get(fault, name) ?? "")).join(" ")
  const inner = ["cause", "error"].map((name) => wordsOf(Reflect.get(fault, name), depth + 1)).join(" ")
  const errors: unknown = Reflect.get(fault, "errors")
  return `${own} ${inner} ${Array.isArray(errors) ? errors.map((one) => wordsOf(one, depth + 1)).join(" ") : ""}`
}

/** Why no connection is made, with the setting to check; the server's own words may quote what was sent. */
const connectFault = (cause: Cause.Cause<unknown>): string => {
  const words = wordsOf(Cause.squash(cause))
  if (
    /\b(192|193|194|516)\b|AUTHENTICATION_FAILED|UNKNOWN_USER|WRONG_PASSWORD|REQUIRED_PASSWORD|token is missing|\b40[13]\b/
      .test(words)
  ) {
    return "ClickHouse answers and refuses the user: check LOOM_CLICKHOUSE_USER and LOOM_CLICKHOUSE_PASSWORD"
  }
  const code = /\bE[A-Z]{4,}\b/.exec(words)?.[0]
  return `ClickHouse does not answer${
    code === undefined ? "" : ` (${code})`
  }: check LOOM_CLICKHOUSE_URL, and that it is up`
}

/** The address without user, password and query. */
const plainUrl = (url: string | URL): string => {
  const text = String(url)
  if (!URL.canParse(text)) return "(unreadable)"
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}

// Commands such as a long `INSERT … SELECT` or `OPTIMIZE` have no limit of their own; reads end at their engine limit.
const requestTimeoutMillis = 300_000

// Every answer and acknowledgement waits for the end of its statement, so that a failure comes as a status and not inside
// a body that has begun; and 64-bit integers stay exact. The engine's cache of conditions is off: it files the ranges in which
// a statement found nothing under the inner condition of `(… LIMIT 1 BY key) WHERE …`, so that after a narrow outer condition
// the same keys are not found under any (measured with the embedded engine, 26.x).
const everySetting: Settings = {
  wait_end_of_query: 1,
  output_format_json_quote_64bit_integers: 1,
  use_query_condition_cache: 0
}

// One block whatever the size: no splitting by the parser, by rows or by bytes (the limits are far above 64 MiB), and no
// queue of the server in between. Strict on columns; `best_effort` reads the ISO text of a `Date`.
const insertSettings: Settings = {
  input_format_parallel_parsing: 0,
  max_insert_block_size: 1_000_000_000,
  min_insert_block_size_rows: 1_000_000_000,
  min_insert_block_size_bytes: 17_179_869_184,
  async_insert: 0,
  input_format_skip_unknown_fields: 0,
  date_time_input_format: "best_effort"
}

const columnName = /^[a-zA-Z_][a-zA-Z0-9_]*$/
const tableName = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/

// Without a stack trace, which would cost more than the rest of the call.
const spanOf = (context: string) => ({ attributes: { "db.query.context": context }, captureStackTrace: false })

// JSON has no `bigint`, whose digits an integer column reads, and no typed arrays.
const jsonRow = (row: object): Record<string, unknown> => {
  const copy: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row)) copy[column] = jsonValue(value)
  return copy
}

const jsonValue = (value: unknown): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (value instanceof Float32Array) return Array.from(value)
  return Array.isArray(value) && typeof value[0] === "bigint" ? value.map(String) : value
}

const unavailable = (operation: string, failure: { readonly reason: string; readonly code?: string }) =>
  Effect.logWarning("A statement of ClickHouse failed").pipe(
    Effect.annotateLogs({ operation, code: failure.code ?? "", reason: failure.reason }),
    Effect.zipRight(Effect.fail(new Unavailable({ operation })))
  )
