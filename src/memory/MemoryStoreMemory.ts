/**
 * The ports of memory over one shared state in this process: a real store without an engine, with the same commit
 * order and the same answers. It keeps every version, since the history is the state and the heads are its tops.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { faultPoint } from "../kernel/FaultPoint.ts"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { rowsAsOf } from "./AsOfMemory.ts"
import type { Intent } from "./Fence.ts"
import { entryOf } from "./HeadIndex.ts"
import { laidDownAgain, noAnswer } from "./MemoryDisowned.ts"
import { isWriter, matches, namedThingsIn, pageOf } from "./MemoryListMemory.ts"
import { isServed, LIVE_STATUSES, SERVED_STATUSES } from "./MemoryModel.ts"
import type { MemoryRow, Status } from "./MemoryModel.ts"
import { MemoryReader } from "./MemoryReader.ts"
import type { ListFilter, Place } from "./MemoryReader.ts"
import { MemoryReview } from "./MemoryReview.ts"
import { makeReview } from "./MemoryReviewMemory.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type {
  AuditEntry,
  Commit,
  Derived,
  EntityProjection,
  HeadVector,
  KeptAnswer,
  LastWord,
  Nominee,
  PeerQuery,
  Probes
} from "./MemoryStore.ts"
import { typeFacts } from "./MemoryType.ts"
import { isWriteKey } from "./WriteKeys.ts"

/** What one namespace holds. Derived rows are kept by what makes them one in ClickHouse too. */
interface Space {
  readonly scope: Scope
  readonly versions: Map<bigint, MemoryRow>
  readonly heads: Map<string, MemoryRow>
  readonly derived: Map<string, Derived>
  readonly entities: Map<string, EntityProjection>
  readonly answers: Map<string, KeptAnswer>
  readonly audits: Map<bigint, AuditEntry>
  /** Versions and positions that stand in no history and no chain, whatever comes in under them. */
  readonly voided: Set<bigint>
  ceiling: bigint
}

type State = Map<string, Space>

const spaceOf = (state: State, { namespace, org }: Scope): Space => {
  const key = `${org}\u0000${namespace}`
  const known = state.get(key)
  if (known !== undefined) return known
  const space: Space = {
    scope: { org, namespace },
    versions: new Map(),
    heads: new Map(),
    derived: new Map(),
    entities: new Map(),
    answers: new Map(),
    audits: new Map(),
    voided: new Set(),
    ceiling: 0n
  }
  state.set(key, space)
  return space
}

const isOneOf = (statuses: ReadonlyArray<Status>, { status }: MemoryRow): boolean => statuses.includes(status)

const derivedKey = ({ content_sha256, identity, searchable }: Derived): string =>
  `${identityKey(identity)}\u0000${content_sha256}\u0000${searchable.embedder_id}`

const addRow = (space: Space, row: MemoryRow): void => {
  if (!space.voided.has(row.version)) space.versions.set(row.version, row)
  const head = space.heads.get(identityKey(row))
  if (head === undefined || head.version <= row.version) space.heads.set(identityKey(row), row)
}

const addAnswer = (space: Space, answer: KeptAnswer): void => {
  const known = space.answers.get(answer.idem_hash)
  if (known === undefined || known.version <= answer.version) space.answers.set(answer.idem_hash, answer)
}

/** Takes away what was derived from a memory, up to a version. */
const forget = (space: Space, identity: string, upTo: bigint): void => {
  const isIts = (item: Derived | EntityProjection) => identityKey(item.identity) === identity && item.version <= upTo
  removeWhere(space.derived, isIts)
  removeWhere(space.entities, isIts)
}

const disown = Effect.fn("MemoryStore.disown")(function*(space: Space, intent: Intent, fresh: bigint) {
  const versions = intent.rows.map(({ version }) => version)
  const again = intent.rows.map((_, index) => fresh + BigInt(index))
  for (const version of [...versions, ...again, ...intent.links]) {
    space.voided.add(version)
    space.versions.delete(version)
    space.audits.delete(version)
  }
  for (const idem_hash of intent.answers) {
    addAnswer(space, { ...noAnswer, scope: intent.scope, idem_hash, version: fresh })
  }
  yield* faultPoint("disown.before_heads")
  intent.rows.forEach((row, index) => {
    const identity = identityKey(row)
    const before = [...space.versions.values()].filter((one) => identityKey(one) === identity).sort(newestFirst)[0]
    if (row.hides) forget(space, identity, row.version)
    addRow(space, laidDownAgain(intent, row, before, fresh + BigInt(index)))
  })
})

