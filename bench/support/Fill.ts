/**
 * Fills a namespace with generated facts by straight commits, past the actor: the rows are those that `memory.set` would
 * have written, with their links of the audit chain. Versions lie in the past, so that later writes come after them.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "../../src/kernel/Identity.ts"
import { uuidv7 } from "../../src/kernel/Ids.ts"
import { sha256 } from "../../src/kernel/Json.ts"
import type { StoreError } from "../../src/kernel/LoomError.ts"
import { linkHash, linkOf } from "../../src/memory/AuditChain.ts"
import type { SetItem, WriteMeta } from "../../src/memory/MemoryCommand.ts"
import type { Content } from "../../src/memory/MemoryContent.ts"
import { carried, fresh, revised } from "../../src/memory/MemoryDraft.ts"
import { MemoryIntake, storedForm } from "../../src/memory/MemoryIntake.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import type { Commit } from "../../src/memory/MemoryStore.ts"
import { derivedOf } from "../../src/memory/MemoryWriting.ts"
import { canonical } from "../../src/platform/Analyzer.ts"
import type { Clickhouse } from "../../src/platform/Clickhouse.ts"
import { Chance } from "./Chance.ts"
import { factAt } from "./Facts.ts"
import type { Fact } from "./Facts.ts"
import * as Say from "./Say.ts"
import * as Settle from "./SettleClickhouse.ts"
import type { Vectors } from "./Vectors.ts"

export interface FillOptions {
  readonly scope: Scope
  readonly seed: number
  /** Facts 0 to this number. */
  readonly rows: number
  /** Null: the rows alone, without vectors and words; enough for reads by key. */
  readonly vectors: Vectors | null
  /** The shares of facts that are stated anew, and that are deleted, once all are there. */
  readonly revised?: number
  readonly deleted?: number
  /** Whether to wait for the engine's merges; whoever fills many namespaces waits once, after the last. */
  readonly settled?: boolean
}

// A block of an insert: large enough that its fixed cost is spread, small enough to build in memory.
const AT_ONCE = 2_000

const meta = (writeId: string): WriteMeta => ({
  write_id: writeId,
  idem_hash: "",
  payload_hash: "",
  actor: "human:local",
  bound_user: null,
  source_class: "asserted",
  run_id: "",
  dry_run: false,
  advisories: [],
  degraded: []
})

const itemOf = (fact: Fact, content: Content): SetItem => ({
  agent: "",
  user_id: "-",
  session_id: "",
  memory_key: fact.memory_key,
  run_id: "",
  content,
  statement: { tags: fact.tags, entities: fact.entities },
  source_class: "asserted",
  if_match_sha256: null,
  proposed: false,
  advisories: []
})

const plainContent = (fact: Fact): Content => ({
  ...storedForm(fact.value),
  content_sha256: sha256(fact.value),
  canonical_sha256: sha256(canonical(fact.value)),
  memory_type: "semantic",
  retyped_from: "",
  sensitivity: "none",
  searchable: null
})

/** Writes the facts, then their revisions and deletes. */
export const fill = (
  { deleted = 0, revised: restated = 0, rows, scope, seed, settled = true, vectors }: FillOptions
): Effect.Effect<void, StoreError, MemoryStore | MemoryIntake | Clickhouse> =>
  Effect.gen(function*() {
    const store = yield* MemoryStore
    const intake = yield* MemoryIntake
    const began = Date.now()
    // One version a nanosecond, the last of them before now.
    let version = BigInt(began) * 1_000_000n - BigInt(2 * rows)
    let audit = ""
    const chance = new Chance(seed, "ids", scope.namespace)
    const id = (prefix: string) =>
      `${prefix}_${uuidv7(began, Uint8Array.from({ length: 10 }, () => chance.below(256)))}`

    const moment = () => ({ now: began, version: version += 1n, epoch: 0n, seq: 0n })
    const linked = (row: MemoryRow): MemoryRow => {
      const audit_prev = audit
      audit = linkHash(audit_prev, linkOf(row))
      return { ...row, audit_prev, audit_hash: audit }
    }

    const contentsOf = (facts: ReadonlyArray<Fact>) => {
      if (vectors === null) return Effect.succeed(facts.map(plainContent))
      vectors.learn(facts)
      return Effect.forEach(
        facts,
        ({ memory_key, value }) => intake.prepare({ memory_key, value, memory_type: undefined, sensitivity: undefined })
      ).pipe(
        Effect.orDie,
        Effect.tap(() => Effect.sync(vectors.forget))
      )
    }
    const commit = (written: ReadonlyArray<MemoryRow>, contents: ReadonlyArray<Content | null>) => {
      const parts = written.map((row, at) => derivedOf(row, contents[at] ?? null))
      const whole: Commit = {
        rows: written,
        derived: parts.flatMap(({ derived }) => derived),
        entities: vectors === null ? [] : parts.flatMap(({ entities }) => entities),
        ceilings: [{ scope, ceiling: version }],
        answers: [],
        audits: [],
        hidden: []
      }
      return store.commit(whole)
    }
    const write = () => meta(id("wr"))

    for (let from = 0; from < rows; from += AT_ONCE) {
      const indexes = Array.from({ length: Math.min(AT_ONCE, rows - from) }, (_, at) => from + at)
      const facts = indexes.map((index) => factAt(seed, index))
      const contents = yield* contentsOf(facts)
      const written = facts.map((fact, at) =>
        linked(fresh(scope, write(), itemOf(fact, contents[at]!), moment(), id("mem"), undefined))
      )
      yield* commit(written, contents)

      const again = indexes.filter((index) => new Chance(seed, "revise", index).next() < restated)
      const news = again.map((index) => factAt(seed, index, 1))
      const newer = yield* contentsOf(news)
      const changed = again.map((index, at) =>
        linked(revised(scope, write(), itemOf(news[at]!, newer[at]!), moment(), written[index - from]!))
      )
      if (changed.length > 0) yield* commit(changed, newer)

      const gone = indexes.filter((index) => new Chance(seed, "delete", index).next() < deleted)
      const removed = gone.map((index) =>
        linked(
          carried(written[index - from]!, write(), moment(), "delete", { status: "tombstoned", tombstoned_at: began })
        )
      )
      if (removed.length > 0) yield* commit(removed, [])
      yield* Say.progress(`rows written to ${scope.namespace}:`, from + indexes.length, rows)
    }
    if (settled) yield* Settle.merges
  })
