/**
 * How the processes of a cluster start, and how they refuse to: one line and an exit code for what is missing, old or
 * wrong; and a gateway in team mode, whose tokens come from the shared store.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as LoomCluster from "../support/LoomCluster.ts"
import { send } from "../support/LoomHttp.ts"
import * as LoomProcess from "../support/LoomProcess.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"

/** The last line that a command wrote which did not start, and how it ended. */
const refusal = (command: "gateway" | "runner", env: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const data = yield* LoomProcess.tempFolder
    const { log, reason } = yield* Effect.flip(LoomProcess.run([command], { data, env }))
    return `${/\d+$/.exec(reason)?.[0]} ${log.trimEnd().split("\n").at(-1)}`
  })

describe("the processes of a cluster", () => {
  it.live(
    "start on stores of their schema alone, and tokens of one gateway open another until they are revoked",
    () =>
      Effect.gen(function*() {
        const cluster = yield* LoomCluster.make
        const bare = Redacted.value(yield* PostgresHouse.database)
        const [runner, first, second, ...refusals] = yield* Effect.all([
          cluster.runner(),
          cluster.gateway({ LOOM_MODE: "team" }),
          cluster.gateway({ LOOM_MODE: "team" }),
          refusal("runner", {}),
          refusal("gateway", { ...cluster.env, LOOM_POSTGRES_URL: bare }),
          refusal("runner", { ...cluster.env, LOOM_POSTGRES_URL: "postgres://u:secretword@127.0.0.1:1/x" }),
          refusal("gateway", { ...cluster.env, LOOM_CLICKHOUSE_URL: "http://127.0.0.1:1" }),
          refusal("runner", { ...cluster.env, LOOM_RUNNER_HOST: "0.0.0.0" })
        ], { concurrency: 3 })
        const told = refusals.join("\n")
        assert.match(
          refusals[0],
          /^2 loom: Wrong configuration: LOOM_CLICKHOUSE_URL: is missing; LOOM_POSTGRES_URL: is missing/
        )
        assert.match(refusals[1], /^1 loom: The database lacks 0001_\w+\.sql.*: run the migrations first/)
        assert.match(refusals[2], /^1 loom: No connection to Postgres/)
        assert.match(refusals[3], /^1 loom: No connection to ClickHouse/)
        assert.match(refusals[4], /^2 loom: A runner's port has no authentication and is not opened on 0\.0\.0\.0/)
        assert.notInclude(told, "secretword")

        const mint = ["mint-token", "--org", "acme", "--namespaces", "team", "--role", "write", "--subject", "bot"]
        const token = (yield* LoomProcess.run(mint, { data: first.data })).trim()
        const body = JSON.stringify({ namespace: "team", memory_key: "a/b/c", value: "Written through one gateway" })
        const get = JSON.stringify({ namespace: "team", memory_key: "a/b/c" })
        assert.strictEqual((yield* send(first.url, "POST", "/v1/memory.set", body)).status, 401)
        assert.strictEqual((yield* send(first.url, "POST", "/v1/memory.set", body, { token })).status, 200)
        const read = yield* send(second.url, "POST", "/v1/memory.get", get, { token })
        assert.deepInclude(read.json, { found: true, value: "Written through one gateway" })

        const verbs = yield* send(second.url, "GET", "/v1/verbs", undefined)
        assert.strictEqual(verbs.status, 200)
        for (const { url } of [runner, first]) {
          const ready = yield* send(url, "GET", "/readyz", undefined)
          assert.deepInclude(ready.json, {
            ready: true,
            checks: [{ name: "clickhouse", ready: true }, { name: "postgres", ready: true }]
          })
        }
        const id = token.split("_").find((part) => /^[0-9a-f]{16}$/.test(part)) ?? ""
        yield* LoomProcess.run(["revoke-token", id], { data: first.data })
        const refused = yield* send(second.url, "POST", "/v1/memory.get", get, { token }).pipe(
          Effect.delay("100 millis"),
          Effect.repeat({ until: ({ status }) => status === 401 }),
          Effect.timeoutFail({
            duration: "5 seconds",
            onTimeout: () => "a revoked token still opens the other gateway"
          })
        )
        assert.strictEqual(refused.status, 401)

        assert.deepStrictEqual(
          yield* Effect.all([first.stop, second.stop, runner.stop], { concurrency: "unbounded" }),
          [0, 0, 0]
        )
      }).pipe(Effect.scoped),
    180_000
  )
})
