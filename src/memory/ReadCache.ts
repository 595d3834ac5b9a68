/**
 * Answers of `MemoryReader.byKey` kept in the process that alone writes the store, least recently used out first. The
 * commit keeps them true: from before it begins until it is over no answer about its keys is given or kept, and a read
 * that met it keeps nothing. After a failed or unknown commit its whole namespaces are read from the store until one of
 * their commits, or a repair, has come through. An answer ends when the standing of one of its rows changes by time.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type { Scope } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import type { WriterFilter } from "./MemoryReader.ts"
import { MemoryReview } from "./MemoryReview.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Commit } from "./MemoryStore.ts"
import { rowBytes } from "./RowCache.ts"

type Rows = ReadonlyArray<MemoryRow>

export class ReadCache extends Context.Tag("loom/memory/ReadCache")<ReadCache, {
  /** The kept answer, or the loaded one, which is kept when nothing forbids it. */
  readonly byKey: (
    scope: Scope,
    key: string,
    writer: WriterFilter,
    load: Effect.Effect<Rows, StoreError>
  ) => Effect.Effect<Rows, StoreError>
  /** Runs a commit; no answer about its keys outlives its beginning. */
  readonly committing: <A, E, R>(commit: Commit, run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** What a namespace's tables hold is known again. */
  readonly settled: (scope: Scope) => Effect.Effect<void>
  /** Forgets a namespace: for whoever changes its rows otherwise than by a commit, before and after. */
  readonly forget: (scope: Scope) => Effect.Effect<void>
  readonly bytes: Effect.Effect<number>
}>() {}

/** About the 16,000 rows that a few busy agents come back to. */
export const DEFAULT_BYTES = 32 * 1024 * 1024

// Measured: an answer without rows, with its keys and maps.
const ANSWER_BYTES = 300

const asked = Metric.counter("loom_read_cache_total", {
  description: "Reads of a key that asked the cache, by whether it had the answer",
  incremental: true
})

// Made once: a tagged metric looks its place in the registry up anew.
const hits = Metric.tagged(asked, "outcome", "hit")
const misses = Metric.tagged(asked, "outcome", "miss")

interface Kept {
  readonly rows: Rows
  readonly bytes: number
  /** Milliseconds; from then on the answer is read again. */
  readonly until: number
}

/** A read that is under way. */
interface Load {
  readonly scope: string
  readonly key: string
  spoiled: boolean
}

const scopeOf = ({ namespace, org }: Scope) => `${org}\u0000${namespace}`
const keyOf = (scope: Scope, key: string) => `${scopeOf(scope)}\u0000${key}`
// Names hold no control characters, so null has a mark of its own.
const part = (name: string | null) => name ?? "\u0001"
const writerOf = ({ agent, session_id, user_id }: WriterFilter) =>
  `${part(agent)}\u0000${part(user_id)}\u0000${part(session_id)}`

/** The first time after `now` at which a row expires, ends or is unlocked. */
const boundary = (rows: Rows, now: number): number => {
  let until = Number.POSITIVE_INFINITY
  for (const { expires_at, lock_until, valid_at, valid_to } of rows) {
    for (const time of [expires_at, lock_until, valid_at, valid_to]) {
      if (time !== null && time > now && time < until) until = time
    }
  }
  return until
}

class Answers {
  private readonly keys = new Map<string, Map<string, Kept>>()
  private readonly loads = new Set<Load>()
  /** How many commits of a key are under way. */
  private readonly busy = new Map<string, number>()
  /** Namespaces of which nobody knows what is stored. */
  private readonly doubtful = new Set<string>()
  bytes = 0

  constructor(private readonly maxBytes: number) {}

  get(key: string, writer: string, now: number): Rows | undefined {
    const answers = this.keys.get(key)
    const kept = answers?.get(writer)
    if (answers === undefined || kept === undefined) return undefined
    if (now >= kept.until) {
      this.drop(key)
      return undefined
    }
    this.keys.delete(key)
    this.keys.set(key, answers)
    return kept.rows
  }

  begin(scope: string, key: string): Load {
    const load: Load = { scope, key, spoiled: this.busy.has(key) || this.doubtful.has(scope) }
    this.loads.add(load)
    return load
  }

  end(load: Load): void {
    this.loads.delete(load)
  }

  put(load: Load, writer: string, rows: Rows, now: number): void {
    // A secret does not stay in memory longer than its answer takes.
    if (load.spoiled || rows.some((row) => row.sensitivity === "high")) return
    const bytes = ANSWER_BYTES + rows.reduce((sum, row) => sum + rowBytes(row), 0)
    const answers = this.keys.get(load.key) ?? new Map<string, Kept>()
    this.bytes += bytes - (answers.get(writer)?.bytes ?? 0)
    this.keys.delete(load.key)
    this.keys.set(load.key, answers.set(writer, { rows, bytes, until: boundary(rows, now) }))
    for (const oldest of this.keys.keys()) {
      if (this.bytes <= this.maxBytes) return
      this.drop(oldest)
    }
  }

