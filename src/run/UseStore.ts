/**
 * The port that keeps what callers reported of memories, one row for each memory, caller, UTC day, verb and run: the same
 * report again takes the place of the first. What reports come to is told by `UseModel`; an adapter adds up a caller's days.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import { dayOf, left } from "./UseModel.ts"
import type { Tally, Use } from "./UseModel.ts"

/** A memory of any namespace. */
export interface UsedMemory {
  readonly scope: Scope
  readonly memory_id: string
}

export class UseStore extends Context.Tag("loom/run/UseStore")<UseStore, {
  readonly record: (uses: ReadonlyArray<Use>) => Effect.Effect<void, Unavailable>
  /** What each caller's reports on these memories come to, in the order of memories and callers. */
  readonly tallies: (scope: Scope, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Tally>, StoreError>
  /** Memories of which a report was written at or after `since` (milliseconds), in the order of their places. */
  readonly reported: (
    since: number,
    page: { readonly after: UsedMemory | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<UsedMemory>, StoreError>
}>() {}

const placeOf = ({ memory_id, scope }: UsedMemory): string => [scope.org, scope.namespace, memory_id].join("\u0000")
const compareText = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))
const mean = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

const groupBy = <A>(all: ReadonlyArray<A>, nameOf: (one: A) => string): ReadonlyArray<ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const one of all) groups.set(nameOf(one), [...groups.get(nameOf(one)) ?? [], one])
  return [...groups.values()]
}

/** What one caller's reports on one memory come to. */
const tallyOf = (uses: ReadonlyArray<Use>): ReadonlyArray<Tally> => {
  const [first] = uses
  if (first === undefined) return []
  const last_at = Math.max(...uses.map(({ at }) => at))
  const days = groupBy(uses, ({ at }) => dayOf(at)).map((day) => ({
    at: Math.max(...day.map(({ at }) => at)),
    credit: mean(day.map(({ credit }) => credit)),
    harm: mean(day.map(({ harm }) => harm))
  }))
  const votes = (kind: "credit" | "harm") => days.reduce((sum, day) => sum + day[kind] * left(last_at - day.at), 0)
  return [{
    memory_id: first.memory_id,
    owner_id: first.owner_id,
    caller: first.caller,
    credit: votes("credit"),
    harm: votes("harm"),
    last_at,
    uses: uses.length,
    harms: uses.filter(({ harm }) => harm > 0).length
  }]
}

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<UseStore> = Layer.sync(UseStore, () => {
  const kept = new Map<string, Use>()
  return {
    record: (uses) =>
      Effect.sync(() => {
        for (const use of uses) {
          const name = [placeOf(use), use.caller, dayOf(use.at), use.source, use.run_id].join("\u0000")
          if ((kept.get(name)?.recorded_at ?? 0) <= use.recorded_at) kept.set(name, use)
        }
      }),
    tallies: (scope, ids) =>
      Effect.sync(() => {
        const own = [...kept.values()].filter((use) =>
          actorId(use.scope) === actorId(scope) && ids.includes(use.memory_id)
        )
        return groupBy(own, ({ caller, memory_id }) => `${memory_id}\u0000${caller}`).flatMap(tallyOf).sort(
          (one, other) => compareText(one.memory_id, other.memory_id) || compareText(one.caller, other.caller)
        )
      }),
    reported: (since, { after, limit }) =>
      Effect.sync(() => {
        const found = [...kept.values()].filter(({ recorded_at }) => recorded_at >= since)
        return groupBy(found, placeOf).flatMap(([first]) =>
          first === undefined ? [] : [{ scope: first.scope, memory_id: first.memory_id }]
        ).filter((one) => after === null || compareText(placeOf(one), placeOf(after)) > 0)
          .sort((one, other) => compareText(placeOf(one), placeOf(other)))
          .slice(0, limit)
      })
  }
})
