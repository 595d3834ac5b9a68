/**
 * The port that keeps runs. Scope and the user whose runs may be seen come first; a run outside them does not exist. Which
 * of two ends counts is decided before it is kept (`RunHandlers`); here the later word about a run takes its place.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import { statusOf, versionOf } from "./RunModel.ts"
import type { Outcome, Run, RunStatus } from "./RunModel.ts"

/** Which runs a list shows; null means any. */
export interface RunFilter {
  readonly user_id: string | null
  readonly agent: string | null
  readonly session_id: string | null
  readonly status: RunStatus | null
  readonly outcome: Outcome | null
}

/** The run after which a page goes on. */
export interface RunPlace {
  readonly begun_at: number
  readonly run_id: string
}

export class RunStore extends Context.Tag("loom/run/RunStore")<RunStore, {
  readonly find: (
    scope: Scope,
    user: string | null,
    runId: string
  ) => Effect.Effect<Option.Option<Run>, StoreError>
  /** Newest first; of equal times by id. */
  readonly list: (
    scope: Scope,
    filter: RunFilter,
    page: { readonly after: RunPlace | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Run>, StoreError>
  readonly put: (run: Run) => Effect.Effect<void, Unavailable>
}>() {}

const compareText = (left: string, right: string): number => left < right ? -1 : left > right ? 1 : 0

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<RunStore> = Layer.sync(RunStore, () => {
  const runs = new Map<string, Run>()
  const nameOf = (scope: Scope, runId: string) => `${actorId(scope)} ${runId}`
  const isOf = (scope: Scope, user: string | null) => (run: Run) =>
    actorId(run) === actorId(scope) && (user === null || run.user_id === user)
  const isBehind = (after: RunPlace | null) => (run: Run) =>
    after === null || run.begun_at < after.begun_at || (run.begun_at === after.begun_at && run.run_id > after.run_id)
  return {
    find: (scope, user, runId) =>
      Effect.sync(() => Option.filter(Option.fromNullable(runs.get(nameOf(scope, runId))), isOf(scope, user))),
    list: (scope, filter, { after, limit }) =>
      Effect.sync(() =>
        [...runs.values()]
          .filter(isOf(scope, filter.user_id))
          .filter((run) =>
            (filter.agent === null || run.agent === filter.agent) &&
            (filter.session_id === null || run.session_id === filter.session_id) &&
            (filter.status === null || statusOf(run) === filter.status) &&
            (filter.outcome === null || run.end?.outcome === filter.outcome)
          )
          .filter(isBehind(after))
          .sort((left, right) => right.begun_at - left.begun_at || compareText(left.run_id, right.run_id))
          .slice(0, limit)
      ),
    put: (run) =>
      Effect.sync(() => {
        const name = nameOf(run, run.run_id)
        const before = runs.get(name)
        if (before === undefined || versionOf(before) <= versionOf(run)) runs.set(name, run)
      })
  }
})
