/**
 * A real Postgres for tests: the server of the run, with an empty database for each who asks. Faults such as a restart
 * belong to a server of the test's own: `PostgresServer.layer`.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import type { Unavailable } from "../../src/kernel/LoomError.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"
import { DOOR } from "./PostgresSetup.ts"

const Answer = Schema.parseJson(Schema.Union(
  Schema.Struct({ url: Schema.String }),
  Schema.Struct({ error: Schema.String })
))

const failed = (reason: string) => new PostgresServer.PostgresServerFailed({ reason, log: "" })

const asked = (door: string): Effect.Effect<Redacted.Redacted, PostgresServer.PostgresServerFailed> =>
  Effect.async<string, PostgresServer.PostgresServerFailed>((resume) => {
    let text = ""
    const socket = connect(door)
    socket.on("data", (chunk) => {
      text += chunk.toString()
    })
    socket.on("end", () => resume(Effect.succeed(text)))
    socket.on("error", (error) => resume(Effect.fail(failed(error.message))))
  }).pipe(
    Effect.flatMap(Schema.decode(Answer)),
    Effect.catchTag("ParseError", () => Effect.fail(failed("The server of the run gave no answer"))),
    Effect.flatMap((answer) =>
      "url" in answer ? Effect.succeed(Redacted.make(answer.url)) : Effect.fail(failed(answer.error))
    )
  )

/** The address of the server's own database `postgres`. */
export const server: Effect.Effect<Redacted.Redacted, PostgresServer.PostgresServerFailed> = Effect.suspend(() => {
  const given = process.env["LOOM_TEST_POSTGRES_URL"]
  const door = process.env[DOOR]
  if (given !== undefined) return Effect.succeed(Redacted.make(given))
  return door === undefined ? Effect.fail(failed("Only a test run has a server")) : asked(door)
})

const drop = (beside: Redacted.Redacted, name: string) =>
  Effect.flatMap(
    PgClient.make({ url: beside, maxConnections: 1 }),
    (sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`
  ).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.ignore)

/** The address of an empty database, which goes with the scope. */
export const database: Effect.Effect<Redacted.Redacted, PostgresServer.PostgresServerFailed, Scope> = Effect.gen(
  function*() {
    const beside = yield* server
    const name = `loom_${randomBytes(8).toString("hex")}`
    return yield* Effect.acquireRelease(PostgresServer.createDatabase(beside, name), () => drop(beside, name))
  }
)

/** The door to an empty database. */
export const layer = (
  options?: Postgres.ConnectionOptions
): Layer.Layer<
  Postgres.Postgres | PgClient.PgClient | SqlClient,
  PostgresServer.PostgresServerFailed | Unavailable
> => Layer.unwrapScoped(Effect.map(database, (url) => Postgres.layerUrl(url, options)))
