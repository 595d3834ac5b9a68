/**
 * How memory goes over from one store to the other, namespace by namespace, and how both are compared. To Postgres go heads, kept answers
 * and counters; to ClickHouse only what still waits, since all else is there.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type { Scope } from "../kernel/Identity.ts"
import { sha256 } from "../kernel/Json.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import type { Postgres } from "../platform/Postgres.ts"
import { json } from "../platform/PostgresValue.ts"
import * as AuthorityClickhouse from "./AuthorityClickhouse.ts"
import type { Top } from "./AuthorityClickhouse.ts"
import { MoveDiffers } from "./AuthorityModel.ts"
import * as AuthorityPostgres from "./AuthorityPostgres.ts"
import { ANSWER_TTL_MILLIS } from "./IdempotencyKeys.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryProjection } from "./MemoryProjection.ts"
import { emptyCommit, MemoryStore } from "./MemoryStore.ts"
import { Outbox } from "./Outbox.ts"

/** What a namespace held when it was compared. */
export interface Moved {
  readonly scope: Scope
  readonly rows: number
  /** Hex SHA-256 over all heads, the same in both stores. */
  readonly sha256: string
}

/** One way over. */
export interface Way<R> {
  /** What comes before any copy. */
  readonly prepare: Effect.Effect<void, StoreError, R>
  /** Every namespace of the store that is left, and how far it is. */
  readonly tops: Effect.Effect<ReadonlyArray<Top>, StoreError, R>
  /** Copies what came after a version; `isLast`: nobody writes, and nothing may be left that is no longer so. */
  readonly copy: (scope: Scope, since: bigint, isLast: boolean) => Effect.Effect<void, StoreError, R>
}

type Needs = MemoryStore | MemoryProjection | Outbox | Clickhouse | Postgres

// Of whole rows: a page of long values is some megabytes.
const PAGE = 500
const ANY_LENGTH = 2 ** 31 - 1

type Page = ReadonlyArray<MemoryRow>

/** Page by page, each behind the last row of the one before. */
const eachPage = <E, R, E2, R2>(
  read: (after: MemoryRow | null) => Effect.Effect<Page, E, R>,
  take: (page: Page) => Effect.Effect<void, E2, R2>
): Effect.Effect<void, E | E2, R | R2> =>
  Effect.gen(function*() {
    let after: MemoryRow | null = null
    while (true) {
      const page: Page = yield* read(after)
      yield* take(page)
      after = page[page.length - 1] ?? null
      if (after === null || page.length < PAGE) return
    }
  })

const answersTo = (scope: Scope, isLast: boolean) =>
  Effect.gen(function*() {
    const answers = yield* AuthorityClickhouse.answers(scope, (yield* Clock.currentTimeMillis) - ANSWER_TTL_MILLIS)
    // Of a commit that was voided since it was copied none may be given again.
    if (isLast) yield* AuthorityPostgres.clearAnswers(scope)
    for (let at = 0; at < answers.length; at += PAGE) {
      yield* AuthorityPostgres.layDown({ ...emptyCommit, answers: answers.slice(at, at + PAGE) })
    }
  })

const drainAll = Effect.gen(function*() {
  const outbox = yield* Outbox
  while (true) {
    const backlogs = yield* outbox.waiting(Duration.zero)
    if (backlogs.length === 0) return
    yield* Effect.forEach(backlogs, ({ scope }) => outbox.drain(scope), { discard: true })
  }
})

export const toPostgres: Way<Needs> = {
  // What waits from an earlier time there has nobody else who keeps it.
  prepare: Effect.zipRight(drainAll, AuthorityPostgres.clear),
  tops: AuthorityClickhouse.tops,
  copy: (scope, since, isLast) =>
    Effect.gen(function*() {
      yield* eachPage(
        (after) => AuthorityClickhouse.headsSince(scope, since, after, PAGE),
        (rows) => AuthorityPostgres.layDown({ ...emptyCommit, rows })
      )
      yield* answersTo(scope, isLast)
      yield* AuthorityPostgres.setPosition(scope, yield* (yield* MemoryProjection).position(scope))
    })
}

export const toClickhouse: Way<Needs> = {
  prepare: Effect.void,
  tops: AuthorityPostgres.tops,
  copy: (scope) => Effect.flatMap(Outbox, (outbox) => Effect.asVoid(outbox.drain(scope)))
}

const rowHash = (row: MemoryRow): string =>
  sha256(json(Object.entries(row).sort(([left], [right]) => left < right ? -1 : 1)))

/** One hash over all heads in no order, and over the counters. */
const fingerprint = (
  store: MemoryStore["Type"],
  scope: Scope
): Effect.Effect<{ readonly rows: number; readonly sha256: string }, StoreError> =>
  Effect.gen(function*() {
    const hashes: Array<string> = []
    yield* eachPage(
      (after) => store.heads(scope, { after, limit: PAGE, longest: ANY_LENGTH }),
      (page) => Effect.sync(() => void hashes.push(...page.map(rowHash)))
    )
    const hash = createHash("sha256")
    for (const one of hashes.sort()) hash.update(one)
    const { audit_hash } = yield* store.position(scope)
    return { rows: hashes.length, sha256: hash.update(audit_hash).digest("hex") }
  })

/** Compares a namespace; fails with `MoveDiffers` when it is not the same in both stores. */
export const compare = (
  scope: Scope
): Effect.Effect<Moved, MoveDiffers | StoreError, MemoryStore | MemoryProjection> =>
  Effect.gen(function*() {
    const [ofPostgres, ofClickhouse] = yield* Effect.all([
      fingerprint(yield* MemoryStore, scope),
      fingerprint(yield* MemoryProjection, scope)
    ], { concurrency: 2 })
    if (ofPostgres.sha256 !== ofClickhouse.sha256) return yield* new MoveDiffers(scope)
    return { scope, ...ofPostgres }
  })
