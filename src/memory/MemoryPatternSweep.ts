/**
 * What a new blacklist pattern does to memories that are stored already: every live or superseded row that matches, of
 * any writer, is tombstoned by its actor. Rows are walked by page; each change names the version that was looked at, so a
 * row rewritten in between is looked at again and never lost by a stale match.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { judgedText } from "../blacklist/BlacklistModel.ts"
import { BlacklistSweep } from "../blacklist/BlacklistSweep.ts"
import type { Reach, SweepOutcome, SweptPattern } from "../blacklist/BlacklistSweep.ts"
import type { Scope } from "../kernel/Identity.ts"
import { mintWriteId } from "../kernel/Ids.ts"
import type { LoomError } from "../kernel/LoomError.ts"
import { toWire } from "../kernel/LoomError.ts"
import { MemoryClient } from "./MemoryClient.ts"
import type { TransitionItem, WriteMeta } from "./MemoryCommand.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { anyWriter, everyRow, MemoryReader } from "./MemoryReader.ts"
import type { Keyset } from "./MemoryReader.ts"
import { MemoryStore } from "./MemoryStore.ts"

// Rows of one sweep: enough for any real clean-up, few enough that a pattern that matches everything is noticed first.
const CAP = 10_000
// One command of the actor.
const AT_ONCE = 500
// A row that is rewritten again and again is left to the second sweep, which follows every first one.
const ROUNDS = 3

/** What one sweep has come to so far. */
interface Progress {
  swept: number
  /** Matching rows that a lock keeps. */
  locked: number
  truncated: boolean
}

export const layer: Layer.Layer<BlacklistSweep, never, MemoryReader | MemoryStore | MemoryClient> = Layer.effect(
  BlacklistSweep,
  Effect.gen(function*() {
    const reader = yield* MemoryReader
    const store = yield* MemoryStore
    const client = yield* MemoryClient

    const metaOf = ({ actor }: SweptPattern) =>
      Effect.map(mintWriteId, (write_id): WriteMeta => ({
        write_id,
        idem_hash: "",
        payload_hash: "",
        actor,
        bound_user: null,
        source_class: "asserted",
        run_id: "",
        dry_run: false,
        advisories: [],
        degraded: []
      }))

    const tombstone = (scope: Scope, pattern: SweptPattern, rows: ReadonlyArray<MemoryRow>) =>
      Effect.gen(function*() {
        const items = rows.map((row) => itemOf(row, pattern))
        const meta = yield* metaOf(pattern)
        const { results } = yield* client.transition(scope, { _tag: "memory.transition", meta, items })
        return {
          swept: results.filter(({ outcome }) => outcome === "changed").length,
          locked: results.filter(({ code }) => code === "LOCKED").length,
          stale: results.filter(({ code }) => code === "STALE_VERSION").length
        }
      })

    const walk = (scope: Scope, pattern: SweptPattern, progress: Progress) =>
      Effect.gen(function*() {
        let stale = 0
        let after: Keyset | null = null
        while (true) {
          const page: ReadonlyArray<MemoryRow> = yield* reader.list(scope, everyRow(anyWriter, sweepable), {
            sort_by: "memory_key",
            after,
            limit: AT_ONCE,
            offset: 0
          })
          const matching = page.filter((row) =>
            row.value_kind !== "redacted" && pattern.matches(judgedText(row.value, row.value_kind))
          )
          const room = CAP - progress.swept
          if (matching.length > room) progress.truncated = true
          if (matching.length > 0 && room > 0) {
            const done = yield* tombstone(scope, pattern, matching.slice(0, room))
            progress.swept += done.swept
            progress.locked += done.locked
            stale += done.stale
          }
          const last = page[page.length - 1]
          if (last === undefined || page.length < AT_ONCE || progress.truncated) return stale
          after = { value: last.memory_key, memory_id: last.memory_id }
        }
      })

    const sweepScope = (scope: Scope, pattern: SweptPattern, progress: Progress): Effect.Effect<void, LoomError> =>
      Effect.gen(function*() {
        // Behind whatever its actor is judging now.
        yield* client.activate(scope)
        const lockedBefore = progress.locked
        for (let round = 0; round < ROUNDS; round++) {
          const stale = yield* walk(scope, pattern, progress)
          if (stale === 0 || progress.truncated) return
          progress.locked = lockedBefore
        }
      })

    const scopesIn = ({ namespace, org }: Reach) =>
      org !== null && namespace !== null
        ? Effect.succeed([{ org, namespace }])
        : Effect.map(store.scopes, (scopes) => scopes.filter((scope) => org === null || scope.org === org))

    return {
      sweep: (reach, pattern) =>
        Effect.suspend(() => {
          const progress: Progress = { swept: 0, locked: 0, truncated: false }
          return scopesIn(reach).pipe(
            Effect.flatMap((scopes) =>
              Effect.forEach(
                scopes,
                (scope) => progress.truncated ? Effect.void : sweepScope(scope, pattern, progress),
                {
                  discard: true
                }
              )
            ),
            Effect.match({
              onSuccess: () => outcomeOf(progress, undefined),
              onFailure: (error) => outcomeOf(progress, toWire(error).body.detail.message)
            }),
            Effect.withSpan("MemoryPatternSweep.sweep")
          )
        })
    }
  })
)

const outcomeOf = ({ locked, swept, truncated }: Progress, failure: string | undefined): SweepOutcome => {
  const error = failure ?? (locked === 0 ? undefined : `${locked} matching memories are locked and were left`)
  return { swept, truncated, ...(error === undefined ? {} : { error }) }
}

const sweepable = ["active", "conflicted", "duplicate", "proposed", "superseded"] as const

const itemOf = ({ memory_id, version }: MemoryRow, { pattern_id, reason }: SweptPattern): TransitionItem => ({
  target: { memory_key: null, memory_id, agent: null, user_id: null, session_id: null },
  expected_version: version.toString(),
  content: null,
  transition: {
    _tag: "tombstone",
    change: "delete",
    rule: "blacklist.sweep",
    reason: `pattern ${pattern_id}${reason === "" ? "" : `: ${reason}`}`
  }
})
