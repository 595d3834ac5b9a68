/**
 * What tests may switch in a runner: a clock that is wrong, and a fence with a step left out. Nothing changes without them,
 * and a wrong value keeps the runner from starting.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ClockSkew from "../../services/runner/ClockSkew.ts"
import * as FenceOff from "../../services/runner/FenceOff.ts"
import { Fence } from "../../src/memory/Fence.ts"
import * as FenceMemory from "../../src/memory/FenceMemory.ts"

const settings = (values: Readonly<Record<string, string>>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(values))))

const nowWith = (values: Readonly<Record<string, string>>) =>
  Clock.currentTimeMillis.pipe(
    Effect.provide(ClockSkew.layerConfig.pipe(Layer.provide(settings(values))))
  )

const fenceWith = <A, E>(
  values: Readonly<Record<string, string>>,
  use: (fence: Fence["Type"]) => Effect.Effect<A, E>
) =>
  Effect.flatMap(Fence, use).pipe(
    Effect.provide(FenceOff.layerConfig.pipe(Layer.provide([FenceMemory.layerMemory, settings(values)])))
  )

const scope = { org: "o", namespace: "n" }
const intent = { scope, epoch: 1n, seq: 1n, rows: [], links: [], answers: [], top: 5n }

/** An owner reserves, another takes the namespace, the first goes on. */
const story = (fence: Fence["Type"]) =>
  Effect.gen(function*() {
    yield* fence.take(scope)
    yield* fence.reserve([intent])
    const { open } = yield* fence.take(scope)
    const [reserved] = yield* fence.reserve([{ ...intent, seq: 2n }])
    const [confirmed] = yield* fence.confirm([intent])
    return { open: open.length, reserved, confirmed }
  })

describe("a runner's switches for tests", () => {
  it.effect("the clock is off by as much as it says, ahead or behind", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* nowWith({}), 0)
      assert.strictEqual(yield* nowWith({ LOOM_TEST_CLOCK_SKEW_MS: "61000" }), 61_000)
      assert.strictEqual(yield* nowWith({ LOOM_TEST_CLOCK_SKEW_MS: "-5000" }), -5_000)
      assert.strictEqual((yield* Effect.exit(nowWith({ LOOM_TEST_CLOCK_SKEW_MS: "soon" })))._tag, "Failure")
    }))

  it.effect("the fence lacks the steps that are named, and no other", () =>
    Effect.gen(function*() {
      const of = (steps: string) => fenceWith(steps === "" ? {} : { LOOM_TEST_FENCE_OFF: steps }, story)
      assert.deepStrictEqual(yield* of(""), { open: 1, reserved: false, confirmed: false })
      assert.deepStrictEqual(yield* of("reserve"), { open: 1, reserved: true, confirmed: false })
      assert.deepStrictEqual(yield* of("confirm"), { open: 1, reserved: false, confirmed: true })
      assert.deepStrictEqual(yield* of("settle"), { open: 0, reserved: false, confirmed: false })
      assert.deepStrictEqual(yield* of("reserve,confirm,settle"), { open: 0, reserved: true, confirmed: true })
      assert.deepStrictEqual(yield* of("all"), { open: 0, reserved: true, confirmed: true })
      assert.strictEqual((yield* Effect.exit(of("reserve,most")))._tag, "Failure")
    }))
})
