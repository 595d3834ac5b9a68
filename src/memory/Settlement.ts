/**
 * What an owner does first with a namespace it has taken: it decides what those before it left undecided. A commit whose
 * rows are all there is in; any other is void, and stays so whatever of it comes in later. Cut short anywhere, it is done
 * again by whoever takes the namespace next.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { faultPoint } from "../kernel/FaultPoint.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { Fence, lost } from "./Fence.ts"
import type { OpenIntent, Taken } from "./Fence.ts"
import { MemoryStore } from "./MemoryStore.ts"

const isThere = (store: MemoryStore["Type"], { rows, scope, state }: OpenIntent) =>
  state === "doomed" || rows.length === 0
    ? Effect.succeed(false)
    : store.committed(scope, rows.map(({ version }) => version))

/**
 * Decides every open intent, in order. Answers how many commits were adopted and voided; fails with `isLost` when the
 * namespace was taken by another meanwhile.
 */
export const settle = Effect.fn("Settlement.settle")(function*(
  taken: Taken,
  embedderId: string
): Effect.fn.Return<{ readonly adopted: number; readonly voided: number }, LoomError, Fence | MemoryStore> {
  const store = yield* MemoryStore
  const fence = yield* Fence
  let adopted = 0
  let voided = 0
  for (const intent of taken.open) {
    if (yield* isThere(store, intent)) {
      if (!(yield* fence.adopt(taken, intent))) return yield* lost()
      adopted++
      continue
    }
    const fresh = yield* fence.doom(taken, intent, Math.max(1, intent.rows.length))
    if (Option.isNone(fresh)) return yield* lost()
    yield* faultPoint("settle.after_doom")
    // What stood before is taken from the history, which must be whole for it.
    yield* store.repair(taken.scope, embedderId, taken.version)
    yield* store.disown(intent, fresh.value)
    yield* faultPoint("settle.before_bury")
    if (!(yield* fence.bury(taken, intent))) return yield* lost()
    voided++
  }
  if (adopted + voided > 0) {
    yield* Effect.logInfo("Settled what an earlier owner left open").pipe(
      Effect.annotateLogs({ ...taken.scope, epoch: taken.epoch.toString(), adopted, voided })
    )
  }
  return { adopted, voided }
})
