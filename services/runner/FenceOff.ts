/**
 * For tests only: a fence of which a step is left out, as `LOOM_TEST_FENCE_OFF` says (`reserve`, `confirm` or `settle`, or
 * several with commas): a refused reservation is not heeded, nobody is asked before an answer, of what was left open
 * nothing is settled. It shows that each step is needed: a run under faults finds what goes wrong without it. With `all`
 * there is no fence: a bench then sees what it costs.
 * Without the variable nothing is changed.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Fence, layerNone } from "../../src/memory/Fence.ts"

const STEPS = ["reserve", "confirm", "settle", "all"] as const
type Step = typeof STEPS[number]

const isStep = (text: string): text is Step => STEPS.some((step) => step === text)

const off = Config.string("LOOM_TEST_FENCE_OFF").pipe(
  Config.withDefault(""),
  Config.mapOrFail((text) => {
    const names = text.split(",").filter((name) => name !== "")
    const steps = names.filter(isStep)
    return steps.length === names.length
      ? Either.right(steps)
      : Either.left(ConfigError.InvalidData(["LOOM_TEST_FENCE_OFF"], `expected ${STEPS.join(", ")}`))
  })
)

const without = (fence: Fence["Type"], steps: ReadonlyArray<Step>): Fence["Type"] => {
  return {
    ...fence,
    ...(steps.includes("reserve") ?
      {
        reserve: (intents) => Effect.map(fence.reserve(intents), (told) => told.map(() => true))
      } :
      {}),
    ...(steps.includes("confirm") ? { confirm: (intents) => Effect.succeed(intents.map(() => true)) } : {}),
    ...(steps.includes("settle")
      ? { take: (scope) => Effect.map(fence.take(scope), (taken) => ({ ...taken, open: [] })) }
      : {})
  }
}

/** The fence, less what the variable names. */
export const layerConfig: Layer.Layer<Fence, ConfigError.ConfigError, Fence> = Layer.effect(
  Fence,
  Effect.gen(function*() {
    const [fence, steps] = [yield* Fence, yield* off]
    if (steps.length > 0) {
      yield* Effect.logWarning("The fence is partly off, for a test").pipe(Effect.annotateLogs({ steps }))
    }
    return steps.includes("all") ? yield* Effect.provide(Fence, layerNone) : without(fence, steps)
  })
)
