/** How full the mailboxes of this process are, as metrics; see `ActorLoad`. No namespace leaves by them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import { ActorLoad } from "../kernel/ActorLoad.ts"

const depth = Metric.gauge("loom_actor_mailbox_depth", {
  description:
    "Requests that namespace actors took in and have not answered: max of one actor in the last second, sum of all"
})
const max = Metric.tagged(depth, "of", "max")
const sum = Metric.tagged(depth, "of", "sum")

// A collector comes every few seconds at most; a look walks over the actors once.
const LOOK = Schedule.spaced("1 second")

/** Keeps the gauges current for as long as the layer lives. */
export const layer: Layer.Layer<never> = Layer.scopedDiscard(
  Effect.gen(function*() {
    const load = yield* ActorLoad
    const look = Effect.suspend(() => {
      const { most, waiting } = load.turn()
      return Effect.zipRight(Metric.set(max, most), Metric.set(sum, waiting))
    })
    yield* Effect.forkScoped(Effect.repeat(look, LOOK))
  })
)
