/**
 * Moves memory from one authority to the other while nobody writes: to Postgres by copying heads, kept answers and counters
 * of each namespace, to ClickHouse by copying there what still waits, since all else is there already. Every namespace is
 * compared by a hash over all its heads before the authority changes hands, with one row; cut short before that, nothing has
 * changed and it is done again from the start.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import type { Postgres } from "../platform/Postgres.ts"
import { json } from "../platform/PostgresValue.ts"
import * as AuthorityClickhouse from "./AuthorityClickhouse.ts"
import type { Authority } from "./AuthorityModel.ts"
import * as AuthorityPostgres from "./AuthorityPostgres.ts"
import { Fence } from "./Fence.ts"
import { ANSWER_TTL_MILLIS } from "./IdempotencyKeys.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryProjection } from "./MemoryProjection.ts"
import { emptyCommit, MemoryStore } from "./MemoryStore.ts"
import { Outbox } from "./Outbox.ts"
import { settle } from "./Settlement.ts"

/** The two stores do not hold the same of a namespace; the authority stays where it was. */
export class MoveDiffers extends Schema.TaggedError<MoveDiffers>()("MoveDiffers", {
  org: Schema.String,
  namespace: Schema.String
}) {
  override get message() {
    return `The stores differ in namespace ${this.namespace} of org ${this.org}; nothing was changed over`
  }
}

/** What a namespace held when it was compared. */
export interface Moved {
  readonly scope: Scope
  readonly rows: number
  /** Hex SHA-256 over all heads, the same in both stores. */
  readonly sha256: string
}

// Of whole rows: a page of long values is some megabytes.
const PAGE = 500
const ANY_LENGTH = 2 ** 31 - 1

type Store = MemoryStore["Type"]

/** Every head of a namespace, page by page. */
const eachPage = <E, R>(
  store: Store,
  scope: Scope,
  take: (page: ReadonlyArray<MemoryRow>) => Effect.Effect<void, E, R>
): Effect.Effect<void, E | StoreError, R> =>
  Effect.gen(function*() {
    let after: MemoryRow | null = null
    while (true) {
      const page: ReadonlyArray<MemoryRow> = yield* store.heads(scope, { after, limit: PAGE, longest: ANY_LENGTH })
      yield* take(page)
      after = page[page.length - 1] ?? null
      if (after === null || page.length < PAGE) return
    }
  })

const rowHash = (row: MemoryRow): string =>
  sha256(json(Object.entries(row).sort(([left], [right]) => left < right ? -1 : 1)))

/** One hash over all heads in no order, and over the counters. */
const fingerprint = (
  store: Store,
  scope: Scope
): Effect.Effect<{ readonly rows: number; readonly sha256: string }, StoreError> =>
  Effect.gen(function*() {
    const hashes: Array<string> = []
    yield* eachPage(store, scope, (page) => Effect.sync(() => void hashes.push(...page.map(rowHash))))
    const hash = createHash("sha256")
    for (const one of hashes.sort()) hash.update(one)
    const { audit_hash } = yield* store.position(scope)
    return { rows: hashes.length, sha256: hash.update(audit_hash).digest("hex") }
  })

/** Compares a namespace; fails with `MoveDiffers` when it is not the same in both stores. */
const verify = (scope: Scope): Effect.Effect<Moved, MoveDiffers | StoreError, MemoryStore | MemoryProjection> =>
  Effect.gen(function*() {
    const ofPostgres = yield* fingerprint(yield* MemoryStore, scope)
    const ofClickhouse = yield* fingerprint(yield* MemoryProjection, scope)
    if (ofPostgres.sha256 !== ofClickhouse.sha256) return yield* new MoveDiffers(scope)
    return { scope, ...ofPostgres }
  })

/** The namespaces that there are to move, with how many memories each has. */
export const plan: Effect.Effect<
  ReadonlyArray<{ readonly scope: Scope; readonly rows: number }>,
  StoreError,
  MemoryProjection | Clickhouse
> = Effect.gen(function*() {
  const projection = yield* MemoryProjection
  return yield* Effect.forEach(
    yield* AuthorityClickhouse.scopes,
    (scope) => Effect.map(projection.position(scope), ({ rows }) => ({ scope, rows }))
  )
})

const copyToPostgres = (
  scope: Scope
): Effect.Effect<void, StoreError, Fence | MemoryProjection | Clickhouse | Postgres> =>
  Effect.gen(function*() {
    const projection = yield* MemoryProjection
    // From here on a runner of before is refused, and what one left undecided is decided.
    const taken = yield* Effect.flatMap(Fence, (fence) => fence.take(scope))
    yield* settle(taken, "").pipe(
      Effect.provideService(MemoryStore, projection),
      Effect.mapError((error) =>
        error._tag === "Unavailable" || error._tag === "Corrupt"
          ? error
          : new Unavailable({ operation: "Authority.settle" })
      )
    )
    const answers = yield* AuthorityClickhouse.answers(scope, (yield* Clock.currentTimeMillis) - ANSWER_TTL_MILLIS)
    for (let at = 0; at < answers.length; at += PAGE) {
      yield* AuthorityPostgres.layDown({ ...emptyCommit, answers: answers.slice(at, at + PAGE) })
    }
    yield* eachPage(projection, scope, (rows) => AuthorityPostgres.layDown({ ...emptyCommit, rows }))
    yield* AuthorityPostgres.setPosition(scope, yield* projection.position(scope))
  })

const copyToClickhouse = (scope: Scope): Effect.Effect<void, StoreError, Outbox> =>
  Effect.flatMap(Outbox, (outbox) => Effect.asVoid(outbox.drain(scope)))

type Needs = MemoryStore | MemoryProjection | Outbox | Fence | Clickhouse | Postgres

/**
 * Moves everything to an authority; `onMoved` hears of each namespace that is compared. Fails without a change when
 * anything is not the same.
 */
export const move = Effect.fn("Authority.move")(function*(
  to: Authority,
  onMoved: (moved: Moved) => Effect.Effect<void>
): Effect.fn.Return<ReadonlyArray<Moved>, StoreError | MoveDiffers, Needs> {
  const known = yield* AuthorityClickhouse.scopes
  if (to === "postgres") yield* AuthorityPostgres.clear
  const copy = to === "postgres" ? copyToPostgres : copyToClickhouse
  // A namespace that only Postgres knows has commits of which none is copied yet.
  const ids = new Set(known.map(actorId))
  const more = (yield* Effect.flatMap(MemoryStore, ({ scopes }) => scopes)).filter((scope) => !ids.has(actorId(scope)))
  const moved: Array<Moved> = []
  for (const scope of [...known, ...more]) {
    yield* copy(scope)
    const one = yield* verify(scope)
    yield* onMoved(one)
    moved.push(one)
  }
  yield* AuthorityClickhouse.decide(to)
  return moved
})
