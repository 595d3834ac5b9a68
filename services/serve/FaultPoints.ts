/**
 * For tests only: makes one fault point of the process do something, as the variable `LOOM_TEST_FAULT` says. The form is
 * `<point>:<passing>:<what>`, for instance `commit.before_memory:3:kill`: at its third passing the process kills itself
 * as `kill -9` would. `fail` makes that passing a defect, `pause:250` holds it for so many milliseconds. Passings are
 * counted from the start of the process; all others go through. Without the variable nothing is changed.
 */
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"

/** What happens at one passing of one point. */
export type Fault = Data.TaggedEnum<{
  Kill: {}
  Fail: {}
  Pause: { readonly millis: number }
}>
export const Fault = Data.taggedEnum<Fault>()

export interface PlannedFault {
  readonly point: string
  /** From 1. */
  readonly passing: number
  readonly fault: Fault
}

/** Reads `<point>:<passing>:kill|fail|pause:<ms>`. */
export const parse = (text: string): Option.Option<PlannedFault> => {
  const [, point, passing, what, millis] = /^([a-z_.]+):([1-9]\d{0,8}):(?:(kill|fail)|pause:(\d{1,6}))$/.exec(text) ??
    []
  if (point === undefined || passing === undefined) return Option.none()
  const fault = what === "kill"
    ? Fault.Kill()
    : what === "fail"
    ? Fault.Fail()
    : Fault.Pause({ millis: Number(millis) })
  return Option.some({ point, passing: Number(passing), fault })
}

const carryOut = ({ fault, point }: PlannedFault): Effect.Effect<void> =>
  Fault.$match(fault, {
    // No handler runs and nothing is flushed; the wait keeps the fiber from going on before the signal has come.
    Kill: () => Effect.zipRight(Effect.sync(() => process.kill(process.pid, "SIGKILL")), Effect.never),
    Fail: () => Effect.dieMessage(`The fault point ${point} fails, as LOOM_TEST_FAULT asks`),
    Pause: ({ millis }) => Effect.sleep(millis)
  })

/** The behaviour of one planned fault. */
export const layer = (planned: PlannedFault): Layer.Layer<never> =>
  Layer.sync(FaultPoint, () => {
    let passed = 0
    return {
      hit: (point: string) =>
        Effect.suspend(() => point === planned.point && ++passed === planned.passing ? carryOut(planned) : Effect.void)
    }
  })

const planned = Config.nonEmptyString("TEST_FAULT").pipe(
  Config.mapOrFail((text) =>
    Either.fromOption(
      parse(text),
      () => ConfigError.InvalidData([], "expected <point>:<passing>:kill, :fail or :pause:<milliseconds>")
    )
  ),
  Config.option,
  Config.nested("LOOM")
)

/** The fault that `LOOM_TEST_FAULT` names; without it every point is passed as if it were not there. */
export const layerConfig: Layer.Layer<never, ConfigError.ConfigError> = Layer.unwrapEffect(
  Effect.map(planned, Option.match({ onNone: () => Layer.empty, onSome: layer }))
)
