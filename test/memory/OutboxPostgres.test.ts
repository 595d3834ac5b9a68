/**
 * Commits under the authority of Postgres whose copies fail, are late or are made by another: nothing is lost, nothing
 * overtakes, and an owner that lost its namespace writes nothing anywhere.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Scope } from "../../src/kernel/Identity.ts"
import { IndexLag, telling } from "../../src/kernel/IndexLag.ts"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import * as Committer from "../../src/memory/Committer.ts"
import { Fence, isLost } from "../../src/memory/Fence.ts"
import * as IndexLagPostgres from "../../src/memory/IndexLagPostgres.ts"
import * as MemoryProjection from "../../src/memory/MemoryProjection.ts"
import { anyWriter, MemoryReader } from "../../src/memory/MemoryReader.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import type { Commit } from "../../src/memory/MemoryStore.ts"
import { Outbox } from "../../src/memory/Outbox.ts"
import { Postgres } from "../../src/platform/Postgres.ts"
import { sweep } from "../../workers/OutboxRelay.ts"
import { commitOf, derivedOf, embedderId, freshScope, noon, revised, rowOf, versionsOf } from "./MemoryFixture.ts"
import { layerFence, layerOver, layerServers } from "./PostgresAuthority.ts"

/** What becomes of the next copies; those beyond the script go through. */
type Fate = { readonly fails: true } | { readonly until: Deferred.Deferred<void> }

class Script extends Context.Tag("test/memory/OutboxPostgres/Script")<Script, {
  readonly next: Array<Fate>
  /** Every copy that was made, in order. */
  readonly copied: Array<Commit>
}>() {}

const layerScript = Layer.sync(Script, () => ({ next: [], copied: [] }))

const layerScripted = Layer.effect(
  MemoryProjection.MemoryProjection,
  Effect.gen(function*() {
    const projection = yield* MemoryProjection.MemoryProjection
    const { copied, next } = yield* Script
    return {
      ...projection,
      commit: (commit: Commit) =>
        Effect.gen(function*() {
          const fate = next.shift()
          if (fate !== undefined && "fails" in fate) return yield* new Unavailable({ operation: "Script" })
          if (fate !== undefined) yield* Deferred.await(fate.until)
          copied.push(commit)
          return yield* projection.commit(commit)
        })
    }
  })
)

// Patience of which a test on its own clock decides.
const layer = Layer.merge(layerOver({ patience: Duration.millis(500) }), layerFence).pipe(
  Layer.provideMerge(Layer.provide(layerScripted, MemoryProjection.layerClickhouse)),
  Layer.provideMerge(layerScript),
  Layer.provideMerge(layerServers)
)

const scopeOf = ({ namespace, org }: Scope): Scope => ({ org, namespace })

const waiting = Effect.flatMap(Outbox, (outbox) => outbox.waiting(Duration.zero))

/** Makes all that waits of so old that it counts as left behind. */
const aged = Effect.flatMap(
  Postgres,
  ({ command, sql }) => command("test.age", sql`UPDATE loom.outbox SET at = at - interval '10 seconds'`)
)

/** By the clock of the servers. */
const timed = Effect.withClock(Clock.make())

