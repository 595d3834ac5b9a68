/** The second look at contradictions, on ClickHouse: what it flags, clears and leaves. */
import { assert, layer as withLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { localCaller } from "../../src/kernel/Caller.ts"
import { ConflictsList, ConflictsResolve } from "../../src/memory/ConflictVerbs.ts"
import { MemoryClient } from "../../src/memory/MemoryClient.ts"
import { MemoryHistory, MemoryList, MemorySet, MemoryUpdate } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceAudit } from "../../src/memory/NamespaceReviewVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { ChangeFeed } from "../../src/work/ChangeFeed.ts"
import { WorkerStore } from "../../src/work/WorkerStore.ts"
import * as ConflictResolver from "../../workers/ConflictResolver.ts"
import { ask } from "../support/ActorHouse.ts"
import { layer } from "./ResolverHouse.ts"

let spaces = 0
const fresh = () => ({ org: localCaller.org, namespace: `space-${++spaces}` })
type Space = ReturnType<typeof fresh>

const first = "The Orion release of the payments team ships to every customer on 15 October"
const second = "The Orion release of the payments team ships to every customer on 16 October"

const register = (space: Space, policy: string) => ask(NamespaceRegister, { ...space, default_conflict_policy: policy })

/** Two contradictory rows that nobody compared. */
const unseen = (space: Space) =>
  Effect.gen(function*() {
    yield* register(space, "append_only")
    const a = yield* ask(MemorySet, { ...space, memory_key: "orion/a", value: first })
    const b = yield* ask(MemorySet, { ...space, memory_key: "orion/b", value: second })
    assert.deepEqual([a.conflict_with, b.conflict_with], [[], []])
    return { a, b }
  })

const all = (space: Space) => Effect.flatMap(ChangeFeed, (feed) => feed.after(space, 0n, 1000))

const look = (space: Space) => Effect.flatMap(all(space), (changes) => ConflictResolver.resolve(space, changes))

const pairs = (space: Space) =>
  Effect.map(
    ask(ConflictsList, space),
    ({ conflicts }) => conflicts.map(({ sides }) => sides.map(({ memory_key }) => memory_key).sort())
  )

const sound = (space: Space) =>
  Effect.map(
    ask(NamespaceAudit, space),
    ({ findings }) => assert.deepStrictEqual(findings.filter(({ name }) => name === "dangling_links"), [])
  )

