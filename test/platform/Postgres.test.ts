/**
 * The door to Postgres against a real server: rows decode or it is a typed error, limits hold on both ends, a transaction
 * is whole, and neither a password nor a value reaches a message or a log.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createServer } from "node:net"
import { startFailure } from "../../services/cli/StartFailure.ts"
import { Refusal, refuse } from "../../src/kernel/LoomError.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"
import { Int8, json, Timestamp } from "../../src/platform/PostgresValue.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"

/** All that a program logs, as text. */
const logged = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ annotations, message }) =>
      void lines.push([String(message), ...HashMap.toEntries(annotations).flat().map(String)].join(" "))
    )
    return Effect.map(
      Effect.provide(program, Logger.replace(Logger.defaultLogger, logger)),
      (result) => ({ result, log: lines.join("\n") })
    )
  })

const quiet = Logger.remove(Logger.defaultLogger)
const One = Schema.Struct({ one: Schema.Int })
const Count = Schema.Struct({ count: Int8 })

const notes = Effect.flatMap(
  Postgres.Postgres,
  (pg) =>
    pg.command("test.table", pg.sql`CREATE TABLE IF NOT EXISTS notes (id bigint PRIMARY KEY, text text, body jsonb)`)
)

const count = Effect.flatMap(Postgres.Postgres, (pg) =>
  Effect.map(
    pg.query("test.count", pg.sql`SELECT count(*) FROM notes`, Count),
    ([row]) => Number(row?.count)
  ))

