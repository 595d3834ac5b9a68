/**
 * How sensitive a value is when its writer did not say, decided before any embedder, model or log sees it. A pure
 * decision behind a service, so that a deployment can provide its own. This layer reads nothing into a value.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Sensitivity } from "./MemoryModel.ts"

export class SensitivityPolicy extends Context.Tag("loom/memory/SensitivityPolicy")<SensitivityPolicy, {
  readonly classify: (text: string) => Sensitivity
}>() {}

/** Every value counts as not sensitive unless its writer says otherwise. */
export const layerDeclaredOnly: Layer.Layer<SensitivityPolicy> = Layer.succeed(SensitivityPolicy, {
  classify: () => "none"
})
