import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer as layerServer, LoomServer } from "../support/LoomServer.ts"
import { loom, tempFolder } from "./CliHouse.ts"
import type { RunOptions } from "./CliHouse.ts"
import { locomoFile } from "./CliLocomoFile.ts"

/** Runs the command against the server of the test. */
const ask = (args: ReadonlyArray<string>, options: RunOptions = {}) =>
  Effect.flatMap(
    LoomServer,
    ({ data, url }) => loom(args, { ...options, env: { LOOM_BASE_URL: url, LOOM_DATA: data, ...options.env } })
  )

/** The JSON that the command prints; it must end well. */
const json = (args: ReadonlyArray<string>, options: RunOptions = {}) =>
  Effect.map(ask([...args, "--json"], options), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, stderr)
    return JSON.parse(stdout)
  })

const jsonLines = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))

const fileOf = (lines: ReadonlyArray<unknown>): string =>
  lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n")

const count = (namespace: string) =>
  Effect.map(json(["call", "memory.list", `namespace=${namespace}`, "count_only=true"]), ({ total }) => total)

layer(layerServer(), { excludeTestServices: true, timeout: 60_000 })("loom and a server", (it) => {
  it.effect("health, verbs and calls", () =>
    Effect.gen(function*() {
      assert.match((yield* ask(["health"])).stdout, /lives and is ready/)
      assert.isTrue((yield* json(["health"])).ready)
      assert.include((yield* ask(["verbs"])).stdout, "memory.set")
      const set = yield* json(["call", "memory.set", "--agent", "bot", "memory_key=cli/a/b", "value=woven", "tags=x"])
      assert.strictEqual(set.conflict_verdict, "clear")
      const got = yield* json(["call", "memory.get", "-"], { stdin: `{"memory_key":"cli/a/b"}` })
      assert.deepStrictEqual([got.value, got.agent, got.tags], ["woven", "bot", ["x"]])
      assert.isFalse((yield* json(["call", "memory.get", "--agent", "other", "memory_key=cli/a/b"])).found)
      assert.match((yield* ask(["call", "memory.get", "memory_key=cli/a/b"])).stdout, /^\{\n {2}"found": true/)
    }))

  it.effect("a refusal in words, as JSON, and as exit code 1", () =>
    Effect.gen(function*() {
      const refused = yield* ask(["call", "memory.set", "memory_key=/bad", "value=x", "--json"])
      assert.strictEqual(refused.code, 1)
      assert.match(
        refused.stderr,
        /^loom: INVALID_ARGUMENT: `memory_key` has an empty path segment.*\(field: "memory_key"\)\n$/
      )
      assert.strictEqual(JSON.parse(refused.stdout).detail.field, "memory_key")
      const unknown = yield* ask(["call", "memory.nope"])
      assert.deepStrictEqual([unknown.code, unknown.stdout], [1, ""])
      assert.match(unknown.stderr, /UNKNOWN_VERB/)
    }))

  it.scoped("imports lines, says what did not go in, and tries that again alone", () =>
    Effect.gen(function*() {
      const folder = yield* tempFolder
      const [file, receipts] = [join(folder, "in.jsonl"), join(folder, "receipts.jsonl")]
      const good = [1, 2, 3].map((n) => ({ memory_key: `cli/import/${n}`, value: `fact number ${n}` }))
      writeFileSync(file, fileOf([good[0], "{bad", good[1], { memory_key: "/bad", value: 1 }, good[2]]))
      const args = ["import", "jsonl", file, "--namespace", "lines", "--receipts", receipts, "--json"]
      const first = yield* ask(args)
      assert.strictEqual(first.code, 1)
      const counts = { total: 5, stored: 3, merged: 0, duplicates: 0, refused: 2, failed: 0 }
      assert.deepStrictEqual(JSON.parse(first.stdout), { ...counts, resumed: 0 })
      assert.match(
        first.stderr,
        /line 2: refused, BAD_JSON[^]*line 4: refused, INVALID_ARGUMENT[^]*2 of 5 items did not go in/
      )
      const told = jsonLines(readFileSync(receipts, "utf8")).map(({ code, id, outcome }) => [id, outcome, code]).sort()
      assert.deepStrictEqual(told, [
        ["line 1", "stored", null],
        ["line 2", "refused", "BAD_JSON"],
        ["line 3", "stored", null],
        ["line 4", "refused", "INVALID_ARGUMENT"],
        ["line 5", "stored", null]
      ])
      const again = yield* ask(args)
      assert.deepStrictEqual(JSON.parse(again.stdout), { ...counts, resumed: 3 })
      assert.strictEqual(jsonLines(readFileSync(receipts, "utf8")).length, 5)

      writeFileSync(file, fileOf(good))
      const whole = yield* ask(args)
      assert.strictEqual(whole.code, 0, whole.stderr)
      assert.isFalse(existsSync(`${receipts}.progress`))
      const { memories } = yield* json(["call", "memory.list", "namespace=lines"])
      assert.deepStrictEqual(
        memories.map((row: { source_class: string }) => row.source_class),
        Array(3).fill("imported")
      )
    }))

  it.scoped("goes on after a break, and nothing is there twice", () =>
    Effect.gen(function*() {
      const folder = yield* tempFolder
      const [file, receipts] = [join(folder, "in.jsonl"), join(folder, "receipts.jsonl")]
      const total = 600
      writeFileSync(
        file,
        fileOf(
          Array.from({ length: total }, (_, n) => ({ memory_key: `cli/break/${n}`, value: `the ${n}th of many facts` }))
        )
      )
      yield* json(["call", "namespace.register", "namespace=broken", "default_conflict_policy=append_only"])
      const args = ["import", "jsonl", file, "--namespace", "broken", "--receipts", receipts, "--batch", "10", "--json"]
      const written = Effect.sync(() => existsSync(receipts) ? jsonLines(readFileSync(receipts, "utf8")).length : 0)
      const running = yield* Effect.fork(ask(args))
      const some = yield* Effect.repeat(written, {
        until: (lines) => lines > 50,
        schedule: Schedule.spaced("5 millis")
      })
      yield* Fiber.interrupt(running)
      assert.isBelow(yield* written, total, `the break came late: ${some}`)

      const rest = yield* ask(args)
      assert.strictEqual(rest.code, 0, rest.stderr)
      const summary = JSON.parse(rest.stdout)
      assert.deepStrictEqual([summary.total, summary.stored + summary.merged], [total, total])
      assert.isAtLeast(summary.resumed, 50)
      const indexes = jsonLines(readFileSync(receipts, "utf8")).map(({ index }) => index)
      assert.strictEqual(new Set(indexes).size, total)
      assert.strictEqual(indexes.length, total)
      assert.strictEqual(yield* count("broken"), total)
      // A call whose answer the break lost was not carried out twice.
      const { memories } = yield* json(["call", "memory.list", "namespace=broken", "limit=1000"])
      assert.isTrue(memories.every((row: { reinforcement_count: number }) => row.reinforcement_count === 1))
    }), 60_000)

  it.scoped("exports what imports again", () =>
    Effect.gen(function*() {
      const folder = yield* tempFolder
      const lines = [
        {
          memory_key: "cli/export/1",
          value: "first fact",
          tags: ["Kind:A"],
          agent: "bot",
          user_id: "u",
          session_id: "s"
        },
        { memory_key: "cli/export/2", value: { n: [1, null, "ü"] }, confidence: 0.25, source_class: "derived" },
        { memory_key: "cli/export/3", value: "only by key", sensitivity: "high" },
        {
          memory_key: "cli/export/4",
          value: "ends",
          pinned: true,
          memory_type: "decision",
          entities: ["the loom"],
          files: ["a.ts"],
          relations: [["loom", "weaves", "cloth"]],
          valid_at: "2026-01-01T00:00:00.000Z",
          ttl_seconds: 100_000,
          on_expire: "keep",
          expire_reason: "season",
          source_trace: "notes"
        }
      ]
      const imported = yield* ask(["import", "jsonl", "-", "--namespace", "from"], { stdin: fileOf(lines) })
      assert.strictEqual(imported.code, 0, imported.stderr)
      const exported = yield* ask(["export", "--namespace", "from"])
      assert.strictEqual(exported.code, 0, exported.stderr)
      const rows = jsonLines(exported.stdout)
      assert.sameMembers(rows.map(({ memory_key }) => memory_key), lines.map(({ memory_key }) => memory_key))
      assert.deepStrictEqual(rows.find(({ memory_key }) => memory_key === "cli/export/3"), {
        namespace: "from",
        memory_key: "cli/export/3",
        value: "only by key",
        memory_type: "semantic",
        source_class: "imported",
        sensitivity: "high",
        confidence: 1
      })
      const file = join(folder, "out.jsonl")
      assert.strictEqual((yield* json(["export", "--namespace", "from", "--out", file])).exported, 4)
      assert.strictEqual(readFileSync(file, "utf8"), exported.stdout)
      assert.strictEqual((yield* ask(["import", "jsonl", file, "--namespace", "to"])).code, 0)
      // The time to live is in whole seconds; all else is the same.
      const plain = (text: string) =>
        jsonLines(text).map(({ expires_at, namespace: _, ...row }) => ({ ...row, ends: typeof expires_at })).map((
          row
        ) => JSON.stringify(row)).sort()
      assert.deepStrictEqual(plain((yield* ask(["export", "--namespace", "to"])).stdout), plain(exported.stdout))
    }))

  it.scoped("imports conversations, each into a namespace that keeps every turn", () =>
    Effect.gen(function*() {
      const file = join(yield* tempFolder, "talks.json")
      writeFileSync(file, JSON.stringify(locomoFile))
      const summary = yield* json(["import", "locomo", file, "--namespace-prefix", "cli-"])
      assert.deepStrictEqual([summary.total, summary.stored], [3, 3])
      const namespace = yield* json(["call", "namespace.get", "namespace=cli-talk-1"])
      assert.strictEqual(namespace.default_conflict_policy, "append_only")
      const key = "conversation/talk-1/session-1/D1:2"
      const turn = yield* json(["call", "memory.get", "namespace=cli-talk-1", `memory_key=${key}`])
      assert.strictEqual(turn.value, "[8 May 2023] Bela: I repaired the old loom. [shares a photo of a wooden loom]")
      assert.deepStrictEqual(
        [turn.tags, turn.session_id, turn.valid_at, turn.source_class],
        [["speaker:Bela"], "session-1", "2023-05-08T13:56:00.000Z", "imported"]
      )
      // What a read of the past asks for: the turn is known under its day.
      assert.strictEqual((yield* ask(["import", "locomo", file, "--namespace-prefix", "cli-"])).code, 0)
      assert.strictEqual(yield* count("cli-talk-1"), 3)
    }))

  it.effect("mints, lists and revokes through the running server of the folder", () =>
    Effect.gen(function*() {
      const { data } = yield* LoomServer
      const env = { LOOM_DATA: data }
      const args = ["mint-token", "--org", "acme", "--namespaces", "a,b", "--subject", "ci", "--expires", "1d"]
      const minted = yield* loom(args, { env })
      assert.strictEqual(minted.code, 0, minted.stderr)
      assert.match(minted.stdout, /^loom_[0-9a-f]{16}_[0-9a-f]{64}\n$/)
      assert.match(minted.stderr, /process:ci: write in a, b of org acme, until /)
      const id = minted.stdout.slice(5, 21)
      assert.include((yield* loom(["list-tokens"], { env })).stdout, id)
      assert.strictEqual((yield* loom(["revoke-token", minted.stdout.trim()], { env })).code, 0)
      assert.notInclude((yield* loom(["list-tokens"], { env })).stdout, id)
      assert.include((yield* loom(["list-tokens", "--revoked"], { env })).stdout, id)
      const missing = yield* loom(["revoke-token", "0123456789abcdef"], { env })
      assert.strictEqual(missing.code, 1)
      assert.match(missing.stderr, /There is no token 0123456789abcdef/)
      const refused = yield* loom([...args, "--role", "owner"], { env })
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /INVALID_ARGUMENT: `role`/)
    }))

  it.effect("names the owner of a folder that is served", () =>
    Effect.gen(function*() {
      const { data, pid, url } = yield* LoomServer
      const words = new RegExp(`in use by process ${pid}, which serves it at ${url}`)
      for (const args of [["serve", "--port", "0"], ["engine", "--port", "0"], ["migrate", "--check"]]) {
        const { code, stderr } = yield* loom(args, { env: { LOOM_DATA: data } })
        assert.strictEqual(code, 3, stderr)
        assert.match(stderr, words)
        assert.strictEqual(stderr.trimEnd().split("\n").length, 1, stderr)
      }
    }))

  it.scoped("names a port that is taken", () =>
    Effect.gen(function*() {
      const { url } = yield* LoomServer
      const data = yield* tempFolder
      const port = new URL(url).port
      const env = { LOOM_DATA: data, LOOM_EMBEDDER: "test", LOOM_LOG_LEVEL: "ERROR" }
      const { code, stderr } = yield* loom(["serve", "--port", port], { env })
      assert.strictEqual(code, 4, stderr)
      assert.include(stderr, `Port ${port} of 127.0.0.1 is taken`)
    }), 60_000)
})
