/**
 * The cluster of one process: the same entities and clients as in a real cluster, on in-process layers, so that serve
 * needs no Postgres. Messages are volatile; retry is by idempotency key.
 */
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as Layer from "effect/Layer"
import * as VolatileMessages from "./VolatileMessages.ts"

const make = (simulateRemoteSerialization: boolean): Layer.Layer<Sharding.Sharding> =>
  Sharding.layer.pipe(
    Layer.provide(Runners.layerNoop),
    Layer.provide([VolatileMessages.layer, RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
    Layer.provide(ShardingConfig.layer({
      simulateRemoteSerialization,
      // Below the 15 s in which the process must be gone.
      entityTerminationTimeout: 10_000
    }))
  )

/** Payloads are immutable, so the copy that stands in for a wire is left out: it takes 20 to 40 % of a call. */
export const layer = make(false)

/** With that copy: what an actor gets and answers is what another process would get. */
export const layerCopying = make(true)
