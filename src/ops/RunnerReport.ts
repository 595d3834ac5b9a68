/**
 * What a runner tells of itself when it is asked. It is asked as an actor: an id that falls into one of its shards finds it
 * wherever it is, so nobody needs to know another address, and nothing is stored.
 */
import * as Entity from "@effect/cluster/Entity"
import * as EntityId from "@effect/cluster/EntityId"
import { Sharding } from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ActorLoad } from "../kernel/ActorLoad.ts"
import { Scope } from "../kernel/Identity.ts"
import { SHARD_GROUP, SHARDS } from "../platform/PostgresCluster.ts"
import { PruneLog } from "../work/PruneModel.ts"
import { PrunedView } from "./ClusterModel.ts"

/** Namespaces with something waiting that one report tells of, the fullest first. */
export const MOST_WAITING = 1_000

export const RunnerReport = Schema.Struct({
  address: Schema.String,
  version: Schema.String,
  actors: Schema.Int,
  waiting: Schema.Int,
  most: Schema.Int,
  namespaces: Schema.Array(Schema.Struct({ scope: Scope, waiting: Schema.Int })),
  pruning: Schema.Array(PrunedView)
})
export type RunnerReport = typeof RunnerReport.Type

const RunnerEntity = Entity.make("Runner", [
  Rpc.make("report", { success: RunnerReport })
])

/** What this process tells of itself, under the address and the build that it is given. */
export const report = (address: string, version: string): Effect.Effect<RunnerReport> =>
  Effect.gen(function*() {
    const load = yield* ActorLoad
    const pruned = yield* PruneLog
    const { actors, most, waiting } = load.total()
    return {
      address,
      version,
      actors,
      waiting,
      most,
      namespaces: load.namespaces().filter((one) => one.waiting > 0).slice(0, MOST_WAITING),
      pruning: pruned.entries().map(({ keepMillis, lookedAt, name, removed }) => ({
        name,
        keep_hours: keepMillis / 3_600_000,
        removed,
        looked_at: lookedAt === null ? null : new Date(lookedAt).toISOString()
      }))
    }
  })

/** Lets a runner of this build be asked. */
export const layer = (version: string): Layer.Layer<never, never, Sharding> =>
  RunnerEntity.toLayer(
    Effect.map(
      Entity.CurrentRunnerAddress,
      ({ host, port }) => RunnerEntity.of({ report: () => report(`${host}:${port}`, version) })
    ),
    // It holds nothing, so it may go as soon as nobody asks; a defect answers its caller alone.
    { maxIdleTime: "30 seconds", disableFatalDefects: true, concurrency: "unbounded" }
  )

// A runner that is well answers within milliseconds; one that does not is told of as it stands in Postgres.
const PATIENCE = "2 seconds"

/** An id in each shard. Ids fall at random, so a few thousand of them meet all shards. */
const idsByShard = (sharding: Sharding["Type"]): ReadonlyMap<number, string> => {
  const ids = new Map<number, string>()
  for (let n = 0; ids.size < SHARDS && n < 100 * SHARDS; n++) {
    const id = `report-${n}`
    const { id: shard } = sharding.getShardId(EntityId.make(id), SHARD_GROUP)
    if (!ids.has(shard)) ids.set(shard, id)
  }
  return ids
}

/** Asks whoever holds a shard; nothing when it does not answer. */
export const asker: Effect.Effect<
  (shard: number) => Effect.Effect<RunnerReport | undefined>,
  never,
  Sharding
> = Effect.gen(function*() {
  const client = yield* RunnerEntity.client
  const ids = idsByShard(yield* Sharding)
  return (shard) => {
    const id = ids.get(shard)
    return id === undefined ? Effect.succeed(undefined) : client(id).report().pipe(
      Effect.timeout(PATIENCE),
      Effect.catchAllCause((cause) => Effect.as(Effect.logDebug("A runner did not answer", cause), undefined))
    )
  }
})
