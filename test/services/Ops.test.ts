/** The verbs for operators and the metrics of a real server, over HTTP: who sees what, pauses, lag, counters. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { usualWorkers } from "../../services/layers/WorkerNames.ts"
import { MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { OpsCluster } from "../../src/ops/ClusterVerbs.ts"
import { OpsDeadLetters, OpsHealth, OpsWorkerPause, OpsWorkerResume, OpsWorkers } from "../../src/ops/OpsVerbs.ts"
import { layerTokens, mint, Tokens } from "../cases/Tokens.ts"
import { freshNamespace, get, ok, refusal } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"

const COLLECTOR = "a-token-for-collectors"

// A team server with its tokens, which knows a collector.
const layerTeam = Layer.provideMerge(
  layerTokens,
  LoomServer.layer({ LOOM_MODE: "team", LOOM_METRICS_TOKEN: COLLECTOR })
)

/** Until a look at the workers shows what a test waits for; workers look every two seconds. */
const until = <A, E, R>(look: Effect.Effect<A, E, R>, is: (seen: A) => boolean) =>
  look.pipe(
    Effect.filterOrFail(is, (seen) => `still ${JSON.stringify(seen)}`),
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.intersect(Schedule.recurs(100))))
  )

layer(LoomServer.layer(), { timeout: 90_000, excludeTestServices: true })("A single-user server", (it) => {
  it.effect("runs its workers, which follow what is written", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      yield* ok(MemorySet, { namespace, memory_key: "a", value: "Deploys happen on Tuesdays" })
      const { workers } = yield* until(ok(OpsWorkers, { namespace }), ({ workers }) =>
        workers.some(({ name, namespaces }) =>
          name === "conflict_resolver" && namespaces[0] !== undefined && namespaces[0].lag_changes === 0 &&
          namespaces[0].cursor !== "0"
        ) && workers.every(({ state }) =>
          state === "running"
        ))
      assert.deepEqual(workers.map(({ name, reads }) => [name, reads]), [
        ["conflict_resolver", "feed"],
        ["calibration", "schedule"],
        ["re_embed", "schedule"],
        ["digests", "schedule"],
        ["expiry", "schedule"],
        ["extraction_queue", "queue"],
        ["usage_fold", "schedule"],
        ["pruning", "schedule"],
        ["consolidation", "schedule"]
      ])
      const health = yield* ok(OpsHealth, {})
      assert.deepInclude(health, { healthy: true, checks: [{ name: "clickhouse", ready: true }] })
      assert.isTrue(health.embedder.ready)
    }))

  it.effect("stands still where it is paused, tells its lag, and goes on", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      const paused = yield* ok(OpsWorkerPause, { name: "conflict_resolver", namespace })
      assert.deepEqual(paused, { name: "conflict_resolver", org: "dev", namespace, paused: true })
      const of = Effect.map(ok(OpsWorkers, { namespace }), ({ workers }) => workers[0]?.namespaces[0])
      const write = ok(MemorySet, { namespace, memory_key: "a", value: "Deploys happen on Tuesdays" })
      // It is heeded within three seconds; until then what is written may be handled. A worker looks every two.
      yield* until(Effect.zipRight(write, of), (one) => one?.state === "paused" && one.lag_seconds > 4)
      assert.isFalse((yield* ok(OpsWorkerResume, { name: "conflict_resolver", namespace })).paused)
      yield* until(of, (one) => one?.lag_changes === 0 && one.state === "running")
    }))

  it.effect("has no dead letters, and refuses what names no worker or too much", () =>
    Effect.gen(function*() {
      assert.deepEqual(yield* ok(OpsDeadLetters, {}), { letters: [], changed: 0 })
      assert.strictEqual((yield* refusal("ops.dead_letters", { action: "drop" })).code, "INVALID_ARGUMENT")
      assert.strictEqual((yield* refusal("ops.worker_pause", { name: "nobody" })).code, "INVALID_ARGUMENT")
      // One that serves every tenant is not a tenant's to stop.
      assert.strictEqual((yield* refusal("ops.worker_pause", { name: "calibration" })).code, "FORBIDDEN")
    }))

  it.effect("tells of itself as of a cluster of one process", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      yield* ok(MemorySet, { namespace, memory_key: "a", value: "Deploys happen on Tuesdays" })
      const seen = yield* until(ok(OpsCluster, { namespace }), ({ pruning }) => pruning.length === 4)
      assert.deepInclude(seen, { kind: "process", shards_unheld: [], workers: [], open_intents: 0, degraded: [] })
      assert.deepInclude(seen, {
        messages: null,
        relay: null,
        namespaces_left_out: 0,
        open_intents_oldest_seconds: null
      })
      const [self] = seen.runners
      assert.deepInclude(self, { address: "this process", healthy: true, waiting: 0 })
      assert.strictEqual(self?.shards.length, 300)
      assert.isAbove(self?.actors ?? 0, 0)
      assert.deepEqual(
        seen.namespaces.map(({ epoch_text, holder, namespace, runner, waiting }) => ({
          epoch_text,
          holder,
          namespace,
          runner,
          waiting
        })),
        [
          { epoch_text: null, holder: null, namespace, runner: "this process", waiting: 0 }
        ]
      )
      assert.deepEqual(seen.pruning.map(({ name, removed }) => [name, removed]), [
        ["idempotency", 0],
        [
          "dead_letters",
          0
        ],
        ["model_answers", 0],
        ["conversation_chunks", 0]
      ])
      assert.deepEqual(seen.schemas.map(({ known, store, version }) => [store, version === known]), [[
        "clickhouse",
        true
      ]])
    }))

  it.effect("counts by verb and code, and names no tenant, user or key", () =>
    Effect.gen(function*() {
      const namespace = freshNamespace()
      yield* ok(MemorySet, { namespace, memory_key: "secret/key", user_id: "ada-lovelace", value: "A secret value" })
      yield* refusal("memory.set", { namespace, memory_key: "", value: "x" })
      const { headers, status, text } = yield* get("/metrics")
      assert.strictEqual(status, 200)
      assert.match(headers["content-type"] ?? "", /^text\/plain; version=0\.0\.4/)
      for (
        const line of [
          /^loom_requests_total\{code="OK",verb="memory\.set"\} [1-9]|^loom_requests_total\{verb="memory\.set",code="OK"\} [1-9]/m,
          /^loom_requests_total\{.*INVALID_ARGUMENT.*\} [1-9]/m,
          /^loom_request_duration_seconds_bucket\{verb="memory\.set",le="\+Inf"\} [1-9]/m,
          /^loom_commits_total\{outcome="ok"\} [1-9]/m,
          /^loom_commit_rows_total [1-9]/m,
          /^loom_actors_active [1-9]/m,
          /^loom_actor_mailbox_depth\{of="max"\} \d/m,
          /^loom_actor_mailbox_depth\{of="sum"\} \d/m,
          /^loom_embedder_calls_total\{.*outcome="ok".*\} [1-9]/m,
          /^loom_worker_changes_total\{worker="conflict_resolver"\} [1-9]/m,
          /^loom_worker_lag_versions\{worker="conflict_resolver"\} \d/m
        ]
      ) assert.match(text, line)
      for (const name of [namespace, "secret", "ada-lovelace", "dev"]) assert.notInclude(text, name)
    }))
})

