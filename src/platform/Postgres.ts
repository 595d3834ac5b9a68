/**
 * The one door to Postgres, over one `PgClient`. Every statement is named; its rows decode or it is a typed error; what
 * the server says of it stays in the log, without data. Statements are built with the tag `sql`, whose every value is a
 * parameter; schemas of columns are in `PostgresValue.ts`, limits of connections in `PostgresConnection.ts`.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { PgClient as PgClientTag } from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ParseResult from "effect/ParseResult"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Corrupt, type StoreError, Unavailable } from "../kernel/LoomError.ts"
import * as PostgresConnection from "./PostgresConnection.ts"
import { faultOf } from "./PostgresFault.ts"
import * as PostgresTransaction from "./PostgresTransaction.ts"

export { config, type ConnectionOptions } from "./PostgresConnection.ts"

/** What the tag `sql` builds. */
export type PostgresStatement = Effect.Effect<ReadonlyArray<unknown>, SqlError>

export class Postgres extends Context.Tag("loom/platform/Postgres")<Postgres, {
  /** The tag for statements: ``sql`SELECT … WHERE org = ${org}` ``; `sql(name)` quotes an identifier. */
  readonly sql: PgClient.PgClient
  /**
   * All rows of a statement, decoded; `operation` names it in spans, logs and errors (`Fence.take`). `Unavailable` when it
   * fails or takes over 5 seconds, of a statement that writes also when it may have been done; `Corrupt` when a row does
   * not decode, or the server holds or refuses a value that cannot be.
   */
  readonly query: <A, I>(
    operation: string,
    statement: PostgresStatement,
    row: Schema.Schema<A, I>
  ) => Effect.Effect<ReadonlyArray<A>, StoreError>
  /** A statement without an answer. */
  readonly command: (operation: string, statement: PostgresStatement) => Effect.Effect<void, StoreError>
  /**
   * All statements inside are in together, or none is: on a failure or an interrupt they are rolled back. After
   * `Unavailable` of the transaction itself they may be in. One inside another is a defect.
   */
  readonly transaction: <A, E, R>(
    operation: string,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | StoreError, R>
  /** Succeeds when a trivial statement does. */
  readonly ping: Effect.Effect<void, StoreError>
}>() {}

export const make = (sql: PgClient.PgClient): Postgres["Type"] => {
  const query: Postgres["Type"]["query"] = (operation, statement, row) => {
    const decode = Schema.decodeUnknown(Schema.Array(row))
    return statement.pipe(
      Effect.catchAll((error) => broken(operation, error)),
      Effect.flatMap((rows) => Effect.catchTag(decode(rows), "ParseError", (error) => undecodable(operation, error))),
      Effect.withSpan("Postgres.query", spanOf(operation))
    )
  }
  const command: Postgres["Type"]["command"] = (operation, statement) =>
    statement.pipe(
      Effect.catchAll((error) => broken(operation, error)),
      Effect.asVoid,
      Effect.withSpan("Postgres.command", spanOf(operation))
    )
  const transaction: Postgres["Type"]["transaction"] = (operation, effect) =>
    PostgresTransaction.run(sql, effect, (error) => broken(operation, error)).pipe(
      Effect.withSpan("Postgres.transaction", spanOf(operation))
    )
  return { sql, query, command, transaction, ping: command("Postgres.ping", sql`SELECT 1`) }
}

/** The port over whatever `PgClient` a composer provides; the limits of its connections are then the composer's. */
export const layer: Layer.Layer<Postgres, never, PgClient.PgClient> = Layer.effect(
  Postgres,
  Effect.map(PgClientTag, make)
)

/** A server at a `postgres://` address. Fails when no connection is made within 5 seconds. */
export const layerUrl = (
  url: Redacted.Redacted,
  options?: PostgresConnection.ConnectionOptions
): Layer.Layer<Postgres | PgClient.PgClient | SqlClient, Unavailable> =>
  Layer.provideMerge(layer, PostgresConnection.layer(url, options))

/** The server of `LOOM_POSTGRES_URL`. */
export const layerConfig = (
  options?: PostgresConnection.ConnectionOptions
): Layer.Layer<Postgres | PgClient.PgClient | SqlClient, ConfigError | Unavailable> =>
  Layer.unwrapEffect(Effect.map(PostgresConnection.config, (url) => layerUrl(url, options)))

// Without a stack trace, which would cost more than the rest of the call.
const spanOf = (operation: string) => ({ attributes: { "db.query.context": operation }, captureStackTrace: false })

const broken = (operation: string, error: SqlError): Effect.Effect<never, StoreError> => {
  const { code, kind, reason } = faultOf(error)
  return Effect.logWarning("A statement of Postgres failed").pipe(
    Effect.annotateLogs({ operation, code, reason }),
    Effect.zipRight(Effect.fail(kind === "corrupt" ? new Corrupt({ operation }) : new Unavailable({ operation })))
  )
}

// The place alone: the message of an issue quotes the stored value.
const undecodable = (operation: string, error: ParseResult.ParseError): Effect.Effect<never, Corrupt> => {
  const path = ParseResult.ArrayFormatter.formatErrorSync(error)
    .map(({ _tag, path }) => `${path.map(String).join(".")}: ${_tag}`).join("; ")
  return Effect.logError("A row of Postgres does not decode").pipe(
    Effect.annotateLogs({ operation, path }),
    Effect.zipRight(Effect.fail(new Corrupt({ operation })))
  )
}
