/**
 * One worker's place in each namespace: the cursor, and what came in its way. A batch that fails is taken apart, so that only
 * the change that cannot be handled is given up on; what fails because something does not answer waits for it.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import { actorId } from "../src/kernel/Identity.ts"
import type { Scope } from "../src/kernel/Identity.ts"
import type { LoomError } from "../src/kernel/LoomError.ts"
import { Unavailable } from "../src/kernel/LoomError.ts"
import { ChangeFeed } from "../src/work/ChangeFeed.ts"
import type { FeedChange } from "../src/work/ChangeFeed.ts"
import type { DeadLetter } from "../src/work/WorkerModel.ts"
import { WorkerStore } from "../src/work/WorkerStore.ts"
import type { FeedWorker, Paced } from "./WorkerJob.ts"
import type { Lease } from "./WorkerLease.ts"
import { codeOf } from "./WorkerLoop.ts"
import * as WorkerMetrics from "./WorkerMetrics.ts"

interface Place {
  position: bigint
  /** The last version up to which there was nothing to read. */
  seen: bigint
  failures: number
  /** Whether the failures were another's fault; the two kinds are counted apart. */
  passing: boolean
  code: string
  /** Milliseconds; when the failures began, and before when nothing is tried. */
  failedAt: number
  notBefore: number
  /** Changes still to be handled one by one. */
  alone: number
}

/** `whole`: everything up to the top was handled; `more`: there is more to do at once; `later`: not now. */
export type Outcome = "whole" | "more" | "later"

// From a second to a minute: what recovers at once is not kept waiting, what stays away is asked seldom.
const FIRST_WAIT_MILLIS = 1_000
const LONGEST_WAIT_MILLIS = 60_000
// A change that drags its whole batch along is found after these tries.
const TOGETHER_TRIES = 3

const waitAfter = (failures: number): number =>
  Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS * 2 ** Math.min(failures - 1, 10))

/** Whether trying again may help, since the fault is another's. */
const passes = (cause: Cause.Cause<LoomError>): boolean =>
  Option.exists(Cause.failureOption(cause), ({ _tag }) => _tag === "Unavailable" || _tag === "Overloaded")

