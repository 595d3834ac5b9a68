/** How the workers fare, of what a caller may see: from their signs of life, cursors, pauses and letters. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { ChangeFeed } from "../work/ChangeFeed.ts"
import { isPaused, NO_FEED } from "../work/WorkerModel.ts"
import type { Cursor, Pause, Reach, WorkerStatus } from "../work/WorkerModel.ts"
import type { WorkerStore } from "../work/WorkerStore.ts"
import type { WorkerFacts } from "./OpsGroundModel.ts"
import type { WorkerState } from "./OpsVerbs.ts"

// Four signs of life that did not come.
const SILENCE_MILLIS = 60_000

export interface NamespaceWatch {
  readonly namespace: string
  readonly cursor: string
  readonly state: WorkerState
  readonly last_error: string | null
  readonly lag_changes: number
  readonly lag_seconds: number
  readonly dead_letters: number
}

export interface WorkerWatch {
  readonly name: string
  readonly reads: WorkerFacts["reads"]
  readonly state: WorkerState
  readonly last_error: string | null
  readonly last_seen_at: string | null
  readonly lag_changes: number
  readonly lag_seconds: number
  readonly dead_letters: number
  /** Those that lag most first. */
  readonly namespaces: ReadonlyArray<NamespaceWatch>
}

/** The scope in which the pauses of a caller's whole org are looked up. */
const orgOf = (reach: Reach): Scope => reach === "everything" ? NO_FEED : { org: reach.org, namespace: "" }

const isSilent = (status: WorkerStatus | undefined, now: number): boolean =>
  status === undefined || now - status.at > SILENCE_MILLIS

const secondsSince = (version: bigint, now: number): number =>
  Math.max(0, Math.round(now - Number(version / 1_000_000n)) / 1000)

export const watch = (
  store: typeof WorkerStore.Service,
  feed: typeof ChangeFeed.Service,
  workers: ReadonlyArray<WorkerFacts>,
  reach: Reach
): Effect.Effect<ReadonlyArray<WorkerWatch>, StoreError> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const [statuses, pauses, letters] = yield* Effect.all([
      store.statuses,
      store.pauses(null),
      store.countLetters(reach, ["open", "retry"])
    ])
    return yield* Effect.forEach(workers, ({ name, reads }) =>
      Effect.gen(function*() {
        const status = statuses.find(({ worker }) => worker === name)
        const mine = pauses.filter(({ worker }) => worker === name)
        const buried = letters.filter(({ worker }) => worker === name)
        const cursors = yield* store.cursors(name, reads === "schedule" ? "everything" : reach)
        const behind = reads === "feed" ? yield* feed.behind(name, reach, 0n) : []
        const state = stateOf(status, mine, reads === "schedule" ? NO_FEED : orgOf(reach), now)
        const namespaces = reads === "feed" ? placesOf({ behind, buried, cursors, pauses: mine, state }, now) : []
        const run = reads === "schedule" ? cursors[0] : undefined
        const failed = namespaces.find(({ last_error }) => last_error !== null)
        const code = status?.code || run?.code || failed?.last_error || ""
        return {
          name,
          reads,
          state: state === "running" && (run?.failures ?? 0) > 0 ? "failed" : state,
          last_error: code === "" ? null : code,
          last_seen_at: status === undefined ? null : new Date(status.at).toISOString(),
          lag_changes: namespaces.reduce((sum, one) => sum + one.lag_changes, 0),
          lag_seconds: namespaces.reduce((most, one) => Math.max(most, one.lag_seconds), 0),
          dead_letters: namespaces.reduce((sum, one) => sum + one.dead_letters, 0),
          namespaces
        }
      }))
  })

const stateOf = (
  status: WorkerStatus | undefined,
  pauses: ReadonlyArray<Pause>,
  scope: Scope,
  now: number
): WorkerState =>
  isPaused(pauses, scope)
    ? "paused"
    : status?.state === "failed"
    ? "failed"
    : isSilent(status, now)
    ? "stopped"
    : "running"

interface Found {
  readonly behind: ReadonlyArray<{ readonly scope: Scope; readonly changes: number; readonly oldest: bigint }>
  readonly buried: ReadonlyArray<{ readonly scope: Scope; readonly count: number }>
  readonly cursors: ReadonlyArray<Cursor>
  readonly pauses: ReadonlyArray<Pause>
  readonly state: WorkerState
}

const placesOf = ({ behind, buried, cursors, pauses, state }: Found, now: number): ReadonlyArray<NamespaceWatch> => {
  const lags = new Map(behind.map((one) => [actorId(one.scope), one]))
  const known = new Map(cursors.map((cursor) => [actorId(cursor.scope), cursor]))
  const counts = new Map(buried.map(({ count, scope }) => [actorId(scope), count]))
  const scopes = new Map([...cursors, ...behind, ...buried].map(({ scope }) => [actorId(scope), scope]))
  return [...scopes].map(([key, scope]): NamespaceWatch => {
    const cursor = known.get(key)
    const late = lags.get(key)
    return {
      namespace: scope.namespace,
      cursor: (cursor?.position ?? 0n).toString(),
      state: isPaused(pauses, scope) ? "paused" : (cursor?.failures ?? 0) > 0 ? "failed" : state,
      last_error: cursor === undefined || cursor.code === "" ? null : cursor.code,
      lag_changes: late?.changes ?? 0,
      lag_seconds: late === undefined ? 0 : secondsSince(late.oldest, now),
      dead_letters: counts.get(key) ?? 0
    }
  }).sort((left, right) => right.lag_changes - left.lag_changes || (left.namespace < right.namespace ? -1 : 1))
}
