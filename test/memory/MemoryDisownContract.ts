/**
 * What every store promises of a voided commit: it is in no history, no chain and no kept answer and makes no head, whether
 * its rows were in before, come in afterwards, or never come; and what stood before stands again.
 */
import { assert, describe } from "@effect/vitest"
import type { Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import { intentOf } from "../../src/memory/CommitIntent.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { MemoryReader } from "../../src/memory/MemoryReader.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import {
  auditOf,
  commitOf,
  derivedOf,
  embedderId,
  freshScope,
  noon,
  revised,
  rowOf,
  versionAt
} from "./MemoryFixture.ts"

/** When the rows of the voided commit come in. */
type Arrival = "never" | "before" | "after" | "both"

/** A namespace with one memory, and the commit that is to be voided: it revises that one, writes another, keeps an answer. */
const house = () => {
  const scope = freshScope()
  const stood = rowOf(scope, { audit_hash: "stood" })
  const late = revised(stood, 5, {
    value: "Written by an owner that had lost the namespace",
    idem_hash: "late-row",
    answer: "late",
    audit_hash: "late"
  })
  const other = rowOf(scope, { memory_key: "other", version: versionAt(noon + 6), audit_hash: "other" })
  const read = auditOf(stood, versionAt(noon + 4), "stood")
  const commit = commitOf([late, other], {
    derived: [derivedOf(late), derivedOf(other)],
    audits: [read],
    answers: [{
      scope,
      idem_hash: "late-answer",
      payload_hash: "p",
      write_id: "w",
      answer: "late",
      at: noon,
      version: versionAt(noon + 7)
    }]
  })
  return { scope, stood, late, other, commit, intent: intentOf({ scope, epoch: 1n }, 1n, commit) }
}

const fresh = versionAt(noon + 20)

const bare = (row: MemoryRow) => ({ ...row, version: 0n })

const isShown = ({ status }: MemoryRow) => status !== "void"

export const disownSuite = (it: Vitest.MethodsNonLive<MemoryStore | MemoryReader>): void => {
  describe("disown", () => {
    for (const arrival of ["never", "before", "after", "both"] as const satisfies ReadonlyArray<Arrival>) {
      it.effect(`a voided commit whose rows come in ${arrival} is nowhere, and what stood before stands`, () =>
        Effect.gen(function*() {
          const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
          const { commit, intent, other, scope, stood } = house()
          yield* store.commit(commitOf([stood], { derived: [derivedOf(stood)] }))
          if (arrival === "before" || arrival === "both") yield* store.commit(commit)
          yield* store.repair(scope, embedderId)
          yield* store.disown(intent, fresh)
          if (arrival === "after" || arrival === "both") yield* store.commit(commit)

          const look = Effect.gen(function*() {
            const heads = (yield* store.rows(scope, [stood, other])).filter(isShown)
            assert.deepStrictEqual(heads.map(bare), [bare(stood)])
            assert.isTrue(heads.every(({ version }) => version >= fresh))
            assert.deepStrictEqual((yield* reader.byKey(scope, stood.memory_key, stood)).map(bare), [bare(stood)])
            const history = yield* reader.history(scope, [stood, other], { before: null, limit: 20 })
            assert.deepStrictEqual(history.filter(isShown), [stood])
            assert.isTrue(Option.isNone(yield* store.keptAnswer(scope, "late-answer")))
            assert.isTrue(Option.isNone(yield* store.keptAnswer(scope, "late-row")))
            const position = yield* store.position(scope)
            assert.strictEqual(position.audit_hash, "stood")
            assert.isTrue(position.version >= fresh + 1n)
          })
          yield* look
          const { missing, ...rest } = yield* store.repair(scope, embedderId)
          assert.deepStrictEqual({ versions: rest.versions, journal: rest.journal }, { versions: 0, journal: 0 })
          assert.deepStrictEqual(missing, [])
          yield* look
          // Another owner does it once more, under other numbers.
          yield* store.disown(intent, fresh + 10n)
          yield* look

          const next = revised(stood, 40, { value: "Written by the owner of now" })
          yield* store.commit(commitOf([next], { derived: [derivedOf(next)] }))
          assert.deepStrictEqual((yield* store.rows(scope, [stood])).map(bare), [bare(next)])
          const history = yield* reader.history(scope, [stood], { before: null, limit: 20 })
          assert.deepStrictEqual(history.filter(isShown), [next, stood])
        }))
    }

    it.effect("voiding that broke off before the heads is done again whole", () =>
      Effect.gen(function*() {
        const [store, reader] = [yield* MemoryStore, yield* MemoryReader]
        const { commit, intent, other, scope, stood } = house()
        yield* store.commit(commitOf([stood], { derived: [derivedOf(stood)] }))
        const crash = { hit: (name: string) => name === "disown.before_heads" ? Effect.die("crash") : Effect.void }
        assert.isTrue(Exit.isFailure(
          yield* Effect.exit(Effect.provideService(store.disown(intent, fresh), FaultPoint, crash))
        ))
        yield* store.commit(commit)
        yield* store.disown(intent, fresh + 10n)
        const heads = (yield* store.rows(scope, [stood, other])).filter(isShown)
        assert.deepStrictEqual(heads.map(bare), [bare(stood)])
        const history = yield* reader.history(scope, [stood, other], { before: null, limit: 20 })
        assert.deepStrictEqual(history.filter(isShown), [stood])
      }))

    it.effect("a delete of derived rows that comes late leaves what was derived again", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const stood = rowOf(scope)
        yield* store.commit(commitOf([stood], { derived: [derivedOf(stood)] }))
        const { org, namespace, ...place } = stood
        const hiding = revised(stood, 5, { sensitivity: "high" })
        const commit = commitOf([hiding], { hidden: [{ ...place, org, namespace }] })
        yield* store.disown(intentOf({ scope, epoch: 1n }, 1n, commit), fresh)
        const { missing } = yield* store.repair(scope, embedderId)
        assert.deepStrictEqual(missing.map(bare), [bare(stood)])
        yield* store.commit(commitOf([], { derived: missing.map((row) => derivedOf(row)) }))
        yield* store.commit(commit)
        assert.deepStrictEqual((yield* store.repair(scope, embedderId)).missing, [])
      }))

    it.effect("repair up to a version leaves what a later owner is about to refer to", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const scope = freshScope()
        const stood = rowOf(scope)
        yield* store.commit(commitOf([stood], { derived: [derivedOf(stood)] }))
        const never = revised(stood, 2, { value: "Never came" })
        const coming = revised(stood, 9, { value: "Coming" })
        yield* store.commit(commitOf([], { derived: [derivedOf(never), derivedOf(coming)] }))
        assert.strictEqual((yield* store.repair(scope, embedderId, never.version)).orphans, 1)
        yield* store.commit(commitOf([coming]))
        assert.deepStrictEqual((yield* store.repair(scope, embedderId)).missing, [])
      }))
  })
}
