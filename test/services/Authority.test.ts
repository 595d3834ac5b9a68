/**
 * `loom serve` under the authority of Postgres: in one process, over an embedded engine; and stores that refuse a process of
 * the other authority, or with the Postgres of others.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { MemoryDelete, MemoryGet, MemoryHistory, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { MemorySearch } from "../../src/retrieval/SearchVerbs.ts"
import { answerOf, trySend } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"

const ask = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(
    Effect.orDie(trySend(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body))),
    (reply) => answerOf(verb, reply)
  )

/** The line with which a server does not start. */
const refusal = (data: string, env: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.flip(Effect.scoped(start({ data, env }))),
    ({ log }) => log.split("\n").filter((line) => line.startsWith("loom: ")).at(-1) ?? log
  )

const place = { namespace: "team", memory_key: "project/loom/deploy-window" }
const note = { ...place, value: "Deploys happen on Tuesdays" }

describe("LOOM_AUTHORITY", () => {
  it.live(
    "postgres: serve writes, reads, searches and retries as ever, and remembers after kill -9",
    () =>
      Effect.gen(function*() {
        const data = yield* tempFolder
        const env = {
          LOOM_AUTHORITY: "postgres",
          LOOM_POSTGRES_URL: Redacted.value(yield* PostgresHouse.database)
        }
        const first = yield* start({ data, env })
        const set = yield* ask(first.url, MemorySet, { ...note, idempotency_key: "k1" })
        assert.deepStrictEqual(set.degraded, [])
        assert.deepStrictEqual(yield* ask(first.url, MemorySet, { ...note, idempotency_key: "k1" }), set)
        const updated = yield* ask(first.url, MemoryUpdate, { ...note, value: "Deploys happen on Fridays" })
        assert.isTrue(updated.updated)
        const found = yield* ask(first.url, MemorySearch, { namespace: "team", query: "When do deploys happen?" })
        assert.deepStrictEqual(found.degraded, [])
        assert.strictEqual(found.results[0]?.memory_key, note.memory_key)
        assert.strictEqual(yield* first.kill, "SIGKILL")

        // Without the setting it would write behind the back of Postgres.
        assert.match(
          yield* refusal(data, { LOOM_AUTHORITY: "clickhouse" }),
          /authority of postgres.*loom authority migrate --to clickhouse/
        )
        // Another Postgres, empty.
        const other = Redacted.value(yield* PostgresHouse.database)
        assert.match(yield* refusal(data, { ...env, LOOM_POSTGRES_URL: other }), /holds no memory/)

        const second = yield* start({ data, env })
        const got = yield* ask(second.url, MemoryGet, place)
        assert.isTrue(got.found)
        assert.strictEqual("value" in got ? got.value : null, "Deploys happen on Fridays")
        assert.deepStrictEqual(yield* ask(second.url, MemorySet, { ...note, idempotency_key: "k1" }), set)
        yield* ask(second.url, MemoryDelete, place)
        const history = yield* ask(second.url, MemoryHistory, place)
        assert.strictEqual(history.versions.length, 3)
        assert.isFalse((yield* ask(second.url, MemoryGet, place)).found)
        assert.strictEqual(yield* second.stop, 0)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("stores that ClickHouse holds alone are not taken over unasked", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const server = yield* start({ data, env: { LOOM_AUTHORITY: "clickhouse" } })
      yield* ask(server.url, MemorySet, note)
      assert.strictEqual(yield* server.stop, 0)
      const env = { LOOM_AUTHORITY: "postgres", LOOM_POSTGRES_URL: Redacted.value(yield* PostgresHouse.database) }
      assert.match(yield* refusal(data, env), /authority of clickhouse.*loom authority migrate --to postgres/)
      assert.match(yield* refusal(data, { LOOM_AUTHORITY: "postgres" }), /LOOM_POSTGRES_URL: is missing/)
      const again = yield* start({ data, env: { LOOM_AUTHORITY: "clickhouse" } })
      assert.isTrue((yield* ask(again.url, MemoryGet, place)).found)
    }).pipe(Effect.scoped), 120_000)
})
