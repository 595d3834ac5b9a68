/**
 * The ownership of a worker. In a cluster two runners can each believe that a worker is theirs, so its owner takes an epoch
 * at the fence, on a place of its own that no request can name, and asks the fence around everything it keeps: one that was
 * taken over is refused and moves no cursor. What it had been allowed to write and writes late carries its old epoch, and
 * counts no more as soon as the owner after it has written the same cursors under its own, which it does before it begins.
 * Until then a late cursor is true: it tells what was handled before it was asked for.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { faultPoint } from "../src/kernel/FaultPoint.ts"
import type { Scope } from "../src/kernel/Identity.ts"
import type { StoreError } from "../src/kernel/LoomError.ts"
import { Fence } from "../src/memory/Fence.ts"

/** Another owner has the worker by now. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", { worker: Schema.String }) {
  override get message() {
    return `The worker ${this.worker} has another owner by now`
  }
}

export interface Lease {
  /** 0 where nobody else can be the owner. */
  readonly epoch: bigint
  /** Runs a write of the owner, not to be interrupted; fails when the worker was taken over before or meanwhile. */
  readonly guarded: <E>(write: Effect.Effect<void, E>) => Effect.Effect<void, E | LeaseLost | StoreError>
}

// A slash is refused in names of namespaces, so the place is nobody's.
const placeOf = (worker: string): Scope => ({ org: "-", namespace: `worker/${worker}` })

/** Takes a worker: from here on every earlier owner is refused. */
export const take = (worker: string): Effect.Effect<Lease, LeaseLost | StoreError, Fence> =>
  Effect.gen(function*() {
    const fence = yield* Fence
    const scope = placeOf(worker)
    const { epoch, open } = yield* fence.take(scope)
    const lost = new LeaseLost({ worker })
    // A cursor of before either counts or does not; nothing has to be undone.
    for (const intent of open) {
      if (!(yield* fence.adopt({ scope, epoch }, intent))) return yield* lost
    }
    let last = 0n
    // One after another: the fence takes reservations in order.
    const turn = yield* Effect.makeSemaphore(1)
    return {
      epoch,
      guarded: (write) =>
        Effect.gen(function*() {
          const intent = { scope, epoch, seq: ++last, rows: [], links: [], answers: [], top: 0n }
          if ((yield* fence.reserve([intent]))[0] !== true) return yield* lost
          yield* faultPoint("worker.after_reserve")
          yield* write
          yield* faultPoint("worker.before_confirm")
          if ((yield* fence.confirm([intent]))[0] !== true) return yield* lost
        }).pipe(turn.withPermits(1), Effect.uninterruptible)
    }
  })
