/**
 * One committer per process: it merges the batches of all its actors into one insert per table. While a commit is under
 * way further batches gather, so commits grow with load and a lone write never waits. Each namespace's part is reserved at
 * the fence before the first insert and confirmed after the last, and nobody hears of success before that. After a failed
 * or unknown insert the committer settles each namespace on its own: it looks whether the rows are there, and if not
 * commits that namespace alone once more.
 */
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { faultPoint } from "../kernel/FaultPoint.ts"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import { intentOf } from "./CommitIntent.ts"
import { fitting, mergeCommits } from "./CommitMerge.ts"
import { counted } from "./CommitMetrics.ts"
import { Fence, lost } from "./Fence.ts"
import type { Intent, Tenancy } from "./Fence.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Commit } from "./MemoryStore.ts"

/** `clean`: all inserts answered. `torn`: the rows are in, but a mirror may lack them; repair before the next batch. */
export type Outcome = "clean" | "torn"

/** The ownership that a commit is made under, and its place among the owner's commits. */
export interface Owner extends Tenancy {
  readonly seq: bigint
}

export class Committer extends Context.Tag("loom/memory/Committer")<Committer, {
  /**
   * Commits one namespace's batch. `Unavailable` when it is not in the store, or nobody can tell, or the namespace has
   * another owner by now (`isLost`): who takes it next finds out.
   */
  readonly commit: (owner: Owner, batch: Commit) => Effect.Effect<Outcome, Unavailable>
}>() {}

interface Pending {
  readonly intent: Intent
  readonly batch: Commit
  readonly done: Deferred.Deferred<Outcome, Unavailable>
}

/** A part that is in the store, and is to be confirmed. */
interface Written {
  readonly one: Pending
  readonly outcome: Outcome
}

export const layer: Layer.Layer<Committer, never, MemoryStore | Fence> = Layer.scoped(
  Committer,
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const fence = yield* Fence
    const queue = yield* Queue.unbounded<Pending>()

    const fail = (one: Pending, error: Unavailable) => Deferred.fail(one.done, error)

    /** Those of a group that may be written; the others are told why not. */
    const reserved = (group: ReadonlyArray<Pending>): Effect.Effect<ReadonlyArray<Pending>> =>
      fence.reserve(group.map(({ intent }) => intent)).pipe(
        Effect.matchEffect({
          onSuccess: (kept) => keep(group, (one) => one, kept),
          onFailure: () =>
            Effect.as(
              Effect.forEach(group, (one) => fail(one, new Unavailable({ operation: "Fence.reserve" }))),
              []
            )
        }),
        Effect.zipLeft(faultPoint("commit.after_reserve"))
      )

    /** Those that are still ours; the others learn that they are not. */
    const keep = <A>(all: ReadonlyArray<A>, pending: (one: A) => Pending, kept: ReadonlyArray<boolean>) =>
      Effect.as(
        Effect.forEach(all, (one, index) => kept[index] === true ? Effect.void : fail(pending(one), lost()), {
          discard: true
        }),
        all.filter((_, index) => kept[index] === true)
      )

    const confirm = (written: ReadonlyArray<Written>): Effect.Effect<void> =>
      written.length === 0 ? Effect.void : faultPoint("commit.before_confirm").pipe(
        Effect.zipRight(fence.confirm(written.map(({ one }) => one.intent))),
        Effect.matchEffect({
          onSuccess: (kept) =>
            Effect.flatMap(
              keep(written, ({ one }) => one, kept),
              (ours) =>
                Effect.forEach(ours, ({ one, outcome }) => Deferred.succeed(one.done, outcome), { discard: true })
            ),
          // Whether it was confirmed nobody knows: whoever takes the namespace next, this process as well, finds out.
          onFailure: () =>
            Effect.forEach(
              written,
              ({ one }) => fail(one, new Unavailable({ operation: "Fence.confirm" })),
              { discard: true }
            )
        })
      )

    const settleOne = (one: Pending): Effect.Effect<Outcome, Unavailable> => {
      const versions = one.batch.rows.map((row) => row.version)
      const isThere = versions.length === 0
        ? Effect.succeed(false)
        : store.committed(one.intent.scope, versions).pipe(
          Effect.mapError(() => new Unavailable({ operation: "Committer.settle" }))
        )
      return Effect.flatMap(isThere, (there) =>
        there
          ? Effect.succeed<Outcome>("torn")
          : store.commit(one.batch, [one.intent]).pipe(
            Effect.filterOrFail((others) => others.length === 0, lost),
            Effect.as<Outcome>("clean"),
            Effect.catchAll((error) =>
              Effect.flatMap(isThere, (now) => now ? Effect.succeed<Outcome>("torn") : Effect.fail(error))
            )
          ))
    }

    const settle = (group: ReadonlyArray<Pending>): Effect.Effect<ReadonlyArray<Written>> =>
      Effect.map(
        Effect.forEach(group, (one) =>
          Effect.flatMap(Effect.exit(settleOne(one)), (exit) =>
            Exit.isSuccess(exit)
              ? Effect.succeed([{ one, outcome: exit.value }])
              : Effect.as(Deferred.failCause(one.done, exit.cause), []))),
        (written) => written.flat()
      )

    const write = (group: ReadonlyArray<Pending>): Effect.Effect<ReadonlyArray<Written>> =>
      group.length === 0 ? Effect.succeed([]) : insert(group).pipe(
        Effect.matchEffect({
          onSuccess: (others) => {
            const theirs = new Set(others.map(actorId))
            const kept = group.map(({ intent }) => !theirs.has(actorId(intent.scope)))
            return Effect.map(
              keep(group, (one) => one, kept),
              (ours) => ours.map((one): Written => ({ one, outcome: "clean" }))
            )
          },
          onFailure: (error) =>
            Effect.logWarning("A merged commit failed; settling namespace by namespace").pipe(
              Effect.annotateLogs({ operation: error.operation, namespaces: group.length }),
              Effect.zipRight(settle(group))
            )
        })
      )

    const insert = (group: ReadonlyArray<Pending>): Effect.Effect<ReadonlyArray<Scope>, Unavailable> => {
      const merged = mergeCommits(group.map((one) => one.batch))
      const owners = group.map(({ intent }) => intent)
      return counted({ rows: merged.rows.length, namespaces: group.length }, store.commit(merged, owners))
    }

    const flush = (group: ReadonlyArray<Pending>): Effect.Effect<void> =>
      reserved(group).pipe(
        Effect.flatMap(write),
        Effect.flatMap(confirm),
        // A defect must not leave a writer waiting for ever.
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Effect.logError("A merged commit met a defect", cause),
            Effect.forEach(group, (one) => fail(one, new Unavailable({ operation: "Committer.commit" })), {
              discard: true
            })
          )
        )
      )

    const loop = Effect.gen(function*() {
      let waiting = Chunk.toReadonlyArray(yield* Queue.takeBetween(queue, 1, Number.MAX_SAFE_INTEGER))
      while (waiting.length > 0) {
        const count = fitting(waiting.map(({ batch }) => batch))
        yield* flush(waiting.slice(0, count))
        waiting = waiting.slice(count)
      }
    })
    yield* loop.pipe(Effect.forever, Effect.forkScoped)

    return {
      commit: Effect.fn("Committer.commit")(function*(owner, batch) {
        const done = yield* Deferred.make<Outcome, Unavailable>()
        yield* Queue.offer(queue, { intent: intentOf(owner, owner.seq, batch), batch, done })
        return yield* Deferred.await(done)
      })
    }
  })
)
