/**
 * `MemoryReview` over rows in this process: the same questions that `MemoryReviewClickhouse` asks in SQL, put to the
 * versions, heads and derived rows that `MemoryStoreMemory` keeps.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { causeIn } from "./MemoryCause.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isEnded, isRedacted, isServed, SERVED_STATUSES, verification } from "./MemoryModel.ts"
import type {
  CausedChange,
  ConflictLink,
  MemoryReview,
  Place,
  Point,
  ReaderBound,
  VersionFacts
} from "./MemoryReview.ts"
import { mayQuote, quotable, quotingNothing, scrubbedVersion, withoutQuotesOf } from "./MemoryScrub.ts"
import type { Quotable } from "./MemoryScrub.ts"
import type { Derived, EntityProjection, KeptAnswer } from "./MemoryStore.ts"

/** What this adapter needs of one namespace. */
export interface ReviewedSpace {
  readonly versions: Map<bigint, MemoryRow>
  readonly heads: Map<string, MemoryRow>
  readonly derived: Map<string, Derived>
  readonly entities: ReadonlyMap<string, EntityProjection>
  readonly answers: Map<string, KeptAnswer>
}

const compareText = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

const comparePlaces = (left: Place, right: Place): number =>
  compareText(left.agent, right.agent) || compareText(left.user_id, right.user_id) ||
  compareText(left.session_id, right.session_id) || compareText(left.memory_key, right.memory_key)

const newestFirst = (left: { readonly version: bigint }, right: { readonly version: bigint }): number =>
  left.version > right.version ? -1 : left.version < right.version ? 1 : 0

const isConflicted = ({ conflict_with, status }: MemoryRow): boolean =>
  conflict_with.length > 0 && SERVED_STATUSES.some((served) => served === status)

const isVisible = (bound: ReaderBound) => (row: MemoryRow): boolean => bound === null || row.user_id === bound

const versionsAt = (space: ReviewedSpace, place: Place): ReadonlyArray<MemoryRow> => {
  const identity = identityKey(place)
  return [...space.versions.values()].filter((row) => identityKey(row) === identity).sort(newestFirst)
}

const factsOf = (row: MemoryRow): VersionFacts => ({
  version: row.version,
  updated_at: row.updated_at,
  actor: row.actor,
  change: row.change,
  status: row.status,
  content_sha256: row.content_sha256,
  write_id: row.write_id,
  cause: row.cause
})

const placeOf = ({ agent, memory_key, session_id, user_id }: Place): Place => ({
  agent,
  user_id,
  session_id,
  memory_key
})

const linksOf = (space: ReviewedSpace, row: MemoryRow): ReadonlyArray<ConflictLink> =>
  row.conflict_with.map((other) => {
    const versions = versionsAt(space, row)
    const gap = versions.findIndex((version) => !version.conflict_with.includes(other))
    const first = versions[gap < 0 ? versions.length - 1 : gap - 1] ?? row
    return {
      ...placeOf(row),
      memory_id: row.memory_id,
      memory_type: row.memory_type,
      other,
      since: first.version,
      at: first.updated_at,
      write_id: first.write_id,
      cause: first.cause
    }
  })

const last = (rows: ReadonlyArray<MemoryRow>): bigint =>
  rows.reduce((top, { version }) => version > top ? version : top, 0n)

const pointIn = ({ versions }: ReviewedSpace, point: Point): bigint => {
  const rows = [...versions.values()]
  if ("at" in point) return last(rows.filter(({ updated_at }) => updated_at <= point.at))
  const [newest] = rows.filter(({ version }) => version <= point.version).sort(newestFirst)
  return newest === undefined ? 0n : last(rows.filter(({ write_id }) => write_id === newest.write_id))
}

/** Takes what quotes a value of a memory out of the versions, heads and kept answers of others. */
const scrubQuotes = (space: ReviewedSpace, of: MemoryRow, span: Quotable): void => {
  for (const row of space.versions.values()) {
    const scrubbed = mayQuote(span, row) ? withoutQuotesOf(row, of) : row
    if (scrubbed === row) continue
    space.versions.set(row.version, scrubbed)
    if (space.heads.get(identityKey(row))?.version === row.version) space.heads.set(identityKey(row), scrubbed)
  }
  for (const [hash, kept] of space.answers) {
    if (mayQuote(span, kept)) space.answers.set(hash, { ...kept, answer: quotingNothing(kept.answer, of) })
  }
}

const scrub = (space: ReviewedSpace, place: Place, sha256: string) => {
  const identity = identityKey(place)
  const past = versionsAt(space, place)
  const versions = past.filter((row) => row.content_sha256 === sha256 && !isRedacted(row))
  for (const row of versions) space.versions.set(row.version, scrubbedVersion(row))
  const span = quotable(past, sha256)
  const [newest] = past
  if (span !== undefined && newest !== undefined) scrubQuotes(space, newest, span)
  const derived = [...space.derived].filter(([, one]) =>
    identityKey(one.identity) === identity && one.content_sha256 === sha256
  )
  for (const [key] of derived) space.derived.delete(key)
  const head = space.heads.get(identity)
  return {
    versions: versions.length,
    vectors: derived.length,
    chunks: derived.reduce((sum, [, { searchable }]) => sum + searchable.chunks.length, 0),
    remaining: head !== undefined && head.content_sha256 === sha256 && !isRedacted(head) ? 1 : 0
  }
}

