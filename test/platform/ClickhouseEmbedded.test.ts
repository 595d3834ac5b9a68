import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ch, Clickhouse, layerConfig, layerEmbedded } from "../../src/platform/Clickhouse.ts"
import * as ClickhouseEmbedded from "../../src/platform/ClickhouseEmbedded.ts"
import * as ClickhouseEngineServer from "../../src/platform/ClickhouseEngineServer.ts"
import * as ClickhouseEngineToken from "../../src/platform/ClickhouseEngineToken.ts"
import * as EngineOwner from "../../src/platform/EngineOwner.ts"
import { quiet, tempFolder, token } from "./ClickhouseTemp.ts"

const holder = fileURLToPath(new URL("ClickhouseHolder.ts", import.meta.url))

/** Another process on the folder, and the first thing it says. */
const hold = (path: string) =>
  Effect.promise(async () => {
    const child: ChildProcess = spawn(process.execPath, ["--import", "tsx", holder, path], {
      stdio: ["pipe", "pipe", "ignore"]
    })
    const [line] = await once(child.stdout ?? process.stdin, "data")
    return { child, said: String(line).trim() }
  })

const end = (child: ChildProcess, signal?: "SIGKILL") =>
  Effect.promise(async () => {
    const exit = once(child, "exit")
    if (signal === undefined) child.stdin?.end()
    else child.kill(signal)
    return (await exit)[0]
  })

const failureOf = (path: string) =>
  Effect.map(
    Effect.flip(Effect.scoped(Effect.provide(ClickhouseEmbedded.open({ path }), quiet))),
    (error) => `${error._tag}: ${error.message}`
  )

describe("ClickhouseEmbedded", () => {
  it.live("names the owner of a folder that is taken, here and there", () =>
    Effect.gen(function*() {
      const path = yield* tempFolder
      const { child, said } = yield* hold(path)
      assert.strictEqual(said, "open")
      assert.strictEqual(
        yield* failureOf(path),
        `EngineInUse: The data folder ${path} is in use by process ${child.pid}. Stop it, or choose another with LOOM_DATA.`
      )
      assert.strictEqual(yield* end(child), 0)
      assert.isFalse(existsSync(join(path, "owner.json")))

      // The other way round, with an address to name.
      const { said: refused, url } = yield* Effect.gen(function*() {
        const { url } = yield* ClickhouseEngineServer.ClickhouseEngineServer
        const second = yield* hold(path)
        return { url, said: second.said }
      }).pipe(Effect.provide(
        ClickhouseEngineServer.layer({ port: 0, token }).pipe(
          Layer.provide(ClickhouseEmbedded.layer({ path })),
          Layer.provide(quiet)
        )
      ))
      assert.strictEqual(
        refused,
        `EngineInUse: The data folder ${path} is in use by process ${process.pid}, which serves it at ${url}. `
          + "Set LOOM_CLICKHOUSE_URL to that address, stop it, or choose another with LOOM_DATA."
      )
    }).pipe(Effect.scoped), 60_000)

  it.live("opens a folder whose owner was killed, with what it had acknowledged", () =>
    Effect.gen(function*() {
      const path = yield* tempFolder
      const { child } = yield* hold(path)
      yield* end(child, "SIGKILL")
      assert.isTrue(existsSync(join(path, "owner.json")))
      const rows = yield* Effect.flatMap(Clickhouse, ({ query }) =>
        query(ch.sql("test.one")`SELECT one FROM loom.held`, Schema.Struct({ one: Schema.Number }))).pipe(
          Effect.provide(layerEmbedded({ path }).pipe(Layer.provide(quiet)))
        )
      assert.deepStrictEqual(rows, [{ one: 1 }])
    }).pipe(Effect.scoped), 60_000)

  it.live("says what is wrong when it does not open for another reason", () =>
    Effect.gen(function*() {
      const path = join(yield* tempFolder, "file")
      writeFileSync(path, "")
      assert.match(yield* failureOf(path), /^EngineUnopened: .*EEXIST/)
    }).pipe(Effect.scoped))

  it.live("refuses a second folder in one process, and shares one", () =>
    Effect.gen(function*() {
      const [one, two] = [yield* tempFolder, yield* tempFolder]
      yield* Effect.provide(ClickhouseEmbedded.open({ path: one }), quiet)
      assert.match(yield* failureOf(two), /^EngineUnopened: /)
      yield* Effect.provide(ClickhouseEmbedded.open({ path: one }), quiet)
    }).pipe(Effect.scoped))

  it.live("closes under load: what runs is stopped, what waits is refused", () =>
    Effect.gen(function*() {
      const path = yield* tempFolder
      const fibers = yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* Effect.provide(ClickhouseEmbedded.open({ path }), quiet)
        const slow = Effect.tryPromise(() =>
          engine.run({ sql: "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(1)" })
        )
        const fibers = yield* Effect.forEach(Array.from({ length: 30 }), () => Effect.fork(Effect.exit(slow)))
        yield* Effect.promise(() => engine.run({ sql: "SELECT 1", queryId: "first" }).catch(() => undefined)).pipe(
          Effect.timeoutOption("200 millis")
        )
        return fibers
      }))
      const exits = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(exits.map(({ _tag }) => _tag), Array.from({ length: 30 }, () => "Failure"))
      yield* Effect.scoped(Effect.provide(ClickhouseEmbedded.open({ path }), quiet))
    }).pipe(Effect.scoped), 60_000)
})

