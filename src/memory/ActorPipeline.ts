/**
 * Judging and writing side by side: while a commit of the namespace is under way the next batches are judged against the
 * state as it will be when it is in, and go together into the commit after it. Nobody is answered before what he was
 * judged by is stored. When a commit fails the state is thrown away, and so are the verdicts that stood on it: those
 * requests are judged again on a fresh state, only the ones of the failed commit are told so.
 */
import type { Cause } from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { LoomError } from "../kernel/LoomError.ts"
import type { JudgedBatch, Reply } from "./ActorBatch.ts"
import { fitting, isEmpty, MAX_ROWS, mergeCommits } from "./CommitMerge.ts"
import type { Outcome } from "./Committer.ts"
import type { Commit } from "./MemoryStore.ts"
import { Unsettled } from "./Unsettled.ts"

/** What a pipeline is to do; none of it is interrupted. */
export interface Work<Request, State> {
  readonly activate: (unsettled: Unsettled) => Effect.Effect<State, LoomError>
  /** Reads ahead, beside everything else, while the state is the current one. */
  readonly warm: (state: State, isCurrent: () => boolean) => Effect.Effect<void>
  /** Judges a batch and takes it into the state. */
  readonly judge: (state: State, requests: ReadonlyArray<Request>) => Effect.Effect<JudgedBatch, LoomError>
  /** Commits batches of a state, up to the one with this `seq`. */
  readonly commit: (state: State, seq: bigint, commit: Commit) => Effect.Effect<Outcome, LoomError>
  /** Mends the mirrors after a commit that may lack them. */
  readonly repair: (commit: Commit) => Effect.Effect<void, LoomError>
  /** Waits for more callers before a commit (`Gather`). */
  readonly gather: (callers: number, waiting: () => number) => Effect.Effect<void>
  readonly answer: (request: Request, reply: Reply) => Effect.Effect<void>
  readonly failure: (cause: Cause<LoomError>) => LoomError
}

export interface Pipeline<Request> {
  /** Judges a batch and sees to its commit and its answers; ends when it is judged and there is room for another. */
  readonly offer: (requests: ReadonlyArray<Request>) => Effect.Effect<void>
  /** Throws the state away when nothing stands on it: no batch is judged or waits to be stored. Whether it did. */
  readonly letGo: () => boolean
}

interface Batch<Request> extends JudgedBatch {
  readonly requests: ReadonlyArray<Request>
}

/**
 * How many of the waiting batches go into the next commit. Audited reads stand before the rows of their commit, in the
 * chain as in the store, so a batch that has some begins a commit.
 */
const fit = (waiting: ReadonlyArray<JudgedBatch>): number => {
  let rows = 0
  const begins = waiting.findIndex(({ commit }) => {
    const breaks = commit.audits.length > 0 && rows > 0
    rows += commit.rows.length
    return breaks
  })
  return fitting(waiting.slice(0, begins < 0 ? waiting.length : begins).map(({ commit }) => commit))
}

/** How many requests batches answer. */
const requestsIn = (batches: ReadonlyArray<{ readonly requests: ReadonlyArray<unknown> }>): number =>
  batches.reduce((count, { requests }) => count + requests.length, 0)

