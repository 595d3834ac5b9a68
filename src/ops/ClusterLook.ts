/**
 * The port by which a process sees the cluster that it is part of, or itself where it is alone. It tells the namespaces
 * within a reach and no others; runners, shards and workers are the installation's.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Reach } from "../work/WorkerModel.ts"
import type { ClusterView } from "./ClusterModel.ts"

export class ClusterLook extends Context.Tag("loom/ops/ClusterLook")<ClusterLook, {
  /** What is so at about this moment, with at most `limit` namespaces; the parts are read one after another. */
  readonly look: (reach: Reach, limit: number) => Effect.Effect<ClusterView, StoreError>
}>() {}
