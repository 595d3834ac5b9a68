/**
 * `loom runner`: the actors of a cluster. It takes its share of the namespaces from the other runners, and when it ends it
 * finishes what it has begun and gives them back. Nobody but gateways and other runners speaks to it; over HTTP it says
 * whether it lives and is ready.
 */
import type { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as Layer from "effect/Layer"
import * as FenceMetrics from "../../src/memory/FenceMetrics.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import * as RunnerReport from "../../src/ops/RunnerReport.ts"
import * as Authorities from "../layers/Authorities.ts"
import * as ClusterSettings from "../layers/ClusterSettings.ts"
import type { RunnerSettings } from "../layers/ClusterSettings.ts"
import * as ClusterSharding from "../layers/ClusterSharding.ts"
import * as ClusterStores from "../layers/ClusterStores.ts"
import * as Parts from "../layers/Parts.ts"
import * as RunnerAddresses from "../layers/RunnerAddress.ts"
import * as Slices from "../layers/Slices.ts"
import * as Workers from "../layers/Workers.ts"
import * as FaultPoints from "../serve/FaultPoints.ts"
import * as ClockSkew from "./ClockSkew.ts"
import * as FenceOff from "./FenceOff.ts"
import * as RunnerHttp from "./RunnerHttp.ts"

/** A runner at this address, of the given parts; it lives as long as the layer. */
export const layerWith = <E, EM = never>(
  settings: RunnerSettings,
  address: RunnerAddress,
  parts: Parts.Parts<E, EM>
) =>
  RunnerHttp.layer({ host: settings.host, port: settings.port, version: parts.version }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(ClusterStores.layerReadiness, Slices.layerWarm, RunnerReport.layer(parts.version))
    ),
    Layer.provideMerge(Layer.provide(Workers.layer(settings.workers, "singleton"), MemoryClient.layerCluster)),
    Layer.provideMerge(Slices.layerActors(Slices.actorOptions(settings))),
    Layer.provideMerge(ClusterSharding.layerRunner(address, settings)),
    Layer.provideMerge(Slices.layerGround(settings.thresholds)),
    Layer.provideMerge(Parts.layer(parts)),
    // Under the cluster: what an actor is given there stands before what it is given itself.
    Layer.provideMerge(Layer.provide(FenceMetrics.layer, FenceOff.layerConfig)),
    Layer.provideMerge(Authorities.layerRunner(settings.authority)),
    // Paused for as long as its locks live, a runner loses them: the sessions that hold them end.
    Layer.provideMerge(
      ClusterStores.layer({
        applicationName: `${ClusterSharding.APPLICATION}${address.host}:${address.port}`,
        idleSessionTimeout: settings.shardLockExpiry
      })
    )
  )

/** `loom runner`: the embedder and the language model are the configured ones. */
export const layer = (settings: RunnerSettings, address: RunnerAddress, version: string) =>
  layerWith(settings, address, Parts.configured(version)).pipe(
    // Under everything, since a fiber takes its fault points and its clock from where it was started.
    Layer.provide(Layer.merge(FaultPoints.layerConfig, ClockSkew.layerConfig))
  )

export const settings = ClusterSettings.runner

/** Where a runner of these settings listens: a private address of this machine, and a port that is free. */
export const findAddress = ({ runnerHost, runnerPort }: Pick<RunnerSettings, "runnerHost" | "runnerPort">) =>
  RunnerAddresses.find(runnerHost, runnerPort)
