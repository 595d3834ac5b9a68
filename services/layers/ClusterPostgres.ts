/**
 * The Postgres of a cluster, as its processes hold it. It is asked once at start, so that a wrong address ends the start.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Unavailable } from "../../src/kernel/LoomError.ts"

// One holds the locks of the shards; the others take turns.
const CONNECTIONS = 4

export const layer = Layer.unwrapEffect(
  Effect.map(Config.redacted("LOOM_POSTGRES_URL"), (url) => PgClient.layer({ url, maxConnections: CONNECTIONS }))
).pipe(
  Layer.tapErrorCause((cause) => Effect.logWarning("No connection to Postgres", cause)),
  Layer.catchAll((error) =>
    Layer.fail<ConfigError | Unavailable>(
      error._tag === "SqlError" ? new Unavailable({ operation: "Postgres.connect" }) : error
    )
  )
)

export const ping = Effect.map(SqlClient.SqlClient, (sql) => Effect.asVoid(sql`SELECT 1`))
