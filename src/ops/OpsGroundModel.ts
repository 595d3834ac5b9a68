/** What a process knows of itself that operators ask for: what it stands on, and which workers there are. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface Check {
  readonly name: string
  readonly ready: boolean
}

export interface WorkerFacts {
  readonly name: string
  /**
   * `feed`: it handles the changes of every namespace; `schedule`: it runs every so often, for the whole installation;
   * `queue`: it handles what callers put into a queue of its own, in every namespace.
   */
  readonly reads: "feed" | "schedule" | "queue"
}

export class OpsGround extends Context.Tag("loom/ops/OpsGroundModel/OpsGround")<OpsGround, {
  /** The stores and whatever else must answer. */
  readonly checks: Effect.Effect<ReadonlyArray<Check>>
  readonly workers: ReadonlyArray<WorkerFacts>
}>() {}
