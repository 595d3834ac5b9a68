/** What every `Expiring` promises: what is due at a time, the oldest first, within bounds. */
import { assert, layer as withLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Expiring } from "../../src/memory/Expiring.ts"
import type { MemoryRow } from "../../src/memory/MemoryModel.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { commitOf, freshScope, noon, revised, rowOf, versionAt } from "./MemoryFixture.ts"

export const suite = <E>(name: string, layer: Layer.Layer<MemoryStore | Expiring, E>): void =>
  withLayer(layer, { timeout: 60_000 })(`Expiring: ${name}`, (it) => {
    it.effect("gives what has come to its end and is not done, oldest first, of every namespace", () =>
      Effect.gen(function*() {
        const store = yield* MemoryStore
        const expiring = yield* Expiring
        const [here, there] = [freshScope(), freshScope()]
        const row = (memory_key: string, changed: Partial<MemoryRow>, scope = here) =>
          rowOf(scope, { memory_key, expires_at: noon, on_expire: "tombstone", ...changed })
        const first = row("renewed", { expires_at: noon - 9 })
        yield* store.commit(commitOf([
          row("a", { expires_at: noon - 2 }),
          row("b", { expires_at: noon - 3, on_expire: "demote", version: versionAt(noon + 1) }),
          row("c", { expires_at: noon - 1, on_expire: "" }),
          row("proposed", { status: "proposed" }),
          row("a duplicate", { status: "duplicate" }),
          row("contradicted", { status: "conflicted" }),
          row("not yet", { expires_at: noon + 1 }),
          row("never", { expires_at: null }),
          row("kept", { on_expire: "keep" }),
          row("untrue", { expires_at: null, valid_to: noon - 5 }),
          row("gone", { status: "tombstoned" }),
          row("replaced", { status: "superseded" }),
          row("locked", { lock_mode: "no_delete" }),
          row("locked for now", { lock_mode: "read_only", lock_until: noon + 1 }),
          row("was locked", { lock_mode: "read_only", lock_until: noon, expires_at: noon - 4 }),
          first,
          row("other", { expires_at: noon - 5 }, there)
        ]))
        yield* store.commit(commitOf([revised(first, 2, { expires_at: noon + 9 })]))
        const due = (bounds: { limit?: number; ofOne?: number } = {}, now = noon) =>
          Effect.map(
            expiring.due(now, { limit: 10, ofOne: 10, ...bounds }),
            (rows) => rows.filter(({ namespace }) => [here, there].some((scope) => scope.namespace === namespace))
          )
        const keyOf = new Map(
          ["a", "b", "c", "was locked"].map((key) => [row(key, {}).memory_id, key] as const)
            .concat([[row("other", {}, there).memory_id, "other"]])
        )
        const keys = (rows: Effect.Effect.Success<ReturnType<typeof due>>) =>
          rows.map(({ memory_id }) => keyOf.get(memory_id))
        const all = yield* due()
        assert.deepStrictEqual(keys(all), ["other", "was locked", "b", "a", "c"])
        assert.deepInclude(all[2], {
          ...here,
          user_id: "-",
          version: versionAt(noon + 1),
          on_expire: "demote",
          expires_at: noon - 3
        })
        assert.deepStrictEqual(keys(yield* due({ limit: 3 })), ["other", "was locked", "b"])
        assert.deepStrictEqual(keys(yield* due({ ofOne: 2 })), ["other", "was locked", "b"])
        assert.deepStrictEqual(keys(yield* due({}, noon - 4)), ["other"])
      }))
  })