export const makePlaces = <R>(worker: Paced<FeedWorker<R>>, lease: Lease) =>
  Effect.gen(function*() {
    const { name, pace } = worker
    const store = yield* WorkerStore
    const feed = yield* ChangeFeed
    const context = yield* Effect.context<R>()
    const places = new Map<string, Place>()
    const fresh = { seen: 0n, failures: 0, passing: false, code: "", failedAt: 0, notBefore: 0, alone: 0 }

    const kept = yield* store.cursors(name, "everything")
    for (const { position, scope } of kept) places.set(actorId(scope), { ...fresh, position })
    if (lease.epoch > 0n) {
      yield* lease.guarded(store.move(name, lease.epoch, kept))
      yield* store.prune(name, lease.epoch)
    }

    const placeOf = (scope: Scope): Place => {
      const known = places.get(actorId(scope)) ?? { ...fresh, position: 0n }
      places.set(actorId(scope), known)
      return known
    }

    /** Writes the cursor; only then is the place another. */
    const keep = (scope: Scope, place: Place, changed: Partial<Place>) =>
      Effect.gen(function*() {
        const next = { ...place, ...changed }
        const { code, failures, position } = next
        const at = yield* Clock.currentTimeMillis
        yield* lease.guarded(store.move(name, lease.epoch, [{ scope, position, failures, code, at }]))
        places.set(actorId(scope), next)
      })

    const handle = (scope: Scope, changes: ReadonlyArray<FeedChange>) =>
      worker.run({ scope, changes }).pipe(
        Effect.timeoutFail({ duration: pace.limit, onTimeout: () => new Unavailable({ operation: `Worker.${name}` }) }),
        Effect.provide(context),
        Effect.withSpan(`Worker.${name}`),
        Effect.exit
      )

    const bury = (
      letter: Pick<DeadLetter, "scope" | "position" | "memory_id" | "change" | "code" | "tries" | "first_at">
    ) =>
      Effect.gen(function*() {
        const at = yield* Clock.currentTimeMillis
        yield* lease.guarded(store.file([{ ...letter, worker: name, at, state: "open", actor: "" }]))
      })

    const stumble = (
      scope: Scope,
      place: Place,
      changes: ReadonlyArray<FeedChange>,
      cause: Cause.Cause<LoomError>
    ) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const code = codeOf(cause)
        const isPassing = passes(cause)
        const goesOn = place.failures > 0 && place.passing === isPassing
        const failures = goesOn ? place.failures + 1 : 1
        const failedAt = goesOn ? place.failedAt : now
        yield* Effect.logWarning("A worker could not handle what changed", cause).pipe(
          Effect.annotateLogs({ worker: name, code, changes: changes.length, failures })
        )
        yield* WorkerMetrics.note(WorkerMetrics.failures, name, 1)
        const [only] = changes
        const isAlone = changes.length === 1
        const isOver = isPassing
          ? now - failedAt >= Duration.toMillis(pace.patience)
          : failures >= pace.tries
        if (isAlone && only !== undefined && isOver) {
          yield* bury({
            scope,
            position: only.version,
            memory_id: only.memory_id,
            change: only.change,
            code,
            tries: failures,
            first_at: now
          })
          yield* faultPoint("worker.after_letter")
          yield* WorkerMetrics.note(WorkerMetrics.buried, name, 1)
          yield* keep(scope, place, {
            position: only.version,
            failures: 0,
            code: "",
            notBefore: 0,
            alone: Math.max(0, place.alone - 1)
          })
          return "more" as const
        }
        // Its own fault is looked for at once; an answer that is missing may be missing for all of them.
        const apart = !isAlone && (!isPassing || failures >= TOGETHER_TRIES)
        yield* keep(scope, place, {
          failures,
          passing: isPassing,
          code,
          failedAt,
          notBefore: apart && !isPassing ? now : now + waitAfter(failures),
          ...(apart ? { alone: changes.length, failures: isPassing ? failures : 0 } : {})
        })
        return apart && !isPassing ? "more" as const : "later" as const
      })

    const step = (scope: Scope, top: bigint) =>
      Effect.gen(function*() {
        const place = placeOf(scope)
        const began = yield* Clock.currentTimeMillis
        if (began < place.notBefore) return "later" as const
        const limit = place.alone > 0 ? 1 : worker.batch
        const changes = yield* feed.after(scope, place.position, limit)
        const last = changes[changes.length - 1]
        if (last === undefined) {
          place.seen = top
          return "whole" as const
        }
        const exit = yield* handle(scope, changes)
        if (Exit.isFailure(exit)) return yield* stumble(scope, place, changes, exit.cause)
        yield* faultPoint("worker.after_handle")
        yield* keep(scope, place, {
          position: last.version,
          failures: 0,
          code: "",
          notBefore: 0,
          alone: Math.max(0, place.alone - changes.length)
        })
        yield* WorkerMetrics.note(WorkerMetrics.handled, name, changes.length)
        yield* rest(began)
        return last.version >= top ? "whole" as const : "more" as const
      })

    const rest = (began: number) =>
      pace.share >= 1 ?
        Effect.void :
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => Effect.sleep(Duration.millis((now - began) * (1 - pace.share) / pace.share))
        )

    /** Another try of a change that was given up on. */
    const retry = (letter: DeadLetter) =>
      Effect.gen(function*() {
        const change = yield* feed.at(letter.scope, letter.position)
        const exit = Option.isNone(change)
          ? Exit.void
          : yield* handle(letter.scope, [change.value])
        const at = yield* Clock.currentTimeMillis
        yield* lease.guarded(store.file([
          Exit.isSuccess(exit)
            ? { ...letter, at, state: "done" }
            : { ...letter, at, state: "open", code: codeOf(exit.cause), tries: letter.tries + 1 }
        ]))
      })

    return {
      /** Whether a namespace is handled up to a version. */
      isAt: (scope: Scope, top: bigint): boolean => {
        const place = places.get(actorId(scope))
        return place !== undefined && (place.position >= top || place.seen >= top)
      },
      step,
      retry
    }
  })