describe("Clickhouse layers", () => {
  const ask = <E>(layer: Layer.Layer<Clickhouse, E>, statement = ch.sql("test.one")`SELECT 1 AS one`) =>
    Effect.flatMap(Clickhouse, ({ query }) => query(statement, Schema.Struct({ one: Schema.Number }))).pipe(
      Effect.provide(Layer.provideMerge(layer, quiet)),
      Effect.map((rows) => JSON.stringify(rows)),
      Effect.catchAll((error) =>
        Effect.succeed(error instanceof Error && "_tag" in error ? String(error._tag) : String(error))
      )
    )

  it.live("come from the configuration", () =>
    Effect.gen(function*() {
      const data = yield* tempFolder
      const configured = (entries: ReadonlyArray<readonly [string, string]>) =>
        Effect.withConfigProvider(
          ask(layerConfig),
          ConfigProvider.fromMap(new Map([["UV_THREADPOOL_SIZE", "16"], ["LOOM_DATA", data], ...entries]), {
            pathDelim: "_"
          })
        )
      assert.strictEqual(yield* configured([]), "[{\"one\":1}]")
      assert.deepStrictEqual(readdirSync(data), ["clickhouse"])
      assert.strictEqual(yield* configured([["LOOM_CLICKHOUSE_URL", "http://127.0.0.1:1"]]), "Unavailable")
      assert.match(yield* configured([["LOOM_CLICKHOUSE_URL", "not a url"]]), /CLICKHOUSE_URL/)
    }).pipe(Effect.scoped))

  it.live("end a read that takes too long", () =>
    Effect.gen(function*() {
      const path = yield* tempFolder
      const [took, outcome] = yield* Effect.timed(ask(
        layerEmbedded({ path, readTimeoutSeconds: 1 }),
        ch.sql("test.slow")`SELECT count() AS one FROM numbers(100000000000) WHERE NOT ignore(1)`
      ))
      assert.strictEqual(outcome, "Unavailable")
      assert.isBelow(Duration.toMillis(took), 10_000)
    }).pipe(Effect.scoped))

  it.live("warn of a small thread pool and then run fewer queries at once", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const path = yield* tempFolder
      yield* Effect.withConfigProvider(
        Effect.provide(
          Effect.scoped(ClickhouseEmbedded.open({ path })),
          Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void lines.push(String(message))))
        ),
        ConfigProvider.fromMap(new Map([["UV_THREADPOOL_SIZE", "4"]]))
      )
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "UV_THREADPOOL_SIZE")
    }).pipe(Effect.scoped))
})

describe("EngineOwner", () => {
  it.live("takes no notice of a file that means nothing", () =>
    Effect.gen(function*() {
      const path = yield* tempFolder
      const owner = (pid: number) => JSON.stringify({ pid, url: null, startedAt: 1 })
      for (const text of ["", "{}", "[", owner(process.pid), owner(2 ** 30)]) {
        writeFileSync(join(path, "owner.json"), text)
        assert.strictEqual((yield* EngineOwner.read(path))._tag, "None")
      }
      writeFileSync(join(path, "owner.json"), owner(process.ppid))
      assert.strictEqual((yield* EngineOwner.read(path))._tag, "Some")
      yield* EngineOwner.release(path)
      assert.isTrue(existsSync(join(path, "owner.json")))
    }).pipe(Effect.scoped))
})

describe("ClickhouseEngineToken", () => {
  it.live("is made once, for the owner's eyes", () =>
    Effect.gen(function*() {
      const path = join(yield* tempFolder, "data")
      assert.strictEqual((yield* Effect.flip(ClickhouseEngineToken.read(path)))._tag, "TokenUnreadable")
      const made = yield* ClickhouseEngineToken.readOrMake(path)
      assert.deepStrictEqual(yield* ClickhouseEngineToken.readOrMake(path), made)
      assert.deepStrictEqual(yield* ClickhouseEngineToken.read(path), made)
      assert.strictEqual(statSync(ClickhouseEngineToken.tokenFile(path)).mode & 0o777, 0o600)
    }).pipe(Effect.scoped))
})
