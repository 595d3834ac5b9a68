/**
 * The embedded ClickHouse engine as a pool of connections in this process; plain driver code under the Effect layers.
 * Every query runs alone on a connection, and the next query there first undoes what it set, so settings, parameters
 * and the current database never leak. A connection is thrown away after any failed query: the engine keeps a failed
 * query's partial output and would put it before the next result. A kill goes round the pool and finds its query by
 * `log_comment`, since the engine gives no query id.
 */
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { resolve } from "node:path"
import { setTimeout } from "node:timers/promises"
import { aborted, EngineError, engineError, fromCause } from "./ClickhouseEngineError.ts"
import { scan } from "./ClickhouseScan.ts"

export interface EngineOptions {
  /** The data folder; created when missing. One process holds one folder at a time. */
  readonly path: string
  /** How many queries run at once; each takes one thread of the libuv pool. */
  readonly concurrency: number
}

export interface EngineQuery {
  readonly sql: string
  /** Rows of an `INSERT … FORMAT …`, in that text format. */
  readonly data?: string
  /** Values of the placeholders in the escaped text form of `encodeParam`. */
  readonly params?: Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly database?: string | undefined
  /** Output format when the text has no `FORMAT` clause; TabSeparated by default. */
  readonly format?: string | undefined
  readonly queryId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface EngineResult {
  readonly queryId: string
  readonly bytes: Uint8Array
  /** Seconds spent in the engine. */
  readonly elapsed: number
  readonly rowsRead: number
  readonly bytesRead: number
}

export interface ClickhouseEngine {
  readonly path: string
  /** Runs one statement; rejects with `EngineError`. An aborted query rejects at once and is killed behind the scenes. */
  readonly run: (query: EngineQuery) => Promise<EngineResult>
  /** Stops a running query by its id and resolves when it has ended; does nothing when no such query runs. */
  readonly kill: (queryId: string) => Promise<void>
  /** Refuses new queries, stops the running ones, waits for the native side, then frees the folder. */
  readonly close: () => Promise<void>
}

type Chdb = Pick<typeof import("chdb"), "Session" | "drainPending">

interface Pooled {
  readonly session: InstanceType<Chdb["Session"]>
  /** Settings the last query here set and the next one must undo. */
  dirty: ReadonlyArray<string>
  database: string
}

interface Call {
  readonly ended: Promise<void>
  /** It has a connection; before that it need only be told not to start. */
  started: boolean
  cancelled: boolean
}

interface Prepared {
  readonly text: string
  readonly assignments: ReadonlyArray<string>
  readonly settings: ReadonlySet<string>
  readonly database: string
  readonly format: string
  readonly stateful: boolean
}

// What every connection starts with. 64-bit integers come as strings, so they stay exact; and a parameter may be as large
// as a stored value (1 MiB, several times over when escaped), which the parser's default of 256 KiB would refuse.
const baseSettings: Readonly<Record<string, string>> = {
  output_format_json_quote_64bit_integers: "1",
  max_query_size: "134217728",
  // See `everySetting` of `Clickhouse`.
  use_query_condition_cache: "0"
}
const connectionArgs = Object.entries(baseSettings).map(([name, value]) => `--${name}=${value}`)

// Settings of a server's HTTP handler, which the engine does not know (results here are always whole), and the one by which
// a query is found when it must be killed.
const notForEngine = new Set([
  "wait_end_of_query",
  "http_wait_end_of_query",
  "buffer_size",
  "enable_http_compression",
  "send_progress_in_http_headers",
  "cancel_http_readonly_queries_on_client_close",
  "log_comment"
])

const needsSetting = (setting: string, value: string | number | boolean | undefined): boolean =>
  value !== undefined && !notForEngine.has(setting) && baseSettings[setting] !== String(value)

const name = /^[A-Za-z_]\w*$/

// A query that has just begun may not be in the process list yet, so a kill is repeated until the query has ended.
const killPauses = [20, 50, 100, 200, 500]

// Within the 15 s in which a process must be gone, after its requests had their time.
const closeMillis = 3_000

/** Opens the folder; rejects with `EngineError` when the package is missing or another process holds the folder. */
export const openEngine = async ({ concurrency, path }: EngineOptions): Promise<ClickhouseEngine> => {
  const chdb = await loadChdb()
  const folder = resolve(path)
  mkdirSync(folder, { recursive: true })
  const connect = (): Pooled => {
    try {
      return { session: new chdb.Session(folder, { connectionArgs }), dirty: [], database: "default" }
    } catch (cause) {
      throw fromCause(cause)
    }
  }
  // Keeps the folder open however many pooled connections are thrown away.
  const keeper = connect()
  const idle: Array<Pooled> = []
  const waiting: Array<() => void> = []
  const calls = new Map<string, Call>()
  let free = concurrency
  let closing: Promise<void> | undefined

  const acquire = (): Promise<void> => {
    if (free === 0) return new Promise((next) => waiting.push(next))
    free--
    return Promise.resolve()
  }

  const release = () => {
    const next = waiting.shift()
    if (next === undefined) free++
    else next()
  }

  const execute = async (prepared: Prepared) => {
    const pooled = idle.pop() ?? connect()
    try {
      const result = await pooled.session.queryAsync(textOn(pooled, prepared), { format: prepared.format })
      pooled.dirty = [...prepared.settings]
      pooled.database = prepared.database
      if (prepared.stateful) pooled.session.close()
      else idle.push(pooled)
      return result
    } catch (cause) {
      pooled.session.close()
      throw fromCause(cause)
    }
  }

  const kill = async (queryId: string): Promise<void> => {
    const call = calls.get(queryId)
    if (call === undefined) return
    call.cancelled = true
    const statement = prepare({ sql: `KILL QUERY WHERE Settings['log_comment'] = ${literal(queryId)} ASYNC` }, "")
    for (let attempt = 0; call.started && calls.get(queryId) === call; attempt++) {
      // A failed kill is no more than a reason to look again: the query may just have ended.
      await execute(statement).catch(ignore)
      await Promise.race([call.ended, setTimeout(killPauses[attempt] ?? 1_000, undefined, { ref: false })])
    }
  }

  const refuseClosed = () => {
    if (closing !== undefined) throw engineError(236, "ABORTED", "The embedded engine is closed")
  }

  const run = async (query: EngineQuery): Promise<EngineResult> => {
    refuseClosed()
    if (query.signal?.aborted === true) throw aborted()
    const queryId = query.queryId ?? randomUUID()
    // A caller may repeat an id; what the engine is told to kill must be one query.
    const key = calls.has(queryId) ? randomUUID() : queryId
    const prepared = prepare(query, key)
    const work = async () => {
      await acquire()
      try {
        refuseClosed()
        if (call.cancelled) throw aborted()
        call.started = true
        return await execute(prepared)
      } finally {
        release()
        calls.delete(key)
      }
    }
    // In a microtask, so that the call is on the list before its work begins.
    const result = Promise.resolve().then(work)
    const call: Call = { ended: result.then(ignore, ignore), started: false, cancelled: false }
    calls.set(key, call)
    const answer = await untilAborted(result, query.signal, () => void kill(key))
    return {
      queryId,
      bytes: answer.bytes(),
      elapsed: answer.elapsed,
      rowsRead: answer.rowsRead,
      bytesRead: answer.bytesRead
    }
  }

  // A query that cannot be killed must not hold the process: its sessions are then left open, which an exit takes well,
  // while closing them under it would not end well.
  const shutDown = async () => {
    const ended = Promise.all([...calls].map(([queryId, { ended }]) => Promise.all([kill(queryId), ended])))
      .then(() => chdb.drainPending()).then(() => true)
    const quiet = await Promise.race([ended, setTimeout(closeMillis, false, { ref: false })])
    if (!quiet) return
    for (const { session } of [...idle.splice(0), keeper]) session.close()
    await Promise.race([chdb.drainPending(), setTimeout(closeMillis, undefined, { ref: false })])
  }

  return { path: folder, run, kill, close: () => closing ??= Promise.resolve().then(shutDown) }
}

const loadChdb = (): Promise<Chdb> =>
  import("chdb").catch((cause: unknown) => {
    const message =
      "The embedded engine needs the optional package `chdb`, which is not installed or does not load here"
    throw new EngineError({ code: 0, message, cause })
  })

const ignore = () => undefined

const literal = (text: string): string => `'${text.replace(/[\\'\0]/g, (char) => char === "\0" ? "\\0" : `\\${char}`)}'`

const prepare = (query: EngineQuery, logComment: string): Prepared => {
  const { multiple, placeholders, stateful } = scan(query.sql)
  const params = query.params ?? {}
  if (multiple) throw engineError(62, "SYNTAX_ERROR", "Multi-statements are not allowed")
  const missing = placeholders.find((placeholder) => !Object.hasOwn(params, placeholder))
  // The connection may remember another query's value of that name, so this must not reach it.
  if (missing !== undefined) throw engineError(456, "UNKNOWN_QUERY_PARAMETER", `Substitution \`${missing}\` is not set`)
  const settings = Object.entries(query.settings ?? {}).filter(([key, value]) => needsSetting(key, value))
  const wrong = [...Object.keys(params), ...settings.map(([key]) => key)].find((key) => !name.test(key))
  if (wrong !== undefined) {
    throw engineError(36, "BAD_ARGUMENTS", "A name of a parameter or setting is not an identifier")
  }
  return {
    text: query.data === undefined ? query.sql : `${query.sql}\n${query.data}`,
    assignments: [
      `log_comment = ${literal(logComment)}`,
      ...Object.entries(params).map(([key, value]) => `param_${key} = ${literal(value)}`),
      ...settings.map(([key, value]) =>
        `${key} = ${literal(typeof value === "boolean" ? String(Number(value)) : String(value))}`
      )
    ],
    settings: new Set(settings.map(([key]) => key)),
    database: query.database ?? "default",
    format: query.format ?? "TabSeparated",
    stateful
  }
}

const textOn = (pooled: Pooled, prepared: Prepared): string => {
  const undo = pooled.dirty
    .filter((setting) => !prepared.settings.has(setting))
    .map((setting) => `${setting} = ${baseSettings[setting] ?? "DEFAULT"}`)
  const use = pooled.database === prepared.database ? "" : `USE \`${prepared.database.replace(/[\\`]/g, "\\$&")}\`; `
  return `SET ${[...undo, ...prepared.assignments].join(", ")}; ${use}${prepared.text}`
}

const untilAborted = <A>(result: Promise<A>, signal: AbortSignal | undefined, onAbort: () => void): Promise<A> => {
  if (signal === undefined) return result
  return new Promise((succeed, fail) => {
    const abort = () => {
      onAbort()
      fail(aborted())
    }
    signal.addEventListener("abort", abort, { once: true })
    result.then(succeed, fail).finally(() => signal.removeEventListener("abort", abort))
  })
}
