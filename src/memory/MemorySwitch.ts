/**
 * Memory for a process that has both stores: each call goes to the one that says what is so at that moment, so a change of authority
 * needs no restart. A commit goes where its owner took the namespace, and is refused there when that is no longer its place; so
 * is what he reserves and confirms.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../kernel/Identity.ts"
import { actorId } from "../kernel/Identity.ts"
import type { Postgres } from "../platform/Postgres.ts"
import type { Authority } from "./AuthorityModel.ts"
import { AuthorityStanding } from "./AuthorityStanding.ts"
import { mergeCommits } from "./CommitMerge.ts"
import { partsOf } from "./CommitParts.ts"
import { Fence } from "./Fence.ts"
import type { Tenancy } from "./Fence.ts"
import * as FenceAuthority from "./FenceAuthority.ts"
import * as FencePostgres from "./FencePostgres.ts"
import { MemoryProjection } from "./MemoryProjection.ts"
import { MemoryReader } from "./MemoryReader.ts"
import * as MemoryReaderPostgres from "./MemoryReaderPostgres.ts"
import { MemoryReview } from "./MemoryReview.ts"
import * as MemoryReviewPostgres from "./MemoryReviewPostgres.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Commit } from "./MemoryStore.ts"
import * as MemoryStorePostgres from "./MemoryStorePostgres.ts"
import type { Outbox } from "./Outbox.ts"

/** A method of whichever of two stores is the one of now. */
const between =
  <S>({ current }: AuthorityStanding["Type"], stores: Readonly<Record<Authority, S>>) =>
  <A extends ReadonlyArray<unknown>, B, E>(of: (store: S) => (...given: A) => Effect.Effect<B, E>) =>
  (...given: A): Effect.Effect<B, E> => Effect.flatMap(current, (authority) => of(stores[authority])(...given))

const AUTHORITIES: ReadonlyArray<Authority> = ["clickhouse", "postgres"]

const layerStore: Layer.Layer<
  MemoryStore,
  never,
  AuthorityStanding | MemoryProjection | Outbox | Postgres
> = Layer.effect(
  MemoryStore,
  Effect.gen(function*() {
    const standing = yield* AuthorityStanding
    const stores = { clickhouse: yield* MemoryProjection, postgres: yield* MemoryStore }
    const now = between(standing, stores)

    /** Each owner's part where it belongs. */
    const commitApart = (commit: Commit, owners: ReadonlyArray<Tenancy>) =>
      Effect.map(
        Effect.forEach(AUTHORITIES, (authority) => {
          const own = owners.filter((owner) => standing.of(owner) === authority)
          const ids = new Set(own.map(({ scope }) => actorId(scope)))
          const parts = partsOf(commit).filter(({ scope }) => ids.has(actorId(scope)))
          return own.length === 0
            ? Effect.succeed([])
            : stores[authority].commit(mergeCommits(parts.map((part) => part.commit)), own)
        }),
        (lost): ReadonlyArray<Scope> => lost.flat()
      )

    return MemoryStore.of({
      commit: (commit, owners = []) => {
        const [first, ...others] = [...new Set(owners.map(standing.of))]
        return first === undefined
          ? now((store) => store.commit)(commit)
          : others.length === 0
          ? stores[first].commit(commit, owners)
          : commitApart(commit, owners)
      },
      committed: now((store) => store.committed),
      repair: now((store) => store.repair),
      disown: now((store) => store.disown),
      position: now((store) => store.position),
      entries: now((store) => store.entries),
      rows: now((store) => store.rows),
      probe: now((store) => store.probe),
      lastWords: now((store) => store.lastWords),
      near: now((store) => store.near),
      heads: now((store) => store.heads),
      vectors: now((store) => store.vectors),
      vectorsOf: now((store) => store.vectorsOf),
      idempotencyKeys: now((store) => store.idempotencyKeys),
      keptAnswer: now((store) => store.keptAnswer),
      scopes: now((store) => () => store.scopes)()
    })
  })
).pipe(Layer.provide(MemoryStorePostgres.layer()))

const layerReader: Layer.Layer<
  MemoryReader,
  never,
  AuthorityStanding | MemoryReader | Outbox | Postgres
> = Layer.scoped(
  MemoryReader,
  Effect.gen(function*() {
    const now = between(yield* AuthorityStanding, {
      clickhouse: yield* MemoryReader,
      postgres: Context.get(yield* Layer.build(MemoryReaderPostgres.layer), MemoryReader)
    })
    return MemoryReader.of({
      byKey: now((reader) => reader.byKey),
      byId: now((reader) => reader.byId),
      list: now((reader) => reader.list),
      count: now((reader) => reader.count),
      namedThings: now((reader) => reader.namedThings),
      history: now((reader) => reader.history),
      marks: now((reader) => reader.marks),
      versions: now((reader) => reader.versions),
      withheld: now((reader) => reader.withheld),
      latest: now((reader) => reader.latest)
    })
  })
)

const layerReview: Layer.Layer<
  MemoryReview,
  never,
  AuthorityStanding | MemoryReview | MemoryProjection | Outbox | Postgres
> = Layer.scoped(
  MemoryReview,
  Effect.gen(function*() {
    const standing = yield* AuthorityStanding
    const reviews = {
      clickhouse: yield* MemoryReview,
      postgres: Context.get(yield* Layer.build(MemoryReviewPostgres.layer), MemoryReview)
    }
    const now = between(standing, reviews)
    return MemoryReview.of({
      heads: now((review) => review.heads),
      named: now((review) => review.named),
      conflictLinks: now((review) => review.conflictLinks),
      standingBy: now((review) => review.standingBy),
      derived: now((review) => review.derived),
      vectorless: (scope, embedderId, rows) =>
        Effect.flatMap(standing.current, (authority) => reviews[authority].vectorless(scope, embedderId, rows)),
      auditLink: now((review) => review.auditLink),
      versions: now((review) => review.versions),
      causedBy: now((review) => review.causedBy),
      point: now((review) => review.point),
      standing: now((review) => review.standing),
      scrub: now((review) => review.scrub)
    })
  })
)

/** The fence that knows under which authority each namespace was taken. */
export const layerFence: Layer.Layer<Fence, never, AuthorityStanding | Postgres> = Layer.provide(
  Layer.effect(
    Fence,
    Effect.gen(function*() {
      const standing = yield* AuthorityStanding
      const fence = FenceAuthority.make(yield* Fence, standing.of)
      return Fence.of({ ...fence, take: (scope) => standing.taking(fence.take(scope)) })
    })
  ),
  FencePostgres.layer
)

/** Store, reader and review; over those of ClickHouse. */
export const layer = Layer.mergeAll(layerStore, layerReader, layerReview)
