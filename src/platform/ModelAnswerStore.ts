/** Answers of language models that are kept, each within its namespace, under the hash of what was asked. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"

export interface KeptAnswer {
  readonly model: string
  readonly text: string
  readonly truncated: boolean
  /** Epoch milliseconds. */
  readonly at: number
}

export class ModelAnswerStore extends Context.Tag("loom/platform/ModelAnswerStore")<ModelAnswerStore, {
  /** The last answer of the namespace to it that is not older than `since`. */
  readonly find: (
    scope: Scope,
    promptHash: string,
    since: number
  ) => Effect.Effect<Option.Option<KeptAnswer>, StoreError>
  readonly keep: (scope: Scope, promptHash: string, answer: KeptAnswer) => Effect.Effect<void, Unavailable>
}>() {}

export const layerMemory: Layer.Layer<ModelAnswerStore> = Layer.sync(ModelAnswerStore, () => {
  const kept = new Map<string, KeptAnswer>()
  const key = (scope: Scope, promptHash: string) => `${actorId(scope)}\u0000${promptHash}`
  return {
    find: (scope, promptHash, since) =>
      Effect.sync(() => Option.filter(Option.fromNullable(kept.get(key(scope, promptHash))), ({ at }) => at >= since)),
    keep: (scope, promptHash, answer) => Effect.sync(() => void kept.set(key(scope, promptHash), answer))
  }
})
