import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import type { Server } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as LoomServer from "../support/LoomServer.ts"
import { loom, tempFolder } from "./CliHouse.ts"

describe("loom serve, as a process", () => {
  // Real processes and sockets.
  it.scopedLive("drains on SIGTERM, ends with 0 and leaves the folder to the next", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const first = yield* LoomServer.start({ data })
      const file = join(data, "server.json")
      assert.deepInclude(JSON.parse(readFileSync(file, "utf8")), { pid: first.pid, url: first.url })
      const ended = yield* Effect.timed(first.stop)
      assert.strictEqual(ended[1], 0, first.log())
      assert.isFalse(existsSync(file))

      // Nobody serves the folder, so the command opens it itself.
      const env = { LOOM_DATA: data, LOOM_LOG_LEVEL: "ERROR", UV_THREADPOOL_SIZE: "16" }
      const args = ["mint-token", "--org", "acme", "--namespaces", "team", "--subject", "ada", "--kind", "human"]
      const minted = yield* loom(args, { env })
      assert.strictEqual(minted.code, 0, minted.stderr)
      assert.match(minted.stderr, /human:ada: write in team of org acme\./)
      const token = minted.stdout.trim()

      const team = yield* LoomServer.start({ data, env: { LOOM_MODE: "team" } })
      const set = ["call", "memory.set", "memory_key=cli/team/a", "value=woven", "--json"]
      const stranger = yield* loom(set, { env: { LOOM_BASE_URL: team.url } })
      assert.strictEqual(stranger.code, 1)
      assert.match(stranger.stderr, /UNAUTHENTICATED/)
      assert.match(stranger.stderr, /UNAUTHENTICATED: .* needs a token and none was sent: put one into LOOM_API_KEY/)
      const wrong = yield* loom(set, { env: { LOOM_BASE_URL: team.url, LOOM_API_KEY: `${token}x` } })
      assert.match(wrong.stderr, /UNAUTHENTICATED: .* does not take the token in LOOM_API_KEY/)
      const elsewhere = yield* loom(args, { env: { LOOM_BASE_URL: team.url, LOOM_DATA: `${data}-other` } })
      assert.match(elsewhere.stderr, /UNAUTHENTICATED: .*LOOM_API_KEY is not set, and the data folder .*-other is not/)
      const known = yield* loom(set, { env: { LOOM_BASE_URL: team.url, LOOM_API_KEY: token } })
      assert.strictEqual(known.code, 0, known.stderr)
      assert.strictEqual(JSON.parse(known.stdout).namespace, "team")
      assert.include((yield* loom(["list-tokens"], { env: { LOOM_DATA: data } })).stdout, "human:ada")
      // What the token does not open is refused line by line, and the rest goes in.
      const lines = ["team", "secret"].map((namespace) =>
        JSON.stringify({ namespace, memory_key: "cli/team/b", value: "x" })
      )
      const mixed = yield* loom(["import", "jsonl", "-", "--json"], {
        env: { LOOM_BASE_URL: team.url, LOOM_API_KEY: token, LOOM_DATA: data },
        stdin: lines.join("\n")
      })
      assert.strictEqual(mixed.code, 1)
      assert.deepInclude(JSON.parse(mixed.stdout), { total: 2, stored: 1, refused: 1 })
      assert.match(mixed.stderr, /line 2: refused, FORBIDDEN/)
      // A token of the namespace alone may not look at tokens.
      const nosy = yield* loom(["list-tokens"], { env: { LOOM_BASE_URL: team.url, LOOM_API_KEY: token } })
      assert.strictEqual(nosy.code, 1)
      assert.match(nosy.stderr, /FORBIDDEN/)
    }), 120_000)
})

it.scopedLive("a taken port is told before the data folder is touched", () =>
  Effect.gen(function*() {
    const data = join(yield* tempFolder, "new")
    const owner = yield* Effect.acquireRelease(
      Effect.async<Server>((resume) => {
        const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
    const address = owner.address()
    const port = String(typeof address === "object" && address !== null ? address.port : 0)
    const refused = yield* loom(["serve", "--port", port], { env: { LOOM_DATA: data, LOOM_EMBEDDER: "test" } })
    assert.strictEqual(refused.code, 4)
    assert.include(refused.stderr, `Port ${port} of 127.0.0.1 is taken`)
    assert.isFalse(existsSync(data))
  }), 30_000)

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A process that serves until it is told to stop; answers what it printed first. */
const serving = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const command = ["--import", "tsx", join("services", "cli", "main.ts"), ...args]
        const child = spawn(process.execPath, command, {
          cwd: root,
          env: { PATH: process.env["PATH"], ...env },
          stdio: ["ignore", "pipe", "inherit"]
        })
        const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
        const printed = new Promise<string>((resolve) =>
          child.stdout.once("data", (chunk: Buffer) => resolve(String(chunk)))
        )
        return { child, ended, printed }
      }),
      ({ child, ended }) =>
        Effect.promise(() => {
          child.kill("SIGKILL")
          return ended
        })
    ),
    ({ child, ended, printed }) => ({
      printed: Effect.promise(() => printed),
      stop: Effect.promise(() => {
        child.kill("SIGTERM")
        return ended
      })
    })
  )

describe("loom engine and loom migrate", () => {
  it.scopedLive("serve an engine that a client and the migrator reach", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const env = { LOOM_DATA: data, LOOM_LOG_LEVEL: "ERROR", UV_THREADPOOL_SIZE: "16" }
      const engine = yield* serving(["engine", "--port", "0", "--json"], env)
      const { token_file, url } = JSON.parse(yield* engine.printed)
      const secret = readFileSync(token_file, "utf8").trim()
      const ask = (headers: Record<string, string>) =>
        Effect.promise(() => fetch(`${url}/?query=SELECT%20version()`, { headers }))
      assert.strictEqual((yield* ask({})).status, 403)
      assert.strictEqual((yield* ask({ "X-ClickHouse-Key": secret })).status, 200)

      const taken = yield* loom(["engine", "--port", "0"], { env })
      assert.strictEqual(taken.code, 3)
      assert.match(taken.stderr, new RegExp(`which serves it at ${url}\\. Set LOOM_CLICKHOUSE_URL to that address`))

      const remote = { ...env, LOOM_CLICKHOUSE_URL: url, LOOM_CLICKHOUSE_PASSWORD: secret }
      const before = yield* loom(["migrate", "--check", "--json"], { env: remote })
      assert.strictEqual(before.code, 1, before.stderr)
      assert.include(JSON.parse(before.stdout).detail.pending, "0001_memory.sql")
      const ran = yield* loom(["migrate", "--json"], { env: remote })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(JSON.parse(ran.stdout).ran, "0001_memory.sql")
      const after = yield* loom(["migrate", "--check"], { env: remote })
      assert.strictEqual(after.code, 0, after.stderr)
      assert.match(after.stdout, /has the schema of this build/)
      const broken = yield* loom(["migrate"], {
        env: { ...remote, LOOM_CLICKHOUSE_URL: "http://127.0.0.1:1", LOOM_LOG_LEVEL: "OFF" }
      })
      assert.strictEqual(broken.code, 1)
      assert.strictEqual(yield* engine.stop, 0)
      assert.strictEqual((yield* loom(["migrate", "--check"], { env })).code, 0)
    }), 120_000)
})
