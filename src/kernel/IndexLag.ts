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

/** Hears, while one request is answered, that something it read was behind; where nobody answers requests nobody listens. */
export class LagNote extends Context.Reference<LagNote>()("loom/kernel/LagNote", {
  defaultValue: (): { readonly behind: Effect.Effect<void> } => ({ behind: Effect.void })
}) {}

/** Says that what is being read is behind what is stored. */
export const noteBehind: Effect.Effect<void> = Effect.flatMap(LagNote, ({ behind }) => behind)

/** Says so of a namespace that is. */
export const noteLagOf = ({ isBehind }: IndexLag["Type"], scope: Scope): Effect.Effect<void> =>
  Effect.flatMap(isBehind(scope), (behind) => behind ? noteBehind : Effect.void)

/** Runs what answers a request; its answer tells when something that was read for it was behind. */
export const telling = <A, E, R>(answered: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let late = false
    const note = {
      behind: Effect.sync(() => {
        late = true
      })
    }
    return Effect.map(Effect.provideService(answered, LagNote, note), (answer) => late ? lagging(answer) : answer)
  })

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