const commit = (state: State) =>
  Effect.fn("MemoryStore.commit")(function*({ answers, audits, ceilings, derived, entities, hidden, rows }: Commit) {
    for (const identity of hidden) {
      const top = rows.findLast((row) => identityKey(row) === identityKey(identity))?.version ?? 0n
      forget(spaceOf(state, identity), identityKey(identity), top)
    }
    for (const item of derived) spaceOf(state, item.identity).derived.set(derivedKey(item), item)
    yield* faultPoint("commit.after_embeddings")
    yield* faultPoint("commit.after_chunks")
    for (const item of entities) {
      spaceOf(state, item.identity).entities.set(`${identityKey(item.identity)}\u0000${item.entity}`, item)
    }
    yield* faultPoint("commit.after_entities")
    for (const { ceiling, scope } of ceilings) {
      const space = spaceOf(state, scope)
      if (ceiling > space.ceiling) space.ceiling = ceiling
    }
    for (const answer of answers) addAnswer(spaceOf(state, answer.scope), answer)
    for (const link of audits) {
      const space = spaceOf(state, link)
      if (!space.voided.has(link.position)) space.audits.set(link.position, link)
    }
    yield* faultPoint("commit.before_memory")
    for (const row of rows) addRow(spaceOf(state, row), row)
    yield* faultPoint("commit.after_memory")
    return []
  })

/** Removes what the condition names and says how many there were. */
const removeWhere = <A>(items: Map<string, A>, condition: (item: A) => boolean): number => {
  const found = [...items].filter(([, item]) => condition(item))
  found.forEach(([key]) => items.delete(key))
  return found.length
}

const repair = (space: Space, embedderId: string, upTo: bigint | undefined) => {
  const isOld = ({ version }: { readonly version: bigint }) => upTo === undefined || version <= upTo
  const all = [...space.versions.values()]
  const contents = new Set(all.map((row) => `${identityKey(row)}\u0000${row.content_sha256}`))
  const named = new Set(all.flatMap((row) => row.entities.map((entity) => `${identityKey(row)}\u0000${entity}`)))
  const orphans = removeWhere(
    space.derived,
    (item) => isOld(item) && !contents.has(`${identityKey(item.identity)}\u0000${item.content_sha256}`)
  ) +
    removeWhere(
      space.entities,
      (item) => isOld(item) && !named.has(`${identityKey(item.identity)}\u0000${item.entity}`)
    )
  const missing = [...space.heads.values()].filter((row) =>
    isOneOf(LIVE_STATUSES, row) && row.sensitivity !== "high" && typeFacts(row.memory_type).embedded &&
    !space.derived.has(`${identityKey(row)}\u0000${row.content_sha256}\u0000${embedderId}`)
  )
  return { versions: 0, journal: 0, missing, orphans }
}

const position = ({ audits, ceiling, heads, versions, voided }: Space) => {
  let last = { at: 0n, hash: "" }
  let top = ceiling
  const look = (at: bigint, hash: string) => {
    if (at > last.at) last = { at, hash }
  }
  for (const row of versions.values()) look(row.version, row.audit_hash)
  for (const link of audits.values()) look(link.position, link.hash)
  for (const at of [last.at, ...voided]) if (at > top) top = at
  return { version: top, audit_hash: last.hash, rows: heads.size }
}

const isNamed = (row: MemoryRow, { canonical, content, ids, keys, linked }: Probes): boolean =>
  keys.includes(row.memory_key) || ids.includes(row.memory_id) ||
  canonical.some((probe) =>
    probe.sha256 === row.canonical_sha256 && probe.memory_type === row.memory_type && probe.user_id === row.user_id
  ) ||
  content.some((probe) => probe.sha256 === row.content_sha256 && probe.user_id === row.user_id) ||
  linked.includes(row.duplicate_of) || row.conflict_with.some((id) => linked.includes(id))

/** The vectors of served heads, by identity. */
const vectorsIn = ({ derived, heads }: Space, embedderId: string): ReadonlyArray<HeadVector> =>
  [...heads.values()]
    .filter((row) => isOneOf(SERVED_STATUSES, row) && row.canonical_sha256 !== "")
    .flatMap((row): ReadonlyArray<HeadVector> => {
      const found = derived.get(`${identityKey(row)}\u0000${row.content_sha256}\u0000${embedderId}`)
      return found === undefined ? [] : [{ ...row, vector: found.searchable.value_vector }]
    })
    .sort((left, right) => identityKey(left) < identityKey(right) ? -1 : 1)

/** The cosine of two vectors of any length. */
const cosine = (left: Float32Array, right: Float32Array): number => {
  let dot = 0
  let ofLeft = 0
  let ofRight = 0
  left.forEach((number, at) => {
    const other = right[at] ?? 0
    dot += number * other
    ofLeft += number * number
    ofRight += other * other
  })
  return ofLeft === 0 || ofRight === 0 ? 0 : dot / Math.sqrt(ofLeft * ofRight)
}

