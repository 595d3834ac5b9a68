/**
 * A real server that is killed as `kill -9` does between any two writes of a run's end, of an outcome and of a fold: asked
 * again by the next one, each report counts once, and the numbers are those of one that was never killed.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { MemoryGet, MemoryHistory, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemoryOutcome } from "../../src/run/OutcomeVerbs.ts"
import { RunBegin, RunComplete, RunGet } from "../../src/run/RunVerbs.ts"
import { answerOf, send, trySend } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"

const call = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(send(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body)), (reply) => answerOf(verb, reply))

/** A request that may be cut off. */
const cut = (url: string, verb: { readonly tag: string }, body: object) =>
  Effect.ignore(trySend(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body)))

const points = [
  "run.after_reflection",
  "run.after_plan",
  "run.after_uses",
  "outcome.after_mark",
  "usage_fold.between"
] as const

describe("A server that is killed", () => {
  it.scopedLive("between two writes of feedback counts each report once", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      for (const point of points) {
        const namespace = `killed-${point}`
        const first = yield* start({ data, env: { LOOM_TEST_FAULT: `${point}:1:kill`, LOOM_WORKERS: "usage_fold" } })
        const setUp = Effect.gen(function*() {
          yield* call(first.url, MemorySet, { namespace, memory_key: "d", value: "Use tabs", memory_type: "decision" })
          return yield* call(first.url, RunBegin, { namespace, goal: point, idempotency_key: "b" })
        })
        // The fold of an empty store passes its point too, and may be there before anything is written.
        const begun = point === "usage_fold.between" ? undefined : yield* setUp
        const end = {
          namespace,
          run_id: begun?.run_id ?? "",
          outcome: "failure",
          memories_used: ["d"],
          reflection: `Killed at ${point}`
        }
        const said = { namespace, memory_key: "d", outcome: "failure", run_id: "said" }
        if (begun !== undefined) {
          yield* cut(first.url, RunComplete, end)
          yield* cut(first.url, MemoryOutcome, said)
        }
        assert.strictEqual(yield* first.ended, "SIGKILL", point)
        const second = yield* start({ data, env: { LOOM_WORKERS: "usage_fold" } })
        if (begun !== undefined) {
          const ended = yield* call(second.url, RunComplete, end)
          assert.isTrue(ended.completed, point)
          assert.isTrue((yield* call(second.url, MemoryOutcome, said)).failed, point)
          assert.strictEqual(
            (yield* call(second.url, RunGet, { namespace, run_id: end.run_id })).run?.outcome,
            "failure"
          )
          const lesson = { namespace, memory_key: `run/${end.run_id}/reflection` }
          assert.strictEqual((yield* call(second.url, MemoryHistory, lesson)).versions.length, 1, point)
          const seen = yield* call(second.url, MemoryGet, { namespace, memory_key: "d", include_usage: true }).pipe(
            Effect.filterOrFail((row) => row.used_count === 2, (row) => `still ${row.used_count}`),
            Effect.retry(Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(100))))
          )
          assert.deepInclude(seen, { used_count: 2, harm_count: 2, tags: ["outcome:failed"] }, point)
        }
        assert.strictEqual(yield* second.stop, 0)
      }
    }), 400_000)
})
