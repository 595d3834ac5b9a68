/**
 * What a namespace actor knows between batches, and how it comes to know it: activation repairs the mirrors, reads the
 * counters, loads the index of heads and the vectors of served rows (or, beyond the bounds, leaves them out and asks the
 * store for every batch). All of it is a cache: after a failed commit the actor throws it away and activates again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Scope, Writer } from "../kernel/Identity.ts"
import { identityKey, identityOf } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { ActorRules } from "./ActorRules.ts"
import type { NamespaceRules } from "./ActorRules.ts"
import { Fence } from "./Fence.ts"
import { claimSlot, entryOf, HeadIndex } from "./HeadIndex.ts"
import { HeadView, NEAREST, vectorKey } from "./HeadView.ts"
import { ANSWER_TTL_MILLIS, IdempotencyKeys } from "./IdempotencyKeys.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isEnded, isServed } from "./MemoryModel.ts"
import { emptyCommit, MemoryStore, noProbes } from "./MemoryStore.ts"
import type { EntityProjection, HeadVector, LastWord, PeerQuery, Probes } from "./MemoryStore.ts"
import { PeerIndex } from "./PeerIndex.ts"
import type { Neighbour } from "./PeerIndex.ts"
import { RowCache } from "./RowCache.ts"
import { settle } from "./Settlement.ts"
import type { Unsettled } from "./Unsettled.ts"
import { WRITE_KEY_TTL_MILLIS } from "./WriteKeys.ts"

/** Bounds of one actor's memory. */
export interface StateBounds {
  /** Heads kept in the index; a namespace with more is judged by store queries. About 1 KB each. */
  readonly maxHeads: number
  /** Bytes of full rows kept. */
  readonly cacheBytes: number
  /** Bytes of vectors kept; a namespace with more finds its peers by store queries. */
  readonly vectorBytes: number
  /** Whether vectors are kept as floats (cosines then equal the store's) and not as 8-bit integers. */
  readonly exactVectors: boolean
}

export const defaultBounds: StateBounds = {
  maxHeads: 250_000,
  // About 150,000 rows of short values, as many as there may be vectors.
  cacheBytes: 160 * 1024 * 1024,
  // About 150,000 served rows of 512 dimensions.
  vectorBytes: 128 * 1024 * 1024,
  exactVectors: false
}

/** The operator's choices that hold for every namespace. */
export interface StateOptions {
  readonly bounds: StateBounds
  readonly bulkDedup: "identity" | "none"
}

export interface ActorState {
  /** Null when the namespace is beyond the bound. */
  readonly index: HeadIndex | null
  /** Null when the namespace is beyond the bound. */
  peers: PeerIndex | null
  readonly cache: RowCache
  readonly keys: IdempotencyKeys
  readonly bounds: StateBounds
  /** Of the ownership under which this state was made; commits carry it. */
  readonly epoch: bigint
  version: bigint
  ceiling: bigint
  audit: string
  seq: bigint
  rules: NamespaceRules
  /** What this state holds and the store does not yet. */
  readonly unsettled: Unsettled
}

// Of a namespace with one memory: its maps, and room for two vectors.
const BARE_BYTES = 8 * 1024
// An entry of the index, with its slots.
const HEAD_BYTES = 1_024

/** What a state takes, by estimate. */
export const bytesOf = ({ cache, index, keys, peers }: ActorState): number =>
  BARE_BYTES + (index?.size ?? 0) * HEAD_BYTES + (peers?.bytes ?? 0) + cache.size + keys.bytes

// Vectors read at once at activation: some megabytes.
const VECTOR_PAGE = 5_000

const loadPeers = (scope: Scope, bounds: StateBounds) =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const intake = yield* MemoryIntake
    const peers = new PeerIndex(intake.dimensions, bounds.exactVectors)
    let after: HeadVector | null = null
    while (true) {
      const page: ReadonlyArray<HeadVector> = yield* store.vectors(scope, intake.embedderId, {
        after,
        limit: VECTOR_PAGE
      })
      for (const one of page) putVector(peers, one)
      after = page[page.length - 1] ?? null
      if (after === null || page.length < VECTOR_PAGE) return peers
      if (peers.bytes > bounds.vectorBytes) return null
    }
  })

const putVector = (peers: PeerIndex, one: HeadVector): void =>
  peers.put(one, { identity: identityKey(one), content_sha256: one.content_sha256 }, one.vector)