const nearIn = (space: Space, embedderId: string, query: PeerQuery, limit: number): ReadonlyArray<Nominee> =>
  vectorsIn(space, embedderId)
    .filter((one) => one.user_id === query.user_id && one.memory_type === query.memory_type)
    .map((one) => ({ ...one, similarity: cosine(one.vector, query.vector) }))
    .filter(({ similarity }) => similarity >= query.threshold)
    .sort((left, right) => right.similarity - left.similarity)
    .slice(0, limit)

const keptAnswer = ({ answers, versions }: Space, idemHash: string, since: number) => {
  const kept = [
    ...[...versions.values()].filter((row) => row.answer !== "").map((row) => ({ ...row, at: row.updated_at })),
    ...answers.values()
  ].filter(({ answer, at, idem_hash }) => idem_hash === idemHash && at >= since && answer !== "")
  const first = kept.sort((left, right) => left.version < right.version ? -1 : 1)[0]
  return Option.map(Option.fromNullable(first), ({ answer, at, payload_hash, write_id }) => ({
    payload_hash,
    write_id,
    answer,
    at
  }))
}

const makeStore = (state: State): MemoryStore["Type"] => ({
  commit: commit(state),
  committed: Effect.fn("MemoryStore.committed")(function*(scope, versions) {
    return versions.every((version) => spaceOf(state, scope).versions.has(version))
  }),
  repair: Effect.fn("MemoryStore.repair")(function*(scope, embedderId, upTo) {
    return repair(spaceOf(state, scope), embedderId, upTo)
  }),
  disown: (intent, fresh) => disown(spaceOf(state, intent.scope), intent, fresh),
  position: Effect.fn("MemoryStore.position")(function*(scope) {
    return position(spaceOf(state, scope))
  }),
  entries: Effect.fn("MemoryStore.entries")(function*(scope) {
    return [...spaceOf(state, scope).heads.values()].map(entryOf)
  }),
  rows: Effect.fn("MemoryStore.rows")(function*(scope, identities) {
    const { heads } = spaceOf(state, scope)
    const wanted = new Set(identities.map(identityKey))
    return [...wanted].flatMap((identity) => heads.get(identity) ?? [])
  }),
  heads: Effect.fn("MemoryStore.heads")(function*(scope, { after, limit, longest }) {
    const from = after === null ? "" : identityKey(after)
    return [...spaceOf(state, scope).heads.values()]
      .filter((row) => identityKey(row) > from && Buffer.byteLength(row.value) <= longest)
      .sort((left, right) => identityKey(left) < identityKey(right) ? -1 : 1)
      .slice(0, limit)
  }),
  probe: Effect.fn("MemoryStore.probe")(function*(scope, probes) {
    return [...spaceOf(state, scope).heads.values()].filter((row) => isNamed(row, probes))
  }),
  lastWords: Effect.fn("MemoryStore.lastWords")(function*(scope, claims) {
    const versions = [...spaceOf(state, scope).versions.values()].sort(newestFirst)
    return claims.flatMap(({ memory_type, sha256, user_id }): ReadonlyArray<LastWord> => {
      const last = versions.find((row) =>
        row.status !== "void" && row.canonical_sha256 === sha256 && row.memory_type === memory_type &&
        row.user_id === user_id
      )
      return last === undefined ? [] : [{ ...last, sha256 }]
    })
  }),
  near: Effect.fn("MemoryStore.near")(function*(scope, embedderId, queries, limit) {
    return queries.map((query) => nearIn(spaceOf(state, scope), embedderId, query, limit))
  }),
  vectors: Effect.fn("MemoryStore.vectors")(function*(scope, embedderId, { after, limit }) {
    const from = after === null ? "" : identityKey(after)
    return vectorsIn(spaceOf(state, scope), embedderId).filter((one) => identityKey(one) > from).slice(0, limit)
  }),
  vectorsOf: Effect.fn("MemoryStore.vectorsOf")(function*(scope, embedderId, rows) {
    const { derived } = spaceOf(state, scope)
    return rows.flatMap((row): ReadonlyArray<HeadVector> => {
      const found = derived.get(`${identityKey(row)}\u0000${row.content_sha256}\u0000${embedderId}`)
      return found === undefined ? [] : [{ ...row, vector: found.searchable.value_vector }]
    })
  }),
  idempotencyKeys: Effect.fn("MemoryStore.idempotencyKeys")(function*(scope, since, writesSince) {
    const { answers, versions } = spaceOf(state, scope)
    const ofRows = [...versions.values()].map(({ idem_hash, updated_at }) => ({ idem_hash, at: updated_at }))
    const used = [...ofRows, ...answers.values()].filter(({ at, idem_hash }) =>
      idem_hash !== "" && at >= (isWriteKey(idem_hash) ? writesSince : since)
    )
    return [...new Set(used.map(({ idem_hash }) => idem_hash))]
  }),
  keptAnswer: Effect.fn("MemoryStore.keptAnswer")(function*(scope, idemHash, since = 0) {
    return keptAnswer(spaceOf(state, scope), idemHash, since)
  }),
  scopes: Effect.sync(() => [...state.values()].filter(({ heads }) => heads.size > 0).map(({ scope }) => scope))
})

