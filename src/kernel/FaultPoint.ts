/**
 * Named places between two writes where a test may crash, pause or fail the process. Nothing happens at them unless a
 * test provides a behaviour; the names are part of the crash tests' contract.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** What happens at a point: by default nothing. */
export class FaultPoint extends Context.Reference<FaultPoint>()("loom/kernel/FaultPoint", {
  defaultValue: (): { readonly hit: (point: string) => Effect.Effect<void> } => ({ hit: () => Effect.void })
}) {}

/** Passes the point `name`. */
export const faultPoint = (name: string): Effect.Effect<void> => Effect.flatMap(FaultPoint, ({ hit }) => hit(name))
