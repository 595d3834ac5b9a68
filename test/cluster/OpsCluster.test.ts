/**
 * A cluster as its operator sees it: who holds what, what waits, what an owner left open; metrics of a runner; and one trace
 * from the gateway into the runner, at a collector.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { usualWorkers } from "../../services/layers/WorkerNames.ts"
import { MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { OpsCluster } from "../../src/ops/ClusterVerbs.ts"
import { Postgres } from "../../src/platform/Postgres.ts"
import * as PostgresDoor from "../../src/platform/Postgres.ts"
import { spansIn } from "../support/Collector.ts"
import type { Exported } from "../support/Collector.ts"
import * as JsonServer from "../support/JsonServer.ts"
import * as LoomCluster from "../support/LoomCluster.ts"
import { answerOf, refusedBy, send } from "../support/LoomHttp.ts"
import type { AnsweringVerb } from "../support/LoomHttp.ts"
import type { LoomProcess } from "../support/LoomProcess.ts"

const call = <A, I>(url: string, verb: AnsweringVerb<A, I>, body: object) =>
  Effect.map(send(url, "POST", `/v1/${verb.tag}`, JSON.stringify(body)), (reply) => answerOf(verb, reply))

const until = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  is: (seen: A) => boolean,
  told: (seen: A) => unknown = (seen) => seen
) =>
  look.pipe(
    Effect.filterOrFail(is, (seen) => `still ${JSON.stringify(told(seen)).slice(0, 300)}`),
    Effect.retry(Schedule.spaced("250 millis").pipe(Schedule.intersect(Schedule.recurs(120))))
  )

const metric = ({ url }: LoomProcess, line: RegExp) =>
  Effect.map(send(url, "GET", "/metrics", undefined), ({ text }) => Number(line.exec(text)?.[1] ?? Number.NaN))

const VALUE = "Deploys happen when Ada is awake"
const KEY = "secret-project/deploy-window"
const HEADER = "header-of-a-tenant"

describe("a cluster and its operator", () => {
  it.live(
    "see each other: runners, shards, owners, what waits, and one trace through both processes",
    () =>
      Effect.gen(function*() {
        const collector = yield* JsonServer.start<Exported>((_, response) => response.end("{}"))
        const env = { LOOM_OTLP_URL: `http://127.0.0.1:${collector.port}`, LOOM_SERVICE_NAME: "cluster" }
        const cluster = yield* LoomCluster.make
        const [first, second, gateway] = yield* Effect.all(
          [cluster.runner(env), cluster.runner(env), cluster.gateway(env)],
          { concurrency: "unbounded" }
        )
        const namespaces = Array.from({ length: 12 }, (_, n) => `space-${n}`)
        const write = Effect.forEach(namespaces, (namespace) =>
          Effect.map(
            send(
              gateway.url,
              "POST",
              `/v1/memory.set?hint=${KEY}`,
              JSON.stringify({ namespace, memory_key: KEY, value: VALUE, user_id: "ada-lovelace" }),
              { headers: { "x-tenant": HEADER, "idempotency-key": `idem-${namespace}-of-ada` } }
            ),
            (reply) => answerOf(MemorySet, reply)
          ))
        const look = (body: object = {}) => call(gateway.url, OpsCluster, body)
        // An actor whose shard moves while the runners find their shares comes up again with the next write alone.
        const seen = yield* until(
          Effect.zipRight(write, look()),
          ({ pruning, runners, shards_unheld }) =>
            shards_unheld.length === 0 && runners.length === 2 && pruning.length === 7 &&
            // One whose shard has just moved may be counted on both sides.
            runners.reduce((sum, { actors }) => sum + (actors ?? 0), 0) >= namespaces.length,
          ({ pruning, runners, shards_unheld }) => ({
            unheld: shards_unheld.length,
            actors: runners.map(({ actors, shards }) => [actors, shards.length]),
            pruning: pruning.map(({ name }) => name)
          })
        )
        assert.isTrue(seen.runners.every(({ actors }) => actors !== null && actors > 0))
        assert.deepInclude(seen, { kind: "cluster", degraded: [], open_intents: 0, runners_left_out: 0 })
        assert.deepEqual(seen.relay, { commits: 0, oldest_seconds: null })
        assert.isTrue(
          seen.runners.every(({ healthy, since, version }) => healthy && version !== null && since !== null)
        )
        assert.strictEqual(seen.runners.reduce((sum, { shards }) => sum + shards.length, 0), 300)
        assert.deepEqual(seen.namespaces.map(({ namespace }) => namespace).sort(), [...namespaces].sort())
        for (const { epoch_text, holder, runner, shard, waiting } of seen.namespaces) {
          assert.strictEqual(holder, runner)
          assert.isTrue(seen.runners.find(({ address }) => address === runner)?.shards.includes(shard))
          assert.deepInclude({ epoch_text, waiting }, { waiting: 0 })
          assert.isAtLeast(Number(epoch_text), 1)
        }
        assert.deepEqual(seen.workers.map(({ name }) => name), [...usualWorkers].sort())
        assert.deepEqual(seen.messages, { unprocessed: 0, kept: 0 })
        assert.isTrue(seen.schemas.every(({ known, version }) => version === known && known > 0))
        assert.deepEqual(seen.pruning.map(({ name, removed }) => [name, removed]).sort(), [
          ["answers", 0],
          ["cluster_messages", 0],
          ["conversation_chunks", 0],
          ["dead_letters", 0],
          ["idempotency", 0],
          ["intents", 0],
          ["model_answers", 0]
        ])

        // As many as asked for; the rest is counted.
        const few = yield* look({ limit: 5 })
        assert.deepEqual([few.namespaces.length, few.namespaces_left_out], [5, 7])
        const one = yield* look({ namespace: "space-3" })
        assert.deepEqual(one.namespaces.map(({ namespace }) => namespace), ["space-3"])
        assert.strictEqual(one.namespaces_left_out, 0)
        const refused = yield* send(gateway.url, "POST", "/v1/ops.cluster", JSON.stringify({ limit: 1_001 }))
        assert.strictEqual(refusedBy("ops.cluster", refused).code, "INVALID_ARGUMENT")

        // What a runner counts.
        // Told once a second.
        yield* until(
          Effect.all([first, second].map((runner) => metric(runner, /^loom_actors_active (\d+)$/m))),
          (actors) => actors.reduce((sum, count) => sum + count, 0) >= namespaces.length
        )
        const taken = yield* Effect.all(
          [first, second].map((runner) => metric(runner, /^loom_fence_taken_total (\d+)$/m))
        )
        assert.isAtLeast(taken.reduce((sum, count) => sum + (Number.isNaN(count) ? 0 : count), 0), namespaces.length)
        yield* until(metric(first, /^loom_actor_mailbox_depth\{of="max"\} (\d+)$/m), (depth) => depth === 0)
        yield* until(metric(first, /^loom_actor_mailbox_depth\{of="sum"\} (\d+)$/m), (depth) => depth === 0)
        assert.isAbove(yield* metric(first, /^loom_shards (\d+)$/m), 0)

        // An open intent is told, with its age, until somebody settles it.
        const postgres = PostgresDoor.layerUrl(Redacted.make(cluster.env["LOOM_POSTGRES_URL"] ?? ""))
        yield* Effect.flatMap(Postgres, ({ command, sql }) =>
          command(
            "test.intent",
            sql`INSERT INTO loom.intents (org, namespace, epoch, seq, rows, top, reserved_at)
              VALUES ('dev', 'space-3', 0, 1, '[]', 1, now() - interval '1 minute')`
          )).pipe(Effect.provide(postgres))
        const open = yield* look()
        assert.strictEqual(open.open_intents, 1)
        assert.isAbove(open.open_intents_oldest_seconds ?? 0, 59)
        assert.deepInclude(open.namespaces[0], { namespace: "space-3", open_intents: 1 })

        // One trace: the request at the gateway, the call, the same call and its judging at the runner.
        const spans = yield* until(
          Effect.sync(() => spansIn(collector.asked)),
          // Each process exports by itself, every two seconds.
          (all) =>
            ["verb.memory.set", "Namespace.memory.set", "NamespaceActor.judge"].every((name) =>
              all.filter((span) => span.name === name).length >= namespaces.length
            )
        )
        const judged = spans.filter(({ name }) => name === "NamespaceActor.judge")
        assert.isTrue(judged.every(({ resource }) => resource["loom.role"] === "runner"))
        for (const { traceId } of judged) {
          const trace = spans.filter((span) => span.traceId === traceId)
          assert.isTrue(
            trace.some(({ name, resource }) => name === "verb.memory.set" && resource["loom.role"] === "gateway"),
            JSON.stringify(trace.map(({ name, resource }) => [name, resource["loom.role"]]))
          )
          assert.isTrue(
            trace.some(({ name, resource }) => name === "Namespace.memory.set" && resource["loom.role"] === "runner")
          )
        }
        const told = JSON.stringify(collector.asked.map(({ body }) => body))
        for (const secret of [VALUE, KEY, "ada-lovelace", HEADER, "of-ada", "hint="]) assert.notInclude(told, secret)
        const spansText = JSON.stringify(collector.asked.map(({ body }) => body.resourceSpans))
        assert.notInclude(spansText, "space-")

        // A runner that is gone is told of as unhealthy, and its shards go to the other.
        yield* first.kill
        const after = yield* until(look(), ({ runners }) => {
          const well = runners.filter(({ healthy }) => healthy)
          return well.length === 1 && well[0]?.shards.length === 300
        })
        assert.deepEqual(after.degraded, [])
      }).pipe(Effect.scoped),
    240_000
  )
})
