/**
 * The port to the feed of all changes (`loom.changes`): of each namespace every change of a row, in the order of their
 * versions. Versions of one namespace become visible in order, so whoever reads behind a cursor skips nothing. It carries
 * which row changed and how, never what it says: a worker reads the head.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { actorId } from "../kernel/Identity.ts"
import type { Scope, Writer } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { reaches } from "./WorkerModel.ts"
import type { Reach } from "./WorkerModel.ts"
import { WorkerStore } from "./WorkerStore.ts"

/** One change; writer and key are empty when an erasure took them. */
export interface FeedChange extends Writer {
  readonly version: bigint
  readonly change: string
  readonly memory_key: string
  readonly memory_id: string
  /** The status of the row after the change. */
  readonly status: string
  readonly write_id: string
  /** Why a row changed that was not written to, as JSON; empty on a write's own row. */
  readonly cause: string
}

/** How far a worker is behind in a namespace. */
export interface Behind {
  readonly scope: Scope
  readonly changes: number
  /** The first version that it has not handled. */
  readonly oldest: bigint
}

export class ChangeFeed extends Context.Tag("loom/work/ChangeFeed")<ChangeFeed, {
  /** Namespaces with a change above a version, each with its last one. Versions are times of writing, in nanoseconds. */
  readonly tops: (
    since: bigint
  ) => Effect.Effect<ReadonlyArray<{ readonly scope: Scope; readonly top: bigint }>, StoreError>
  /** The changes of a namespace above a version, in order, at most `limit`. */
  readonly after: (
    scope: Scope,
    position: bigint,
    limit: number
  ) => Effect.Effect<ReadonlyArray<FeedChange>, StoreError>
  readonly at: (scope: Scope, position: bigint) => Effect.Effect<Option.Option<FeedChange>, StoreError>
  /** Where a worker's cursors are behind, of changes above a version; namespaces where it is not are left out. */
  readonly behind: (
    worker: string,
    reach: Reach,
    since: bigint
  ) => Effect.Effect<ReadonlyArray<Behind>, StoreError>
}>() {}

/** The changes of a feed in this process; whoever holds it may append. */
export class FeedChanges extends Context.Tag("loom/work/ChangeFeed/FeedChanges")<FeedChanges, {
  readonly append: (scope: Scope, change: FeedChange) => void
  readonly all: () => ReadonlyArray<{ readonly scope: Scope; readonly change: FeedChange }>
}>() {}

export const layerChanges: Layer.Layer<FeedChanges> = Layer.sync(FeedChanges, () => {
  const changes: Array<{ readonly scope: Scope; readonly change: FeedChange }> = []
  return {
    append: (scope, change) => void changes.push({ scope, change }),
    all: () => changes
  }
})

/** The feed over appended changes, for tests. */
export const layerMemory: Layer.Layer<ChangeFeed, never, FeedChanges | WorkerStore> = Layer.effect(
  ChangeFeed,
  Effect.gen(function*() {
    const { all } = yield* FeedChanges
    const store = yield* WorkerStore
    const of = (scope: Scope) =>
      all().filter((one) => actorId(one.scope) === actorId(scope)).map(({ change }) => change)
        .sort((left, right) => left.version < right.version ? -1 : 1)
    const scopes = () => [...new Map(all().map(({ scope }) => [actorId(scope), scope])).values()]
    return {
      tops: (since) =>
        Effect.sync(() =>
          scopes().flatMap((scope) => {
            const top = of(scope).at(-1)?.version ?? 0n
            return top > since ? [{ scope, top }] : []
          })
        ),
      after: (scope, position, limit) =>
        Effect.sync(() => of(scope).filter(({ version }) => version > position).slice(0, limit)),
      at: (scope, position) =>
        Effect.sync(() => Option.fromNullable(of(scope).find(({ version }) => version === position))),
      behind: (worker, reach, since) =>
        Effect.map(store.cursors(worker, reach), (cursors) => {
          const positions = new Map(cursors.map(({ position, scope }) => [actorId(scope), position]))
          return scopes().filter((scope) => reaches(reach, scope)).flatMap((scope) => {
            const position = positions.get(actorId(scope)) ?? 0n
            const left = of(scope).filter(({ version }) => version > position && version > since)
            const [first] = left
            return first === undefined ? [] : [{ scope, changes: left.length, oldest: first.version }]
          })
        })
    }
  })
)
