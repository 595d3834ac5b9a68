/**
 * Does what a memory's `on_expire` says once its expiry has come: `tombstone` (also where nothing is said) takes the row out
 * of service for good, `demote` lowers its confidence, `keep` does nothing. No answer hangs on when it comes by: a read drops a
 * row at its expiry by the clock, before this worker as after it. In bounded batches, oldest first, over all namespaces,
 * through the actors with the version that was read: a row whose end was moved meanwhile is left. ADR 0026.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import { actorId } from "../src/kernel/Identity.ts"
import type { LoomError } from "../src/kernel/LoomError.ts"
import { Expiring } from "../src/memory/Expiring.ts"
import type { Expiry } from "../src/memory/Expiring.ts"
import { MemoryClient } from "../src/memory/MemoryClient.ts"
import type { Transition, TransitionItem } from "../src/memory/MemoryCommand.ts"
import * as Worker from "./Worker.ts"
import { metaOf } from "./WorkerMeta.ts"

export const NAME = "expiry"

// A command may hold 500 items; so many rows are written within a second. Of one namespace a fifth, so that one whose actor
// does not answer leaves the others room.
const BATCH = 500
const OF_ONE = 100
// What is left of a backlog goes with the next run; a run ends well within its limit.
const BATCHES = 50
const REST = Duration.millis(100)

/** What is left of the confidence of a row that is demoted: it is doubted more than it is believed, and not forgotten. */
export const DEMOTED = 0.5

const transitionOf = ({ on_expire }: Expiry): Transition =>
  on_expire === "demote"
    ? { _tag: "demote", factor: DEMOTED, rule: "expiry.demote" }
    : { _tag: "tombstone", change: "expire", rule: "expiry.tombstone", reason: "its expiry has come" }

const itemOf = (row: Expiry): TransitionItem => ({
  target: { memory_key: null, memory_id: row.memory_id, agent: null, user_id: row.user_id, session_id: null },
  expected_version: row.version.toString(),
  content: null,
  transition: transitionOf(row)
})

/** What is due in one namespace; how many rows it changed. */
const settle = (rows: ReadonlyArray<Expiry>): Effect.Effect<number, LoomError, MemoryClient> =>
  Effect.gen(function*() {
    const [first] = rows
    if (first === undefined) return 0
    const { namespace, org } = first
    yield* faultPoint("expiry.before_command")
    const { results } = yield* (yield* MemoryClient).transition({ org, namespace }, {
      _tag: "memory.transition",
      meta: yield* metaOf(NAME),
      items: rows.map(itemOf)
    })
    yield* faultPoint("expiry.after_command")
    return results.filter(({ outcome }) => outcome === "changed").length
  })

/** One run: batches until nothing is left, or nothing moves; one namespace that fails keeps no other from its turn. */
export const run: Effect.Effect<void, LoomError, Expiring | MemoryClient> = Effect.gen(function*() {
  const expiring = yield* Expiring
  for (let turn = 0; turn < BATCHES; turn++) {
    const rows = yield* expiring.due(yield* Clock.currentTimeMillis, { limit: BATCH, ofOne: OF_ONE })
    const outcomes = yield* Effect.forEach(
      Object.values(Arr.groupBy(rows, actorId)),
      (ofOne) => Effect.either(settle(ofOne))
    )
    const changed = outcomes.reduce((sum, outcome) => sum + (Either.isRight(outcome) ? outcome.right : 0), 0)
    if (changed > 0) {
      yield* Effect.sleep(REST)
      continue
    }
    for (const outcome of outcomes) if (Either.isLeft(outcome)) return yield* outcome.left
    return
  }
})

/** The worker: one for an installation. */
export const make = (pace: Partial<Worker.Pace> = {}) =>
  Worker.makeScheduled({
    name: NAME,
    // No answer waits for it; often, so that each run is small. A look reads one column that most rows leave empty.
    every: "15 seconds",
    run,
    pace: { idle: "5 seconds", ...pace }
  })