  private drop(key: string): void {
    for (const { bytes } of this.keys.get(key)?.values() ?? []) this.bytes -= bytes
    this.keys.delete(key)
  }

  private spoil(is: (load: Load) => boolean): void {
    for (const load of this.loads) if (is(load)) load.spoiled = true
  }

  /** Until `unblock`, answers about the keys are neither given nor kept; nor are those that reads under way bring. */
  block(keys: ReadonlySet<string>): void {
    for (const key of keys) {
      this.busy.set(key, (this.busy.get(key) ?? 0) + 1)
      this.drop(key)
    }
    this.spoil((load) => keys.has(load.key))
  }

  unblock(keys: ReadonlySet<string>): void {
    for (const key of keys) {
      const others = (this.busy.get(key) ?? 1) - 1
      if (others === 0) this.busy.delete(key)
      else this.busy.set(key, others)
    }
  }

  forget(scope: string): void {
    const prefix = `${scope}\u0000`
    for (const key of Array.from(this.keys.keys())) if (key.startsWith(prefix)) this.drop(key)
    this.spoil((load) => load.scope === scope)
  }

  doubt(scope: string): void {
    this.doubtful.add(scope)
    this.forget(scope)
  }

  trust(scope: string): void {
    this.doubtful.delete(scope)
  }
}

export const make = (maxBytes: number): ReadCache["Type"] => {
  const answers = new Answers(maxBytes)
  return {
    byKey: (scope, key, writer, load) =>
      Effect.gen(function*() {
        const [slot, who] = [keyOf(scope, key), writerOf(writer)]
        const kept = answers.get(slot, who, yield* Clock.currentTimeMillis)
        yield* Metric.update(kept === undefined ? misses : hits, 1)
        if (kept !== undefined) return kept
        const began = answers.begin(scopeOf(scope), slot)
        return yield* load.pipe(
          Effect.tap((rows) => Effect.map(Clock.currentTimeMillis, (now) => answers.put(began, who, rows, now))),
          Effect.ensuring(Effect.sync(() => answers.end(began)))
        )
      }),
    committing: ({ rows }, run) =>
      Effect.suspend(() => {
        const keys = new Set(rows.map((row) => keyOf(row, row.memory_key)))
        const scopes = new Set(rows.map(scopeOf))
        answers.block(keys)
        return Effect.onExit(run, (exit) =>
          Effect.sync(() => {
            answers.unblock(keys)
            for (const scope of scopes) {
              if (Exit.isSuccess(exit)) answers.trust(scope)
              else answers.doubt(scope)
            }
          }))
      }),
    settled: (scope) => Effect.sync(() => answers.trust(scopeOf(scope))),
    forget: (scope) => Effect.sync(() => answers.forget(scopeOf(scope))),
    bytes: Effect.sync(() => answers.bytes)
  }
}

/** A cache of so many bytes, by estimate; 0 keeps nothing. */
export const layer = (maxBytes: number = DEFAULT_BYTES): Layer.Layer<ReadCache> =>
  Layer.sync(ReadCache, () => make(maxBytes))

/** The reader that asks the cache first. */
export const layerReader: Layer.Layer<MemoryReader, never, MemoryReader | ReadCache> = Layer.effect(
  MemoryReader,
  Effect.gen(function*() {
    const [reader, cache] = [yield* MemoryReader, yield* ReadCache]
    return MemoryReader.of({
      ...reader,
      byKey: (scope, key, writer) => cache.byKey(scope, key, writer, reader.byKey(scope, key, writer))
    })
  })
)

/** The store whose commits keep the cache true. */
export const layerStore: Layer.Layer<MemoryStore, never, MemoryStore | ReadCache> = Layer.effect(
  MemoryStore,
  Effect.gen(function*() {
    const [store, cache] = [yield* MemoryStore, yield* ReadCache]
    return MemoryStore.of({
      ...store,
      commit: (commit, owners) => cache.committing(commit, store.commit(commit, owners)),
      repair: (scope, embedderId, upTo) => Effect.tap(store.repair(scope, embedderId, upTo), () => cache.settled(scope))
    })
  })
)

/** The review whose redactions, which are no commits, keep the cache true. */
export const layerReview: Layer.Layer<MemoryReview, never, MemoryReview | ReadCache> = Layer.effect(
  MemoryReview,
  Effect.gen(function*() {
    const [review, cache] = [yield* MemoryReview, yield* ReadCache]
    return MemoryReview.of({
      ...review,
      scrub: (scope, place, sha256) =>
        cache.forget(scope).pipe(
          Effect.zipRight(review.scrub(scope, place, sha256)),
          Effect.ensuring(cache.forget(scope))
        )
    })
  })
)
