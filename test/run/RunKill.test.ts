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

const points = ["run.after_reflection", "run.after_plan", "run.after_uses", "outcome.after_mark"] as const

/** Begins a run over one decision; what is then reported of it, and how. */
const begin = (url: string, namespace: string) =>
  Effect.gen(function*() {
    yield* call(url, MemorySet, { namespace, memory_key: "d", value: "Use tabs", memory_type: "decision" })
    const { run_id } = yield* call(url, RunBegin, { namespace, goal: "Indent", idempotency_key: "b" })
    return {
      run_id,
      end: { namespace, run_id, outcome: "failure", memories_used: ["d"], reflection: `Of ${namespace}` },
      said: { namespace, memory_key: "d", outcome: "failure", run_id: "said" }
    }
  })

/** Until the fold has counted both reports; it looks once a minute. */
const counted = (url: string, namespace: string) =>
  call(url, MemoryGet, { namespace, memory_key: "d", include_usage: true }).pipe(
    Effect.filterOrFail((row) => row.used_count === 2, (row) => `still ${row.used_count}`),
    Effect.retry(Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(100))))
  )

describe("A server that is killed", () => {
  it.scopedLive("between two writes of a report counts it once when it comes again", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      for (const point of points) {
        const namespace = `killed-${point}`
        const first = yield* start({ data, env: { LOOM_TEST_FAULT: `${point}:1:kill`, LOOM_WORKERS: "none" } })
        const { end, run_id, said } = yield* begin(first.url, namespace)
        yield* cut(first.url, RunComplete, end)
        yield* cut(first.url, MemoryOutcome, said)
        assert.strictEqual(yield* first.ended, "SIGKILL", point)
        const second = yield* start({ data, env: { LOOM_WORKERS: "none" } })
        assert.isTrue((yield* call(second.url, RunComplete, end)).completed, point)
        assert.isTrue((yield* call(second.url, MemoryOutcome, said)).failed, point)
        assert.strictEqual((yield* call(second.url, RunGet, { namespace, run_id })).run?.outcome, "failure")
        const lesson = { namespace, memory_key: `run/${run_id}/reflection` }
        assert.strictEqual((yield* call(second.url, MemoryHistory, lesson)).versions.length, 1, point)
        assert.strictEqual(yield* second.stop, 0)
      }
      // The fold, killed in its turn, perhaps before its server is up.
      const env = { LOOM_WORKERS: "usage_fold" }
      const folding = yield* Effect.either(
        start({ data, env: { ...env, LOOM_TEST_FAULT: "usage_fold.between:1:kill" } })
      )
      if (folding._tag === "Right") assert.strictEqual(yield* folding.right.ended, "SIGKILL")
      const last = yield* start({ data, env })
      for (const point of points) {
        const seen = yield* counted(last.url, `killed-${point}`)
        assert.deepInclude(seen, { used_count: 2, harm_count: 2, tags: ["outcome:failed"] }, point)
      }
      assert.strictEqual(yield* last.stop, 0)
    }), 300_000)
})