withLayer(layer, { timeout: 90_000, excludeTestServices: true })("ConflictResolver", (it) => {
  it.effect("flags a contradiction that was missed, on both sides, and says by which rule", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* unseen(space)
      yield* register(space, "auto_reinforce")
      yield* look(space)
      assert.deepEqual(yield* pairs(space), [["orion/a", "orion/b"]])
      const { conflicts } = yield* ask(ConflictsList, space)
      assert.match(conflicts[0]?.rule ?? "", /^conflict\./)
      const { versions } = yield* ask(MemoryHistory, { ...space, memory_key: "orion/a" })
      assert.strictEqual(versions[0]?.actor, "process:conflict_resolver")
      assert.strictEqual(versions[0]?.status, "conflicted")
      yield* sound(space)
      // Again it changes nothing.
      const before = (yield* all(space)).length
      yield* look(space)
      assert.strictEqual((yield* all(space)).length, before)
    }))

  it.effect("clears a contradiction that is none, on both sides", () =>
    Effect.gen(function*() {
      const space = fresh()
      const a = yield* ask(MemorySet, { ...space, memory_key: "a", value: "Nadia plays the cello in an orchestra" })
      const b = yield* ask(MemorySet, {
        ...space,
        memory_key: "b",
        value: "Backups of the warehouse are kept thirty days"
      })
      const client = yield* MemoryClient
      yield* client.transition(space, {
        _tag: "memory.transition",
        meta: {
          write_id: "wr_test",
          idem_hash: "",
          payload_hash: "",
          actor: "human:ada",
          bound_user: null,
          source_class: "asserted",
          run_id: "",
          dry_run: false,
          advisories: [],
          degraded: []
        },
        items: [{
          target: { memory_key: null, memory_id: a.memory_id, agent: null, user_id: null, session_id: null },
          expected_version: null,
          content: null,
          transition: { _tag: "flag", other: b.memory_id ?? "", rule: "number", reason: "" }
        }]
      })
      assert.deepEqual(yield* pairs(space), [["a", "b"]])
      yield* look(space)
      assert.deepEqual(yield* pairs(space), [])
      const { versions } = yield* ask(MemoryHistory, { ...space, memory_key: "b" })
      assert.deepInclude(versions[0], { actor: "process:conflict_resolver", status: "active" })
      yield* sound(space)
    }))

  it.effect("leaves what a person allowed until one of the two says something else", () =>
    Effect.gen(function*() {
      const space = fresh()
      const a = yield* ask(MemorySet, { ...space, memory_key: "orion/a", value: first })
      yield* ask(MemorySet, { ...space, memory_key: "orion/b", value: second })
      assert.strictEqual((yield* pairs(space)).length, 1)
      yield* ask(ConflictsResolve, { ...space, action: "allow", memory_id: a.memory_id ?? "" })
      yield* look(space)
      assert.deepEqual(yield* pairs(space), [])
      yield* register(space, "append_only")
      yield* ask(MemoryUpdate, { ...space, memory_key: "orion/a", value: first.replace("15", "17") })
      yield* register(space, "auto_reinforce")
      yield* look(space)
      assert.strictEqual((yield* pairs(space)).length, 1)
    }))

  it.effect("touches nothing that people review or nobody judges, and retires nothing anywhere", () =>
    Effect.gen(function*() {
      for (const policy of ["append_only", "manual_review", "newest_wins"]) {
        const space = fresh()
        yield* unseen(space)
        yield* register(space, policy)
        yield* look(space)
        const found = yield* pairs(space)
        assert.strictEqual(found.length, policy === "newest_wins" ? 1 : 0, policy)
        const retired = (yield* all(space)).filter(({ status }) => status !== "active" && status !== "conflicted")
        assert.deepEqual(retired, [], policy)
      }
    }))

  it.effect("leaves the later-dated belief current under newest_wins, in whichever order the sessions were written", () =>
    Effect.gen(function*() {
      const june = { session_id: "june", value: second, valid_at: "2026-06-01T00:00:00Z" }
      const march = { session_id: "march", value: first, valid_at: "2026-03-01T00:00:00Z" }
      for (const order of [[march, june], [june, march]]) {
        const space = fresh()
        yield* register(space, "newest_wins")
        for (const fact of order) {
          yield* ask(MemorySet, { ...space, user_id: "nadia", memory_key: "orion/date", ...fact })
        }
        yield* look(space)
        const served = yield* ask(MemoryList, { ...space, prefix: "orion/" })
        assert.deepEqual(served.memories.map(({ value }) => value), [second])
        yield* sound(space)
      }
    }))

  it.effect("works behind its cursor as a worker", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* unseen(space)
      yield* register(space, "auto_reinforce")
      const store = yield* WorkerStore
      const changes = yield* all(space)
      yield* Effect.scoped(Effect.zipRight(
        Layer.build(ConflictResolver.make({ idle: "50 millis", share: 1 })("process")),
        store.cursors(ConflictResolver.NAME, { org: space.org, namespaces: [space.namespace] }).pipe(
          Effect.flatMap(([cursor]) =>
            cursor !== undefined && cursor.position > (changes.at(-1)?.version ?? 0n)
              ? Effect.void
              : Effect.fail("behind")
          ),
          Effect.retry(Schedule.spaced("50 millis")),
          Effect.timeout("20 seconds")
        )
      ))
      assert.strictEqual((yield* pairs(space)).length, 1)
      const feed = yield* ChangeFeed
      assert.deepEqual(
        yield* feed.behind(ConflictResolver.NAME, { org: space.org, namespaces: [space.namespace] }, 0n),
        []
      )
    }))
})
