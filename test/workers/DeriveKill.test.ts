/**
 * Real servers that are killed, as `kill -9` would, at each step of the workers that derive: the next one on the folder goes
 * on, and what is derived is there once.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { MemoryHistory, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { MemoryDigests } from "../../src/retrieval/DigestVerbs.ts"
import { answerOf, send, trySend } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import { start, tempFolder } from "../support/LoomProcess.ts"

const call = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(send(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body)), (reply) => answerOf(verb, reply))

const namespace = "killed"

// A worker may be at it before the writer has its answer.
const write = (url: string, body: object) =>
  Effect.ignore(trySend(url, "POST", `/v1/${MemorySet.tag}`, JSON.stringify({ namespace, ...body })))

const until = <A>(ask: Effect.Effect<A>, wanted: (answer: A) => boolean) =>
  ask.pipe(
    Effect.filterOrFail(wanted, (answer) => `still ${JSON.stringify(answer)}`),
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.intersect(Schedule.recurs(300))))
  )

const changesOf = (url: string, memory_key: string) =>
  Effect.map(call(url, MemoryHistory, { namespace, memory_key }), ({ versions }) => versions)

interface Step {
  readonly point: string
  readonly worker: string
  readonly write: (url: string) => Effect.Effect<void>
  readonly check: (url: string) => Effect.Effect<void, string>
}

const nameStep = (point: string): Step => ({
  point,
  worker: "entity_extractor",
  write: (url) => write(url, { memory_key: point, value: `Release Orion waits for ${point}` }),
  check: (url) =>
    Effect.gen(function*() {
      const versions = yield* until(changesOf(url, point), ([head]) => (head?.entities?.length ?? 0) > 0)
      assert.deepStrictEqual(versions.map(({ change }) => change), ["label", "create"], point)
      assert.include(versions[0]?.entities ?? [], "orion")
    })
})

const expiryStep = (point: string): Step => ({
  point,
  worker: "expiry",
  write: (url) => write(url, { memory_key: point, value: `Plums wait for ${point}`, ttl_seconds: 1 }),
  check: (url) =>
    Effect.gen(function*() {
      const versions = yield* until(changesOf(url, point), ([head]) => head?.status === "tombstoned")
      assert.deepStrictEqual(versions.map(({ change }) => change), ["expire", "create"], point)
    })
})

const digestStep = (point: string): Step => ({
  point,
  worker: "digests",
  write: (url) =>
    Effect.forEach(
      ["The harbour opens at six", "Apples are sold out", "A ferry leaves for Bergen"],
      (value, index) => write(url, { memory_key: `${point}/${index}`, value: `${value}: ${point}`, session_id: point }),
      { discard: true }
    ),
  check: (url) =>
    Effect.gen(function*() {
      const { digests } = yield* until(
        call(url, MemoryDigests, { namespace, session_id: point }),
        ({ digests }) => digests.length > 0
      )
      assert.deepStrictEqual(digests.map(({ memory_keys }) => memory_keys.length), [3], point)
    })
})

const steps: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "names things": [nameStep("entities.before_label"), nameStep("entities.after_label")],
  "carries out expiries": [expiryStep("expiry.before_command"), expiryStep("expiry.after_command")],
  "sums up sessions": [digestStep("digests.before_put"), digestStep("digests.after_put")]
}

describe("A server that is killed", () => {
  for (const [what, each] of Object.entries(steps)) {
    it.scopedLive(`while it ${what} ends with each thing derived once`, () =>
      Effect.gen(function*() {
        const data = yield* tempFolder
        for (const { check, point, worker, write } of each) {
          const env = { LOOM_WORKERS: worker, LOOM_DIGEST_QUIET: "1 second" }
          const first = yield* start({ data, env: { ...env, LOOM_TEST_FAULT: `${point}:1:kill` } })
          yield* write(first.url)
          assert.strictEqual(yield* first.ended, "SIGKILL", point)
          const second = yield* start({ data, env })
          yield* check(second.url)
          assert.strictEqual(yield* second.stop, 0, point)
        }
      }), 180_000)
  }
})
