/**
 * memory.consolidate on ClickHouse: what is merged, what it leaves behind for lineage and provenance, and that neither a crash
 * nor a source that goes meanwhile leaves a row that nothing bears.
 */
import { assert, layer as withLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryConsolidate } from "../../src/consolidation/ConsolidationVerbs.ts"
import { localCaller } from "../../src/kernel/Caller.ts"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import { MemoryDelete, MemoryGet, MemoryHistory, MemoryRestore, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { NamespaceAudit } from "../../src/memory/NamespaceReviewVerbs.ts"
import { MemoryLineage, MemoryProvenance } from "../../src/memory/ProvenanceVerbs.ts"
import { NamespaceRegister } from "../../src/namespace/NamespaceVerbs.ts"
import { ChangeFeed } from "../../src/work/ChangeFeed.ts"
import * as ConflictResolver from "../../workers/ConflictResolver.ts"
import * as ConsolidationWorker from "../../workers/Consolidation.ts"
import { ask } from "../support/ActorHouse.ts"
import * as Scripted from "../support/ScriptedModel.ts"
import { layer as layerWithout, layerWith } from "../workers/ResolverHouse.ts"

let spaces = 0
const fresh = () => ({ org: localCaller.org, namespace: `merge-${++spaces}` })
type Space = ReturnType<typeof fresh>

const facts = {
  "orion/release/day":
    "The Orion release train of the payments team in the main depot by the harbour leaves on Tuesdays",
  "orion/release/owner":
    "The Orion release train of the payments team in the main depot by the harbour is owned by Ada",
  "orion/release/colour": "The Orion release train of the payments team in the main depot by the harbour carries labels"
}
const merged =
  "The Orion release train of the payments team in the main depot by the harbour leaves on Tuesdays, is owned by Ada and carries labels."
const summary = "orion/release/summary"

/** Fragments that nobody compared. */
const fragments = (space: Space, fields: object = {}) =>
  Effect.gen(function*() {
    yield* ask(NamespaceRegister, { ...space, default_conflict_policy: "append_only" })
    for (const [memory_key, value] of Object.entries(facts)) {
      yield* ask(MemorySet, { ...space, memory_key, value, ...fields })
    }
    yield* ask(NamespaceRegister, { ...space, default_conflict_policy: "auto_reinforce" })
  })

const saying = (text: string) =>
  Effect.map(Scripted.ScriptedModel, ({ script }) => script(() => Effect.succeed(JSON.stringify({ text }))))

const consolidate = (space: Space, fields: object = {}) =>
  ask(MemoryConsolidate, { ...space, dry_run: false, ...fields })

const found = (space: Space, memory_key: string) =>
  Effect.map(ask(MemoryGet, { ...space, memory_key }), (answer) => answer.found ? answer.status : "gone")

const sound = (space: Space) =>
  Effect.map(
    ask(NamespaceAudit, space),
    ({ findings }) => assert.deepStrictEqual(findings.filter(({ name }) => name === "dangling_links"), [])
  )

withLayer(layerWith(Scripted.layer), { timeout: 120_000, excludeTestServices: true })("Consolidation", (it) => {
  it.effect("merges fragments into one row that remembers them, and does it once", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* fragments(space)
      yield* saying(merged)
      const dry = yield* ask(MemoryConsolidate, space)
      assert.deepInclude(dry, { written: 1, dry_run: true, looked_at: 3 })
      assert.strictEqual(yield* found(space, summary), "gone")
      const answer = yield* consolidate(space)
      assert.deepInclude(answer, { written: 1, unchanged: 0, merged: 0, refused: 0, dry_run: false, model: "scripted" })
      assert.deepInclude(answer.groups[0], { memory_key: summary, text_by: "model", value: merged, code: null })
      assert.deepStrictEqual(
        answer.groups[0]?.sources.map(({ memory_key }) => memory_key).sort(),
        Object.keys(facts).sort()
      )
      const row = yield* ask(MemoryGet, { ...space, memory_key: summary })
      assert.deepInclude(row, { status: "active", source_class: "derived", value: merged, conflict_with: [] })
      for (const key of Object.keys(facts)) assert.strictEqual(yield* found(space, key), "active")
      const { nodes, edges } = yield* ask(MemoryLineage, { ...space, memory_key: summary })
      assert.deepStrictEqual(nodes.map(({ distance, memory_key }) => [distance, memory_key]).sort(), [
        [-1, "orion/release/colour"],
        [-1, "orion/release/day"],
        [-1, "orion/release/owner"],
        [0, summary]
      ])
      assert.isTrue(edges.every(({ current, support_type }) => current && support_type === "derived_from"))
      const { provenance } = yield* ask(MemoryProvenance, { ...space, memory_key: summary })
      assert.deepStrictEqual(
        provenance?.sources.map(({ memory_key, support_type }) => [memory_key, support_type]).sort(),
        Object.keys(facts).sort().map((key) => [key, "derived_from"])
      )
      const down = yield* ask(MemoryLineage, { ...space, memory_key: "orion/release/day" })
      assert.deepInclude(down.nodes.map(({ distance, memory_key }) => [distance, memory_key]), [1, summary])
      yield* saying("Something else")
      assert.deepInclude(yield* consolidate(space), { written: 0, unchanged: 1 })
      assert.lengthOf((yield* Scripted.ScriptedModel).asked(), 0)
      yield* sound(space)
    }))

  it.effect("is never held against its own sources", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* fragments(space)
      yield* saying(merged)
      yield* consolidate(space)
      yield* Effect.map(Scripted.ScriptedModel, ({ script }) =>
        script((prompt) =>
          Effect.succeed(JSON.stringify({
            verdicts: Scripted.recordsIn(prompt).slice(1).map((_, at) => ({
              peer: at + 1,
              verdict: "contradiction",
              newer: "unknown",
              sure: 1
            }))
          }))
        ))
      yield* ConflictResolver.resolve(space, yield* (yield* ChangeFeed).after(space, 0n, 1_000))
      assert.strictEqual(yield* found(space, summary), "active")
      for (const prompt of (yield* Scripted.ScriptedModel).asked()) {
        assert.notInclude(Scripted.recordsIn(prompt).map(({ key }) => key), summary)
      }
    }))

  it.effect("goes with the last of its sources, is contested before that, and comes back with them", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* fragments(space)
      yield* saying(merged)
      yield* consolidate(space)
      const remove = (memory_key: string) =>
        Effect.map(
          ask(MemoryDelete, { ...space, memory_key }),
          ({ dependents_downgraded, dependents_tombstoned }) => [dependents_tombstoned, dependents_downgraded]
        )
      assert.deepStrictEqual(yield* remove("orion/release/day"), [0, 1])
      const marked = yield* ask(MemoryGet, { ...space, memory_key: summary })
      assert.deepInclude(marked, { status: "conflicted", tags: ["source-lost"] })
      assert.deepStrictEqual(yield* remove("orion/release/owner"), [0, 0])
      assert.deepStrictEqual(yield* remove("orion/release/colour"), [1, 0])
      assert.strictEqual(yield* found(space, summary), "gone")
      const { versions } = yield* ask(MemoryHistory, { ...space, memory_key: summary })
      assert.deepInclude(versions[0], { status: "tombstoned", change: "retire" })
      const back = yield* ask(MemoryRestore, { ...space, memory_key: "orion/release/owner" })
      assert.deepInclude(back, { restored: true, dependents_restored: 1 })
      assert.strictEqual(yield* found(space, summary), "conflicted")
      yield* ask(MemoryRestore, { ...space, memory_key: "orion/release/day" })
      yield* ask(MemoryRestore, { ...space, memory_key: "orion/release/colour" })
      assert.deepInclude(yield* ask(MemoryGet, { ...space, memory_key: summary }), { status: "active", tags: [] })
      yield* sound(space)
    }))

  it.effect("stands on no source that went while the model answered", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* fragments(space)
      const { script } = yield* Scripted.ScriptedModel
      const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof found>>>()
      script(() =>
        Effect.as(
          Effect.provide(ask(MemoryDelete, { ...space, memory_key: "orion/release/day" }), context).pipe(Effect.orDie),
          JSON.stringify({ text: merged })
        )
      )
      const answer = yield* consolidate(space)
      assert.deepInclude(answer.groups[0], { outcome: "refused", code: "STALE_VERSION" })
      assert.strictEqual(yield* found(space, summary), "gone")
      yield* saying(
        "The Orion release train of the payments team in the main depot by the harbour is owned by Ada and carries a blue label."
      )
      assert.deepInclude(yield* consolidate(space), { written: 1 })
    }))

  it.effect("ends whole after a crash between any two of its writes", () =>
    Effect.gen(function*() {
      const points = [
        "consolidation.after_sources",
        "commit.after_embeddings",
        "commit.before_memory",
        "commit.after_memory",
        "consolidation.after_memory"
      ]
      for (const point of points) {
        const space = fresh()
        yield* fragments(space)
        yield* saying(merged)
        let hits = 0
        const crash = {
          hit: (name: string) =>
            Effect.suspend(() => name === point && hits++ === 0 ? Effect.die(`crash at ${point}`) : Effect.void)
        }
        yield* Effect.exit(Effect.provideService(consolidate(space), FaultPoint, crash))
        assert.deepInclude(yield* consolidate(space), { refused: 0 }, point)
        const { versions } = yield* ask(MemoryHistory, { ...space, memory_key: summary })
        assert.deepStrictEqual(versions.map(({ change }) => change), ["create"], point)
        assert.lengthOf((yield* ask(MemoryLineage, { ...space, memory_key: summary })).edges, 3)
        yield* sound(space)
      }
    }))

  it.effect("leaves a text that says what no source says, and merges nothing of a secret, a contest or another user", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* fragments(space)
      yield* saying("The Orion release train leaves on Fridays and belongs to Grace.")
      assert.deepInclude((yield* consolidate(space)).groups[0], { outcome: "refused", code: "NOT_BORNE" })
      assert.strictEqual(yield* found(space, summary), "gone")
      const apart = fresh()
      yield* ask(NamespaceRegister, { ...apart, default_conflict_policy: "append_only" })
      const [[first, one], [second, two], [third, three]] = [
        Object.entries(facts)[0] ?? ["", ""],
        Object.entries(facts)[1] ?? ["", ""],
        Object.entries(facts)[2] ?? ["", ""]
      ]
      yield* ask(MemorySet, { ...apart, memory_key: first, value: one, user_id: "ada" })
      yield* ask(MemorySet, { ...apart, memory_key: second, value: two, user_id: "grace" })
      yield* ask(MemorySet, { ...apart, memory_key: third, value: three, user_id: "ada", sensitivity: "high" })
      yield* ask(MemorySet, {
        ...apart,
        memory_key: "orion/release/x",
        value: one,
        user_id: "ada",
        source_class: "external"
      })
      yield* saying(merged)
      assert.deepStrictEqual((yield* consolidate(apart)).groups, [])
      assert.lengthOf((yield* Scripted.ScriptedModel).asked(), 0)
    }))

  it.effect("is told of one's own memories alone by a token that is bound to a user", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* fragments(space, { user_id: "ada" })
      yield* saying(merged)
      const grace = { ...localCaller, role: "write", boundUser: "grace" } as const
      const asked = yield* ask(MemoryConsolidate, { ...space, dry_run: false }, grace)
      assert.deepInclude(asked, { groups: [], looked_at: 0 })
      const ada = { ...localCaller, role: "write", boundUser: "ada" } as const
      assert.deepInclude(yield* ask(MemoryConsolidate, { ...space, dry_run: false }, ada), { written: 1 })
    }))

  it.effect("is done in the background where a namespace opted in, and nowhere else", () =>
    Effect.gen(function*() {
      const [opted, other] = [fresh(), fresh()]
      yield* fragments(opted)
      yield* fragments(other)
      yield* ask(NamespaceRegister, { ...opted, consolidation: true })
      yield* saying(merged)
      yield* ConsolidationWorker.run
      assert.deepStrictEqual([yield* found(opted, summary), yield* found(other, summary)], ["active", "gone"])
      const { versions } = yield* ask(MemoryHistory, { ...opted, memory_key: summary })
      assert.strictEqual(versions[0]?.actor, "process:consolidation")
      yield* ConsolidationWorker.run
      assert.lengthOf((yield* ask(MemoryHistory, { ...opted, memory_key: summary })).versions, 1)
      yield* ask(NamespaceRegister, { ...opted, consolidation: false })
    }))
})

withLayer(layerWithout, { timeout: 120_000, excludeTestServices: true })("Consolidation without a model", (it) => {
  it.effect("merges restatements alone, as the fullest of them stands", () =>
    Effect.gen(function*() {
      const space = fresh()
      yield* fragments(space)
      const several = yield* consolidate(space)
      assert.deepInclude(several.groups[0], { outcome: "refused", code: "LANGUAGE_MODEL_REQUIRED", value: null })
      const same = fresh()
      yield* ask(NamespaceRegister, { ...same, default_conflict_policy: "append_only" })
      const full = "The deploys of Loom happen on Tuesdays."
      yield* ask(MemorySet, { ...same, memory_key: "loom/deploy/day", value: "Deploys of Loom happen on Tuesdays" })
      yield* ask(MemorySet, { ...same, memory_key: "loom/deploy/when", value: full })
      yield* ask(NamespaceRegister, { ...same, default_conflict_policy: "auto_reinforce" })
      const answer = yield* consolidate(same)
      assert.deepInclude(answer.groups[0], {
        memory_key: "loom/deploy/summary",
        outcome: "written",
        text_by: "restatement",
        value: full
      })
      assert.deepInclude(yield* consolidate(same), { written: 0, unchanged: 1 })
    }))
})