export const activate = Effect.fn("ActorState.activate")(function*(
  scope: Scope,
  { bounds, bulkDedup }: StateOptions,
  unsettled: Unsettled
) {
  const store = yield* MemoryStore
  const intake = yield* MemoryIntake
  const now = yield* Clock.currentTimeMillis
  const taken = yield* Fence.pipe(Effect.flatMap((fence) => fence.take(scope)))
  yield* settle(taken, intake.embedderId)
  // Without a fence nobody else writes, and nothing is under way.
  const upTo = taken.epoch === 0n ? undefined : taken.version
  const report = yield* store.repair(scope, intake.embedderId, upTo)
  if (report.missing.length > 0) {
    const derived = yield* intake.derive(report.missing)
    // What lost its vectors may have lost its named things with them.
    const entities = report.missing.flatMap((row) =>
      row.entities.map((entity): EntityProjection => ({ identity: identityOf(row), entity, version: row.version }))
    )
    yield* store.commit({ ...emptyCommit, derived, entities })
  }
  const position = yield* store.position(scope)
  const rules = yield* ActorRules.pipe(Effect.flatMap((service) => service.read(scope, bulkDedup)))
  const keys = new IdempotencyKeys(
    yield* store.idempotencyKeys(scope, now - ANSWER_TTL_MILLIS, now - WRITE_KEY_TTL_MILLIS),
    now
  )
  let index: HeadIndex | null = null
  if (position.rows <= bounds.maxHeads) {
    index = new HeadIndex()
    for (const entry of position.rows === 0 ? [] : yield* store.entries(scope)) index.put(entry)
  }
  const repaired = report.versions + report.journal + report.orphans
  if (repaired + report.missing.length > 0) {
    yield* Effect.logInfo("Repaired a namespace at activation").pipe(Effect.annotateLogs({
      ...scope,
      mirrored: report.versions + report.journal,
      orphans: report.orphans,
      embedded: report.missing.length
    }))
  }
  const version = position.version > taken.version ? position.version : taken.version
  const state: ActorState = {
    index,
    peers: index === null
      ? null
      : position.rows === 0
      ? new PeerIndex(intake.dimensions, bounds.exactVectors)
      : yield* loadPeers(scope, bounds),
    cache: new RowCache(bounds.cacheBytes),
    keys,
    bounds,
    epoch: taken.epoch,
    version,
    ceiling: version,
    audit: position.audit_hash,
    seq: 0n,
    rules,
    unsettled
  }
  return state
})

/** What a batch must know before it is judged. */
export interface Needs {
  readonly probes: Probes
  readonly identities: ReadonlyArray<Writer & { readonly memory_key: string }>
  /** A search for the peers of each new value. */
  readonly queries: ReadonlyArray<PeerQuery>
  /** Claims of which the last word matters. */
  readonly suspects: Probes["canonical"]
  /** Whether one plan of the batch may meet the rows of another. */
  readonly shared: boolean
  /** Earlier versions that may come back as they were. */
  readonly reverted: ReadonlyArray<MemoryRow>
}

type Place = Writer & { readonly memory_key: string }

interface Nomination {
  readonly place: Place | null
  readonly neighbour: Neighbour
}

/** The closest stored rows of each query. */
const nominate = (scope: Scope, state: ActorState, queries: ReadonlyArray<PeerQuery>) =>
  Effect.gen(function*() {
    const { peers } = state
    if (peers !== null) {
      return queries.map((query): ReadonlyArray<Nomination> =>
        peers.near(query, NEAREST).map((neighbour) => ({ place: null, neighbour }))
      )
    }
    if (queries.length === 0) return []
    const store = yield* MemoryStore
    const intake = yield* MemoryIntake
    const found = yield* store.near(scope, intake.embedderId, queries, NEAREST)
    return found.map((nominees) =>
      nominees.map((nominee): Nomination => ({
        place: nominee,
        neighbour: {
          identity: identityKey(nominee),
          content_sha256: nominee.content_sha256,
          similarity: nominee.similarity
        }
      }))
    )
  })

/**
 * The view one batch is judged against: every row its probes, identities and nominations name, and the rows linked to
 * those, in full.
 */
export const viewFor = (scope: Scope, state: ActorState, needs: Needs) =>
  Effect.gen(function*() {
    const intake = yield* MemoryIntake
    // Without an index or vectors of its own the actor asks the store, which must know all that was judged.
    if (state.index === null || state.peers === null) yield* state.unsettled.untilAllStored
    const nominations = yield* nominate(scope, state, needs.queries)
    const nominated = new Map<Float32Array, ReadonlyArray<Neighbour>>()
    needs.queries.forEach(({ vector }, at) => {
      // One new value may be sought for the rows of several users.
      const found = (nominations[at] ?? []).map(({ neighbour }) => neighbour)
      nominated.set(vector, [...nominated.get(vector) ?? [], ...found])
    })
    const own = new PeerIndex(intake.dimensions, state.bounds.exactVectors)
    const { index, rows } = state.index === null
      ? yield* fromStore(scope, needs, nominations.flat())
      : { index: state.index, rows: yield* fromIndex(scope, state, state.index, needs, nominations.flat()) }
    const asleep = yield* asleepIn(scope, state, needs, rows.values())
    const lastWords = new Map<string, LastWord>()
    if (needs.suspects.length > 0) {
      yield* state.unsettled.untilAllStored
      const store = yield* MemoryStore
      for (const word of yield* store.lastWords(scope, needs.suspects)) {
        lastWords.set(claimSlot(word, word.sha256), word)
      }
    }
    return HeadView.over({ index, rows, nominated, asleep, lastWords }, own)
  })

