/**
 * The cluster under a chaos run: a Postgres and an engine of its own, gateways, and runners of which each reaches either
 * store by a proxy of its own. Every process may be ended and started again on its folder and port. A runner that ends
 * without being asked is noted, and started again as a supervisor would.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { tokenFile } from "../../services/engine/Engine.ts"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"
import * as LoomProcess from "../support/LoomProcess.ts"
import type { Ending, StartFailed } from "../support/LoomProcess.ts"
import * as FaultProxy from "./FaultProxy.ts"
import type { Host, Hosts } from "./Hosts.ts"

type Env = Readonly<Record<string, string>>

export interface Runner {
  readonly name: string
  readonly host: Host
  readonly postgres: FaultProxy.FaultProxy
  readonly clickhouse: FaultProxy.FaultProxy
  /** Starts it, with what is given beside its own settings; it must not run. */
  readonly start: (env?: Env) => Effect.Effect<void, StartFailed>
  /** Signals the process; nothing when none runs. */
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Signals the process and waits for its end, which is then expected. */
  readonly end: (signal: NodeJS.Signals) => Effect.Effect<Ending>
}

export interface House {
  readonly postgres: PostgresServer.PostgresServer["Type"]
  readonly postgresUrl: Redacted.Redacted
  /** The engine, for whoever looks at its tables. */
  readonly store: { readonly url: string; readonly password: Redacted.Redacted }
  readonly runners: ReadonlyArray<Runner>
  readonly gateways: ReadonlyArray<LoomProcess.LoomProcess>
  readonly restartEngine: (signal: "SIGKILL" | "SIGTERM") => Effect.Effect<void, StartFailed>
  /** What each process wrote, in the order of their starts; a runner has one for each time it was started. */
  readonly logs: () => ReadonlyArray<{ readonly name: string; readonly text: string }>
  /** What ended without being asked, in words. */
  readonly deaths: Array<string>
}

export interface HouseOptions {
  /** Under which memory is: `clickhouse` or `postgres`. */
  readonly authority: string
  /** One for each runner. */
  readonly hosts: Hosts
  readonly gateways: number
  /** Beside the settings that the house needs. */
  readonly runnerEnv: Env
}

// A supervisor starts again what does not start, as while a store is away.
const SUPERVISED = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(120))

const freePort: Effect.Effect<number> = Effect.async((resume) => {
  const probe = createServer()
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    probe.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const at = (url: string, host: string, port: number): string => {
  const whole = new URL(url)
  whole.hostname = host
  whole.port = String(port)
  return whole.href.replace(/\/$/, "")
}

export const make = (
  { authority, gateways, hosts, runnerEnv }: HouseOptions
): Effect.Effect<House, StartFailed | PostgresServer.PostgresServerError, Scope.Scope> =>
  Effect.gen(function*() {
    const life = yield* Effect.scope
    const deaths: Array<string> = []
    const started: Array<{ readonly name: string; readonly process: LoomProcess.LoomProcess }> = []
    const postgres = yield* PostgresServer.make()
    const postgresUrl = yield* postgres.createDatabase("loom")
    const data = yield* LoomProcess.tempFolder
    let engine = yield* LoomProcess.start({ data, command: "engine" })
    const enginePort = new URL(engine.url).port
    const env = {
      LOOM_CLICKHOUSE_URL: engine.url,
      LOOM_CLICKHOUSE_PASSWORD: readFileSync(tokenFile(join(data, "clickhouse")), "utf8").trim(),
      LOOM_POSTGRES_URL: Redacted.value(postgresUrl),
      LOOM_AUTHORITY: authority
    }
    yield* LoomProcess.run(["migrate"], { data, env })
    const restartEngine = (signal: "SIGKILL" | "SIGTERM") =>
      Effect.gen(function*() {
        yield* signal === "SIGKILL" ? engine.kill : engine.stop
        engine = yield* Scope.extend(
          LoomProcess.start({ data, command: "engine", env: { LOOM_ENGINE_PORT: enginePort } }),
          life
        )
      })

    const runner = (host: Host, index: number) =>
      Effect.gen(function*() {
        const name = `runner-${index}`
        const folder = yield* LoomProcess.tempFolder
        const toPostgres = yield* FaultProxy.make(() => postgres.port, hosts.door)
        const toClickhouse = yield* FaultProxy.make(() => Number(enginePort), hosts.door)
        // Of its own and kept, as a host's is.
        const port = yield* freePort
        const own = {
          ...env,
          LOOM_POSTGRES_URL: at(env.LOOM_POSTGRES_URL, hosts.door, toPostgres.port),
          LOOM_CLICKHOUSE_URL: at(env.LOOM_CLICKHOUSE_URL, hosts.door, toClickhouse.port),
          LOOM_RUNNER_HOST: host.address,
          LOOM_RUNNER_PORT: String(port),
          ...runnerEnv
        }
        let process: LoomProcess.LoomProcess | undefined
        let asked = false
        const start = (more: Env = {}): Effect.Effect<void, StartFailed> => Effect.retry(startOnce(more), SUPERVISED)
        const startOnce = (more: Env): Effect.Effect<void, StartFailed> =>
          Effect.gen(function*() {
            asked = false
            const running = yield* Scope.extend(
              LoomProcess.start({ data: folder, command: "runner", env: { ...own, ...more }, within: host.within }),
              life
            )
            process = running
            started.push({ name, process: running })
            yield* running.ended.pipe(
              Effect.flatMap((how) => {
                if (asked || process !== running) return Effect.void
                deaths.push(`${name} ended with ${how}: ${running.log().slice(-600)}`)
                return Effect.ignore(start())
              }),
              Effect.forkIn(life)
            )
          })
        const end = (signal: NodeJS.Signals): Effect.Effect<Ending> =>
          Effect.suspend(() => {
            const running = process
            if (running === undefined) return Effect.succeed<Ending>(0)
            asked = true
            return Effect.zipRight(running.signal(signal), running.ended)
          })
        const one: Runner = {
          name,
          host,
          postgres: toPostgres,
          clickhouse: toClickhouse,
          start,
          signal: (signal) => Effect.suspend(() => process?.signal(signal) ?? Effect.void),
          end
        }
        yield* one.start()
        return one
      })

    // One after the other: on few cores they would only wait for each other.
    const all = yield* Effect.forEach(hosts.hosts, runner)
    const doors = yield* Effect.forEach(
      Array.from({ length: gateways }, (_, index) => index),
      () =>
        Effect.flatMap(LoomProcess.tempFolder, (folder) => LoomProcess.start({ data: folder, command: "gateway", env }))
    )
    const store = { url: env.LOOM_CLICKHOUSE_URL, password: Redacted.make(env.LOOM_CLICKHOUSE_PASSWORD) }
    started.push(...doors.map((process, index) => ({ name: `gateway-${index}`, process })))
    const logs = () =>
      [...started, { name: "engine", process: engine }].map(({ name, process }) => ({ name, text: process.log() }))
    return { logs, postgres, postgresUrl, store, runners: all, gateways: doors, restartEngine, deaths }
  })
