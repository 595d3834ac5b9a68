import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { createServer } from "node:net"
import { configFaults, startFailure } from "../../services/cli/StartFailure.ts"
import * as ClusterSettings from "../../services/layers/ClusterSettings.ts"
import * as RunnerAddress from "../../services/layers/RunnerAddress.ts"

const provider = (env: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)), { pathDelim: "_" }))

const stores = {
  LOOM_CLICKHOUSE_URL: "http://127.0.0.1:8123",
  LOOM_POSTGRES_URL: "postgres://u:secretword@127.0.0.1/x"
}

describe("the address of a runner", () => {
  it("is loopback or private", () => {
    const near = ["127.0.0.1", "127.8.9.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.4.4", "169.254.1.1"]
    const nearSix = ["::1", "fc00::1", "fd12:3456::1", "fe80::1", "::ffff:10.0.0.1"]
    const far = ["8.8.8.8", "172.32.0.1", "172.15.0.1", "11.0.0.1", "192.169.0.1", "100.64.0.1", "0.0.0.0"]
    const farSix = ["::", "2001:db8::1", "fec0::1", "::ffff:8.8.8.8"]
    for (const address of [...near, ...nearSix]) assert.isTrue(RunnerAddress.isPrivate(address), address)
    for (const address of [...far, ...farSix]) assert.isFalse(RunnerAddress.isPrivate(address), address)
  })

  it.live("is refused in one line that says what to do when it is neither", () =>
    Effect.forEach(
      [["0.0.0.0", "every address"], ["::", "every address"], ["8.8.8.8", "public"], [
        "nowhere.invalid",
        "Nothing is known"
      ]],
      ([host = "", words = ""]) =>
        Effect.gen(function*() {
          const { exit, message } = startFailure(yield* Effect.flip(RunnerAddress.find(host, 0)))
          assert.strictEqual(exit, "usage")
          assert.include(message, words)
          assert.include(message, "LOOM_RUNNER_HOST")
          assert.notInclude(message, "\n")
        })
    ))

  it.live("has a free port for 0, and says which port is taken", () =>
    Effect.gen(function*() {
      const { host, port } = yield* RunnerAddress.find("127.0.0.1", 0)
      assert.strictEqual(host, "127.0.0.1")
      assert.isAbove(port, 0)
      const server = createServer()
      yield* Effect.async<void>((resume) => void server.listen(port, host, () => resume(Effect.void)))
      const taken = yield* Effect.flip(RunnerAddress.find(host, port))
      server.close()
      const { exit, message } = startFailure(taken, { runner: { host, port } })
      assert.strictEqual(exit, "portTaken")
      assert.include(message, `Port ${port} of ${host} is taken. Choose another with --runner-port`)
    }))
})

describe("the settings of a cluster", () => {
  it.effect("are told wrong all at once, and no secret with them", () =>
    Effect.gen(function*() {
      const wrong = yield* Effect.flip(ClusterSettings.runner.pipe(provider({
        LOOM_RUNNER_PORT: "70000",
        LOOM_SHARD_LOCK_EXPIRY: "soon",
        LOOM_POSTGRES_URL: "mysql://u:secretword@host/x"
      })))
      const faults = configFaults(wrong).join("; ")
      for (const name of ["LOOM_RUNNER_PORT", "LOOM_SHARD_LOCK_EXPIRY", "LOOM_POSTGRES_URL", "LOOM_CLICKHOUSE_URL"]) {
        assert.include(faults, name)
      }
      assert.notInclude(faults, "secretword")
      const neither = yield* Effect.flip(ClusterSettings.gateway.pipe(provider({})))
      assert.match(configFaults(neither).join("; "), /LOOM_CLICKHOUSE_URL: is missing; LOOM_POSTGRES_URL: is missing/)
    }))

  it.effect("keep the time of a lock within what is safe", () =>
    Effect.gen(function*() {
      for (const expiry of ["2 seconds", "3 minutes"]) {
        const wrong = yield* Effect.flip(
          ClusterSettings.gateway.pipe(provider({ ...stores, LOOM_SHARD_LOCK_EXPIRY: expiry }))
        )
        assert.match(configFaults(wrong).join(), /LOOM_SHARD_LOCK_EXPIRY: expected 3 to 120 seconds/)
      }
      const { shardLockExpiry } = yield* ClusterSettings.gateway.pipe(provider(stores))
      assert.strictEqual(Duration.toSeconds(shardLockExpiry), 6)
    }))
})
