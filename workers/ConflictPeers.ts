/**
 * Which pairs of rows a second look is for, and what the judge says of them now. A row is paired with those it is said to
 * contradict and with those that lie close to it; the verdict is the judge's own, put to it as if either claim came back
 * beside the other. It counts only when it is the same in both directions and does not hang on the last digits of a cosine:
 * a second look changes nothing that is on the edge.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ANONYMOUS, identityKey } from "../src/kernel/Identity.ts"
import type { Scope } from "../src/kernel/Identity.ts"
import type { StoreError } from "../src/kernel/LoomError.ts"
import type { NamespaceRules } from "../src/memory/ActorRules.ts"
import { BeliefSources } from "../src/memory/BeliefSources.ts"
import { NEAREST, vectorKey } from "../src/memory/HeadView.ts"
import type { Content } from "../src/memory/MemoryContent.ts"
import { MemoryIntake } from "../src/memory/MemoryIntake.ts"
import { isServed } from "../src/memory/MemoryModel.ts"
import type { MemoryRow } from "../src/memory/MemoryModel.ts"
import { MemoryReview } from "../src/memory/MemoryReview.ts"
import { MemoryStore } from "../src/memory/MemoryStore.ts"
import { nominationFloor } from "../src/memory/WritePolicy.ts"
import type { JudgedPeer, Rules, WritePolicy } from "../src/memory/WritePolicy.ts"

export interface Pair {
  readonly rows: readonly [MemoryRow, MemoryRow]
  /** The cosine of their vectors; null when one of them has none. */
  readonly similarity: number | null
}

/** What a second look comes to; `leave` when nobody can be sure. */
export type Verdict = { readonly _tag: "conflict"; readonly peer: JudgedPeer } | { readonly _tag: "clear" | "leave" }

// Vectors are compared in 32 bits here and, by the index of an actor, in fewer: closer than this two cosines are one.
const EDGE = 0.005

/** Who looks: the judge of writes again, or a language model, which flags for those who review too. */
export type Looker = "judge" | "model"

/** Whether a row is compared at all: served, told in words, and under a policy by which the looker may decide. */
export const isCompared = (row: MemoryRow, rules: NamespaceRules, now: number, looker: Looker): boolean => {
  const { conflictPolicy } = rules.rulesFor(row)
  return isServed(row, now) && row.canonical_sha256 !== "" && row.sensitivity !== "high" &&
    row.value_kind !== "redacted" && conflictPolicy !== "append_only" &&
    (looker === "model" || conflictPolicy !== "manual_review")
}

export const linked = (left: MemoryRow, right: MemoryRow): boolean =>
  left.conflict_with.includes(right.memory_id) || right.conflict_with.includes(left.memory_id)

/** The pairs of these rows, each once. */
export const pairsFor = (
  scope: Scope,
  rows: ReadonlyArray<MemoryRow>,
  rules: NamespaceRules,
  now: number,
  looker: Looker
): Effect.Effect<ReadonlyArray<Pair>, StoreError, MemoryStore | MemoryReview | MemoryIntake | BeliefSources> =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const { embedderId } = yield* MemoryIntake
    const contested = [...new Set(rows.flatMap((row) => row.conflict_with))]
    const others = contested.length === 0
      ? []
      : yield* (yield* MemoryReview).named(scope, null, { ids: contested, keys: [] })
    const vectors = new Map(
      (yield* store.vectorsOf(scope, embedderId, [...rows, ...others])).map((one) => [
        vectorKey(identityKey(one), one.content_sha256),
        one.vector
      ])
    )
    const vectorOf = (row: MemoryRow) => vectors.get(vectorKey(identityKey(row), row.content_sha256))
    const sought = rows.flatMap((row) => {
      const vector = vectorOf(row)
      return vector === undefined ? [] : [{ row, vector }]
    })
    const found = yield* store.near(
      scope,
      embedderId,
      sought.map(({ row, vector }) => ({
        memory_type: row.memory_type,
        user_id: row.user_id,
        vector,
        threshold: nominationFloor(rules.rulesFor(row))
      })),
      // Itself among them.
      NEAREST + 1
    )
    const close = new Map((yield* store.rows(scope, found.flat())).map((row) => [identityKey(row), row]))
    const pairs = new Map<string, Pair>()
    const add = (left: MemoryRow, right: MemoryRow, similarity: number | null) => {
      const key = [left.memory_id, right.memory_id].sort().join(" ")
      if (left.memory_id !== right.memory_id && !pairs.has(key) && isCompared(right, rules, now, looker)) {
        pairs.set(key, { rows: [left, right], similarity })
      }
    }
    sought.forEach(({ row }, at) => {
      for (const nominee of found[at] ?? []) {
        const other = close.get(identityKey(nominee))
        if (other !== undefined && other.content_sha256 === nominee.content_sha256) add(row, other, nominee.similarity)
      }
    })
    for (const row of rows) {
      for (const other of others.filter((one) => linked(row, one))) {
        const [left, right] = [vectorOf(row), vectorOf(other)]
        add(row, other, left === undefined || right === undefined ? null : dot(left, right))
      }
    }
    if (looker === "model") {
      for (const [left, right] of yield* sameKeyed(scope, rows)) {
        const [ours, theirs] = [vectorOf(left), vectorOf(right)]
        add(left, right, ours === undefined || theirs === undefined ? null : dot(ours, theirs))
      }
    }
    return yield* withoutKin(scope, [...pairs.values()])
  })

