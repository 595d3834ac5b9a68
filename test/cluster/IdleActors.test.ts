/**
 * Actors that nobody asks for: after `LOOM_ACTOR_IDLE` they are put away, hold nothing in either store, and come back for the
 * next write with all their rows, under a higher epoch.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { MemoryGet, MemoryList, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { Postgres } from "../../src/platform/Postgres.ts"
import * as PostgresPort from "../../src/platform/Postgres.ts"
import * as LoomCluster from "../support/LoomCluster.ts"
import { answerOf, send } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import type { LoomProcess } from "../support/LoomProcess.ts"

const COUNT = 200
const namespaces = Array.from({ length: COUNT }, (_, at) => `idle-${at}`)

const call = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(send(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body)), (reply) => answerOf(verb, reply))

const actorsOf = ({ url }: LoomProcess) =>
  Effect.map(
    send(url, "GET", "/metrics", undefined),
    ({ text }) => Number(/^loom_actors_active (\d+)$/m.exec(text)?.[1])
  )

const when = (runner: LoomProcess, wanted: (actors: number) => boolean) =>
  actorsOf(runner).pipe(
    Effect.filterOrFail(wanted, (actors) => `still ${actors} actors`),
    Effect.retry(Schedule.spaced("250 millis").pipe(Schedule.intersect(Schedule.recurs(240))))
  )
const whenNone = (runner: LoomProcess) => when(runner, (actors) => actors === 0)

const Held = Schema.Struct({
  shards: Schema.Int,
  other_locks: Schema.Int,
  sessions: Schema.Int,
  open_intents: Schema.Int,
  owned: Schema.Int,
  top_epoch: Schema.Int
})

/** What the runner holds in Postgres: locks of shards and other locks, sessions in a transaction, and what the fence knows. */
const held = Effect.flatMap(Postgres, ({ query, sql }) =>
  Effect.map(
    query(
      "test.held",
      sql`SELECT
        (SELECT count(*)::int FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE datname = current_database() AND application_name LIKE 'loom runner %' AND locktype = 'advisory') AS shards,
        (SELECT count(*)::int FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE datname = current_database() AND application_name LIKE 'loom runner %' AND locktype NOT IN ('advisory', 'virtualxid')) AS other_locks,
        (SELECT count(*)::int FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE 'loom runner %' AND state LIKE 'idle in transaction%') AS sessions,
        (SELECT count(*)::int FROM loom.intents WHERE state IN ('open', 'doomed')) AS open_intents,
        (SELECT count(*)::int FROM loom.fence WHERE namespace LIKE 'idle-%') AS owned,
        (SELECT max(epoch)::int FROM loom.fence WHERE namespace LIKE 'idle-%') AS top_epoch`,
      Held
    ),
    ([row]) => row
  ))

describe("an idle actor", () => {
  it.live(
    "is put away, leaves nothing held, and comes back with its rows",
    () =>
      Effect.gen(function*() {
        const cluster = yield* LoomCluster.make
        // Long enough that all of them are up at once.
        const [runner, gateway] = yield* Effect.all(
          [cluster.runner({ LOOM_ACTOR_IDLE: "15 seconds", LOOM_WORKERS: "none" }), cluster.gateway()],
          { concurrency: "unbounded" }
        )
        const write = (namespace: string, key: string) =>
          call(gateway.url, MemorySet, { namespace, memory_key: key, value: `What ${key} says in ${namespace}` })
        yield* Effect.forEach(namespaces, (namespace) => write(namespace, "first"), { concurrency: 16, discard: true })
        // It tells once a second, and on a busy machine the first may be gone when the last comes.
        yield* when(runner, (actors) => actors > COUNT / 4)
        yield* whenNone(runner)

        const postgres = Redacted.make(String(cluster.env["LOOM_POSTGRES_URL"]))
        const look = Effect.provide(held, PostgresPort.layerUrl(postgres, { applicationName: "test" }))
        const before = yield* look
        assert.isAbove(before?.shards ?? 0, 0)
        assert.deepInclude(before, { other_locks: 0, sessions: 0, open_intents: 0, owned: COUNT, top_epoch: 1 })

        yield* Effect.forEach(namespaces, (namespace) => write(namespace, "second"), { concurrency: 16, discard: true })
        const rows = yield* Effect.forEach(
          namespaces,
          (namespace) => call(gateway.url, MemoryList, { namespace }),
          { concurrency: 16 }
        )
        assert.deepStrictEqual(
          rows.map(({ memories }) => memories.map(({ memory_key }) => memory_key).toSorted()),
          namespaces.map(() => ["first", "second"])
        )
        const last = namespaces[COUNT - 1] ?? ""
        const { value } = yield* call(gateway.url, MemoryGet, { namespace: last, memory_key: "first" })
        assert.strictEqual(value, `What first says in ${last}`)
        yield* whenNone(runner)
        // The same shards, no more sessions, and each namespace taken once more.
        assert.deepStrictEqual(yield* look, before === undefined ? undefined : { ...before, top_epoch: 2 })
      }).pipe(Effect.scoped),
    300_000
  )
})
