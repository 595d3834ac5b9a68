/**
 * A real server that is killed, as `kill -9` would, at each point between two writes of an extraction: when it comes back each
 * fact is served once, rests on its turn, and the queue is empty.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { ExtractionList, MemorySetFromMessages } from "../../src/extraction/ExtractionVerbs.ts"
import { MemoryHistory, MemoryList } from "../../src/memory/MemoryVerbs.ts"
import { MemoryProvenance } from "../../src/memory/ProvenanceVerbs.ts"
import { answerOf, send, trySend } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"

const call = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(send(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body)), (reply) => answerOf(verb, reply))

/** Points that a request passes which extracts at once, and those that the worker passes. */
const points = {
  atOnce: [
    "extraction.after_turns",
    "extraction.after_enqueue",
    "extraction.after_sources",
    "extraction.after_write",
    "extraction.after_forget"
  ],
  deferred: ["extraction.after_claim", "extraction.after_write", "extraction.before_done", "extraction.after_done"]
}

describe("An extraction that is killed", () => {
  for (const [way, passed] of Object.entries(points)) {
    it.scopedLive(`is carried out once when the server comes back: ${way}`, () =>
      Effect.gen(function*() {
        const data = yield* tempFolder
        for (const point of passed) {
          const namespace = `${way}-${point.replace(/[._]/g, "-")}`
          const body = {
            namespace,
            messages: [{ role: "user", content: "I live in Delhi." }],
            ...(way === "deferred" ? { defer: true } : {})
          }
          const first = yield* start({ data, env: { LOOM_TEST_FAULT: `${point}:1:kill` } })
          yield* Effect.ignore(trySend(first.url, "POST", `/v1/${MemorySetFromMessages.tag}`, JSON.stringify(body)))
          assert.strictEqual(yield* first.ended, "SIGKILL", point)
          const second = yield* start({ data })
          // Whoever had no answer asks again; a mark of the first may still keep the queue off the job.
          const told = yield* call(second.url, MemorySetFromMessages, body)
          const open = ({ counts }: typeof ExtractionList.answer.Type) =>
            counts.some(({ state }) => state !== "done") || counts.length === 0
          const list = yield* call(second.url, ExtractionList, { namespace }).pipe(
            Effect.filterOrFail((found) => !open(found), (found) => `still ${JSON.stringify(found.counts)}`),
            Effect.retry(Schedule.spaced("500 millis").pipe(Schedule.intersect(Schedule.recurs(160))))
          )
          assert.deepStrictEqual(list.counts.map(({ jobs, state }) => [state, jobs]), [["done", 1]], point)
          const { memories } = yield* call(second.url, MemoryList, { namespace })
          assert.deepStrictEqual(memories.map(({ memory_key }) => memory_key), ["user/residence"], point)
          const named = { namespace, memory_key: "user/residence" }
          assert.lengthOf((yield* call(second.url, MemoryHistory, named)).versions, 1, point)
          const { provenance } = yield* call(second.url, MemoryProvenance, named)
          assert.deepStrictEqual(provenance?.sources.map(({ memory_id }) => memory_id), told.evidence_ids, point)
          assert.strictEqual(yield* second.stop, 0)
        }
      }), 600_000)
  }
})
