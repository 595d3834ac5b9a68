/** A cluster as its Postgres knows it: sessions that hold locks as runners do, the fence's rows, and who answers for itself. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import { ActorLoad } from "../../src/kernel/ActorLoad.ts"
import { Fence } from "../../src/memory/Fence.ts"
import * as FencePostgres from "../../src/memory/FencePostgres.ts"
import { ClusterLook } from "../../src/ops/ClusterLook.ts"
import * as ClusterLookPostgres from "../../src/ops/ClusterLookPostgres.ts"
import { ClusterView, MOST_MESSAGES } from "../../src/ops/ClusterModel.ts"
import * as RunnerReport from "../../src/ops/RunnerReport.ts"
import * as Postgres from "../../src/platform/Postgres.ts"
import * as PostgresCluster from "../../src/platform/PostgresCluster.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import { intentOf } from "../memory/FenceContract.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"

const migrated = Layer.effectDiscard(
  Effect.zipRight(Effect.flatMap(PostgresMigrations.load(), PostgresMigrator.run), PostgresCluster.create)
)

class Url extends Context.Tag("loom/test/ops/ClusterLookPostgres/Url")<Url, Redacted.Redacted>() {}

const layerUrl = Layer.scoped(Url, PostgresHouse.database)

const house = Layer.mergeAll(
  ClusterLookPostgres.layer({ expiry: Duration.seconds(6) }),
  RunnerReport.layer("1.2.3"),
  FencePostgres.layer
).pipe(
  Layer.provideMerge(LocalSharding.layer),
  Layer.provideMerge(migrated),
  Layer.provideMerge(Layer.merge(Layer.unwrapEffect(Effect.map(Url, (url) => Postgres.layerUrl(url))), layerEngine)),
  Layer.provideMerge(layerUrl)
)

// The address under which the one process of the tests answers.
const SELF = "localhost:34431"

/** A session that holds the locks of shards as a runner does, and the runner's own row. */
const runner = (address: string, shards: ReadonlyArray<number>, silent: number, healthy = true) =>
  Effect.gen(function*() {
    const url = yield* Url
    const { command, sql } = yield* Postgres.Postgres
    const session = yield* PgClient.make({
      url,
      maxConnections: 1,
      applicationName: `${PostgresCluster.APPLICATION}${address}`.slice(0, 63)
    }).pipe(Effect.provide(Reactivity.layer))
    const held = yield* session.reserve
    yield* Effect.forEach(
      shards,
      (shard) => held.executeRaw("SELECT pg_advisory_lock($1::bigint)", [PostgresCluster.FIRST_LOCK + shard])
    )
    yield* command(
      "test.runner",
      sql`INSERT INTO loom_cluster_runners (address, runner, healthy, last_heartbeat)
        VALUES (${address}, '{}', ${healthy}, now() - ${silent} * interval '1 second')`
    )
  })

const everything = Effect.flatMap(ClusterLook, ({ look }) => look("everything", 100))

layer(house, { timeout: 120_000, excludeTestServices: true })("a look at a cluster", (it) => {
  it.scoped("tells runners by their locks, namespaces by their fence, and what is open or stored", () =>
    Effect.gen(function*() {
      const fence = yield* Fence
      const load = yield* ActorLoad
      const { command, sql } = yield* Postgres.Postgres
      const all = Array.from({ length: PostgresCluster.SHARDS }, (_, index) => index + 1)
      const long = `${"a-host-with-a-long-name.".repeat(3)}internal:7780`
      yield* runner(SELF, all.slice(0, 200).reverse(), 1)
      yield* runner(long, all.slice(200, 290), 1)
      yield* runner("10.0.0.9:7780", [], 60)

      const owner = yield* fence.take({ org: "acme", namespace: "eng" })
      yield* fence.take({ org: "acme", namespace: "ops" })
      yield* fence.take({ org: "globex", namespace: "eng" })
      yield* fence.take({ org: "-", namespace: "worker/toys" })
      yield* fence.reserve([intentOf(owner, 1n, 10n)])
      yield* command("test.old", sql`UPDATE loom.intents SET reserved_at = now() - interval '90 seconds'`)
      const leave = load.enter({ org: "acme", namespace: "ops" }, () => 7)
      yield* Effect.addFinalizer(() => Effect.sync(leave))

      const seen = yield* everything
      // Its own schema reads it.
      assert.deepEqual(Schema.decodeSync(ClusterView)(Schema.encodeSync(ClusterView)(seen)), seen)
      assert.deepEqual(
        seen.runners.map(({ address, healthy, shards, version }) => [address, healthy, shards.length, version]),
        [["10.0.0.9:7780", false, 0, null], [long, true, 90, null], [SELF, true, 200, "1.2.3"]]
      )
      assert.deepEqual(seen.runners[2]?.shards, all.slice(0, 200))
      assert.deepInclude(seen.runners[2], { actors: 1, waiting: 7, waiting_most: 7 })
      assert.isAbove(seen.runners[0]?.silent_seconds ?? 0, 59)
      assert.isNull(seen.runners[0]?.since)
      assert.deepEqual(seen.shards_unheld, all.slice(290))
      // Asked for its shard, it is not the one of the long name that answers.
      assert.deepEqual(seen.degraded, ["runners_silent"])
      assert.deepEqual(
        seen.namespaces.map(({ epoch_text, namespace, open_intents, org, waiting }) => [
          `${org}/${namespace}`,
          epoch_text,
          open_intents,
          waiting
        ]).slice(0, 2),
        [["acme/ops", "1", 0, 7], ["acme/eng", "1", 1, seen.namespaces[1]?.runner === SELF ? 0 : null]]
      )
      assert.deepEqual(seen.workers.map(({ epoch_text, name }) => [name, epoch_text]), [["toys", "1"]])
      assert.strictEqual(seen.open_intents, 1)
      assert.isAbove(seen.open_intents_oldest_seconds ?? 0, 89)
      assert.deepEqual([seen.messages, seen.relay], [{ unprocessed: 0, kept: 0 }, { commits: 0, oldest_seconds: null }])
      assert.deepEqual(seen.schemas.map(({ known, store, version }) => [store, version === known && known > 0]), [
        ["clickhouse", true],
        ["postgres", true]
      ])

      // Of an org, of some of its namespaces, of none; the rest is left out of every count.
      const { look } = yield* ClusterLook
      const names = ({ namespaces, namespaces_left_out, open_intents }: ClusterView) => [
        namespaces.map(({ namespace, org }) => `${org}/${namespace}`),
        namespaces_left_out,
        open_intents
      ]
      assert.deepEqual(names(yield* look({ org: "acme", namespaces: "*" }, 1)), [["acme/ops"], 1, 1])
      assert.deepEqual(names(yield* look({ org: "globex", namespaces: ["eng", "x'"] }, 9)), [["globex/eng"], 0, 0])
      assert.deepEqual(names(yield* look({ org: "acme", namespaces: [] }, 9)), [[], 0, 0])
      assert.deepEqual(names(yield* look({ org: "-", namespaces: "*" }, 9)), [[], 0, 0])

      // Stored messages are counted up to a bound.
      yield* command(
        "test.messages",
        sql`INSERT INTO loom_cluster_messages (id, shard_id, entity_type, entity_id, kind, processed, request_id)
          SELECT n, 'default:1', 'Job', 'a', 0, n > 3, n FROM generate_series(1, ${MOST_MESSAGES + 5}::int) AS n`
      )
      assert.deepEqual((yield* everything).messages, { unprocessed: 3, kept: MOST_MESSAGES })
    }))
})
