/**
 * What every adapter promises of belief sources.
 */
import { assert, layer as testLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { identityKey } from "../../src/kernel/Identity.ts"
import type { Scope } from "../../src/kernel/Identity.ts"
import { BeliefSources, lineageId } from "../../src/memory/BeliefSources.ts"
import type { BeliefSource } from "../../src/memory/BeliefSources.ts"
import { freshScope, noon, versionAt } from "./MemoryFixture.ts"

const sourceOf = (scope: Scope, changed: Partial<BeliefSource> = {}): BeliefSource => {
  const bare = {
    ...scope,
    agent: "",
    user_id: "-",
    session_id: "",
    memory_key: "team/deploy-window",
    content_sha256: "c1",
    source_org: scope.org,
    source_namespace: "private",
    source_agent: "bot",
    source_user_id: "ada",
    source_session_id: "s",
    source_memory_key: "deploy it's",
    source_memory_id: "mem_1",
    source_content_sha256: "c1",
    support_type: "promoted_from",
    rationale: "the team \\ needs it",
    approver: "human:grace",
    promoted_from_candidate_id: "",
    reversible_until: noon + 5,
    actor: "human:ada",
    at: noon,
    write_id: "wr_1",
    version: versionAt(noon),
    epoch: 0n,
    seq: 0n,
    ...changed
  } as const
  return { ...bare, lineage_id: lineageId(bare) }
}

export const suite = <E>(name: string, layer: Layer.Layer<BeliefSources, E>): void => {
  testLayer(layer)(`BeliefSources, ${name}`, (it) => {
    it.effect("finds sources from both ends, newest first, each once", () =>
      Effect.gen(function*() {
        const beliefs = yield* BeliefSources
        const scope = freshScope()
        const first = sourceOf(scope)
        const second = sourceOf(scope, {
          source_memory_id: "mem_2",
          support_type: "derived_from",
          reversible_until: null,
          version: versionAt(noon + 1)
        })
        const again = { ...first, approver: "human:linus", version: versionAt(noon + 2) }
        const elsewhere = sourceOf(freshScope(), { source_memory_id: "mem_3" })
        yield* beliefs.record([first, elsewhere])
        yield* beliefs.record([second])
        assert.deepStrictEqual(yield* beliefs.of(first), [second, first])
        yield* beliefs.record([again])
        yield* beliefs.record([again])
        yield* beliefs.record([])
        assert.strictEqual(again.lineage_id, first.lineage_id)
        assert.deepStrictEqual(yield* beliefs.of(first), [again, second])
        const resting = yield* beliefs.restingOn(scope.org, "private", "mem_2")
        assert.deepStrictEqual(resting, [second])
        assert.deepStrictEqual(yield* beliefs.restingOn(scope.org, "private", "mem_3"), [elsewhere])
        assert.deepStrictEqual(yield* beliefs.restingOn("another", "private", "mem_2"), [])
        assert.deepStrictEqual(yield* beliefs.of({ ...first, memory_key: "other" }), [])
      }))

    it.effect("names the memories drawn from turns, each once, and only those that may be told of", () =>
      Effect.gen(function*() {
        const beliefs = yield* BeliefSources
        const scope = freshScope()
        const turn = (id: string, changed: Partial<BeliefSource> = {}) =>
          sourceOf(scope, {
            source_namespace: scope.namespace,
            source_memory_id: id,
            support_type: "extracted_from",
            ...changed
          })
        const first = turn("turn_1")
        const adas = turn("turn_2", { user_id: "ada" })
        yield* beliefs.record([
          first,
          turn("turn_2"),
          turn("turn_1", { content_sha256: "c2" }),
          adas,
          turn("turn_3", { memory_key: "another" }),
          turn("turn_1", { memory_key: "derived", support_type: "derived_from" }),
          { ...turn("turn_1", { memory_key: "elsewhere" }), ...freshScope() }
        ])
        const drawn = (bound: string | null, ids: ReadonlyArray<string>) =>
          Effect.map(beliefs.drawnFrom(scope, bound, ids), (keys) => [...keys].sort())
        assert.deepStrictEqual(
          yield* drawn(null, ["turn_1", "turn_2", "turn_9"]),
          [identityKey(first), identityKey(adas)].sort()
        )
        assert.deepStrictEqual(yield* drawn("ada", ["turn_1", "turn_2"]), [identityKey(adas)])
        assert.deepStrictEqual(yield* drawn("bob", ["turn_1"]), [])
        assert.deepStrictEqual(yield* drawn(null, []), [])
      }))

    it.effect("tells all the sources of what was derived from a memory, and of the memory itself, within its namespace", () =>
      Effect.gen(function*() {
        const beliefs = yield* BeliefSources
        const scope = freshScope()
        const derived = (changed: Partial<BeliefSource>) =>
          sourceOf(scope, { support_type: "derived_from", source_namespace: scope.namespace, ...changed })
        const one = derived({ source_memory_id: "mem_1" })
        const two = derived({ source_memory_id: "mem_2" })
        const earlier = derived({ source_memory_id: "mem_3", content_sha256: "c0" })
        const other = derived({ source_memory_id: "mem_3", memory_key: "other" })
        const copied = derived({ source_memory_id: "mem_1", memory_key: "copy", support_type: "promoted_from" })
        const abroad = sourceOf(freshScope(), {
          support_type: "derived_from",
          source_namespace: scope.namespace,
          source_memory_id: "mem_1"
        })
        yield* beliefs.record([one, two, earlier, other, copied, abroad])
        const asked = (memory_id: string, memory_key: string) =>
          Effect.map(
            beliefs.derivations(scope, [{ ...one, memory_id, memory_key }]),
            (found) => found.map(({ lineage_id }) => lineage_id).sort()
          )
        const ids = (...sources: ReadonlyArray<BeliefSource>) => sources.map(({ lineage_id }) => lineage_id).sort()
        assert.deepStrictEqual(yield* asked("mem_1", "somewhere"), ids(one, two))
        assert.deepStrictEqual(yield* asked("mem_3", "somewhere"), ids(earlier, other))
        assert.deepStrictEqual(yield* asked("mem_9", "other"), ids(other))
        assert.deepStrictEqual(yield* asked("mem_9", "nowhere"), [])
        assert.deepStrictEqual(yield* beliefs.derivations(scope, []), [])
      }))
  })
}
