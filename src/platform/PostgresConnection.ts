/**
 * The connections to Postgres: a pool whose every connection has limits on both ends. The server ends a statement, a
 * transaction and, for a runner, a session that take too long, and notices a client that vanished; this end gives up a
 * connection on which nothing comes back. So a cut line or a paused process holds neither a lock nor a caller for long.
 * No pooler may stand between, and nobody listens for notifications on these connections: silence ends them.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Socket } from "node:net"
import { Unavailable } from "../kernel/LoomError.ts"
import { connectFault } from "./PostgresFault.ts"

export interface ConnectionOptions {
  /**
   * After how long without a statement the server ends a session, and with it the locks that the session holds. A runner
   * gives the expiry of its shard locks: paused, it loses them then, though its connection stays open.
   */
  readonly idleSessionTimeout?: Duration.DurationInput
  /** How long a statement may take; 5 seconds by default, no limit when infinite (for migrations). */
  readonly statementTimeout?: Duration.DurationInput
  /** What the server shows of these connections in `pg_stat_activity`. */
  readonly applicationName?: string
  /** Connections at most; 10 by default. */
  readonly maxConnections?: number
}

// A fenced step takes milliseconds; one that waits longer for a row waits for an owner that is cut off, and had better say
// so while its caller still waits.
const STATEMENT_TIMEOUT = Duration.seconds(5)
// What the server needs beyond its own limit to say that it ended a statement.
const GRACE = Duration.seconds(3)
// A handful of statements of milliseconds run at once, one connection holds the shard locks; and six processes of ten
// stay below the hundred connections that a server allows when nothing is set.
const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT = Duration.seconds(5)
// Of a runner. The cluster gives up an attempt on its lock connection after a third of the expiry, and a connection that
// comes to it later is lost to the pool for ever; so the pool gives up first.
const OF_EXPIRY = 0.25
// Seconds until a server asks a silent client, between askings, and how many go unanswered: 6 s in all, as long as
// a shard lock lives. The system's own two hours would keep the locks of a host that vanished.
const KEEPALIVE = {
  tcp_keepalives_idle: 2,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 6_000
}

/** The settings that each session starts with, behind those that the operator put into the url. */
const sessionUrl = (url: string, settings: Readonly<Record<string, number>>): string => {
  const whole = new URL(url)
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  whole.searchParams.set("options", [whole.searchParams.get("options") ?? "", ...own].join(" ").trim())
  return whole.toString()
}

/** A socket that is given up after `silence` without a byte either way. */
const watchedSocket = (silence: Duration.Duration): Socket => {
  const socket = new Socket()
  socket.setKeepAlive(true, KEEPALIVE.tcp_keepalives_idle * 1_000)
  if (Duration.isFinite(silence)) {
    socket.setTimeout(Duration.toMillis(silence), () => socket.destroy(new Error("Postgres fell silent")))
  }
  return socket
}

/** The pool, with one connection made. Fails when there is none within 5 seconds (1.5 with an expiry of 6); the log says why. */
export const layer = (
  url: Redacted.Redacted,
  { applicationName = "loom", idleSessionTimeout, maxConnections = MAX_CONNECTIONS, ...options }: ConnectionOptions = {}
): Layer.Layer<PgClient.PgClient | SqlClient, Unavailable> => {
  const limit = Duration.decode(options.statementTimeout ?? STATEMENT_TIMEOUT)
  const idle = Duration.decode(idleSessionTimeout ?? Duration.infinity)
  const settings = {
    ...KEEPALIVE,
    ...(Duration.isFinite(limit) ? { statement_timeout: Duration.toMillis(limit) } : {}),
    // An open transaction holds its rows; no step of ours thinks between two statements.
    idle_in_transaction_session_timeout: Duration.toMillis(STATEMENT_TIMEOUT),
    ...(Duration.isFinite(idle) ? { idle_session_timeout: Duration.toMillis(idle) } : {})
  }
  const connect = Layer.unwrapEffect(Effect.sync(() =>
    PgClient.layer({
      url: Redacted.make(sessionUrl(Redacted.value(url), settings)),
      applicationName,
      maxConnections,
      connectTimeout: Duration.min(CONNECT_TIMEOUT, Duration.times(idle, OF_EXPIRY)),
      // Closed by us before the other end or the silence closes them, so that no statement meets a dead connection.
      idleTimeout: Duration.min(Duration.times(idle, 0.5), STATEMENT_TIMEOUT),
      stream: () => watchedSocket(Duration.sum(limit, GRACE))
    })
  ))
  return Layer.catchAll(connect, (error) =>
    Layer.unwrapEffect(
      Effect.logError(connectFault(error)).pipe(
        Effect.annotateLogs({ host: hostOf(url) }),
        Effect.zipRight(Effect.fail(new Unavailable({ operation: "Postgres.connect" })))
      )
    ))
}

/** Where it is, without user, password and settings. */
const hostOf = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `${host}${pathname}`
}

/** `LOOM_POSTGRES_URL`; a wrong one is told without its text, which holds a password. */
export const config: Config.Config<Redacted.Redacted> = Config.nested(
  // Read as text, since a redacted setting that is missing does not say so.
  Config.string("POSTGRES_URL").pipe(
    Config.mapOrFail((url) =>
      /^postgres(ql)?:$/.test(protocolOf(url))
        ? Either.right(Redacted.make(url))
        : Either.left(
          ConfigError.InvalidData([], "expected an address postgres://user:password@host:5432/database")
        )
    )
  ),
  "LOOM"
)

const protocolOf = (text: string): string => URL.canParse(text) ? new URL(text).protocol : ""
