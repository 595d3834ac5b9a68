/**
 * Writers against a server that may die at any moment. Each sends its steps one by one and keeps the step whose answer did
 * not come; after the next start it sends that step again under the same idempotency key, and goes on.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MemoryGet, MemoryHistory, MemoryList } from "../../src/memory/MemoryVerbs.ts"
import { answerOf, trySend } from "../support/LoomHttp.ts"
import type { AnsweringVerb, Reply } from "../support/LoomHttp.ts"
import type { Step, Writer } from "./Claims.ts"

export interface Runner {
  readonly writer: Writer
  /** The step whose answer did not come. */
  open: Step | undefined
  acknowledged: number
}

export const runnerOf = (writer: Writer): Runner => ({ writer, open: undefined, acknowledged: 0 })

const attempt = (url: string, { body, verb }: Step) => trySend(url, "POST", `/v1/${verb}`, JSON.stringify(body))

const settle = (runner: Runner, step: Step, reply: Reply) => {
  assert.strictEqual(
    reply.status,
    200,
    `${step.verb} ${JSON.stringify(step.body).slice(0, 300)} answered ${reply.text}`
  )
  step.settle(reply.json)
  runner.open = undefined
  runner.acknowledged++
}

/** One step to its answer; fails with `Broken` when the connection does. A 503 is kept like a broken connection. */
export const stepOnce = (url: string, runner: Runner) =>
  Effect.gen(function*() {
    const step = runner.open ??= runner.writer.next()
    const reply = yield* attempt(url, step)
    if (reply.status === 503) {
      assert.match(reply.text, /"code":"UNAVAILABLE".*"retryable":true/)
      return "unavailable" as const
    }
    settle(runner, step, reply)
    return "done" as const
  })

/** Steps until the connection breaks, or `enough` says so after a step. */
export const runUntilBroken = (url: string, runner: Runner, enough: () => boolean) =>
  Effect.gen(function*() {
    while (!enough()) yield* stepOnce(url, runner)
  }).pipe(Effect.catchTag("Broken", () => Effect.void))

const ask = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(
    Effect.orDie(trySend(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body))),
    (reply) => answerOf(verb, reply)
  )

/** What was acknowledged is served, whatever became of the one step that was not. */
export const checkServed = (url: string, runners: ReadonlyArray<Runner>) =>
  Effect.gen(function*() {
    for (const namespace of new Set(runners.map(({ writer }) => writer.namespace))) {
      const { memories } = yield* ask(url, MemoryList, { namespace, limit: 1000 })
      const served = new Map(memories.map((row) => [row.memory_key ?? "", row]))
      for (const { open, writer } of runners) {
        if (writer.namespace !== namespace) continue
        for (const [key, claim] of writer.claims) {
          if (open?.keys.includes(key) === true) continue
          const row = served.get(key)
          const shown = row === undefined ? "none" : { value: row.value, count: row.reinforcement_count }
          assert.deepStrictEqual(shown, claim.live ? { value: claim.value, count: claim.count } : "none", key)
        }
      }
    }
  })

/** Every key of the models by get and history: value, count, and as many versions as writes that changed it. */
export const checkAll = (url: string, runners: ReadonlyArray<Runner>) =>
  Effect.forEach(runners, ({ open, writer }) =>
    Effect.gen(function*() {
      assert.isUndefined(open)
      for (const [memory_key, claim] of writer.claims) {
        const key = { namespace: writer.namespace, memory_key }
        const got = yield* ask(url, MemoryGet, key)
        assert.strictEqual(got.found, claim.live, memory_key)
        if (claim.live) {
          assert.deepInclude(got, { value: claim.value, reinforcement_count: claim.count }, memory_key)
        } else {
          assert.strictEqual(got.status, "tombstoned")
        }
        const { versions } = yield* ask(url, MemoryHistory, { ...key, limit: 1000 })
        assert.strictEqual(versions.length, claim.versions, `versions of ${memory_key}`)
        const order = versions.map(({ version_text }) => BigInt(version_text ?? 0))
        assert.isTrue(order.every((version, index) => index === 0 || version < (order[index - 1] ?? 0n)))
      }
    }), { concurrency: 4, discard: true })
