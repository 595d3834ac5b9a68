/**
 * The port by which rows that are stored already meet a new pattern. The slice that owns the rows answers it; this one
 * only says when: once after the pattern was stored, and again after every process has confirmed that it runs it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BlacklistPattern } from "./BlacklistModel.ts"

/** Where to sweep; null means every one. A namespace is never named without its org. */
export interface Reach {
  readonly org: string | null
  readonly namespace: string | null
}

/** The pattern to sweep for. */
export interface SweptPattern extends Pick<BlacklistPattern, "pattern_id" | "pattern" | "pattern_type" | "reason"> {
  /** Who asked for the sweep, to be stamped on what it writes. */
  readonly actor: string
  /** Whether the text of a stored value (`judgedText`) matches. */
  readonly matches: (text: string) => boolean
}

export interface SweepOutcome {
  /** Rows that this sweep took out of service; a row found tombstoned is not counted. */
  readonly swept: number
  /** Whether the cap was reached, so that matching rows may be left. */
  readonly truncated: boolean
  /** Why it ended early, in words without a value; absent when it did not. */
  readonly error?: string
}

export class BlacklistSweep extends Context.Tag("loom/blacklist/BlacklistSweep")<BlacklistSweep, {
  /**
   * Tombstones the live rows within reach that match, whoever wrote them. Passes behind the writes that were being
   * judged when it was called. Never fails: what went wrong is told beside what was done.
   */
  readonly sweep: (reach: Reach, pattern: SweptPattern) => Effect.Effect<SweepOutcome>
}>() {}

/** For a program that holds no memories: nothing is swept, and the answer says so. */
export const layerNone: Layer.Layer<BlacklistSweep> = Layer.succeed(BlacklistSweep, {
  sweep: () => Effect.succeed({ swept: 0, truncated: false, error: "this server does not sweep" })
})

/** Rows to sweep, for `layerMemory`. */
export interface SweptRow {
  readonly org: string
  readonly namespace: string
  readonly text: string
  tombstoned: boolean
}

/** Sweeps the given rows, at most `cap` at a time; `after` runs at the end of each sweep. */
export const layerMemory = (
  rows: ReadonlyArray<SweptRow>,
  { after = Effect.void, cap = 1_000 }: { readonly cap?: number; readonly after?: Effect.Effect<void> } = {}
): Layer.Layer<BlacklistSweep> =>
  Layer.succeed(BlacklistSweep, {
    sweep: ({ namespace, org }, { matches }) =>
      Effect.sync(() => {
        const found = rows.filter((row) =>
          !row.tombstoned && (org === null || row.org === org) && (namespace === null || row.namespace === namespace) &&
          matches(row.text)
        )
        for (const row of found.slice(0, cap)) row.tombstoned = true
        return { swept: Math.min(cap, found.length), truncated: found.length > cap }
      }).pipe(Effect.zipLeft(after))
  })
