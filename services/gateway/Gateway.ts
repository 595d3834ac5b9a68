/**
 * `loom gateway`: the edges of a cluster. It reads the store itself and sends writes to whichever runner has the namespace;
 * it holds no actor and nothing that another gateway would need to know, so there may be any number. When it ends, its
 * requests finish first.
 */
import * as Layer from "effect/Layer"
import { join } from "node:path"
import * as RootToken from "../../src/access/RootToken.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import * as NamespaceCache from "../../src/namespace/NamespaceCache.ts"
import * as ClusterLookPostgres from "../../src/ops/ClusterLookPostgres.ts"
import * as Authorities from "../layers/Authorities.ts"
import * as ClusterSettings from "../layers/ClusterSettings.ts"
import type { GatewaySettings } from "../layers/ClusterSettings.ts"
import * as ClusterSharding from "../layers/ClusterSharding.ts"
import * as ClusterStores from "../layers/ClusterStores.ts"
import * as Parts from "../layers/Parts.ts"
import * as Slices from "../layers/Slices.ts"
import * as Edges from "./Edges.ts"

/** A gateway with these settings, of the given parts; it lives as long as the layer. */
export const layerWith = <E, EM = never>(settings: GatewaySettings, parts: Parts.Parts<E, EM>) =>
  Edges.layer(settings, parts.version).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        ClusterStores.layerReadiness,
        Slices.layerWarm,
        ClusterLookPostgres.layer({ expiry: settings.shardLockExpiry })
      )
    ),
    Layer.provideMerge(MemoryClient.layerCluster),
    Layer.provideMerge(ClusterSharding.layerClient(settings)),
    Layer.provideMerge(Slices.layerGround(settings.thresholds, NamespaceCache.layerShared)),
    Layer.provideMerge(Parts.layer(parts)),
    Layer.provideMerge(Authorities.layerGateway(settings.authority)),
    Layer.provideMerge(RootToken.layerFile(join(settings.data, "root.token"))),
    Layer.provideMerge(ClusterStores.layer({ applicationName: "loom gateway" }))
  )

/** `loom gateway`: the embedder and the language model are the configured ones. */
export const layer = (settings: GatewaySettings, version: string) => layerWith(settings, Parts.configured(version))

export const settings = ClusterSettings.gateway
