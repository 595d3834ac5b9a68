/**
 * For tests only: a runner whose clock goes wrong by as many milliseconds as `LOOM_TEST_CLOCK_SKEW_MS` says, ahead or
 * behind. What is measured by a monotonic clock stays right, as it does on a real host. Without the variable nothing is
 * changed.
 */
import type * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

const skewed = (clock: Clock.Clock, millis: number): Clock.Clock => ({
  ...clock,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + millis,
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() + BigInt(millis) * 1_000_000n,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + BigInt(millis) * 1_000_000n),
  sleep: (duration) => clock.sleep(duration)
})

const skew = Config.integer("LOOM_TEST_CLOCK_SKEW_MS").pipe(Config.option)

export const layerConfig: Layer.Layer<never, ConfigError> = Layer.unwrapEffect(
  Effect.map(Effect.all([skew, Effect.clock]), ([millis, clock]) =>
    Option.match(millis, {
      onNone: () => Layer.empty,
      onSome: (by) => Layer.setClock(skewed(clock, by))
    }))
)
