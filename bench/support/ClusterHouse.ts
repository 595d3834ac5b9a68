/**
 * Real processes for the benches of a cluster, on this machine and on loopback: Postgres, an engine, and beside each other a
 * `loom serve` and clusters of a gateway with runners, all over that one engine and with vectors replayed from one file. They
 * end with the scope.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as DemoProcess from "../../services/demo/DemoProcess.ts"
import type { Env } from "../../services/demo/DemoProcess.ts"
import * as PostgresServer from "../../src/platform/PostgresServer.ts"
import * as Callers from "./Callers.ts"
import { cpuMillis } from "./ProcessFigures.ts"

/** A process that works for one side, by what it is. */
export interface Worker {
  readonly role: string
  readonly pid: number
  /** Where it answers over HTTP. */
  readonly url: string
}

/** Whom the callers ask, and who works for it. */
export interface Side {
  readonly name: string
  readonly url: string
  readonly callers: Callers.Callers
  readonly workers: ReadonlyArray<Worker>
}

export interface HouseOptions {
  /** A folder for all of it. */
  readonly data: string
  /** The file of vectors that every process replays. */
  readonly vectors: string
}

/** The stores, and how sides over them are started. */
export const make = ({ data, vectors }: HouseOptions) =>
  Effect.gen(function*() {
    const server = yield* PostgresServer.make()
    const engine = yield* DemoProcess.start(["engine", "--port", "0", "--data", data], {})
    const common: Env = {
      UV_THREADPOOL_SIZE: "16",
      LOOM_HOST: "127.0.0.1",
      LOOM_RUNNER_HOST: "127.0.0.1",
      LOOM_MODE: "single",
      LOOM_LOG_LEVEL: "WARN",
      LOOM_EMBEDDER: "replay",
      LOOM_EMBEDDER_REPLAY: vectors,
      // Measuring takes texts that the file does not hold; a background worker would fall into one round and not the next.
      LOOM_ADAPTIVE_THRESHOLDS: "false",
      LOOM_WORKERS: "none"
    }
    const overEngine: Env = {
      ...common,
      LOOM_CLICKHOUSE_URL: engine.url,
      LOOM_CLICKHOUSE_PASSWORD: engine.token_file === undefined ? "" : readFileSync(engine.token_file, "utf8").trim()
    }
    const stores = {
      engine: { role: "engine", pid: engine.pid, url: engine.url },
      postgres: { role: "postgres", pid: (yield* server.pid) ?? 0, url: "" }
    }
    let folders = 0
    const folder = () => join(data, `process-${++folders}`)

    /** `loom serve`, over the engine that everybody shares or over one of its own. */
    const serve = (name: string, over: "engine" | "itself") =>
      Effect.gen(function*() {
        // The sides write different namespaces, so that each of them is the only writer of its own.
        const env = over === "engine" ? { ...overEngine, LOOM_SOLE_WRITER: "true" } : common
        const started = yield* DemoProcess.start(["serve", "--port", "0", "--data", folder()], env)
        const workers = [{ role: "serve", ...started }, ...(over === "engine" ? [stores.engine] : [])]
        return { name, url: started.url, callers: yield* Callers.start(started.url), workers } satisfies Side
      })

    /** A gateway and runners, with a database of their own. */
    const cluster = (name: string, runners: number, env: Env = {}) =>
      Effect.gen(function*() {
        const database = yield* server.createDatabase(`loom_${name}`)
        const whole = { ...overEngine, LOOM_POSTGRES_URL: Redacted.value(database), ...env }
        yield* DemoProcess.run(["migrate"], whole)
        const running = yield* Effect.forEach(
          Array.from({ length: runners }),
          () => DemoProcess.start(["runner", "--port", "0", "--runner-port", "0"], whole),
          { concurrency: "unbounded" }
        )
        const gateway = yield* DemoProcess.start(["gateway", "--port", "0", "--data", folder()], whole)
        const workers = [
          { role: "gateway", ...gateway },
          ...running.map((one) => ({ role: "runner", ...one })),
          stores.engine,
          stores.postgres
        ]
        return { name, url: gateway.url, callers: yield* Callers.start(gateway.url), workers } satisfies Side
      })

    return { serve, cluster, ...stores }
  })

export type ClusterHouse = Effect.Effect.Success<ReturnType<typeof make>>

/** Runs an effect and tells the milliseconds of processor that each role of a side used meanwhile. */
export const withCpu = <A, E, R>(
  { workers }: Side,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<readonly [value: A, millis: Readonly<Record<string, number>>], E, R> =>
  Effect.suspend(() => {
    const before = workers.map(({ pid }) => cpuMillis(pid))
    return Effect.map(effect, (value) => {
      const used: Record<string, number> = {}
      workers.forEach(({ pid, role }, index) => {
        used[role] = (used[role] ?? 0) + cpuMillis(pid) - (before[index] ?? 0)
      })
      return [value, used] as const
    })
  })
