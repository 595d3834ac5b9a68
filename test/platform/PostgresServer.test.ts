/**
 * A server of our own on real programs: what is committed survives an orderly stop and a `kill -9`, and nothing is left
 * behind. Both origins are tried where both are there.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { existsSync } from "node:fs"
import * as PostgresBinaries from "../../src/platform/PostgresBinaries.ts"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"

const ask = (url: Redacted.Redacted, text: string) =>
  Effect.flatMap(PgClient.make({ url, maxConnections: 1 }), (sql) => sql.unsafe(text)).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("PostgresServer", () => {
  for (const origin of ["host", "package"] as const) {
    it.live(`keeps what was committed over a stop and a kill (programs of the ${origin})`, (context) =>
      Effect.gen(function*() {
        const found = yield* Effect.option(PostgresBinaries.find(origin))
        if (found._tag === "None") return context.skip(`no Postgres of the ${origin} here`)
        const left = yield* Effect.scoped(Effect.gen(function*() {
          const server = yield* PostgresServer.make({ origin })
          assert.strictEqual(server.binaries.origin, origin)
          const url = yield* server.createDatabase("notes")
          yield* ask(url, "CREATE TABLE notes (id bigint)")
          yield* ask(url, "INSERT INTO notes VALUES (1)")
          yield* server.stop
          assert.strictEqual((yield* Effect.flip(ask(url, "SELECT 1")))._tag, "SqlError")
          yield* server.start
          yield* ask(url, "INSERT INTO notes VALUES (2)")
          const first = yield* server.pid
          yield* server.kill
          yield* server.start
          assert.notStrictEqual(yield* server.pid, first)
          assert.deepStrictEqual(yield* ask(url, "SELECT id::int AS id FROM notes ORDER BY id"), [{ id: 1 }, { id: 2 }])
          assert.deepStrictEqual(yield* ask(url, "SHOW fsync"), [{ fsync: "on" }])
          return { folder: server.folder, pid: (yield* server.pid) ?? 0 }
        }))
        assert.isFalse(existsSync(left.folder))
        assert.isFalse(isAlive(left.pid))
      }))
  }

  it.live("lets nobody in without the password, and refuses a name that is none", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* PostgresServer.make()
      const { port } = server
      const stranger = PgClient.make({ host: "127.0.0.1", port, username: "loom", database: "postgres" })
      const error = yield* Effect.flip(Effect.provide(Effect.scoped(stranger), Reactivity.layer))
      assert.strictEqual(error._tag, "SqlError")
      assert.strictEqual((yield* Effect.exit(server.createDatabase("a\"; DROP")))._tag, "Failure")
    })))
})