describe("Postgres", () => {
  layer(PostgresHouse.layer().pipe(Layer.provideMerge(quiet)), { excludeTestServices: true })((it) => {
    it.effect("gives rows decoded, with exact integers, times and JSON", () =>
      Effect.gen(function*() {
        const pg = yield* Postgres.Postgres
        const body = { links: [1n, 9_007_199_254_740_993n], answers: ["a'b"] }
        const rows = yield* pg.query(
          "test.values",
          pg.sql`SELECT ${9_007_199_254_740_993n}::bigint AS big, ${new Date(5)}::timestamptz AS at,
            ${json(body)}::jsonb AS body, ${["x", "y"]}::text[] AS list`,
          Schema.Struct({
            big: Int8,
            at: Timestamp,
            body: Schema.Struct({ links: Schema.Array(Schema.BigInt), answers: Schema.Array(Schema.String) }),
            list: Schema.Array(Schema.String)
          })
        )
        assert.deepStrictEqual(rows, [{ big: 9_007_199_254_740_993n, at: new Date(5), body, list: ["x", "y"] }])
        yield* pg.ping
      }))

    it.effect("tells what may pass from what stays wrong, and no value", () =>
      Effect.gen(function*() {
        const pg = yield* Postgres.Postgres
        yield* notes
        const undecodable = yield* logged(Effect.flip(pg.query("Test.a", pg.sql`SELECT 'hush' AS one`, One)))
        assert.strictEqual(undecodable.result.message, "Test.a met data that does not decode")
        const wrong = yield* logged(Effect.flip(pg.command("Test.b", pg.sql`SELECT ${"hush"}::text::int`)))
        assert.strictEqual(wrong.result._tag, "Corrupt")
        yield* pg.command("test.insert", pg.sql`INSERT INTO notes VALUES (77001, 'a')`)
        const twice = yield* logged(Effect.flip(pg.command("Test.c", pg.sql`INSERT INTO notes VALUES (77001, 'hush')`)))
        assert.strictEqual(twice.result.message, "Test.c is unavailable")
        assert.include(twice.log, "notes_pkey")
        const missing = yield* logged(Effect.flip(pg.command("Test.d", pg.sql`SELECT 1 FROM nowhere`)))
        assert.include(missing.log, "42P01")
        for (const { log } of [undecodable, wrong, twice, missing]) {
          assert.match(log, /Test\.[a-d]/)
          assert.notMatch(log, /hush|77001/)
        }
        yield* pg.command("test.delete", pg.sql`DELETE FROM notes`)
      }))

    it.effect("commits a transaction as a whole or not at all", () =>
      Effect.gen(function*() {
        const pg = yield* Postgres.Postgres
        yield* notes
        const insert = (id: number) => pg.command("test.insert", pg.sql`INSERT INTO notes VALUES (${id}, 'x')`)
        yield* pg.transaction("Test.both", Effect.zipRight(insert(1), insert(2)))
        assert.strictEqual(yield* count, 2)
        // By a failure, by a defect, by an interrupt
        const refusal = yield* Effect.flip(
          pg.transaction("Test.refused", Effect.zipRight(insert(3), refuse("LOCKED", "no")))
        )
        assert.instanceOf(refusal, Refusal)
        yield* Effect.exit(pg.transaction("Test.died", Effect.zipRight(insert(3), Effect.die("no"))))
        const inside = yield* Deferred.make<void>()
        const fiber = yield* Effect.fork(pg.transaction(
          "Test.stopped",
          insert(3).pipe(Effect.zipRight(Deferred.succeed(inside, undefined)), Effect.zipRight(Effect.never))
        ))
        yield* Deferred.await(inside)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* count, 2)
        // A statement failed, the program went on: the commit must not look like one
        const passedOver = yield* logged(Effect.flip(
          pg.transaction("Test.over", Effect.zipRight(insert(3), Effect.ignore(insert(3))))
        ))
        assert.strictEqual(passedOver.result.message, "Test.over is unavailable")
        assert.include(passedOver.log, "nothing was committed")
        assert.strictEqual(yield* count, 2)
        const nested = yield* Effect.exit(pg.transaction("Test.outer", pg.transaction("Test.inner", insert(3))))
        assert.isTrue(Exit.isFailure(nested))
        yield* pg.command("test.delete", pg.sql`DELETE FROM notes`)
      }))

    it.effect("goes on when the server ended the idle connections of the pool", () =>
      Effect.gen(function*() {
        const pg = yield* Postgres.Postgres
        const pause = pg.query("test.pause", pg.sql`SELECT 1 AS one, pg_sleep(0.05)::text`, One)
        yield* Effect.all([pause, pause, pause], { concurrency: 3 })
        const [row] = yield* pg.query(
          "test.terminate",
          pg.sql`SELECT count(pg_terminate_backend(pid))::int AS one FROM pg_stat_activity
            WHERE datname = current_database() AND pid != pg_backend_pid() AND state = 'idle'`,
          One
        )
        assert.isAtLeast(row?.one ?? 0, 1)
        // Each on a connection of its own, once the ends of the old ones have come in
        yield* Effect.sleep("100 millis")
        yield* Effect.all([pause, pause, pause], { concurrency: 3 })
      }))

    it.effect("gives an interrupted statement's connection back", () =>
      Effect.gen(function*() {
        const pg = yield* Postgres.Postgres
        const slow = pg.command("test.slow", pg.sql`SELECT pg_sleep(4)`)
        const began = performance.now()
        yield* Effect.forEach([1, 2, 3], () => Effect.timeoutOption(slow, "50 millis"), { concurrency: 3 })
        assert.isBelow(performance.now() - began, 2_000)
        assert.strictEqual(
          yield* Effect.map(pg.query("test.one", pg.sql`SELECT 1 AS one`, One), ([row]) => row?.one),
          1
        )
      }))
  })

  it.live("ends a statement, an open transaction and a silent session after their time", () =>
    Effect.gen(function*() {
      const pg = yield* Postgres.Postgres
      const slow = yield* logged(Effect.flip(pg.command("Test.slow", pg.sql`SELECT pg_sleep(3)`)))
      assert.strictEqual(slow.result.message, "Test.slow is unavailable")
      assert.include(slow.log, "57014")
      const settings = yield* pg.query(
        "test.settings",
        pg.sql`SELECT name, setting FROM pg_settings WHERE name IN ('idle_session_timeout', 'statement_timeout',
          'idle_in_transaction_session_timeout', 'application_name') ORDER BY name`,
        Schema.Struct({ name: Schema.String, setting: Schema.String })
      )
      assert.deepStrictEqual(settings.map(({ setting }) => setting), ["loom", "5000", "2000", "200"])
      // A session that a paused process holds: the lock is free again, and the pool goes on
      yield* Effect.scoped(Effect.gen(function*() {
        const held = yield* pg.sql.reserve
        yield* held.executeRaw("SELECT pg_advisory_lock(7)", [])
        assert.isFalse(yield* lockable(pg))
        yield* Effect.retry(Effect.filterOrFail(lockable(pg), (free) => free), { times: 300 })
      }))
      yield* pg.ping
    }).pipe(Effect.provide(
      PostgresHouse.layer({ statementTimeout: "200 millis", idleSessionTimeout: "2 seconds" }).pipe(
        Layer.provideMerge(quiet)
      )
    )), 20_000)

  it.live(
    "fails typed while the server is down, in a transaction too, and goes on when it is back",
    () =>
      Effect.gen(function*() {
        const server = yield* PostgresServer.PostgresServer
        yield* Effect.gen(function*() {
          const pg = yield* Postgres.Postgres
          yield* notes
          const broken = yield* Effect.flip(pg.transaction("Test.cut", Effect.zipRight(server.kill, pg.ping)))
          assert.strictEqual(broken._tag, "Unavailable")
          assert.strictEqual((yield* Effect.flip(pg.ping))._tag, "Unavailable")
          // Killed between the last statement and the commit
          yield* server.start
          const uncommitted = yield* Effect.flip(pg.transaction(
            "Test.uncommitted",
            pg.command("test.insert", pg.sql`INSERT INTO notes VALUES (1, 'x')`).pipe(Effect.zipRight(server.kill))
          ))
          assert.strictEqual(uncommitted.message, "Test.uncommitted is unavailable")
          yield* server.start
          yield* pg.ping
          assert.strictEqual(yield* count, 0)
        }).pipe(Effect.provide(Postgres.layerUrl(server.url("postgres"))))
      }).pipe(Effect.provide(Layer.merge(PostgresServer.layer(), quiet))),
    30_000
  )

  it.live("gives up a server that falls silent", () =>
    Effect.gen(function*() {
      const server = yield* PostgresServer.PostgresServer
      yield* Effect.gen(function*() {
        const pg = yield* Postgres.Postgres
        const [row] = yield* pg.query("test.pid", pg.sql`SELECT pg_backend_pid() AS one`, One)
        const pid = row?.one ?? 0
        yield* Effect.acquireUseRelease(
          Effect.sync(() => process.kill(pid, "SIGSTOP")),
          () =>
            Effect.map(logged(Effect.flip(pg.ping)), ({ log, result }) => {
              assert.strictEqual(result._tag, "Unavailable")
              assert.include(log, "fell silent")
            }),
          () => Effect.sync(() => process.kill(pid, "SIGCONT"))
        )
        yield* pg.ping
      }).pipe(Effect.provide(Postgres.layerUrl(server.url("postgres"), { statementTimeout: "100 millis" })))
    }).pipe(Effect.provide(Layer.merge(PostgresServer.layer(), quiet))), 30_000)
})