/**
 * The vectors of rows that are not served and that one write of the batch may bring back for the next to meet: what waits
 * behind a row that is written to, what ended and is written to, and what is turned back.
 */
const asleepIn = (
  scope: Scope,
  { unsettled }: ActorState,
  { identities, probes, queries, reverted, shared }: Needs,
  rows: Iterable<MemoryRow>
) =>
  Effect.gen(function*() {
    const vectors = new Map<string, Float32Array>()
    if (!shared || queries.length === 0) return vectors
    const now = yield* Clock.currentTimeMillis
    const all = [...rows]
    const places = new Set(identities.map(identityKey))
    const written = new Set(
      all.filter((row) =>
        places.has(identityKey(row)) || probes.keys.includes(row.memory_key) || probes.ids.includes(row.memory_id)
      ).map((row) => row.memory_id)
    )
    const asleep = [
      ...all.filter((row) =>
        row.status === "duplicate" ? written.has(row.duplicate_of) : isEnded(row, now) && written.has(row.memory_id)
      ),
      ...reverted
    ].filter((row) => row.canonical_sha256 !== "")
    if (asleep.length === 0) return vectors
    yield* unsettled.untilStored(asleep)
    const store = yield* MemoryStore
    const intake = yield* MemoryIntake
    for (const one of yield* store.vectorsOf(scope, intake.embedderId, asleep)) {
      vectors.set(vectorKey(identityKey(one), one.content_sha256), one.vector)
    }
    return vectors
  })

const fromStore = (scope: Scope, needs: Needs, nominations: ReadonlyArray<Nomination>) =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const index = new HeadIndex()
    const rows = new Map<string, MemoryRow>()
    const add = (row: MemoryRow) => {
      rows.set(identityKey(row), row)
      index.put(entryOf(row))
    }
    const places = nominations.flatMap(({ place }) => place === null ? [] : [place])
    for (const row of yield* store.probe(scope, needs.probes)) add(row)
    for (const row of yield* store.rows(scope, [...needs.identities, ...places])) add(row)
    // One step along the links is as far as a write reaches.
    const met = [...rows.values()]
    const linked = met.map(({ memory_id }) => memory_id)
    const named = met.flatMap((row) => row.conflict_with)
    for (const row of yield* store.probe(scope, { ...noProbes, ids: named, linked })) add(row)
    return { index, rows }
  })

const fromIndex = (
  scope: Scope,
  state: ActorState,
  index: HeadIndex,
  { identities, probes }: Needs,
  nominations: ReadonlyArray<Nomination>
): Effect.Effect<ReadonlyMap<string, MemoryRow>, StoreError, MemoryStore> =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const wanted = new Set(index.matches(probes))
    for (const identity of identities) wanted.add(identityKey(identity))
    for (const { neighbour } of nominations) wanted.add(neighbour.identity)
    for (const identity of Array.from(wanted)) {
      const entry = index.get(identity)
      if (entry === undefined) continue
      index.linkedTo(entry.memory_id).forEach((linked) => wanted.add(linked))
      for (const id of entry.conflict_with) {
        const linked = index.withId(id)
        if (linked !== undefined) wanted.add(linked)
      }
    }
    const rows = new Map<string, MemoryRow>()
    const absent: Array<Place> = []
    for (const identity of wanted) {
      const row = state.cache.get(identity)
      const entry = index.get(identity)
      if (row !== undefined) rows.set(identity, row)
      else if (entry !== undefined) absent.push(entry)
    }
    if (absent.length > 0) {
      yield* state.unsettled.untilStored(absent)
      for (const row of yield* store.rows(scope, absent)) {
        rows.set(identityKey(row), row)
        state.cache.put(row)
      }
    }
    return rows
  })

/** Takes a judged batch into the state. */
export const absorb = (
  scope: Scope,
  state: ActorState,
  rows: ReadonlyArray<MemoryRow>,
  vectorOf: (row: MemoryRow) => Float32Array | null,
  now: number
) =>
  Effect.gen(function*() {
    const bare = new Map<string, MemoryRow>()
    for (const row of rows) {
      const identity = identityKey(row)
      state.cache.put(row)
      state.index?.put(entryOf(row))
      if (state.peers === null) continue
      const vector = vectorOf(row)
      bare.delete(identity)
      if (!isServed(row, now) || row.canonical_sha256 === "") state.peers.remove(identity)
      else if (vector !== null) state.peers.put(row, { identity, content_sha256: row.content_sha256 }, vector)
      else if (!state.peers.holds(identity, row.content_sha256)) bare.set(identity, row)
    }
    if (bare.size > 0 && state.peers !== null) {
      // Rows that serve again without having been written: their vectors are where they always were.
      yield* state.unsettled.untilStored(bare.values())
      const store = yield* MemoryStore
      const intake = yield* MemoryIntake
      for (const one of yield* store.vectorsOf(scope, intake.embedderId, [...bare.values()])) {
        putVector(state.peers, one)
      }
    }
    if (state.peers !== null && state.peers.bytes > state.bounds.vectorBytes) state.peers = null
  })
