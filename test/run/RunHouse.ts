/** The verbs of runs beside those of memory, in this process, with points at which a test breaks a request off. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { localCaller } from "../../src/kernel/Caller.ts"
import type { Caller } from "../../src/kernel/Caller.ts"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import type { BoundVerb } from "../../src/kernel/Verb.ts"
import * as OutcomeHandlers from "../../src/run/OutcomeHandlers.ts"
import * as RunHandlers from "../../src/run/RunHandlers.ts"
import * as RunStore from "../../src/run/RunStore.ts"
import * as UseStore from "../../src/run/UseStore.ts"
import * as WorkerStore from "../../src/work/WorkerStore.ts"
import * as ActorHouse from "../support/ActorHouse.ts"

/** The points at which the next request that passes one breaks off. */
export class Breaks extends Context.Tag("loom/test/run/Breaks")<Breaks, Set<string>>() {}

const layerBreaks = Layer.effectContext(Effect.sync(() => {
  const breaks = new Set<string>()
  return Context.make(Breaks, breaks).pipe(
    Context.add(FaultPoint, {
      hit: (point) => Effect.suspend(() => breaks.delete(point) ? Effect.dieMessage(`broken at ${point}`) : Effect.void)
    })
  )
}))

class RunVerbs extends Context.Tag("loom/test/run/RunVerbs")<RunVerbs, ReadonlyArray<BoundVerb>>() {}

export const layer = Layer.effect(
  RunVerbs,
  Effect.map(Effect.all([RunHandlers.make, OutcomeHandlers.make]), (groups) => groups.flat())
).pipe(
  Layer.provideMerge(Layer.mergeAll(RunStore.layerMemory, UseStore.layerMemory, WorkerStore.layerMemory)),
  Layer.provideMerge(ActorHouse.layer()),
  Layer.provideMerge(layerBreaks)
)

/** Calls a verb of runs and reads the answer by the verb's schema. */
export const run = <A, I>(
  verb: { readonly tag: string; readonly answer: Schema.Schema<A, I> },
  request: object,
  caller: Caller = localCaller
): Effect.Effect<A, LoomError, RunVerbs> =>
  Effect.flatMap(RunVerbs, (verbs) => {
    const bound = verbs.find((one) => one.verb.tag === verb.tag)
    return bound === undefined ? Effect.dieMessage(verb.tag) : bound.call(request, caller)
  }).pipe(Effect.map(Schema.decodeUnknownSync(verb.answer)))
