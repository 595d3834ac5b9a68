/** What every store of runs keeps, whatever it stands on. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Run, RunEnd } from "../../src/run/RunModel.ts"
import { RunStore } from "../../src/run/RunStore.ts"
import type { RunFilter } from "../../src/run/RunStore.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"

export const endOf = (changed: Partial<RunEnd> = {}): RunEnd => ({
  status: "completed",
  outcome: "success",
  weight: 0.5,
  final_response: "Done: 'it' \\ holds 😀",
  confidence: 0.25,
  duration_ms: 12_345.5,
  completion: "{\"cost\":1}",
  memories_used: ["mem_1", "mem_2"],
  unknown_used: ["no/such"],
  recalled_keys: ["a/b"],
  reflection_id: "mem_3",
  retain: "full",
  completed_at: noon + 5,
  completed_by: "human:ada",
  completed_sha256: "e".repeat(64),
  ...changed
})

export const runOf = (scope: { org: string; namespace: string }, changed: Partial<Run> = {}): Run => ({
  ...scope,
  run_id: "run_1",
  agent: "bot",
  user_id: "-",
  session_id: "s",
  goal: "Ship it",
  user_request: "please",
  expected_outcome: "",
  environment: "",
  model: "m",
  consumer: "",
  role: "",
  metadata: "{\"a\":[1,null]}",
  budget_usd: 1.5,
  budget_seconds: null,
  begun_at: noon,
  begun_by: "process:bot",
  begun_sha256: "b".repeat(64),
  end: null,
  ...changed
})

const all: RunFilter = { user_id: null, agent: null, session_id: null, status: null, outcome: null }

export const suite = <E>(name: string, store: Layer.Layer<RunStore, E>) =>
  layer(store, { timeout: 60_000 })(`RunStore: ${name}`, (it) => {
    it.effect("keeps a run and its end whole, and no earlier word after a later one", () =>
      Effect.gen(function*() {
        const { find, put } = yield* RunStore
        const run = runOf(freshScope())
        yield* put(run)
        assert.deepStrictEqual(yield* find(run, null, run.run_id), Option.some(run))
        const ended = { ...run, end: endOf() }
        yield* put(ended)
        yield* put(run)
        assert.deepStrictEqual(yield* find(run, null, run.run_id), Option.some(ended))
        // A clock behind that of the host which began it.
        const early = { ...runOf(freshScope()), end: endOf({ completed_at: noon - 60_000, confidence: null }) }
        yield* put({ ...early, end: null })
        yield* put(early)
        assert.deepStrictEqual(yield* find(early, null, early.run_id), Option.some(early))
      }))

    it.effect("shows a reader bound to one user that user's runs alone", () =>
      Effect.gen(function*() {
        const { find, list, put } = yield* RunStore
        const scope = freshScope()
        yield* put(runOf(scope, { user_id: "ada" }))
        yield* put(runOf(freshScope(), { user_id: "bob" }))
        assert.isTrue(Option.isSome(yield* find(scope, "ada", "run_1")))
        for (const user of ["bob", "-", "' OR '1'='1"]) {
          assert.isTrue(Option.isNone(yield* find(scope, user, "run_1")))
          assert.deepStrictEqual(yield* list(scope, { ...all, user_id: user }, { after: null, limit: 9 }), [])
        }
      }))

    it.effect("lists newest first, page by page, by every filter", () =>
      Effect.gen(function*() {
        const { list, put } = yield* RunStore
        const scope = freshScope()
        const runs = [
          runOf(scope, { run_id: "run_a", begun_at: noon + 2 }),
          runOf(scope, { run_id: "run_b", begun_at: noon + 1, agent: "other" }),
          runOf(scope, { run_id: "run_c", begun_at: noon + 1, end: endOf({ outcome: "failure" }) }),
          runOf(scope, { run_id: "run_d", begun_at: noon, session_id: "t", end: endOf({ status: "cancelled" }) })
        ]
        for (const run of [...runs].reverse()) yield* put(run)
        const ids = (filter: Partial<RunFilter>) =>
          Effect.map(
            list(scope, { ...all, ...filter }, { after: null, limit: 9 }),
            (found) => found.map(({ run_id }) => run_id)
          )
        assert.deepStrictEqual(yield* ids({}), ["run_a", "run_b", "run_c", "run_d"])
        assert.deepStrictEqual(yield* ids({ status: "running" }), ["run_a", "run_b"])
        assert.deepStrictEqual(yield* ids({ status: "cancelled" }), ["run_d"])
        assert.deepStrictEqual(yield* ids({ outcome: "failure" }), ["run_c"])
        assert.deepStrictEqual(yield* ids({ agent: "other" }), ["run_b"])
        assert.deepStrictEqual(yield* ids({ session_id: "t" }), ["run_d"])
        const first = yield* list(scope, all, { after: null, limit: 2 })
        const rest = yield* list(scope, all, { after: first[1] ?? null, limit: 9 })
        assert.deepStrictEqual([...first, ...rest], runs)
      }))
  })