/** A pipeline whose commits end before `life` does. */
export const make = <Request, State extends { readonly unsettled: Unsettled }>(
  work: Work<Request, State>,
  life: Scope.Scope
): Effect.Effect<Pipeline<Request>> =>
  Effect.gen(function*() {
    /** One batch is judged at a time. */
    const turn = yield* Effect.makeSemaphore(1)
    /** Open while nothing waits to be stored. */
    const quiet = yield* Effect.makeLatch(true)
    /** Open while there is room for another batch before the next commit. */
    const room = yield* Effect.makeLatch(true)
    let state: State | null = null
    const waiting: Array<Batch<Request>> = []
    let writing = false
    let judging = 0
    let callers = 0

    const answerAll = ({ replies, requests }: Batch<Request>) =>
      Effect.forEach(requests, (request, index) => {
        const reply = replies[index]
        return reply === undefined ? Effect.void : work.answer(request, reply)
      }, { discard: true })

    const refuseAll = (requests: ReadonlyArray<Request>, cause: Cause<LoomError>) =>
      Effect.forEach(requests, (request) => work.answer(request, Exit.fail(work.failure(cause))), { discard: true })

    const judge = (requests: ReadonlyArray<Request>): Effect.Effect<void> =>
      Effect.suspend(() => {
        judging++
        return Effect.ensuring(
          turn.withPermits(1)(attempt(requests)),
          Effect.sync(() => {
            judging--
          })
        )
      })

    const attempt = (requests: ReadonlyArray<Request>): Effect.Effect<void> =>
      Effect.gen(function*() {
        if (state === null) {
          // What is under way was judged rightly, and must be found by the fresh state.
          yield* quiet.await
          const fresh = yield* Effect.exit(work.activate(new Unsettled(quiet.await)))
          if (Exit.isFailure(fresh)) {
            yield* Effect.logWarning("A namespace could not be activated", fresh.cause)
            return yield* refuseAll(requests, fresh.cause)
          }
          const active = fresh.value
          state = active
          yield* Effect.forkIn(work.warm(active, () => state === active), life)
        }
        const mine = state
        const judged = yield* Effect.exit(work.judge(mine, requests))
        // A commit failed meanwhile, and with it what was judged on.
        if (state !== mine) return yield* attempt(requests)
        if (Exit.isFailure(judged)) {
          state = null
          yield* Effect.logWarning(
            "A batch could not be judged; the actor activates again before the next",
            judged.cause
          )
          return yield* refuseAll(requests, judged.cause)
        }
        waiting.push({ ...judged.value, requests })
        if (waiting.reduce((rows, { commit }) => rows + commit.rows.length, 0) >= MAX_ROWS) yield* room.close
        if (writing) return
        writing = true
        yield* quiet.close
        yield* Effect.forkIn(Effect.uninterruptible(write(mine)), life)
      })

    /** Commits what waits, again and again, until nothing does. */
    const write = (mine: State): Effect.Effect<void> =>
      Effect.gen(function*() {
        while (waiting.length > 0) {
          yield* work.gather(callers, () => requestsIn(waiting))
          const group = waiting.splice(0, fit(waiting))
          yield* room.open
          const commit = mergeCommits(group.map((batch) => batch.commit))
          if (!isEmpty(commit)) {
            const seq = group[group.length - 1]?.seq ?? 0n
            const outcome = yield* Effect.exit(work.commit(mine, seq, commit))
            if (Exit.isFailure(outcome)) return yield* giveUp(mine, group, outcome.cause)
            mine.unsettled.remove(commit.rows)
            if (outcome.value === "torn") yield* mend(mine, commit)
          }
          callers = requestsIn([...group, ...waiting])
          // Beside the next commit, which need not wait for it.
          yield* Effect.forkIn(Effect.uninterruptible(Effect.forEach(group, answerAll, { discard: true })), life)
        }
        yield* rest
      })

    const rest = Effect.suspend(() => {
      writing = false
      return Effect.zipRight(room.open, quiet.open)
    })

    /** Whatever failed, what is in memory may no longer be what is stored. */
    const giveUp = (mine: State, group: ReadonlyArray<Batch<Request>>, cause: Cause<LoomError>) =>
      Effect.gen(function*() {
        yield* Effect.logWarning("A commit failed; the actor activates again before the next", cause)
        if (state === mine) state = null
        const later = waiting.splice(0)
        yield* rest
        yield* Effect.forEach(group, ({ requests }) => refuseAll(requests, cause), { discard: true })
        yield* Effect.forEach(later, ({ requests }) => judge(requests), { discard: true }).pipe(
          Effect.uninterruptible,
          Effect.forkIn(life)
        )
      })

    const mend = (mine: State, commit: Commit) =>
      Effect.catchAllCause(work.repair(commit), (cause) =>
        Effect.suspend(() => {
          if (state === mine) state = null
          return Effect.logWarning("A repair failed; the actor activates again before the next batch", cause)
        }))

    return {
      offer: (requests) => Effect.uninterruptible(Effect.zipRight(room.await, judge(requests))),
      letGo: () => {
        if (writing || judging > 0) return false
        state = null
        return true
      }
    }
  })