testLayer(layer)("Outbox", (it) => {
  it.effect("a commit whose copy fails is in, and the next one brings both, in order", () =>
    Effect.gen(function*() {
      const [store, reader, script] = [yield* MemoryStore, yield* MemoryReader, yield* Script]
      const scope = freshScope()
      const first = rowOf(scope)
      const second = revised(first, 1, { value: "Deploys happen on Fridays" })
      script.next.push({ fails: true })
      assert.deepStrictEqual(yield* store.commit(commitOf([first], { derived: [derivedOf(first)] })), [])
      assert.deepStrictEqual(yield* store.rows(scope, [first]), [first])
      assert.deepStrictEqual(yield* reader.byKey(scope, first.memory_key, anyWriter), [first])
      assert.isTrue(yield* store.committed(scope, [first.version]))
      assert.deepStrictEqual((yield* waiting).map(({ commits, scope }) => [scope, commits]), [[scope, 1]])
      script.copied.length = 0
      yield* store.commit(commitOf([second], { derived: [derivedOf(second)] }))
      assert.deepStrictEqual(script.copied.flatMap(({ rows }) => versionsOf(rows)), [first.version, second.version])
      assert.deepStrictEqual(yield* waiting, [])
      assert.isTrue(yield* store.committed(scope, [first.version, second.version]))
      const history = yield* reader.history(scope, [first], { before: null, limit: 9 })
      assert.deepStrictEqual(history, [second, first])
      assert.deepStrictEqual((yield* store.repair(scope, embedderId)).versions, 0)
    }))

  it.effect(
    "a late copy keeps no caller waiting, later ones wait for it, and what needs it waits",
    () =>
      Effect.gen(function*() {
        const [store, script] = [yield* MemoryStore, yield* Script]
        const scope = freshScope()
        const first = rowOf(scope)
        const second = revised(first, 1, { value: "Deploys happen on Fridays" })
        const until = yield* Deferred.make<void>()
        script.copied.length = 0
        script.next.push({ until })
        yield* store.commit(commitOf([first], { derived: [derivedOf(first)] }))
        yield* store.commit(commitOf([second], { derived: [derivedOf(second)] }))
        assert.deepStrictEqual(script.copied, [])
        const vectors = yield* Effect.fork(store.vectors(scope, embedderId, { after: null, limit: 9 }))
        assert.isTrue(Option.isNone(yield* Fiber.poll(vectors)))
        yield* Deferred.succeed(until, undefined)
        const found = yield* Fiber.join(vectors)
        assert.deepStrictEqual(found.map(({ content_sha256 }) => content_sha256), [second.content_sha256])
        assert.deepStrictEqual(script.copied.flatMap(({ rows }) => versionsOf(rows)), [first.version, second.version])
        assert.deepStrictEqual(yield* waiting, [])
      }).pipe(timed),
    20_000
  )

  it.effect("answers and searches can tell that a namespace is behind, until it is not", () =>
    Effect.gen(function*() {
      const [script, outbox] = [yield* Script, yield* Outbox]
      const scope = freshScope()
      yield* Effect.gen(function*() {
        const [store, lag] = [yield* MemoryStore, yield* IndexLag]
        script.next.push({ fails: true })
        yield* store.commit(commitOf([rowOf(scope)]))
        assert.isTrue(yield* lag.isBehind(scope))
        assert.isFalse(yield* lag.isBehind(freshScope()))
        yield* Effect.repeat(outbox.waiting(IndexLagPostgres.LIMIT), { until: (late) => late.length > 0 })
        assert.isTrue(yield* lag.isBehind(scope))
        yield* outbox.drain(scope)
        const look = Schedule.spaced("50 millis")
        yield* Effect.repeat(lag.isBehind(scope), { until: (behind) => !behind, schedule: look })
      }).pipe(Effect.provide(Layer.provideMerge(Layer.fresh(layerOver()), IndexLagPostgres.layer)))
    }).pipe(timed))

  it.effect("several who drain at once copy each commit once", () =>
    Effect.gen(function*() {
      const [store, script, outbox] = [yield* MemoryStore, yield* Script, yield* Outbox]
      const scope = freshScope()
      const rows = [0, 1, 2].map((step) => revised(rowOf(scope), step + 1, { value: `${step}` }))
      for (const row of rows) {
        script.next.push({ fails: true })
        yield* store.commit(commitOf([row]))
      }
      script.copied.length = 0
      const drained = yield* Effect.all([1, 2, 3, 4].map(() => outbox.drain(scope)), { concurrency: "unbounded" })
      assert.strictEqual(drained.reduce((sum, commits) => sum + commits, 0), 3)
      assert.deepStrictEqual(script.copied.flatMap(({ rows }) => versionsOf(rows)), versionsOf(rows))
    }))

  it.effect(
    "who is not to be interrupted, as an actor that comes up, is not kept waiting by a drain",
    () =>
      Effect.gen(function*() {
        const [store, script] = [yield* MemoryStore, yield* Script]
        const scope = freshScope()
        script.next.push({ fails: true })
        yield* store.commit(commitOf([rowOf(scope)]))
        const repaired = yield* Effect.fork(Effect.uninterruptible(store.repair(scope, embedderId)))
        assert.strictEqual((yield* Fiber.join(repaired)).versions, 0)
        assert.deepStrictEqual(yield* waiting, [])
      }).pipe(timed),
    20_000
  )

  it.effect("many who wait for copies that hang leave the connections to commits", () =>
    Effect.gen(function*() {
      const [store, script, outbox] = [yield* MemoryStore, yield* Script, yield* Outbox]
      const rows = Array.from({ length: 24 }, () => rowOf(freshScope()))
      const until = yield* Deferred.make<void>()
      for (const row of rows) {
        script.next.push({ fails: true })
        yield* store.commit(commitOf([row]))
      }
      script.next.push(...rows.map(() => ({ until })))
      const drains = yield* Effect.fork(
        Effect.forEach([...rows, ...rows], (row) => outbox.drain(scopeOf(row)), { concurrency: "unbounded" })
      )
      // Each of them is at it, or waits its turn.
      yield* Effect.sleep("200 millis")
      const row = rowOf(freshScope())
      yield* store.commit(commitOf([row]))
      assert.deepStrictEqual(yield* store.rows(row, [row]), [row])
      yield* Deferred.succeed(until, undefined)
      yield* Fiber.join(drains)
      assert.deepStrictEqual(yield* waiting, [])
    }).pipe(timed), 20_000)

  it.effect("a list and a history tell that their copy is late", () =>
    Effect.gen(function*() {
      const [store, script, reader] = [yield* MemoryStore, yield* Script, yield* MemoryReader]
      const row = rowOf(freshScope())
      const until = yield* Deferred.make<void>()
      script.next.push({ until })
      const unspoilt: ReadonlyArray<string> = []
      const told = telling(Effect.map(reader.history(row, [row], { before: null, limit: 9 }), (versions) => ({
        versions: versionsOf(versions),
        degraded: unspoilt
      })))
      yield* store.commit(commitOf([row]))
      assert.deepStrictEqual(yield* told, { versions: [], degraded: ["index_lag"] })
      yield* Deferred.succeed(until, undefined)
      assert.deepStrictEqual(yield* told, { versions: [row.version], degraded: [] })
      assert.deepStrictEqual(yield* telling(reader.byKey(row, row.memory_key, anyWriter)), [row])
    }).pipe(timed), 20_000)

  it.effect("the relay leaves fresh commits to their owners, and a namespace that fails holds up no other", () =>
    Effect.gen(function*() {
      const [store, script, reader] = [yield* MemoryStore, yield* Script, yield* MemoryReader]
      const [one, two] = [rowOf(freshScope()), rowOf(freshScope())]
      script.next.push({ fails: true }, { fails: true })
      yield* store.commit(commitOf([one]))
      yield* store.commit(commitOf([two]))
      assert.strictEqual(yield* sweep, 0)
      yield* aged
      script.next.push({ fails: true })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sweep)))
      assert.strictEqual((yield* waiting).length, 1)
      assert.strictEqual(yield* sweep, 1)
      assert.deepStrictEqual(yield* waiting, [])
      for (const row of [one, two]) {
        assert.deepStrictEqual(yield* reader.history(row, [row], { before: null, limit: 9 }), [row])
      }
    }))

  it.effect("an owner that lost its namespace writes nothing of it, and the others of its commit are in", () =>
    Effect.gen(function*() {
      const [store, fence, reader] = [yield* MemoryStore, yield* Fence, yield* MemoryReader]
      const [mine, theirs] = [rowOf(freshScope()), rowOf(freshScope())]
      const owners = [yield* fence.take(scopeOf(mine)), yield* fence.take(scopeOf(theirs))].map((taken) => ({
        ...taken,
        seq: 1n
      }))
      const next = yield* fence.take(theirs)
      const kept = { scope: scopeOf(theirs), idem_hash: "i", payload_hash: "p" }
      const commit = commitOf([mine, { ...theirs, idem_hash: "j", answer: "a" }], {
        derived: [derivedOf(mine), derivedOf(theirs)],
        answers: [{ ...kept, write_id: "w", answer: "a", at: noon, version: theirs.version + 1n }],
        ceilings: [{ scope: kept.scope, ceiling: theirs.version * 2n }]
      })
      assert.deepStrictEqual(yield* store.commit(commit, owners), [kept.scope])
      assert.deepStrictEqual(yield* store.rows(mine, [mine]), [mine])
      assert.deepStrictEqual(yield* store.rows(theirs, [theirs]), [])
      assert.deepStrictEqual(yield* store.position(theirs), { version: 0n, audit_hash: "", rows: 0 })
      assert.deepStrictEqual(yield* store.idempotencyKeys(theirs, 0, 0), [])
      assert.isFalse(yield* store.committed(theirs, [theirs.version]))
      assert.deepStrictEqual(yield* reader.history(theirs, [theirs], { before: null, limit: 9 }), [])
      assert.deepStrictEqual(yield* store.vectors(theirs, embedderId, { after: null, limit: 9 }), [])
      assert.deepStrictEqual(yield* waiting, [])
      assert.deepStrictEqual(yield* store.commit(commitOf([theirs]), [next]), [])
      assert.deepStrictEqual((yield* fence.take(theirs)).version, theirs.version)
    }))

  it.effect("the committer tells a lost owner so, and answers the others of the same commit", () =>
    Effect.gen(function*() {
      const [fence, store] = [yield* Fence, yield* MemoryStore]
      const committer = yield* Committer.Committer
      const [one, two, three] = [rowOf(freshScope()), rowOf(freshScope()), rowOf(freshScope())]
      const taken = yield* Effect.forEach([one, two, three], fence.take)
      yield* fence.take(two)
      const exits = yield* Effect.all(
        [one, two, three].map((row, at) =>
          Effect.flatMap(
            Effect.fromNullable(taken[at]),
            ({ epoch, scope }) =>
              Effect.exit(committer.commit({ scope, epoch, seq: 1n }, commitOf([{ ...row, epoch, seq: 1n }])))
          )
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      const [, lost] = exits
      assert.isTrue(
        lost !== undefined && Exit.isFailure(lost) && lost.cause._tag === "Fail" && isLost(lost.cause.error)
      )
      assert.deepStrictEqual(yield* store.rows(two, [two]), [])
    }).pipe(Effect.provide(Committer.layer)))
})
