/**
 * What every store promises of a commit: given twice it is there once, broken anywhere it is there whole or not at all,
 * and repair leaves neither orphans nor gaps.
 */
import { assert, describe } from "@effect/vitest"
import type { Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Order from "effect/Order"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import { MemoryReader } from "../../src/memory/MemoryReader.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import {
  auditOf,
  commitOf,
  derivedOf,
  embedderId,
  everything,
  freshScope,
  keysOf,
  noon,
  revised,
  rowOf,
  versionAt,
  versionsOf
} from "./MemoryFixture.ts"

/** What decides that a commit is in: its rows, inserted last, or a transaction before all that is made from it. */
export type Authority = "rows" | "transaction"

// Every place between two inserts of a commit, in their order.
const inserts = [
  "commit.after_embeddings",
  "commit.after_chunks",
  "commit.after_entities",
  "commit.before_memory",
  "commit.after_memory"
]

const passage = { index: 0, start: 0, end: 7, text: "Deploys", stems: ["deploy"], lemmas: ["deploy"] }

const points: Record<Authority, ReadonlyArray<string>> = {
  rows: inserts,
  transaction: ["commit.after_transaction", ...inserts, "outbox.after_copy"]
}

export const commitSuite = (it: Vitest.MethodsNonLive<MemoryStore | MemoryReader>, authority: Authority): void => {
  describe("commit", () => {
    it.effect("is not changed by the same commit again", () =>
      Effect.gen(function*() {
        const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
        const scope = freshScope()
        const first = rowOf(scope, { entities: ["ada"], idem_hash: "i1", payload_hash: "p", answer: "a" })
        const rows = [first, revised(first, 1), rowOf(scope, { memory_key: "other", version: versionAt(noon + 2) })]
        const commit = commitOf(rows, {
          derived: [derivedOf(first)],
          entities: [{ identity: derivedOf(first).identity, entity: "ada", version: first.version }],
          ceilings: [{ scope, ceiling: versionAt(noon + 100) }],
          answers: [{
            scope,
            idem_hash: "i2",
            payload_hash: "p",
            write_id: "w",
            answer: "b",
            at: noon,
            version: versionAt(noon + 3)
          }]
        })
        const state = Effect.gen(function*() {
          return {
            entries: keysOf(yield* store.entries(scope)),
            history: versionsOf(yield* reader.history(scope, [first], { before: null, limit: 9 })),
            position: yield* store.position(scope),
            keys: [...(yield* store.idempotencyKeys(scope, 0, 0))].sort(Order.string),
            count: yield* reader.count(scope, everything),
            kept: yield* store.keptAnswer(scope, "i2")
          }
        })
        yield* store.commit(commit)
        const once = yield* state
        yield* store.commit(commit)
        assert.deepStrictEqual(yield* state, once)
        assert.deepStrictEqual(once.entries, ["other", first.memory_key])
        assert.deepStrictEqual(once.keys, ["i1", "i2"])
        assert.deepStrictEqual(once.position, {
          version: versionAt(noon + 100),
          audit_hash: rows[2]?.audit_hash ?? "",
          rows: 2
        })
      }))

    it.effect("keeps audited reads in the chain, without a row, and counts on from them", () =>
      Effect.gen(function*() {
        const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
        const scope = freshScope()
        const first = rowOf(scope)
        yield* store.commit(commitOf([first]))
        const read = auditOf(first, versionAt(noon + 1), first.audit_hash)
        yield* store.commit(commitOf([], { audits: [read] }))
        const afterRead = { version: read.position, audit_hash: read.hash, rows: 1 }
        assert.deepStrictEqual(yield* store.position(scope), afterRead)
        assert.deepStrictEqual(yield* reader.history(scope, [first], { before: null, limit: 9 }), [first])
        // Of one commit the reads come first, so that they stand whether or not the rows come in.
        const again = auditOf(first, versionAt(noon + 2), read.hash)
        const second = revised(first, 3, { audit_prev: again.hash })
        const crash = { hit: (name: string) => name === "commit.before_memory" ? Effect.die("crash") : Effect.void }
        const both = commitOf([second], { audits: [again] })
        yield* Effect.exit(Effect.provideService(store.commit(both), FaultPoint, crash))
        const afterAll = { version: second.version, audit_hash: second.audit_hash, rows: 1 }
        const afterCrash = authority === "rows"
          ? { version: again.position, audit_hash: again.hash, rows: 1 }
          : afterAll
        assert.deepStrictEqual(yield* store.position(scope), afterCrash)
        yield* store.commit(both)
        assert.deepStrictEqual(yield* store.position(scope), afterAll)
        const { missing: _, ...rest } = yield* store.repair(scope, embedderId)
        assert.deepStrictEqual(rest, { versions: 0, journal: 0, orphans: 0 })
        assert.deepStrictEqual(yield* store.position(scope), afterAll)
        assert.deepStrictEqual(yield* store.position(freshScope()), { version: 0n, audit_hash: "", rows: 0 })
      }))

    it.effect("repair removes what no version refers to and names heads without a vector", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const old = rowOf(scope, { entities: ["ada"] })
        const head = revised(old, 1, { value: "Deploys happen on Fridays", entities: ["grace"] })
        const bare = rowOf(scope, { memory_key: "bare", version: versionAt(noon + 2) })
        const others = [
          rowOf(scope, { memory_key: "episode", memory_type: "episodic" }),
          rowOf(scope, { memory_key: "secret", sensitivity: "high" }),
          rowOf(scope, { memory_key: "gone", status: "tombstoned" }),
          rowOf(scope, { memory_key: "void", status: "void" }),
          rowOf(scope, { memory_key: "suggested", status: "proposed" }),
          rowOf(scope, { memory_key: "thought", memory_type: "reflection" })
        ].map((row, index) => ({ ...row, version: versionAt(noon + 10 + index) }))
        const never = revised(old, 9, { value: "This commit never came" })
        const elsewhere = rowOf(freshScope(), { value: "Also never committed" })
        const { identity } = derivedOf(old)
        yield* store.commit(commitOf([old, head, bare, ...others], {
          derived: [derivedOf(old), derivedOf(head)],
          entities: [{ identity, entity: "ada", version: old.version }, {
            identity,
            entity: "grace",
            version: head.version
          }]
        }))
        yield* store.commit(commitOf([], {
          derived: [derivedOf(never), derivedOf(elsewhere)],
          entities: [{ identity, entity: "nobody", version: never.version }]
        }))
        const report = yield* store.repair(scope, embedderId)
        assert.strictEqual(report.orphans, 2)
        assert.deepStrictEqual(keysOf(report.missing), ["bare", "suggested", "thought"])
        assert.deepStrictEqual(report.missing.find(({ memory_key }) => memory_key === "bare"), bare)
        const again = yield* store.repair(scope, embedderId)
        assert.deepStrictEqual({ ...again, missing: keysOf(again.missing) }, {
          versions: 0,
          journal: 0,
          orphans: 0,
          missing: ["bare", "suggested", "thought"]
        })
        const other = yield* store.repair(scope, "another embedder")
        assert.deepStrictEqual(keysOf(other.missing), ["bare", head.memory_key, "suggested", "thought"])
        assert.strictEqual((yield* store.repair(elsewhere, embedderId)).orphans, 1)
      }))

    for (const point of points[authority]) {
      it.effect(`a crash at ${point} leaves a batch that is there whole or not at all, and repair leaves no trace of it`, () =>
        Effect.gen(function*() {
          const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
          const scope = freshScope()
          const before = rowOf(scope, { memory_key: "before" })
          yield* store.commit(commitOf([before], { derived: [derivedOf(before)] }))
          const first = rowOf(scope, { entities: ["ada"], version: versionAt(noon + 1) })
          const second = revised(before, 2, { value: "Revised in the batch that breaks" })
          const batch = commitOf([first, second], {
            derived: [derivedOf(first, { chunks: [passage] }), derivedOf(second)],
            entities: [{ identity: derivedOf(first).identity, entity: "ada", version: first.version }]
          })
          const crash = { hit: (name: string) => name === point ? Effect.die(`crash at ${point}`) : Effect.void }
          const exit = yield* Effect.exit(Effect.provideService(store.commit(batch), FaultPoint, crash))
          assert.isTrue(Exit.isFailure(exit))
          const there = authority === "transaction" || point === "commit.after_memory"
          assert.strictEqual(yield* store.committed(scope, [first.version, second.version]), there)
          const heads = yield* store.rows(scope, [first, before])
          assert.sameDeepMembers([...heads], there ? [first, second] : [before])
          yield* store.repair(scope, embedderId)
          const { missing, ...rest } = yield* store.repair(scope, embedderId)
          assert.deepStrictEqual(missing, [])
          assert.deepStrictEqual(rest, { versions: 0, journal: 0, orphans: 0 })
          yield* store.commit(batch)
          assert.deepStrictEqual(yield* store.repair(scope, embedderId), { ...rest, missing: [] })
          const history = yield* reader.history(scope, [before, first], { before: null, limit: 9 })
          assert.deepStrictEqual(history, [second, first, before])
        }))
    }
  })
}