const lockable = (pg: Postgres.Postgres["Type"]) =>
  Effect.map(
    pg.query(
      "test.lock",
      pg.sql`SELECT pg_try_advisory_xact_lock(7) AS free, pg_sleep(0.02)::text`,
      Schema.Struct({ free: Schema.Boolean })
    ),
    ([row]) => row?.free === true
  )

const started = (url: string | undefined) =>
  logged(
    Effect.flip(Effect.scoped(Layer.build(Postgres.layerConfig()))).pipe(
      Effect.map((error) => startFailure(error)),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(url === undefined ? [] : [["LOOM_POSTGRES_URL", url]]), {
        pathDelim: "_"
      }))
    )
  )

describe("the start of Postgres", () => {
  it.live("tells a wrong setting in one line that holds no password", () =>
    Effect.gen(function*() {
      for (const url of ["mysql://loom:hush@127.0.0.1/loom", "postgres://loom:hush@127.0.0.1:port/loom", "hush"]) {
        const { log, result } = yield* started(url)
        assert.strictEqual(result.exit, "usage")
        assert.match(result.message, /^Wrong configuration: LOOM_POSTGRES_URL: expected an address postgres:\/\//)
        assert.notInclude(JSON.stringify(result) + log, "hush")
      }
      assert.include((yield* started(undefined)).result.message, "LOOM_POSTGRES_URL: is missing")
    }))

  it.live("tells why there is no connection, and which setting to check", () =>
    Effect.gen(function*() {
      const running = new URL(Redacted.value(yield* PostgresHouse.server))
      const altered = (change: (url: URL) => void) => {
        const url = new URL(running)
        change(url)
        return url.toString()
      }
      const deaf = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const server = createServer()
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = deaf.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const cases: ReadonlyArray<readonly [string, RegExp]> = [
        [altered((url) => (url.password = "hush")), /refuses the user: check user and password in LOOM_POSTGRES_URL/],
        [altered((url) => (url.password = "")), /refuses the user/],
        [altered((url) => (url.pathname = "/nowhere")), /no such database/],
        ["postgres://loom:hush@127.0.0.1:1/loom", /does not answer \(ECONNREFUSED\): check LOOM_POSTGRES_URL/],
        ["postgres://loom:hush@127.0.0.1:1/loom?sslmode=verify-full", /does not answer/],
        [altered((url) => url.searchParams.set("sslmode", "verify-full")), /check sslmode/],
        [`postgres://loom:hush@127.0.0.1:${port}/loom`, /does not answer/]
      ]
      for (const [url, words] of cases) {
        const { log, result } = yield* started(url)
        assert.match(log, words)
        assert.strictEqual(log.split("\n").length, 1)
        assert.strictEqual(
          result.message,
          "No connection to Postgres; the log line above says which setting to check."
        )
        assert.notInclude(JSON.stringify(result) + log, "hush")
        assert.notInclude(log, running.password)
      }
    }).pipe(Effect.scoped), 30_000)
})
