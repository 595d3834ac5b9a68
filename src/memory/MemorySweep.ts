/**
 * One change over many rows: all rows a filter matches are gathered first, page by page, and then sent to the actor in
 * commands of a bounded size, each row with the version it was seen at. Every row is counted. A sweep that broke off goes
 * on where it stopped when it is asked again under its idempotency key, and one that ended gives its first answer.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Iterable from "effect/Iterable"
import type { Scope } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"
import type { LoomError, StoreError } from "../kernel/LoomError.ts"
import { toWire } from "../kernel/LoomError.ts"
import { outcomeOf } from "./LifecycleRequest.ts"
import type { RowOutcome } from "./LifecycleVerbs.ts"
import type { MemoryClient } from "./MemoryClient.ts"
import type { Transition, TransitionItem, TransitionResult, WriteMeta } from "./MemoryCommand.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import type { Keyset, ListFilter, MemoryReader } from "./MemoryReader.ts"

// As many rows as the actor takes in one command; other writers get their turn between two.
const COMMAND_ROWS = 500
// Rows come with their values, a mebibyte each at worst.
const PAGE_ROWS = 1_000
// Enough to look at; an answer stays below a megabyte.
const SHOWN = 1_000

/** A row to change; `version` is the one it was seen at, or null when any will do. */
export interface SweptRow {
  readonly memory_id: string
  readonly version: bigint | null
}

/**
 * All rows that match, in key order, duplicates first: a row that goes takes no duplicate along that waits behind it, and
 * brings none back that goes next.
 */
export const gather = (
  reader: typeof MemoryReader.Service,
  scope: Scope,
  filter: ListFilter,
  isMeant: (row: MemoryRow) => boolean
): Effect.Effect<ReadonlyArray<SweptRow>, StoreError> =>
  Effect.gen(function*() {
    const duplicates: Array<SweptRow> = []
    const others: Array<SweptRow> = []
    let after: Keyset | null = null
    while (true) {
      const page: ReadonlyArray<MemoryRow> = yield* reader.list(scope, filter, {
        sort_by: "memory_key",
        after,
        limit: PAGE_ROWS,
        offset: 0
      })
      for (const { memory_id, status, version } of page.filter(isMeant)) {
        const rows = status === "duplicate" ? duplicates : others
        rows.push({ memory_id, version })
      }
      const last = page[page.length - 1]
      if (last === undefined || page.length < PAGE_ROWS) return [...duplicates, ...others]
      after = { value: last.memory_key, memory_id: last.memory_id }
    }
  })

/** How the rows of a sweep ended. */
class Tally {
  readonly counts = { changed: 0, unchanged: 0, not_found: 0, refused: 0, failed: 0 }
  private readonly done: Array<RowOutcome> = []
  private readonly undone: Array<RowOutcome> = []
  private readonly gone = new Set<string>()
  private readonly marked = new Set<string>()

  /** Derived rows that a row took along; one that lost its sources one by one counts for the last. */
  follow({ downgraded, tombstoned }: NonNullable<TransitionResult["dependents"]>): void {
    for (const id of tombstoned) this.gone.add(id)
    for (const id of downgraded) this.marked.add(id)
  }

  add(outcome: RowOutcome): void {
    this.counts[outcome.outcome] += 1
    const shown = outcome.outcome === "changed" || outcome.outcome === "unchanged" ? this.done : this.undone
    if (shown.length < SHOWN) shown.push(outcome)
  }

  get answer() {
    const { changed, failed, not_found, refused, unchanged } = this.counts
    const matched = changed + unchanged + not_found + refused + failed
    const results = [...this.undone, ...this.done].slice(0, SHOWN)
    return {
      matched,
      ...this.counts,
      ok: not_found + refused + failed === 0,
      results,
      results_truncated: results.length < matched,
      dependents_tombstoned: this.gone.size,
      dependents_downgraded: [...this.marked].filter((id) => !this.gone.has(id)).length
    }
  }
}

export interface Sweep {
  readonly scope: Scope
  readonly meta: WriteMeta
  readonly rows: ReadonlyArray<SweptRow>
  readonly transition: Transition
}

export const sweep = (client: typeof MemoryClient.Service, { meta, rows, scope, transition }: Sweep) =>
  Effect.gen(function*() {
    const pending = new Map(rows.map(({ memory_id, version }) => [memory_id, version]))
    const tally = new Tally()
    const isOnce = meta.idem_hash !== "" && !meta.dry_run
    for (let turn = 0;; turn++) {
      const batch = Arr.fromIterable(Iterable.take(pending.keys(), COMMAND_ROWS))
      // An empty command marks the end under the key, or is answered by a command that was sent there before.
      if (batch.length === 0 && !isOnce) return tally.answer
      const items = batch.map((memory_id): TransitionItem => ({
        target: { memory_key: null, memory_id, agent: null, user_id: meta.bound_user, session_id: null },
        expected_version: pending.get(memory_id)?.toString() ?? null,
        content: null,
        transition
      }))
      const sent = yield* Effect.either(
        client.transition(scope, { _tag: "memory.transition", meta: turnOf(meta, turn), items })
      )
      if (sent._tag === "Left") {
        if (turn === 0 || sent.left._tag === "Refusal") return yield* sent.left
        failAll(tally, pending.keys(), sent.left)
        return tally.answer
      }
      const { results } = sent.right
      if (results.length === 0) return tally.answer
      for (const result of results) {
        if (result.memory_id !== null) pending.delete(result.memory_id)
        tally.add(outcomeOf(result))
        if (result.dependents !== undefined) tally.follow(result.dependents)
      }
    }
  })

/** Each command of a sweep has a key of its own; the first has the sweep's. */
const turnOf = (meta: WriteMeta, turn: number): WriteMeta =>
  turn === 0 || meta.idem_hash === "" ? meta : { ...meta, idem_hash: sha256(`${meta.idem_hash}/${turn}`) }

const failAll = (tally: Tally, rows: Iterable<string>, error: LoomError): void => {
  const { code, message } = toWire(error).body.detail
  for (const memory_id of rows) {
    tally.add({
      memory_key: null,
      memory_id,
      outcome: "failed",
      code,
      message,
      facts: {},
      status: null,
      version_text: null
    })
  }
}
