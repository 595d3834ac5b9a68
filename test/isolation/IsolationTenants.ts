/**
 * The tenants of an isolation test: bound and unbound callers of two orgs, three namespaces and two users, over the whole
 * house in this process on an embedded engine.
 */
import * as Layer from "effect/Layer"
import type { Tenant } from "../../services/cli/IsolationCheck.ts"
import type { Dispatch } from "../../services/gateway/Dispatch.ts"
import * as Health from "../../services/gateway/Health.ts"
import * as LocalSharding from "../../services/layers/LocalSharding.ts"
import * as Slices from "../../services/layers/Slices.ts"
import * as RootToken from "../../src/access/RootToken.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import * as Fence from "../../src/memory/Fence.ts"
import * as MemoryClient from "../../src/memory/MemoryClient.ts"
import * as Thresholds from "../../src/memory/ThresholdModel.ts"
import * as ClusterLookLocal from "../../src/ops/ClusterLookLocal.ts"
import * as EmbedderTest from "../../src/platform/EmbedderTest.ts"
import * as LanguageModel from "../../src/platform/LanguageModel.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"

/** Every verb of a server, in this process. */
export const layerHouse = Slices.layerDispatch.pipe(
  Layer.provideMerge(
    Layer.mergeAll(MemoryClient.layer, Health.layerClickhouse, ClusterLookLocal.layer("test"))
  ),
  Layer.provideMerge(Slices.layerActors()),
  Layer.provideMerge(Layer.merge(LocalSharding.layer, Fence.layerNone)),
  Layer.provideMerge(Layer.mergeAll(
    Slices.layerTokens,
    Slices.layerAsk(),
    Slices.layerForFile(),
    Slices.layerGround(Thresholds.defaultOptions)
  )),
  Layer.provideMerge(Slices.layerReadCache(1 << 20)),
  Layer.provideMerge(
    Layer.mergeAll(Slices.layerStores, Slices.layerPolicies, EmbedderTest.layerTest, LanguageModel.layerNone)
  ),
  Layer.provideMerge(RootToken.layerNone),
  Layer.provideMerge(layerEngine)
)

export interface TenantOf {
  readonly org: string
  readonly namespace: string
  readonly user: string
}

/** A caller bound to one user of one namespace. */
export const bound = ({ namespace, org, user }: TenantOf): Caller => ({
  ...localCaller,
  actor: `human:${user}`,
  org,
  namespaces: [namespace],
  defaultNamespace: namespace,
  role: "write",
  boundUser: user
})

export const tenantOf = (of: TenantOf, dispatch: Dispatch["Type"]): Tenant<LoomError> => ({
  name: `${of.user} of ${of.org}/${of.namespace}`,
  closed: true,
  call: (verb, request) => dispatch.call(verb, request, bound(of))
})
