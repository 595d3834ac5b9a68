/** What workers gave up on, as a kind of the review queue: counted, oldest first, of one namespace, and an admin's alone. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { localCaller } from "../../src/kernel/Caller.ts"
import * as ReviewLetters from "../../src/ops/ReviewLetters.ts"
import type { DeadLetter } from "../../src/work/WorkerModel.ts"
import * as WorkerStore from "../../src/work/WorkerStore.ts"

const scope = { org: "acme", namespace: "eng" }

const letter = (position: bigint, changed: Partial<DeadLetter> = {}): DeadLetter => ({
  worker: "resolver",
  scope,
  position,
  memory_id: `mem_${position}`,
  change: "create",
  code: "INTERNAL",
  tries: 5,
  first_at: 10_000 + Number(position),
  at: 20_000,
  state: "open",
  actor: "",
  ...changed
})

describe("dead letters that wait", () => {
  it.effect("are shown oldest first with what settles them, and no other namespace's", () =>
    Effect.gen(function*() {
      const { file } = yield* WorkerStore.WorkerStore
      const [source] = yield* ReviewLetters.make
      assert.isDefined(source)
      const look = (limit: number) => source.look({ scope, caller: localCaller, now: 70_000, limit })
      assert.deepStrictEqual(yield* look(5), { count: 0, oldest: null, items: [] })
      yield* file([
        letter(3n),
        letter(1n),
        letter(2n, { state: "dropped" }),
        letter(4n, { scope: { ...scope, namespace: "ops" } })
      ])
      const { count, items, oldest } = yield* look(1)
      assert.deepStrictEqual([count, oldest, items.length], [2, 10_001, 1])
      const [first] = items
      assert.deepInclude(first, { since: "1970-01-01T00:00:10.001Z", age_seconds: 59, sides: [] })
      assert.match(first?.why ?? "", /resolver gave up on the create of mem_1 after 5 tries: INTERNAL/)
      assert.deepStrictEqual(first?.steps.map(({ request }) => request), [
        { action: "retry", worker: "resolver", namespace: "eng", versions: ["1"] },
        { action: "drop", worker: "resolver", namespace: "eng", versions: ["1"] }
      ])
      assert.deepInclude(yield* look(0), { count: 2, oldest: 10_001, items: [] })
    }).pipe(Effect.provide(WorkerStore.layerMemory)))

  it.effect("are an admin's, and nobody's who is bound to one user", () =>
    Effect.gen(function*() {
      const [source] = yield* ReviewLetters.make
      assert.deepStrictEqual(
        [localCaller, { ...localCaller, role: "write" as const }, { ...localCaller, boundUser: "ada" }].map((caller) =>
          source?.isOpen(caller)
        ),
        [true, false, false]
      )
    }).pipe(Effect.provide(WorkerStore.layerMemory)))
})
