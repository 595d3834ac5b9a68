/**
 * What language models took, counted for all processes together by namespace, day, purpose and model. Counts are added and
 * never taken back.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"

export interface UsageCounts {
  readonly calls: number
  /** Of these, those without a reply. */
  readonly failed: number
  readonly tokensIn: number
  readonly tokensOut: number
  /** In the currency of the prices; 0 where none are configured. */
  readonly cost: number
}

export interface UsageKind {
  /** `2026-11-30`, of UTC. */
  readonly day: string
  /** A `ModelPurpose`, or one of another version of this server. */
  readonly purpose: string
  readonly model: string
}

export interface Usage extends UsageKind, UsageCounts {}

export interface ScopedUsage extends Usage {
  readonly scope: Scope
}

export class ModelUsageStore extends Context.Tag("loom/platform/ModelUsageStore")<ModelUsageStore, {
  /** Adds to what is there; after `Unavailable` it may have been added or not. */
  readonly add: (usages: ReadonlyArray<ScopedUsage>) => Effect.Effect<void, Unavailable>
  /** Tokens, in and out, that a namespace took on a day. */
  readonly spent: (scope: Scope, day: string) => Effect.Effect<number, StoreError>
  /** What these namespaces of the org took together from a day on, the latest day first. */
  readonly since: (
    org: string,
    namespaces: "*" | ReadonlyArray<string>,
    day: string
  ) => Effect.Effect<ReadonlyArray<Usage>, StoreError>
}>() {}

/** The day of an instant, in UTC. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** One entry for each of what `keyOf` tells apart, counts added up. */
export const added = <U extends Usage>(usages: ReadonlyArray<U>, keyOf: (usage: U) => string): ReadonlyArray<U> => {
  const sums = new Map<string, U>()
  for (const usage of usages) {
    const key = keyOf(usage)
    const sum = sums.get(key)
    sums.set(
      key,
      sum === undefined ? usage : {
        ...sum,
        calls: sum.calls + usage.calls,
        failed: sum.failed + usage.failed,
        tokensIn: sum.tokensIn + usage.tokensIn,
        tokensOut: sum.tokensOut + usage.tokensOut,
        cost: sum.cost + usage.cost
      }
    )
  }
  return [...sums.values()]
}

export const kindKey = ({ day, model, purpose }: UsageKind): string => `${day}\u0000${purpose}\u0000${model}`

/** As `since` answers: the latest day first, within it by purpose and model. */
const inOrder = (one: Usage, other: Usage): number =>
  one.day === other.day ? (kindKey(one) < kindKey(other) ? -1 : 1) : one.day < other.day ? 1 : -1

export const layerMemory: Layer.Layer<ModelUsageStore> = Layer.sync(ModelUsageStore, () => {
  const all: Array<ScopedUsage> = []
  return {
    add: (usages) => Effect.sync(() => void all.push(...usages)),
    spent: ({ namespace, org }, day) =>
      Effect.sync(() =>
        all.filter(({ day: on, scope }) => scope.org === org && scope.namespace === namespace && on === day)
          .reduce((sum, { tokensIn, tokensOut }) => sum + tokensIn + tokensOut, 0)
      ),
    since: (org, namespaces, day) =>
      Effect.sync(() => {
        const found = all.filter(({ day: on, scope }) =>
          scope.org === org && (namespaces === "*" || namespaces.includes(scope.namespace)) && on >= day
        )
        return added(found, kindKey).map(({ scope: _, ...usage }) => usage).toSorted(inOrder)
      })
  }
})