export const makeReview = (spaceOf: (scope: Scope) => ReviewedSpace): MemoryReview["Type"] => ({
  heads: Effect.fn("MemoryReview.heads")(function*(scope, bound, { after, limit }) {
    return [...spaceOf(scope).heads.values()]
      .filter(isVisible(bound))
      .filter((row) => after === null || comparePlaces(row, after) > 0)
      .sort(comparePlaces)
      .slice(0, limit)
  }),
  named: Effect.fn("MemoryReview.named")(function*(scope, bound, { ids, keys }) {
    return [...spaceOf(scope).heads.values()]
      .filter(isVisible(bound))
      .filter((row) => ids.includes(row.memory_id) || keys.includes(row.memory_key))
  }),
  conflictLinks: Effect.fn("MemoryReview.conflictLinks")(function*(scope, bound, now) {
    const space = spaceOf(scope)
    // A contradiction of which one side ran out stays on the other until somebody decides it.
    const rows = [...space.heads.values()].filter((row) => isVisible(bound)(row) && isConflicted(row))
    const served = new Set(rows.filter((row) => isServed(row, now)).map(({ memory_id }) => memory_id))
    return rows.flatMap((row) =>
      linksOf(space, row).filter(({ memory_id, other }) => served.has(memory_id) || served.has(other))
    )
  }),
  standingBy: Effect.fn("MemoryReview.standingBy")(function*(scope, bound, now, { kind, limit }) {
    const isMeant = (row: MemoryRow): boolean =>
      kind === "proposed"
        ? row.status === "proposed" && !isEnded(row, now)
        : isServed(row, now) && verification(row) === "stale"
    const sinceOf = (row: MemoryRow): number => kind === "proposed" ? row.created_at : row.updated_at
    const found = [...spaceOf(scope).heads.values()].filter(isVisible(bound)).filter(isMeant)
      .sort((left, right) => sinceOf(left) - sinceOf(right) || compareText(left.memory_id, right.memory_id))
    const [first] = found
    return { count: found.length, oldest: first === undefined ? null : sinceOf(first), rows: found.slice(0, limit) }
  }),
  derived: Effect.fn("MemoryReview.derived")(function*(scope, place) {
    const { derived, entities } = spaceOf(scope)
    const identity = identityKey(place)
    const own = [...derived.values()].filter((one) => identityKey(one.identity) === identity)
    return {
      vectors: own.map(({ content_sha256, searchable }) => ({ content_sha256, embedder_id: searchable.embedder_id })),
      chunks: own.filter(({ searchable }) => searchable.chunks.length > 0).map(({ content_sha256, searchable }) => ({
        content_sha256,
        count: searchable.chunks.length
      })),
      entities: [...entities.values()].filter((one) => identityKey(one.identity) === identity)
        .map(({ entity }) => entity).sort(compareText)
    }
  }),
  vectorless: Effect.fn("MemoryReview.vectorless")(function*(scope, embedderId, rows) {
    const { derived } = spaceOf(scope)
    return rows.filter((row) => !derived.has(`${identityKey(row)}\u0000${row.content_sha256}\u0000${embedderId}`))
  }),
  auditLink: Effect.fn("MemoryReview.auditLink")(function*(scope, position) {
    return Option.map(Option.fromNullable(spaceOf(scope).versions.get(position)), ({ audit_hash, audit_prev }) => ({
      prev_hash: audit_prev,
      hash: audit_hash
    }))
  }),
  versions: Effect.fn("MemoryReview.versions")(function*(scope, place, limit) {
    return versionsAt(spaceOf(scope), place).slice(0, limit).map(factsOf)
  }),
  causedBy: Effect.fn("MemoryReview.causedBy")(function*(scope, bound, memoryId, limit) {
    return [...spaceOf(scope).versions.values()]
      .filter((row) =>
        isVisible(bound)(row) && row.memory_id !== memoryId && causeIn(row.cause)?.memory_id === memoryId
      )
      .sort(newestFirst)
      .slice(0, limit)
      .map((row): CausedChange => ({ ...placeOf(row), memory_id: row.memory_id, ...factsOf(row) }))
  }),
  point: Effect.fn("MemoryReview.point")(function*(scope, point) {
    return pointIn(spaceOf(scope), point)
  }),
  standing: Effect.fn("MemoryReview.standing")(function*(scope, places, version) {
    const wanted = new Set(places.map(identityKey))
    const tops = new Map<string, MemoryRow>()
    for (const row of spaceOf(scope).versions.values()) {
      const identity = identityKey(row)
      const known = tops.get(identity)
      if (wanted.has(identity) && row.version <= version && (known === undefined || known.version < row.version)) {
        tops.set(identity, row)
      }
    }
    return [...tops.values()]
  }),
  scrub: Effect.fn("MemoryReview.scrub")(function*(scope, place, contentSha256) {
    return scrub(spaceOf(scope), place, contentSha256)
  })
})