layer(layerTeam, { timeout: 90_000, excludeTestServices: true })("A team server", (it) => {
  it.effect("shows an admin what its token opens, and nothing of others", () =>
    Effect.gen(function*() {
      const { admin, other, root, writer } = yield* Tokens
      const [namespace, second] = [freshNamespace(), freshNamespace()]
      for (const one of [namespace, second]) {
        yield* ok(MemorySet, { namespace: one, memory_key: "a", value: "Deploys happen on Tuesdays" }, { token: admin })
      }
      const narrow = yield* mint(root, { org: "acme", role: "admin", subject: "narrow", namespaces: [namespace] })
      const seen = (token: string) =>
        Effect.map(ok(OpsWorkers, {}, { token }), ({ workers }) => [
          // Every worker on the feed tells of them.
          ...new Set(workers.flatMap(({ namespaces }) => namespaces.map((one) => one.namespace)))
        ])
      yield* until(seen(admin), (names) => names.includes(namespace) && names.includes(second))
      assert.deepEqual(yield* seen(narrow), [namespace])
      assert.deepEqual(yield* seen(other), [])
      assert.deepEqual(yield* seen(root), [])
      const held = (token: string) =>
        Effect.map(
          ok(OpsCluster, { limit: 1000 }, { token }),
          ({ namespaces }) => namespaces.map((one) => one.namespace)
        )
      assert.includeMembers([...yield* held(admin)], [namespace, second])
      assert.deepEqual(yield* held(narrow), [namespace])
      assert.deepEqual(yield* held(other), [])
      // The operator's own token opens none of them, and tells whose each is.
      assert.includeMembers([...yield* held(root)], [namespace, second])
      assert.strictEqual((yield* refusal("ops.cluster", { namespace: second }, { token: narrow })).code, "FORBIDDEN")
      // The name means another namespace, of its own org.
      const elsewhere = yield* ok(OpsWorkers, { namespace }, { token: other })
      assert.deepEqual(elsewhere.workers.flatMap(({ namespaces }) => namespaces), [])
      assert.strictEqual((yield* refusal("ops.workers", { namespace: second }, { token: narrow })).code, "FORBIDDEN")
      assert.strictEqual((yield* refusal("ops.workers", {}, { token: writer })).code, "FORBIDDEN")
      const bound = yield* mint(root, { org: "acme", role: "admin", subject: "bound", user_id: "ada" })
      for (const verb of ["ops.workers", "ops.health", "ops.dead_letters", "ops.cluster"]) {
        assert.strictEqual((yield* refusal(verb, {}, { token: bound })).code, "FORBIDDEN", verb)
      }
    }))

  it.effect("lets an admin pause for its own org alone, and the root token for all", () =>
    Effect.gen(function*() {
      const { admin, other, root } = yield* Tokens
      const running = usualWorkers.map(() => "running")
      const state = (token: string) =>
        Effect.map(ok(OpsWorkers, {}, { token }), ({ workers }) => workers.map((worker) => worker.state))
      const pause = (token: string, body: object) =>
        ok(OpsWorkerPause, { name: "conflict_resolver", ...body }, { token })
      const resume = (token: string) => ok(OpsWorkerResume, { name: "conflict_resolver" }, { token })
      assert.deepInclude(yield* pause(admin, {}), { org: "acme", namespace: null, paused: true })
      assert.deepEqual(yield* state(admin), ["paused", ...running.slice(1)])
      assert.deepEqual(yield* state(other), running)
      yield* resume(admin)
      assert.deepEqual(yield* state(admin), running)
      assert.deepInclude(yield* pause(root, {}), { org: null, namespace: null, paused: true })
      assert.deepEqual(yield* state(other), ["paused", ...running.slice(1)])
      // A tenant does not lift what holds for all.
      assert.isTrue((yield* resume(other)).paused)
      yield* resume(root)
      assert.deepEqual(yield* state(other), running)
      yield* ok(OpsWorkerPause, { name: "calibration" }, { token: root })
      assert.deepEqual(yield* state(other), ["running", "paused", ...running.slice(2)])
      yield* ok(OpsWorkerResume, { name: "calibration" }, { token: root })
    }))

  it.effect("gives metrics to an admin and to a collector, and to nobody else", () =>
    Effect.gen(function*() {
      const { admin, reader, root, writer } = yield* Tokens
      const status = (token?: string) =>
        Effect.map(get("/metrics", token === undefined ? {} : { token }), (reply) => reply.status)
      assert.deepEqual(
        yield* Effect.all([status(), status("wrong"), status(reader), status(writer)]),
        [401, 401, 403, 403]
      )
      assert.deepEqual(yield* Effect.all([status(admin), status(root), status(COLLECTOR)]), [200, 200, 200])
      assert.strictEqual((yield* refusal("ops.health", {}, { token: COLLECTOR })).code, "UNAUTHENTICATED")
    }))
})
