/**
 * What the fence decided for the actors of this process, counted: an owner that is refused now and then is a fence at work,
 * one that is refused all the time is a namespace that two runners fight over.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { Fence } from "./Fence.ts"

const taken = Metric.counter("loom_fence_taken_total", {
  description: "Namespaces taken, each under a new epoch",
  incremental: true
})

const refused = Metric.counter("loom_fence_refused_total", {
  description: "Commits and decisions that the fence refused, since the namespace was another's by then",
  incremental: true
})

const settled = Metric.counter("loom_intents_settled_total", {
  description: "Commits that an earlier owner left open and this process decided",
  incremental: true
})

const refusedAt = (step: string, count: number) =>
  count === 0 ? Effect.void : Metric.update(Metric.tagged(refused, "step", step), count)

const settledAs = (outcome: string) => Metric.update(Metric.tagged(settled, "outcome", outcome), 1)

const counted = (fence: Fence["Type"]): Fence["Type"] => ({
  // Epoch 0: there is nobody to be fenced from.
  take: (scope) => Effect.tap(fence.take(scope), ({ epoch }) => epoch === 0n ? Effect.void : Metric.update(taken, 1)),
  reserve: (intents) =>
    Effect.tap(fence.reserve(intents), (kept) => refusedAt("reserve", kept.filter((one) => !one).length)),
  confirm: (intents) =>
    Effect.tap(fence.confirm(intents), (kept) => refusedAt("confirm", kept.filter((one) => !one).length)),
  adopt: (owner, intent) =>
    Effect.tap(fence.adopt(owner, intent), (done) => done ? settledAs("adopted") : refusedAt("settle", 1)),
  doom: (owner, intent, versions) =>
    Effect.tap(fence.doom(owner, intent, versions), (found) => refusedAt("settle", Option.isSome(found) ? 0 : 1)),
  bury: (owner, intent) =>
    Effect.tap(fence.bury(owner, intent), (done) => done ? settledAs("voided") : refusedAt("settle", 1))
})

/** The fence, counted. */
export const layer: Layer.Layer<Fence, never, Fence> = Layer.effect(Fence, Effect.map(Fence, counted))