/** Rows of one key that two sessions of one user wrote; sessions of the anonymous user are separate tasks. */
const sameKeyed = (scope: Scope, rows: ReadonlyArray<MemoryRow>) =>
  Effect.gen(function*() {
    const ours = rows.filter(({ user_id }) => user_id !== ANONYMOUS)
    if (ours.length === 0) return []
    const keys = [...new Set(ours.map(({ memory_key }) => memory_key))]
    const theirs = yield* (yield* MemoryReview).named(scope, null, { ids: [], keys })
    return ours.flatMap((row) =>
      theirs
        .filter((other) =>
          other.memory_key === row.memory_key && other.user_id === row.user_id && other.session_id !== row.session_id
        )
        .map((other) => [row, other] as const)
    )
  })

/**
 * What was derived from a row goes with it, and is never held against it; against others it is not held anew, since it says
 * no more than its sources do, which are.
 */
const withoutKin = (scope: Scope, pairs: ReadonlyArray<Pair>) =>
  Effect.gen(function*() {
    const derived = new Map(
      pairs.flatMap(({ rows }) => rows).filter((row) => row.source_class === "derived").map((row) => [
        row.memory_id,
        row
      ])
    )
    if (derived.size === 0) return pairs
    const links = yield* (yield* BeliefSources).derivations(scope, [...derived.values()])
    const kin = new Set(links.map((link) => `${identityKey(link)}/${link.source_memory_id}`))
    const borne = new Set(links.map(identityKey))
    return pairs.filter(({ rows: [left, right] }) =>
      !kin.has(`${identityKey(left)}/${right.memory_id}`) && !kin.has(`${identityKey(right)}/${left.memory_id}`) &&
      (linked(left, right) || ![left, right].some((row) => derived.has(row.memory_id) && borne.has(identityKey(row))))
    )
  })

const dot = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)

/** What the judge says of a pair by now. */
export const secondLook = (
  policy: typeof WritePolicy.Service,
  { rows: [left, right], similarity }: Pair,
  rules: NamespaceRules,
  now: number
): Verdict => {
  if (similarity === null) return { _tag: "leave" }
  const looks = [similarity - EDGE, similarity + EDGE].flatMap((cosine) => [
    judged(policy, left, right, cosine, rules.rulesFor(right), now),
    judged(policy, right, left, cosine, rules.rulesFor(left), now)
  ])
  const conflicts = looks.flatMap((look) => look === "unknown" || look === "clear" ? [] : [look])
  const [first] = conflicts
  return first !== undefined && conflicts.length === looks.length
    ? { _tag: "conflict", peer: first }
    : { _tag: looks.every((look) => look === "clear") ? "clear" : "leave" }
}

const judged = (
  policy: typeof WritePolicy.Service,
  stored: MemoryRow,
  written: MemoryRow,
  similarity: number,
  rules: Rules,
  now: number
): JudgedPeer | "clear" | "unknown" => {
  if (similarity < nominationFloor(rules)) return "clear"
  const { canonical_sha256, content_sha256, memory_type, retyped_from, sensitivity, value, value_kind } = written
  if (value_kind === "redacted") return "unknown"
  const content: Content = {
    canonical_sha256,
    content_sha256,
    memory_type,
    retyped_from,
    sensitivity,
    value,
    value_kind,
    searchable: null
  }
  const decision = policy.judge(
    {
      own: undefined,
      canonical: [],
      sameContent: [],
      withdrawn: undefined,
      near: [{ row: stored, similarity, outlasts: true }],
      sameKey: []
    },
    {
      content,
      run_id: written.run_id,
      mayReplacePinned: true,
      pins: false,
      proposed: false,
      // It stands already: it replaces nothing.
      revives: true,
      source_class: written.source_class,
      valid_at: written.valid_at,
      if_match_sha256: null,
      blacklisted: undefined,
      now
    },
    rules
  )
  return Either.match(decision, {
    onLeft: () => "unknown",
    onRight: (found) => found._tag === "Insert" ? found.conflicts[0] ?? "clear" : "clear"
  })
}