const newestFirst = (left: MemoryRow, right: MemoryRow): number => left.version > right.version ? -1 : 1

/** Nanoseconds of the last end of a row that has come. */
const lastEnd = (rows: ReadonlyArray<MemoryRow>, now: number): bigint =>
  rows.flatMap(({ expires_at, valid_to }) => [expires_at ?? 0, valid_to ?? 0])
    .filter((end) => end <= now)
    .reduce((last, end) => BigInt(end) * 1_000_000n > last ? BigInt(end) * 1_000_000n : last, 0n)

const makeReader = (state: State): MemoryReader["Type"] => {
  const heads = (scope: Scope, condition: (row: MemoryRow) => boolean) =>
    [...spaceOf(state, scope).heads.values()].filter(condition)
  const versionsOf = (scope: Scope, identities: ReadonlyArray<Place>) => {
    const wanted = new Set(identities.map(identityKey))
    return [...spaceOf(state, scope).versions.values()].filter((row) => wanted.has(identityKey(row)))
  }
  const listed = (scope: Scope, filter: ListFilter) => {
    const { asOf } = filter
    if (asOf === undefined) return heads(scope, (row) => matches(row, filter))
    const high = new Set(heads(scope, ({ sensitivity }) => sensitivity === "high").map(identityKey))
    return rowsAsOf(spaceOf(state, scope).versions.values(), asOf)
      .filter((row) => matches(row, filter) && (filter.contains === null || !high.has(identityKey(row))))
  }
  return {
    byKey: Effect.fn("MemoryReader.byKey")(function*(scope, key, writer) {
      return heads(scope, (row) => row.memory_key === key && isWriter(row, writer)).sort(newestFirst)
    }),
    byId: Effect.fn("MemoryReader.byId")(function*(scope, memoryId, writer) {
      return heads(scope, (row) => row.memory_id === memoryId && isWriter(row, writer))
    }),
    list: Effect.fn("MemoryReader.list")(function*(scope, filter, page) {
      return pageOf(listed(scope, filter), page)
    }),
    count: Effect.fn("MemoryReader.count")(function*(scope, filter) {
      return listed(scope, filter).length
    }),
    namedThings: Effect.fn("MemoryReader.namedThings")(function*(scope, writer, page, now) {
      return namedThingsIn(
        heads(scope, (row) => isWriter(row, writer) && isServed(row, now) && row.sensitivity !== "high"),
        page
      )
    }),
    history: Effect.fn("MemoryReader.history")(function*(scope, identities, { before, limit }) {
      return versionsOf(scope, identities)
        .filter((row) => before === null || row.version < before)
        .sort(newestFirst)
        .slice(0, limit)
    }),
    marks: Effect.fn("MemoryReader.marks")(function*(scope, identities, known) {
      return versionsOf(scope, identities).filter((row) => known === null || row.version <= known).sort(newestFirst)
        .reverse()
    }),
    versions: Effect.fn("MemoryReader.versions")(function*(scope, identities, versions) {
      return versionsOf(scope, identities).filter((row) => versions.includes(row.version))
    }),
    withheld: Effect.fn("MemoryReader.withheld")(function*(scope, identities) {
      const wanted = new Set(identities.map(identityKey))
      return heads(scope, (row) => row.sensitivity === "high" && wanted.has(identityKey(row)))
    }),
    latest: Effect.fn("MemoryReader.latest")(function*(scope, writer, now) {
      const rows = heads(scope, (row) => isWriter(row, writer))
      return rows.reduce((last, { version }) => version > last ? version : last, lastEnd(rows, now))
    })
  }
}

export const layerMemory: Layer.Layer<MemoryStore | MemoryReader | MemoryReview> = Layer.effectContext(
  Effect.sync(() => {
    const state: State = new Map()
    return Context.make(MemoryStore, makeStore(state)).pipe(
      Context.add(MemoryReader, makeReader(state)),
      Context.add(MemoryReview, makeReview((scope) => spaceOf(state, scope)))
    )
  })
)
