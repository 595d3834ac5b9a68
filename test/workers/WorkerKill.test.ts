/** A worker of a real server that is killed between handling and cursor, as `kill -9` would: it goes on, and skips nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { OpsDeadLetters, OpsWorkers } from "../../src/ops/OpsVerbs.ts"
import { answerOf, send, trySend } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"

const call = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(send(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body)), (reply) => answerOf(verb, reply))

const namespace = "killed"

describe("A worker that is killed", () => {
  it.scopedLive("goes on behind its cursor when the server comes back", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      for (const point of ["worker.after_handle", "worker.before_confirm"]) {
        const first = yield* start({
          data,
          env: { LOOM_TEST_FAULT: `${point}:1:kill`, LOOM_WORKERS: "conflict_resolver" }
        })
        // The worker may be at it before the writer has its answer.
        const body = JSON.stringify({ namespace, memory_key: point, value: `The point is ${point}` })
        yield* Effect.ignore(trySend(first.url, "POST", `/v1/${MemorySet.tag}`, body))
        assert.strictEqual(yield* first.ended, "SIGKILL", point)
        const second = yield* start({ data })
        const [resolver] = yield* call(second.url, OpsWorkers, { namespace }).pipe(
          Effect.map(({ workers }) => workers),
          Effect.filterOrFail(([one]) => one?.namespaces[0]?.lag_changes === 0, (seen) =>
            `still ${JSON.stringify(seen)}`),
          Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.intersect(Schedule.recurs(100))))
        )
        assert.deepInclude(resolver?.namespaces[0], { state: "running", last_error: null, dead_letters: 0 })
        assert.notStrictEqual(resolver?.namespaces[0]?.cursor, "0")
        assert.deepEqual(yield* call(second.url, OpsDeadLetters, {}), { letters: [], changed: 0 })
        assert.strictEqual(yield* second.stop, 0)
      }
    }), 180_000)
})
