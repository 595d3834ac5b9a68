/**
 * The workers of a cluster: each lives on one runner, and when that one is killed, or stands still for longer than its locks
 * live, another goes on behind its cursors.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { OpsHealth, OpsWorkers } from "../../src/ops/OpsVerbs.ts"
import * as LoomCluster from "../support/LoomCluster.ts"
import { answerOf, send } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import type { LoomProcess } from "../support/LoomProcess.ts"

const namespace = "watched"

const call = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(send(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body)), (reply) => answerOf(verb, reply))

/** Changes that a process's resolver has handled, by its own metrics. */
const handledBy = ({ url }: LoomProcess) =>
  Effect.map(send(url, "GET", "/metrics", undefined), ({ status, text }) => {
    assert.strictEqual(status, 200)
    return Number(/^loom_worker_changes_total\{worker="conflict_resolver"\} (\d+)$/m.exec(text)?.[1] ?? 0)
  })

/** The resolver, once it has handled everything. */
const caughtUp = (url: string, above: bigint) =>
  call(url, OpsWorkers, { namespace }).pipe(
    Effect.map(({ workers }) => workers.find(({ name }) => name === "conflict_resolver")),
    Effect.filterOrFail(
      (one) => one?.namespaces[0]?.lag_changes === 0 && BigInt(one.namespaces[0].cursor) > above,
      (one) => `still ${JSON.stringify(one)}`
    ),
    Effect.retry(Schedule.spaced("250 millis").pipe(Schedule.intersect(Schedule.recurs(240))))
  )

describe("the workers of a cluster", () => {
  it.live(
    "live on one runner, and go on with another behind their cursors",
    () =>
      Effect.gen(function*() {
        const cluster = yield* LoomCluster.make
        const [first, second, gateway] = yield* Effect.all(
          [cluster.runner(), cluster.runner(), cluster.gateway()],
          { concurrency: "unbounded" }
        )
        const write = (key: string) =>
          call(gateway.url, MemorySet, { namespace, memory_key: key, value: `What ${key} says` })
        yield* write("a")
        const before = yield* caughtUp(gateway.url, 0n)
        const handled = yield* Effect.all([handledBy(first), handledBy(second)])
        assert.strictEqual(handled.filter((count) => count > 0).length, 1, `${handled}`)
        const [owner, other] = (handled[0] ?? 0) > 0 ? [first, second] : [second, first]
        yield* owner.kill
        yield* write("b")
        const after = yield* caughtUp(gateway.url, BigInt(before?.namespaces[0]?.cursor ?? 0))
        assert.deepInclude(after, { state: "running", last_error: null, dead_letters: 0 })
        assert.isAbove(yield* handledBy(other), 0)

        // Stopped for longer than its locks live, an owner comes back to a worker that is another's, and moves nothing.
        const third = yield* cluster.runner()
        yield* other.signal("SIGSTOP")
        yield* write("c")
        const moved = yield* caughtUp(gateway.url, BigInt(after?.namespaces[0]?.cursor ?? 0))
        assert.isAbove(yield* handledBy(third), 0)
        yield* other.signal("SIGCONT")
        yield* write("d")
        const last = yield* caughtUp(gateway.url, BigInt(moved?.namespaces[0]?.cursor ?? 0))
        assert.deepInclude(last, { last_error: null, dead_letters: 0 })
        const { checks } = yield* call(gateway.url, OpsHealth, {})
        assert.deepEqual(checks, [{ name: "clickhouse", ready: true }, { name: "postgres", ready: true }])
      }).pipe(Effect.scoped),
    300_000
  )
})
