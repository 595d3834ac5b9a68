/**
 * What stands behind the server of a black-box test, by `LOOM_TEST_HOUSE`: one process over its embedded engine, one over
 * an engine by HTTP, or a cluster of a gateway and two runners, each under either authority. Whatever the house, a test
 * sees one process on one folder: it is asked at one address, stopped and killed as a whole, and started again on the same
 * stores.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Scope } from "effect/Scope"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { tokenFile } from "../../services/engine/Engine.ts"
import type { PostgresServerFailed } from "../../src/platform/PostgresServer.ts"
import * as LoomProcess from "./LoomProcess.ts"
import type { StartFailed } from "./LoomProcess.ts"
import * as PostgresHouse from "./PostgresHouse.ts"

type Env = Readonly<Record<string, string>>

export interface ServerOptions {
  readonly data: string
  /** Beside the defaults: the test embedder and any free port. */
  readonly env?: Env
}

export type HouseFailed = StartFailed | PostgresServerFailed

type Start = (options: ServerOptions) => Effect.Effect<LoomProcess.LoomProcess, HouseFailed, Scope>

/** The stores behind a folder: they outlive the server, as stores do, and go with the scope that first started it. */
const stores = new Map<string, Env>()

const kept = (data: string, make: Effect.Effect<Env, HouseFailed, Scope>): Effect.Effect<Env, HouseFailed, Scope> =>
  Effect.suspend(() => {
    const known = stores.get(data)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.tap(make, (env) =>
      Effect.acquireRelease(
        Effect.sync(() => stores.set(data, env)),
        () => Effect.sync(() => stores.delete(data))
      ))
  })

const engine = (data: string): Effect.Effect<Env, HouseFailed, Scope> =>
  Effect.map(LoomProcess.start({ data, command: "engine" }), ({ url }) => ({
    LOOM_CLICKHOUSE_URL: url,
    LOOM_CLICKHOUSE_PASSWORD: readFileSync(tokenFile(join(data, "clickhouse")), "utf8").trim()
  }))

const postgres: Effect.Effect<Env, HouseFailed, Scope> = Effect.map(PostgresHouse.database, (url) => ({
  LOOM_POSTGRES_URL: Redacted.value(url)
}))

const serve: Start = (options) => LoomProcess.start(options)

/** `loom serve` over what `make` gives. */
const serveOver = (make: (data: string) => Effect.Effect<Env, HouseFailed, Scope>): Start => ({ data, env }) =>
  Effect.flatMap(
    kept(data, make(data)),
    (found) => LoomProcess.start({ data, env: { ...found, ...env } })
  )

/** Two, so that namespaces lie on different hosts. */
const RUNNERS = [0, 1]

const cluster = (authority: Env): Start => ({ data, env }) =>
  Effect.gen(function*() {
    const found = yield* kept(
      data,
      Effect.gen(function*() {
        const both = yield* Effect.all([engine(data), postgres], { concurrency: "unbounded" })
        const env = { ...both[0], ...both[1], ...authority }
        yield* LoomProcess.run(["migrate"], { data, env })
        return env
      })
    )
    const start = (command: "gateway" | "runner", data: string) =>
      LoomProcess.start({ data, command, env: { ...found, ...env } })
    const [gateway, runners] = yield* Effect.all([
      start("gateway", data),
      Effect.forEach(RUNNERS, (index) => start("runner", join(data, `runner-${index}`)), { concurrency: "unbounded" })
    ], { concurrency: "unbounded" })
    // The door closes first.
    const each = <A>(act: (one: LoomProcess.LoomProcess) => Effect.Effect<A>) =>
      Effect.zipLeft(act(gateway), Effect.forEach(runners, act, { concurrency: "unbounded" }))
    return {
      ...gateway,
      log: () => [gateway, ...runners].map((one) => one.log()).join("\n"),
      signal: (signal) => Effect.asVoid(each((one) => one.signal(signal))),
      ended: each((one) => one.ended),
      kill: each((one) => one.kill),
      stop: each((one) => one.stop)
    } satisfies LoomProcess.LoomProcess
  })

const POSTGRES = { LOOM_AUTHORITY: "postgres" }

const houses = {
  serve,
  engine: serveOver((data) => Effect.map(engine(data), (env) => ({ ...env, LOOM_SOLE_WRITER: "true" }))),
  "serve-postgres": serveOver(() => Effect.map(postgres, (env) => ({ ...env, ...POSTGRES }))),
  cluster: cluster({}),
  "cluster-postgres": cluster(POSTGRES)
} as const satisfies Record<string, Start>

export type HouseName = keyof typeof houses

const isHouse = (name: string): name is HouseName => Object.hasOwn(houses, name)

export const houseNames: ReadonlyArray<string> = Object.keys(houses)

/** The house of this run. */
export const houseName = (): HouseName => {
  const name = process.env["LOOM_TEST_HOUSE"] ?? "serve"
  if (isHouse(name)) return name
  throw new Error(`LOOM_TEST_HOUSE is one of ${houseNames.join(", ")}, not ${name}`)
}

/** Starts a server and waits until it listens. One whose stores a test names itself is `loom serve` over these. */
export const start: Start = (options) =>
  "LOOM_CLICKHOUSE_URL" in (options.env ?? {}) ? serve(options) : houses[houseName()](options)
