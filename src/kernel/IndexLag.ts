/**
 * Whether what is searched is behind what is stored: under the authority of Postgres a commit is answered though its copy in
 * ClickHouse is late. Where both are one store nothing is ever behind, which is the default.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Scope } from "./Identity.ts"

/** What a `degraded` list says then. */
export const INDEX_LAG = "index_lag"

export class IndexLag extends Context.Reference<IndexLag>()("loom/kernel/IndexLag", {
  defaultValue: (): {
    readonly isBehind: (scope: Scope) => Effect.Effect<boolean>
    /** Says that a commit of the namespace was not copied in time. */
    readonly note: (scope: Scope) => Effect.Effect<void>
  } => ({ isBehind: () => Effect.succeed(false), note: () => Effect.void })
}) {}

/** A `degraded` list with the lag of a namespace. */
export const withLag = (
  { isBehind }: IndexLag["Type"],
  scope: Scope,
  degraded: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(isBehind(scope), (behind) => behind && !degraded.includes(INDEX_LAG) ? [...degraded, INDEX_LAG] : degraded)

/** The answer with the lag in its `degraded` list, if it has one. */
export const lagging = <A>(answer: A): A =>
  typeof answer === "object" && answer !== null && "degraded" in answer && Array.isArray(answer.degraded)
    ? { ...answer, degraded: [...answer.degraded.filter((one) => one !== INDEX_LAG), INDEX_LAG] }
    : answer
