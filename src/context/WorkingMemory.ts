/**
 * The slot for working memory, which stands ahead of what is durable: the state of the work at hand, whose part of the
 * server fills it. Without that part there is none.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { WorkingNote } from "./PackModel.ts"

/** Whose work it is; null where the request does not say. */
export type Worker = { readonly [Name in keyof Writer]: string | null }

export class WorkingMemory extends Context.Tag("loom/context/WorkingMemory")<WorkingMemory, {
  /** The notes that hold at `now` (milliseconds since 1970), in any order. */
  readonly read: (scope: Scope, worker: Worker, now: number) => Effect.Effect<ReadonlyArray<WorkingNote>, StoreError>
}>() {}

export const layerEmpty: Layer.Layer<WorkingMemory> = Layer.succeed(WorkingMemory, {
  read: () => Effect.succeed([])
})
