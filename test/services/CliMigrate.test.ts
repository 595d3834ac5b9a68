/**
 * `loom migrate` with both stores: what is pending in each is told, run and then no longer pending, and a Postgres that
 * cannot be had ends it with one line that says why and holds no password.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as PostgresHouse from "../support/PostgresHouse.ts"
import { loom, tempFolder } from "./CliHouse.ts"

const CLUSTER = "the tables of the cluster"

describe("loom migrate with Postgres", () => {
  it.scopedLive("brings both stores to the schema of the build", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const url = Redacted.value(yield* PostgresHouse.database)
      const env = { LOOM_DATA: data, LOOM_POSTGRES_URL: url, LOOM_LOG_LEVEL: "ERROR" }
      const before = yield* loom(["migrate", "--check"], { env })
      assert.strictEqual(before.code, 1, before.stderr)
      assert.match(
        before.stderr,
        /ClickHouse lacks 0001_memory.sql.*; Postgres lacks 0001_fence\.sql.*: run `loom migrate`/
      )
      const ran = yield* loom(["migrate", "--json"], { env })
      assert.strictEqual(ran.code, 0, ran.stderr)
      const report = JSON.parse(ran.stdout)
      assert.include(report.ran, "0001_memory.sql")
      assert.includeMembers(report.postgres.ran, ["0001_fence.sql", CLUSTER])
      const after = yield* loom(["migrate", "--check"], { env })
      assert.strictEqual(after.code, 0, after.stderr)
      assert.match(after.stdout, /^ClickHouse has the schema.*\nPostgres has the schema of this build/)
      const alone = yield* loom(["migrate", "--check", "--json"], { env: { ...env, LOOM_POSTGRES_URL: "" } })
      assert.strictEqual(alone.code, 2)

      // Only one of them behind
      const empty = Redacted.value(yield* PostgresHouse.database)
      const behind = yield* loom(["migrate", "--check", "--json"], { env: { ...env, LOOM_POSTGRES_URL: empty } })
      assert.strictEqual(behind.code, 1)
      const { detail } = JSON.parse(behind.stdout)
      assert.deepStrictEqual(detail.pending, [])
      assert.includeMembers(detail.postgres.pending, ["0001_fence.sql", CLUSTER])
    }), 120_000)

  it.scopedLive("ends with one line when Postgres is not there or its setting is wrong", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const env = { LOOM_DATA: data, LOOM_LOG_LEVEL: "OFF" }
      const wrong = yield* loom(["migrate"], { env: { ...env, LOOM_POSTGRES_URL: "http://loom:hush@127.0.0.1/loom" } })
      assert.strictEqual(wrong.code, 2)
      assert.match(wrong.stderr, /LOOM_POSTGRES_URL: expected an address postgres:/)
      const deaf = yield* loom(["migrate"], {
        env: { ...env, LOOM_POSTGRES_URL: "postgres://loom:hush@127.0.0.1:1/l" }
      })
      assert.strictEqual(deaf.code, 1)
      assert.match(deaf.stderr, /No connection to Postgres/)
      for (const { stderr, stdout } of [wrong, deaf]) {
        assert.notInclude(stdout + stderr, "hush")
        assert.strictEqual(stderr.trim().split("\n").length, 1, stderr)
      }
    }), 120_000)
})
