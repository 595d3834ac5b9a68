/**
 * The port that keeps patterns, their version and who runs which. Of one id the row with the highest version counts.
 * `put` stores the row first and raises the version after: whoever reads a version and then the patterns has at least
 * those of that version, and of two that are put at once neither can be missed.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import type { BlacklistPattern, PatternScope, Place } from "./BlacklistModel.ts"
import { placeKey } from "./BlacklistModel.ts"

/** A place in the list: patterns created before it, or at the same time with a smaller id, come after. */
export interface PatternPlace {
  readonly created_at: number
  readonly pattern_id: string
}

export interface PatternPage {
  /** Patterns of this org and of its namespaces; null means of no org, so that only global ones are left. */
  readonly org: string | null
  /** Of its namespaces only these; null means all. */
  readonly namespaces: ReadonlyArray<string> | null
  readonly scopes: ReadonlyArray<PatternScope>
  readonly after: PatternPlace | null
  readonly limit: number
}

/** That a process runs a version, and how long ago it last said so (milliseconds by the store's clock). */
export interface Confirmation {
  readonly process_id: string
  readonly version: number
  readonly age_millis: number
}

export class BlacklistStore extends Context.Tag("loom/blacklist/BlacklistStore")<BlacklistStore, {
  /** The patterns that hold in exactly these places and have not ended, oldest first. */
  readonly inForce: (places: ReadonlyArray<Place>) => Effect.Effect<ReadonlyArray<BlacklistPattern>, StoreError>
  /** One page of the patterns that have not ended, newest first. */
  readonly list: (page: PatternPage) => Effect.Effect<ReadonlyArray<BlacklistPattern>, StoreError>
  readonly find: (patternId: string) => Effect.Effect<Option.Option<BlacklistPattern>, StoreError>
  /** The pattern added with this idempotency hash that is in force, or was created at or after a time (milliseconds). */
  readonly findByKey: (idemHash: string, since: number) => Effect.Effect<Option.Option<BlacklistPattern>, StoreError>
  /** Adds a pattern, or a newer state of it; answers the version from which on a process knows it. */
  readonly put: (pattern: BlacklistPattern) => Effect.Effect<number, StoreError>
  /** Stores a newer state that changes nothing for those who match. */
  readonly annotate: (pattern: BlacklistPattern) => Effect.Effect<void, Unavailable>
  /** 0 when nothing was ever put. */
  readonly version: Effect.Effect<number, StoreError>
  /** Says that a process is alive and runs this version. */
  readonly confirm: (processId: string, version: number) => Effect.Effect<void, Unavailable>
  /** Takes that back: the process ends or rests. */
  readonly leave: (processId: string) => Effect.Effect<void, Unavailable>
  /** The last word of every process that has not left, not older than `withinMillis`. */
  readonly confirmations: (withinMillis: number) => Effect.Effect<ReadonlyArray<Confirmation>, StoreError>
}>() {}

const newestFirst = (left: PatternPlace, right: PatternPlace): number =>
  right.created_at - left.created_at ||
  (left.pattern_id === right.pattern_id ? 0 : left.pattern_id < right.pattern_id ? 1 : -1)

const onPage = ({ namespaces, org, scopes }: PatternPage) => (one: BlacklistPattern): boolean =>
  scopes.includes(one.scope) &&
  (one.scope === "global" ||
    (one.org === org && (one.scope === "org" || namespaces === null || namespaces.includes(one.namespace))))

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<BlacklistStore> = Layer.sync(BlacklistStore, () => {
  const rows = new Map<string, BlacklistPattern>()
  const confirmed = new Map<string, { readonly version: number; readonly at: number }>()
  let version = 0
  const keep = (pattern: BlacklistPattern) => {
    const known = rows.get(pattern.pattern_id)
    if (known === undefined || known.version < pattern.version) rows.set(pattern.pattern_id, pattern)
  }
  const live = () => [...rows.values()].filter(({ removed_at }) => removed_at === null)
  return {
    inForce: (places) =>
      Effect.sync(() => {
        const keys = new Set(places.map(placeKey))
        return live().filter((one) => keys.has(placeKey(one))).sort((left, right) => newestFirst(right, left))
      }),
    list: (page) =>
      Effect.sync(() =>
        live().filter(onPage(page)).filter((one) => page.after === null || newestFirst(page.after, one) < 0)
          .sort(newestFirst).slice(0, page.limit)
      ),
    find: (id) => Effect.sync(() => Option.fromNullable(rows.get(id))),
    findByKey: (hash, since) =>
      Effect.sync(() =>
        Option.fromNullable(
          [...rows.values()].filter(({ created_at, idem_hash, removed_at }) =>
            idem_hash === hash && (removed_at === null || created_at >= since)
          ).sort((left, right) => newestFirst(right, left))[0]
        )
      ),
    put: (pattern) =>
      Effect.sync(() => {
        keep(pattern)
        return ++version
      }),
    annotate: (pattern) => Effect.sync(() => keep(pattern)),
    version: Effect.sync(() => version),
    confirm: (id, version) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        confirmed.set(id, { version, at })
      }),
    leave: (id) =>
      Effect.sync(() => {
        confirmed.delete(id)
      }),
    confirmations: (within) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) =>
          [...confirmed].map(([process_id, { at, version }]) => ({ process_id, version, age_millis: now - at }))
            .filter(({ age_millis }) => age_millis <= within)
      )
  }
})
