/**
 * Moves memory from one authority to the other while others write. First copies go over, round by round, until little is new; then
 * everybody loses his namespaces and none may be taken, what was left undecided is settled, the last of it is copied, every
 * namespace is compared by a hash over all its heads, and the authority changes hands. That pause lasts as long as what was written in the
 * last round takes. Cut short before its end nothing has changed, and the pause ends by itself.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import { Postgres } from "../platform/Postgres.ts"
import * as AuthorityClickhouse from "./AuthorityClickhouse.ts"
import * as AuthorityCopy from "./AuthorityCopy.ts"
import type { Moved } from "./AuthorityCopy.ts"
import type { Authority, MoveDiffers, MoveStopped } from "./AuthorityModel.ts"
import * as AuthorityPostgres from "./AuthorityPostgres.ts"
import { KNOWN_AFTER } from "./AuthorityStanding.ts"
import { Fence } from "./Fence.ts"
import * as FencePostgres from "./FencePostgres.ts"
import { MemoryProjection } from "./MemoryProjection.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Outbox } from "./Outbox.ts"
import { settle } from "./Settlement.ts"

export interface Progress {
  /** A namespace is the same in both stores; in the pause again where it was written to. */
  readonly moved: (moved: Moved) => Effect.Effect<void>
  /** Writes are refused from here on. */
  readonly closed: Effect.Effect<void>
}

export interface Move {
  readonly moved: ReadonlyArray<Moved>
  /** How long nobody could write, in milliseconds. */
  readonly paused: number
}

type Needs = MemoryStore | MemoryProjection | Outbox | Clickhouse | Postgres
type Failure = StoreError | MoveDiffers | MoveStopped

// The second takes what was written during the first, which may be long; the third what was written during that.
const ROUNDS = 3
// Of the ten connections; each copies a page and compares it.
const AT_ONCE = 4
// A tenth of what a mover may be silent.
const SIGN_OF_LIFE = Duration.seconds(1)

/** The namespaces that there are to move, with how many memories each has. */
export const plan = (from: Authority): Effect.Effect<
  ReadonlyArray<{ readonly scope: Scope; readonly rows: number }>,
  StoreError,
  MemoryStore | MemoryProjection | Clickhouse | Postgres
> =>
  Effect.gen(function*() {
    const store = from === "postgres" ? yield* MemoryStore : yield* MemoryProjection
    const tops = yield* from === "postgres" ? AuthorityPostgres.tops : AuthorityClickhouse.tops
    return yield* Effect.forEach(
      tops,
      ({ namespace, org }) =>
        Effect.map(store.position({ org, namespace }), ({ rows }) => ({ scope: { org, namespace }, rows })),
      { concurrency: AT_ONCE }
    )
  })

/** What is known of a namespace that was copied: how far it was before that, and how it compared. */
interface Standing {
  readonly top: bigint
  readonly mark: string
  readonly moved: Moved | undefined
}

/** Decides, as the mover, what owners of before left undecided. */
const settleAll = (mover: string) =>
  Effect.gen(function*() {
    const postgres = yield* Postgres
    const fence = FencePostgres.make(postgres, mover)
    const projection = yield* MemoryProjection
    yield* Effect.forEach(yield* AuthorityPostgres.undecided, (scope) =>
      Effect.flatMap(fence.take(scope), (taken) =>
        settle(taken, "")).pipe(
          Effect.provideService(MemoryStore, projection),
          Effect.provideService(Fence, fence),
          Effect.mapError((error) =>
            error._tag === "Unavailable" || error._tag === "Corrupt"
              ? error
              : new Unavailable({ operation: "Authority.settle" })
          )
        ), { concurrency: AT_ONCE, discard: true })
  })

const moveAs = (
  mover: string,
  from: Authority,
  to: Authority,
  progress: Progress
): Effect.Effect<Move, Failure, Needs> =>
  Effect.gen(function*() {
    const { copy, prepare, tops } = to === "postgres" ? AuthorityCopy.toPostgres : AuthorityCopy.toClickhouse
    const known = new Map<string, Standing>()

    /** Copies what is new of each namespace; compared it must be the same only when nobody writes. */
    const round = (isLast: boolean) =>
      Effect.flatMap(tops, (all) =>
        Effect.forEach(all, ({ mark, namespace, org, top }) =>
          Effect.gen(function*() {
            const scope = { org, namespace }
            const before = known.get(actorId(scope))
            if (before?.moved !== undefined && before.mark === mark) return 0
            yield* copy(scope, before?.top ?? 0n, isLast)
            const compared = yield* Effect.either(AuthorityCopy.compare(scope))
            const same = Either.isRight(compared) || !isLast
              ? compared
              // Something that no version tells, such as what a redaction took: all of it once more.
              : yield* Effect.either(Effect.zipRight(copy(scope, 0n, true), AuthorityCopy.compare(scope)))
            if (Either.isLeft(same) && (isLast || same.left._tag !== "MoveDiffers")) return yield* same.left
            const moved = Either.isRight(same) ? same.right : undefined
            if (moved !== undefined) yield* progress.moved(moved)
            known.set(actorId(scope), { top, mark, moved })
            return 1
          }), { concurrency: AT_ONCE }))

    yield* prepare
    for (let turn = 0; turn < ROUNDS; turn++) {
      const copied = yield* round(false)
      if (copied.every((count) => count === 0)) break
    }
    const began = yield* Clock.currentTimeMillis
    yield* AuthorityPostgres.close(mover)
    yield* progress.closed
    if (to === "postgres") yield* settleAll(mover)
    yield* round(true)
    // ClickHouse may name Postgres too early or too long, and not the other way round.
    yield* to === "postgres"
      ? AuthorityClickhouse.remember(to).pipe(
        Effect.zipRight(AuthorityPostgres.turn(mover, to)),
        Effect.tapErrorTag("MoveStopped", () => AuthorityClickhouse.remember(from))
      )
      : Effect.zipRight(AuthorityPostgres.turn(mover, to), AuthorityClickhouse.remember(to))
    yield* Effect.sleep(KNOWN_AFTER)
    yield* AuthorityPostgres.release(mover)
    const moved = [...known.values()].flatMap(({ moved }) => moved === undefined ? [] : [moved])
    return { moved, paused: (yield* Clock.currentTimeMillis) - began }
  })

/** Moves everything to the other authority. Fails without a change when anything is not the same. */
export const move = Effect.fn("Authority.move")(function*(
  from: Authority,
  to: Authority,
  progress: Progress
): Effect.fn.Return<Move, Failure, Needs> {
  return yield* Effect.acquireUseRelease(
    AuthorityPostgres.claim,
    (mover) =>
      Effect.raceFirst(
        moveAs(mover, from, to, progress),
        AuthorityPostgres.renew(mover).pipe(
          // One that fails is followed by the next; past its time that says so.
          Effect.catchTag("Unavailable", () => Effect.void),
          Effect.repeat(Schedule.spaced(SIGN_OF_LIFE)),
          Effect.zipRight(Effect.never)
        )
      ),
    (mover) => Effect.ignoreLogged(AuthorityPostgres.release(mover))
  )
})
