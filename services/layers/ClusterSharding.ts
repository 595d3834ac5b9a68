/**
 * The cluster of many processes: which runner has which namespaces is agreed in Postgres (one row for each living runner,
 * one advisory lock for each shard), calls go from process to process over sockets, in msgpack. Nothing of a call is stored:
 * one that was lost is made again by the caller, under the same write id (`MemoryClient.layerCluster`). That two runners
 * can both believe in a namespace is the fence's to bear (`src/memory/Fence.ts`).
 */
import type { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SocketRunner from "@effect/cluster/SocketRunner"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import * as PostgresCluster from "../../src/platform/PostgresCluster.ts"
import type { ClusterSettings } from "./ClusterSettings.ts"
import * as ClusterWire from "./ClusterWire.ts"
import * as PeerWatch from "./PeerWatch.ts"
import * as VolatileMessages from "./VolatileMessages.ts"

export { APPLICATION, FIRST_LOCK, SHARD_GROUP } from "../../src/platform/PostgresCluster.ts"

/** The numbers of the locks come from the list of groups, so every process has the same list. */
const SHARD_GROUPS = [PostgresCluster.SHARD_GROUP]

const config = (
  { shardLockExpiry }: ClusterSettings,
  runnerAddress: Option.Option<RunnerAddress>
): Partial<ShardingConfig.ShardingConfig["Type"]> => ({
  runnerAddress,
  availableShardGroups: SHARD_GROUPS,
  assignedShardGroups: SHARD_GROUPS,
  shardsPerGroup: PostgresCluster.SHARDS,
  shardLockExpiration: shardLockExpiry,
  // Two signs of life may be lost; the library takes a third of the expiry where that is shorter. A connection that is
  // silent for much longer is given up by either end.
  shardLockRefreshInterval: Duration.seconds(2),
  // The lock goes with the connection that holds it, so a killed runner's namespaces are free at once.
  shardLockDisableAdvisory: false,
  // How soon the others hear of a runner that comes, goes, or does not answer: one read of a small table.
  refreshAssignmentsInterval: Duration.millis(500),
  runnerHealthCheckInterval: Duration.seconds(2),
  // How soon a runner asks again for a shard that another had not let go, and forgets which calls it has answered.
  entityMessagePollInterval: Duration.seconds(1),
  // Below the 14 s after which the process is cut off, which a supervisor's 15 s follow.
  entityTerminationTimeout: Duration.seconds(10),
  // Payloads are immutable, so a call within the runner needs no copy.
  simulateRemoteSerialization: false
})

// Longer than a busy runner lets a caller wait. One that stands still is found by its missing signs of life instead.
const PING_PATIENCE = "3 seconds"
const PING_TRIES = Schedule.intersect(Schedule.spaced("250 millis"), Schedule.recurs(2))

/** A runner is well when it answers. What refuses the connection is known to be gone within a second. */
const layerHealth = Layer.effect(
  RunnerHealth.RunnerHealth,
  Effect.map(Runners.Runners, (runners) => ({
    isAlive: (address: RunnerAddress) =>
      runners.ping(address).pipe(Effect.timeout(PING_PATIENCE), Effect.retry(PING_TRIES), Effect.isSuccess)
  }))
).pipe(Layer.provide(Runners.layerRpc))

// `loom migrate` made its tables; one database holds one cluster.
const layerStorage = SqlRunnerStorage.layerWith({ prefix: PostgresCluster.PREFIX }).pipe(
  Layer.tapErrorCause((cause) => Effect.logWarning("The tables of the cluster cannot be used", cause)),
  Layer.catchAll(() => Layer.fail(new Unavailable({ operation: "Cluster.storage" })))
)

/** A member of the cluster, which takes namespaces and is reached at this address. */
export const layerRunner = (address: RunnerAddress, settings: ClusterSettings) =>
  Layer.merge(SocketRunner.layer, PeerWatch.layer(address)).pipe(
    Layer.provide(layerHealth),
    Layer.provide([NodeClusterSocket.layerSocketServer, NodeClusterSocket.layerClientProtocol]),
    Layer.provide([VolatileMessages.layer, layerStorage]),
    Layer.provide(ShardingConfig.layer(config(settings, Option.some(address)))),
    Layer.provide(ClusterWire.layer)
  )

/** Calls the runners of the cluster and takes no namespace. */
export const layerClient = (settings: ClusterSettings) =>
  SocketRunner.layerClientOnly.pipe(
    Layer.provide(NodeClusterSocket.layerClientProtocol),
    Layer.provide([VolatileMessages.layer, layerStorage]),
    Layer.provide(ShardingConfig.layer(config(settings, Option.none()))),
    Layer.provide(ClusterWire.layer)
  )
