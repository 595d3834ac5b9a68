/**
 * What a namespace actor knows between batches, and how it comes to know it: activation repairs the mirrors, reads the
 * counters and loads the index of heads (or, beyond `maxHeads`, leaves it out and asks the store for every batch). All
 * of it is a cache: after a failed commit the actor throws it away and activates again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Scope, Writer } from "../kernel/Identity.ts"
import { identityKey } from "../kernel/Identity.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { DEFAULT_CONFLICT_POLICY } from "../namespace/NamespaceModel.ts"
import { NamespaceStore } from "../namespace/NamespaceStore.ts"
import { HeadIndex, View } from "./HeadIndex.ts"
import { ANSWER_TTL_MILLIS, IdempotencyKeys } from "./IdempotencyKeys.ts"
import { MemoryIntake } from "./MemoryIntake.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { Probes } from "./MemoryStore.ts"
import { RowCache } from "./RowCache.ts"
import type { Rules } from "./WritePolicy.ts"

/** Bounds of one actor's memory. */
export interface StateBounds {
  /** Heads kept in the index; a namespace with more is judged by store queries. About 1 KB each. */
  readonly maxHeads: number
  /** Bytes of full rows kept. */
  readonly cacheBytes: number
}

export const defaultBounds: StateBounds = { maxHeads: 250_000, cacheBytes: 32 * 1024 * 1024 }

/** The operator's choices that hold for every namespace. */
export interface StateOptions {
  readonly bounds: StateBounds
  readonly bulkDedup: Rules["bulkDedup"]
}

export interface ActorState {
  /** Null when the namespace is beyond the bound. */
  readonly index: HeadIndex | null
  readonly cache: RowCache
  readonly keys: IdempotencyKeys
  version: bigint
  ceiling: bigint
  audit: string
  seq: bigint
  rules: Rules
  rulesReadAt: number
}

// A registration takes effect within this time on every actor (milliseconds).
const RULES_TTL_MILLIS = 1_000

const readRules = Effect.fn("ActorState.rules")(function*(scope: Scope, bulkDedup: Rules["bulkDedup"]) {
  const namespaces = yield* NamespaceStore
  const found = yield* namespaces.find(scope)
  const rules: Rules = {
    conflictPolicy: Option.match(found, {
      onNone: () => DEFAULT_CONFLICT_POLICY,
      onSome: (one) => one.default_conflict_policy
    }),
    bulkDedup
  }
  return rules
})

/** Reads the rules again when they are older than their time to live. */
export const freshRules = (scope: Scope, state: ActorState) =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    if (now - state.rulesReadAt < RULES_TTL_MILLIS) return
    state.rules = yield* readRules(scope, state.rules.bulkDedup)
    state.rulesReadAt = now
  })

export const activate = Effect.fn("ActorState.activate")(function*(
  scope: Scope,
  { bounds, bulkDedup }: StateOptions
) {
  const store = yield* MemoryStore
  const intake = yield* MemoryIntake
  const now = yield* Clock.currentTimeMillis
  const report = yield* store.repair(scope, intake.embedderId)
  if (report.missing.length > 0) {
    const derived = yield* intake.derive(report.missing)
    yield* store.commit({ rows: [], derived, entities: [], ceilings: [], answers: [], audits: [] })
  }
  const position = yield* store.position(scope)
  const rules = yield* readRules(scope, bulkDedup)
  const keys = new IdempotencyKeys(yield* store.idempotencyKeys(scope, now - ANSWER_TTL_MILLIS), now)
  let index: HeadIndex | null = null
  if (position.rows <= bounds.maxHeads) {
    index = new HeadIndex()
    for (const entry of yield* store.entries(scope)) index.put(entry)
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
  const state: ActorState = {
    index,
    cache: new RowCache(bounds.cacheBytes),
    keys,
    version: position.version,
    ceiling: position.version,
    audit: position.audit_hash,
    seq: 0n,
    rules,
    rulesReadAt: now
  }
  return state
})

/** The view one batch is judged against: every row its probes and identities name, in full. */
export const viewFor = (
  scope: Scope,
  state: ActorState,
  probes: Probes,
  identities: ReadonlyArray<Writer & { readonly memory_key: string }>
): Effect.Effect<View, StoreError, MemoryStore> =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const rows = new Map<string, MemoryRow>()
    if (state.index === null) {
      const index = new HeadIndex()
      const found = [...(yield* store.probe(scope, probes)), ...(yield* store.rows(scope, identities))]
      const view = new View(index, rows)
      for (const row of found) view.put(row)
      return view
    }
    const wanted = new Set(state.index.matches(probes))
    for (const identity of identities) {
      const key = identityKey(identity)
      if (state.index.get(key) !== undefined) wanted.add(key)
    }
    const absent: Array<Writer & { readonly memory_key: string }> = []
    for (const identity of wanted) {
      const row = state.cache.get(identity)
      const entry = state.index.get(identity)
      if (row !== undefined) rows.set(identity, row)
      else if (entry !== undefined) absent.push(entry)
    }
    if (absent.length > 0) {
      for (const row of yield* store.rows(scope, absent)) {
        rows.set(identityKey(row), row)
        state.cache.put(row)
      }
    }
    return new View(state.index, rows)
  })
