/**
 * Which namespaces are behind, as the outbox tells it: looked up a few times a second, since every search asks. What this
 * process noted itself counts from the moment on, until a look that began later no longer sees it.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import { actorId } from "../kernel/Identity.ts"
import { IndexLag } from "../kernel/IndexLag.ts"
import { Outbox } from "./Outbox.ts"

/** How long a commit may wait for its copy before answers say so. */
export const LIMIT = Duration.millis(500)

const commits = Metric.gauge("loom_outbox_commits", { description: "Commits that wait for their copy in ClickHouse" })
const lag = Metric.gauge("loom_outbox_lag_millis", { description: "How long the oldest of them waits" })

export const layer: Layer.Layer<never, never, Outbox> = Layer.scoped(
  IndexLag,
  Effect.gen(function*() {
    const outbox = yield* Outbox
    let seen: ReadonlySet<string> = new Set()
    /** When this process noted a namespace. */
    const noted = new Map<string, number>()

    const look = Effect.gen(function*() {
      const began = yield* Clock.currentTimeMillis
      const backlogs = yield* outbox.waiting(LIMIT)
      seen = new Set(backlogs.map(({ scope }) => actorId(scope)))
      // By then its row is old enough for the look to see it.
      for (const [id, at] of noted) if (at + Duration.toMillis(LIMIT) < began) noted.delete(id)
      yield* Metric.set(commits, backlogs.reduce((sum, backlog) => sum + backlog.commits, 0))
      yield* Metric.set(lag, backlogs.reduce((most, { age }) => Math.max(most, age), 0))
    })
    // One that fails is followed by the next; the log has why.
    yield* look.pipe(Effect.ignore, Effect.repeat(Schedule.spaced(LIMIT)), Effect.forkScoped)

    return IndexLag.of({
      isBehind: (scope) => Effect.sync(() => seen.has(actorId(scope)) || noted.has(actorId(scope))),
      note: (scope) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          noted.set(actorId(scope), now)
        })
    })
  })
)
