/**
 * The review queue over the whole write path in this process.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { localCaller } from "../../src/kernel/Caller.ts"
import { ConflictsList, ConflictsResolve } from "../../src/memory/ConflictVerbs.ts"
import {
  MemoryDelete,
  MemoryGet,
  MemoryHistory,
  MemoryRestore,
  MemorySet,
  MemoryUpdate
} from "../../src/memory/MemoryVerbs.ts"
import { NamespaceAudit } from "../../src/memory/NamespaceReviewVerbs.ts"
import { ask, layer } from "../support/ActorHouse.ts"

const ada = { ...localCaller, role: "write", boundUser: "ada" } as const
const bob = { ...localCaller, role: "write", boundUser: "bob" } as const

const contradiction = (caller = localCaller, scope: object = {}) =>
  Effect.gen(function*() {
    const a = yield* ask(MemorySet, {
      memory_key: "orion/a",
      value: "The Orion release of the payments team ships to every customer on 15 October",
      ...scope
    }, caller)
    const b = yield* ask(MemorySet, {
      memory_key: "orion/b",
      value: "The Orion release of the payments team ships to every customer on 16 October",
      ...scope
    }, caller)
    assert.strictEqual(b.conflict_verdict, "conflict")
    return { a, b }
  })

const sound = Effect.map(
  ask(NamespaceAudit, {}),
  ({ findings }) => assert.deepStrictEqual(findings.filter(({ name }) => name === "dangling_links"), [])
)

const refusedAs = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), (error) => "code" in error ? error.code : error._tag)

describe("conflicts.list", () => {
  it.live("shows both sides once, since when, and by which rule", () =>
    Effect.gen(function*() {
      const { a, b } = yield* contradiction()
      const { conflicts, next_cursor, total } = yield* ask(ConflictsList, {})
      assert.deepStrictEqual([conflicts.length, total, next_cursor], [1, 1, null])
      const [conflict] = conflicts
      assert.deepStrictEqual(conflict?.sides.map(({ memory_id }) => memory_id), [a.memory_id, b.memory_id])
      assert.deepStrictEqual(conflict?.sides.map(({ value }) => value), [
        "The Orion release of the payments team ships to every customer on 15 October",
        "The Orion release of the payments team ships to every customer on 16 October"
      ])
      assert.match(conflict?.rule ?? "", /^conflict\./)
      assert.isNotEmpty(conflict?.reason)
      const history = yield* ask(MemoryHistory, { memory_key: "orion/a" })
      assert.strictEqual(conflict?.since_version, history.versions[0]?.version_text)
      // A later change of a side is not a new flag.
      yield* ask(MemoryUpdate, { memory_key: "orion/a", tags: ["x"] })
      const again = yield* ask(ConflictsList, {})
      assert.strictEqual(again.conflicts[0]?.since_version, conflict?.since_version)
    }).pipe(Effect.provide(layer())))

  it.live("filters, pages and counts", () =>
    Effect.gen(function*() {
      yield* contradiction()
      yield* ask(MemorySet, {
        memory_key: "team/a",
        value: "The platform team of the Berlin office has 12 people on call every week",
        memory_type: "decision"
      })
      yield* ask(MemorySet, {
        memory_key: "team/b",
        value: "The platform team of the Berlin office has 14 people on call every week",
        memory_type: "decision"
      })
      const first = yield* ask(ConflictsList, { limit: 1 })
      assert.deepStrictEqual([first.conflicts.length, first.total], [1, 2])
      const second = yield* ask(ConflictsList, { limit: 1, cursor: first.next_cursor })
      assert.deepStrictEqual(
        [...first.conflicts, ...second.conflicts].map(({ sides }) => sides[0]?.memory_key),
        ["team/a", "orion/a"]
      )
      assert.isNull(second.next_cursor)
      const byType = yield* ask(ConflictsList, { memory_type: "decision" })
      assert.deepStrictEqual(byType.conflicts.map(({ sides }) => sides[0]?.memory_key), ["team/a"])
      const byKey = yield* ask(ConflictsList, { memory_key: "orion/b" })
      assert.strictEqual(byKey.total, 1)
      assert.strictEqual((yield* ask(ConflictsList, { older_than_seconds: 3600 })).total, 0)
      assert.strictEqual(
        yield* refusedAs(ask(ConflictsList, { memory_type: "x", cursor: first.next_cursor })),
        "INVALID_ARGUMENT"
      )
      const forged = first.next_cursor?.replace(/\.(.)/, (_, first: string) => `.${first === "a" ? "b" : "a"}`)
      assert.strictEqual(yield* refusedAs(ask(ConflictsList, { limit: 1, cursor: forged })), "INVALID_ARGUMENT")
      // The other side gone, there is no pair.
      yield* ask(MemoryDelete, { memory_key: "team/b" })
      assert.strictEqual((yield* ask(ConflictsList, {})).total, 1)
    }).pipe(Effect.provide(layer())))

  it.live("keeps to the rows of a bound token", () =>
    Effect.gen(function*() {
      yield* contradiction(ada)
      assert.strictEqual((yield* ask(ConflictsList, {}, ada)).total, 1)
      assert.strictEqual((yield* ask(ConflictsList, {}, bob)).total, 0)
      assert.strictEqual((yield* ask(ConflictsList, { user_id: "ada" }, bob)).total, 0)
      assert.strictEqual((yield* ask(ConflictsList, { user_id: "ada" })).total, 1)
    }).pipe(Effect.provide(layer())))
})

describe("conflicts.resolve", () => {
  it.live("revise keeps the named row and tombstones the other, undoably", () =>
    Effect.gen(function*() {
      const { a, b } = yield* contradiction()
      const answer = yield* ask(ConflictsResolve, {
        action: "revise",
        memory_id: a.memory_id,
        if_match_sha256: a.content_sha256,
        reason: "the plan says so"
      })
      assert.deepStrictEqual([answer.resolved, answer.results.map(({ action, outcome }) => `${action} ${outcome}`)], [
        true,
        ["kept changed", "tombstoned changed"]
      ])
      assert.strictEqual((yield* ask(MemoryGet, { memory_key: "orion/a" })).status, "active")
      assert.strictEqual((yield* ask(MemoryGet, { memory_key: "orion/b" })).status, "tombstoned")
      const history = yield* ask(MemoryHistory, { memory_key: "orion/b" })
      assert.strictEqual(history.versions[0]?.cause?.rule, "conflicts.resolve.revise")
      assert.include(history.versions[0]?.cause?.evidence, "the plan says so")
      assert.strictEqual((yield* ask(ConflictsList, {})).total, 0)
      yield* sound
      assert.isTrue((yield* ask(MemoryRestore, { memory_id: b.memory_id })).restored)
      assert.strictEqual((yield* ask(ConflictsList, {})).total, 1)
    }).pipe(Effect.provide(layer())))

  it.live("revise gives the kept row a new value, judged against what still stands", () =>
    Effect.gen(function*() {
      const { a, b } = yield* contradiction()
      const answer = yield* ask(ConflictsResolve, {
        action: "revise",
        memory_id: a.memory_id,
        value: "The Orion release of the payments team ships to every customer on 17 October",
        versions: { [b.memory_id]: b.version_text }
      })
      assert.deepStrictEqual(answer.results.map(({ action, outcome }) => `${action} ${outcome}`), [
        "tombstoned changed",
        "corrected changed"
      ])
      const kept = yield* ask(MemoryGet, { memory_key: "orion/a" })
      assert.deepStrictEqual([kept.value, kept.status, kept.conflict_with], [
        "The Orion release of the payments team ships to every customer on 17 October",
        "active",
        []
      ])
      assert.strictEqual((yield* ask(MemoryGet, { memory_key: "orion/b" })).status, "tombstoned")
      yield* sound
    }).pipe(Effect.provide(layer())))

  it.live("allow takes the link away and leaves both", () =>
    Effect.gen(function*() {
      const { a, b } = yield* contradiction()
      const answer = yield* ask(ConflictsResolve, { action: "allow", memory_id: b.memory_id, with_ids: [a.memory_id] })
      assert.isTrue(answer.resolved)
      for (const memory_key of ["orion/a", "orion/b"]) {
        const row = yield* ask(MemoryGet, { memory_key })
        assert.deepStrictEqual([row.status, row.conflict_with], ["active", []])
      }
      yield* sound
    }).pipe(Effect.provide(layer())))

  it.live("contract takes the named row away", () =>
    Effect.gen(function*() {
      const { a, b } = yield* contradiction()
      const dry = yield* ask(ConflictsResolve, { action: "contract", memory_id: b.memory_id, dry_run: true })
      assert.deepStrictEqual([dry.resolved, dry.dry_run], [false, true])
      assert.strictEqual((yield* ask(ConflictsList, {})).total, 1)
      const answer = yield* ask(ConflictsResolve, {
        action: "contract",
        memory_id: b.memory_id,
        idempotency_key: "once"
      })
      assert.isTrue(answer.resolved)
      assert.strictEqual((yield* ask(MemoryGet, { memory_key: "orion/a" })).status, "active")
      assert.strictEqual((yield* ask(MemoryGet, { memory_key: "orion/b" })).status, "tombstoned")
      const retried = yield* ask(ConflictsResolve, {
        action: "contract",
        memory_id: b.memory_id,
        idempotency_key: "once"
      })
      assert.deepStrictEqual(retried, answer)
      const late = yield* ask(ConflictsResolve, { action: "contract", memory_id: a.memory_id })
      assert.deepStrictEqual([late.found, late.resolved, late.reason], [true, false, "no_conflict"])
    }).pipe(Effect.provide(layer())))

  it.live("does nothing at all when one row changed since it was read, is locked, or the hash differs", () =>
    Effect.gen(function*() {
      const { a, b } = yield* contradiction()
      const { conflicts } = yield* ask(ConflictsList, {})
      const versions = Object.fromEntries(
        (conflicts[0]?.sides ?? []).map(({ memory_id, version_text }) => [memory_id, version_text])
      )
      yield* ask(MemoryUpdate, { memory_key: "orion/b", tags: ["seen"] })
      const request = { memory_id: a.memory_id, versions }
      for (const action of ["revise", "allow", "contract"]) {
        assert.strictEqual(yield* refusedAs(ask(ConflictsResolve, { action, ...request })), "STALE_VERSION", action)
      }
      assert.strictEqual(
        yield* refusedAs(
          ask(ConflictsResolve, {
            action: "revise",
            value: "The Orion release of the payments team ships to every customer on 9 October",
            ...request
          })
        ),
        "STALE_VERSION"
      )
      assert.strictEqual(
        yield* refusedAs(
          ask(ConflictsResolve, { action: "revise", memory_id: a.memory_id, if_match_sha256: b.content_sha256 })
        ),
        "PRECONDITION_FAILED"
      )
      assert.strictEqual(
        yield* refusedAs(ask(ConflictsResolve, { action: "allow", memory_id: a.memory_id, value: "x" })),
        "INVALID_ARGUMENT"
      )
      assert.strictEqual((yield* ask(ConflictsList, {})).total, 1)
      assert.strictEqual((yield* ask(MemoryHistory, { memory_key: "orion/a" })).versions.length, 2)
    }).pipe(Effect.provide(layer())))

  it.live("knows nothing of another user's rows", () =>
    Effect.gen(function*() {
      const { a } = yield* contradiction(ada)
      const nowhere = yield* ask(ConflictsResolve, { action: "contract", memory_id: "mem_none" }, bob)
      assert.deepStrictEqual(yield* ask(ConflictsResolve, { action: "contract", memory_id: a.memory_id }, bob), nowhere)
      assert.strictEqual((yield* ask(ConflictsList, {}, ada)).total, 1)
    }).pipe(Effect.provide(layer())))
})
