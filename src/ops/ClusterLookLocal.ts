/**
 * One process that holds everything (`loom serve`), seen like a cluster: itself as the only runner, its shards, the
 * namespaces that are stored or up. Nobody is fenced, so there are no epochs and nothing is left open.
 */
import * as EntityId from "@effect/cluster/EntityId"
import * as ShardId from "@effect/cluster/ShardId"
import { Sharding } from "@effect/cluster/Sharding"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ActorLoad } from "../kernel/ActorLoad.ts"
import { actorId } from "../kernel/Identity.ts"
import { MemoryStore } from "../memory/MemoryStore.ts"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import type { MigrationInvalid } from "../platform/Migrations.ts"
import { SHARD_GROUP, SHARDS } from "../platform/PostgresCluster.ts"
import { reaches } from "../work/WorkerModel.ts"
import type { Reach } from "../work/WorkerModel.ts"
import { ClusterLook } from "./ClusterLook.ts"
import type { ClusterView } from "./ClusterModel.ts"
import { report } from "./RunnerReport.ts"
import * as SchemaVersions from "./SchemaVersions.ts"

const ADDRESS = "this process"

const make = (version: string) =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const sharding = yield* Sharding
    const load = yield* ActorLoad
    const schema = yield* SchemaVersions.clickhouse
    const since = new Date(yield* Clock.currentTimeMillis).toISOString()

    const look = Effect.fn("ClusterLook.look")(function*(reach: Reach, limit: number) {
      const { actors, most, pruning, waiting } = yield* report(ADDRESS, version)
      const up = load.namespaces()
      const waitingOf = new Map(up.map((one) => [actorId(one.scope), one.waiting]))
      const stored = yield* store.scopes
      const scopes = new Map([...up.map(({ scope }) => scope), ...stored].map((scope) => [actorId(scope), scope]))
      const mine = [...scopes].filter(([, scope]) => reaches(reach, scope)).map(([id, scope]) => {
        const { id: shard } = sharding.getShardId(EntityId.make(id), SHARD_GROUP)
        const isHeld = sharding.hasShardId(ShardId.make(SHARD_GROUP, shard))
        return {
          ...scope,
          shard,
          runner: isHeld ? ADDRESS : null,
          epoch_text: null,
          holder: null,
          taken_at: null,
          waiting: waitingOf.get(id) ?? 0,
          open_intents: 0
        }
      }).sort((left, right) => right.waiting - left.waiting || (actorId(left) < actorId(right) ? -1 : 1))
      const shards = Array.from({ length: SHARDS }, (_, index) => index + 1)
      const held = shards.filter((shard) => sharding.hasShardId(ShardId.make(SHARD_GROUP, shard)))
      const view: ClusterView = {
        kind: "process",
        runners: [{
          address: ADDRESS,
          healthy: true,
          version,
          since,
          silent_seconds: 0,
          shards: held,
          actors,
          waiting,
          waiting_most: most
        }],
        runners_left_out: 0,
        shards_unheld: shards.filter((shard) => !held.includes(shard)),
        workers: [],
        namespaces: mine.slice(0, limit),
        namespaces_left_out: Math.max(0, mine.length - limit),
        open_intents: 0,
        open_intents_oldest_seconds: null,
        messages: null,
        relay: null,
        pruning,
        schemas: [yield* schema],
        degraded: []
      }
      return view
    })

    return ClusterLook.of({ look })
  })

/** This process, of this build. */
export const layer = (
  version: string
): Layer.Layer<ClusterLook, MigrationInvalid, MemoryStore | Sharding | Clickhouse> =>
  Layer.effect(ClusterLook, make(version))
