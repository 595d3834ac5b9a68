/**
 * A Postgres server of our own, on 127.0.0.1, for tests, demonstrations and fault runs: real programs on a folder, as
 * durable as any. It may be stopped, killed and started again on the same folder and port. It ends with the scope, and
 * with this process however that ends. Plain driver code: processes and sockets of the system have no Effect form here.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresBinaries from "./PostgresBinaries.ts"

/** A program of Postgres ended or said nothing in time; `log` is the end of what it wrote. */
export class PostgresServerFailed extends Schema.TaggedError<PostgresServerFailed>()("PostgresServerFailed", {
  reason: Schema.String,
  log: Schema.String
}) {
  override get message() {
    return `${this.reason}\n${this.log}`
  }
}

export type PostgresServerError = PostgresServerFailed | PostgresBinaries.PostgresNotInstalled

export class PostgresServer extends Context.Tag("loom/platform/PostgresServer")<PostgresServer, {
  readonly port: number
  /** The folder of its data; removed with the scope. */
  readonly folder: string
  readonly binaries: PostgresBinaries.PostgresBinaries
  /** The address of a database, with user and password; `postgres` is there from the start. */
  readonly url: (database: string) => Redacted.Redacted
  /** Makes an empty database of this name (small letters, digits and `_`) and gives its address. */
  readonly createDatabase: (name: string) => Effect.Effect<Redacted.Redacted, PostgresServerFailed>
  /** Starts it again on the same folder and port; nothing when it runs. */
  readonly start: Effect.Effect<void, PostgresServerFailed>
  /** An orderly end: cuts every connection, loses nothing. */
  readonly stop: Effect.Effect<void>
  /** `kill -9` of the server; whatever was not committed is gone. */
  readonly kill: Effect.Effect<void>
  /** Process id of the server, `undefined` while it is stopped; for those who stop it with SIGSTOP. */
  readonly pid: Effect.Effect<number | undefined>
  /** The end of what it wrote. */
  readonly log: Effect.Effect<string>
}>() {}

export interface PostgresServerOptions {
  /** Only programs of this origin; by default those of the host, else those of the package. */
  readonly origin?: PostgresBinaries.PostgresBinaries["origin"] | undefined
  /** Settings of the server beside the defaults, such as `{ max_connections: "200" }`. */
  readonly settings?: Readonly<Record<string, string>>
}

// A cold start with recovery on a busy machine takes a second or two; more means that something is wrong.
const PATIENCE = "30 seconds"
// Enough to hold the reason of a failed start.
const LOG_LENGTH = 16_384
const USER = "loom"

const defaults = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // Recovery syncs every file there is: one call on Linux, else a thousand, which takes seconds on a busy disk.
  ...(process.platform === "linux" ? { recovery_init_sync_method: "syncfs" } : {})
}

/** Postgres does not run as root: the user it runs as then, and the group. */
const loweredUser = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":"))
  const found = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody")
  return found === undefined ? undefined : { uid: Number(found[2]), gid: Number(found[3]) }
}

const freePort: Effect.Effect<number> = Effect.async((resume) => {
  const probe = createServer()
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    probe.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

interface House {
  readonly folder: string
  readonly data: string
  readonly password: string
  readonly spawn: SpawnOptions
}

/** The folder, owned by the user that the server runs as, with a password that only it and this process know. */
const build = (binaries: PostgresBinaries.PostgresBinaries): House => {
  const folder = mkdtempSync(join(tmpdir(), "loom-postgres-"))
  const user = loweredUser()
  const libraries = PostgresBinaries.linkLibraries(binaries, join(folder, "lib"))
  const password = randomBytes(18).toString("hex")
  const passwordFile = join(folder, "password")
  writeFileSync(passwordFile, password, { mode: 0o600 })
  chmodSync(folder, 0o700)
  if (user !== undefined) { for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid) }
  const env: NodeJS.ProcessEnv = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin", LD_LIBRARY_PATH: libraries.join(":") }
  return { folder, data: join(folder, "data"), password, spawn: { ...user, cwd: folder, env } }
}

/** A running program, what it wrote so far, and its end. */
const launch = (path: string, args: ReadonlyArray<string>, options: SpawnOptions) => {
  const child = spawn(path, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
  let log = ""
  const listeners = new Set<() => void>()
  const hear = (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-LOG_LENGTH)
    for (const listener of listeners) listener()
  }
  child.stdout?.on("data", hear)
  child.stderr?.on("data", hear)
  const ending = new Promise<number | string>((resolve) => {
    child.on("error", (error) => resolve(error.message))
    child.on("exit", (code, signal) => resolve(code ?? signal ?? "no code"))
  })
  const ended = Effect.promise(() => ending)
  /** Waits until it writes the words; fails when it ends before. */
  const says = (words: string) =>
    Effect.async<void>((resume) => {
      const look = () => log.includes(words) && resume(Effect.void)
      listeners.add(look)
      look()
      return Effect.sync(() => listeners.delete(look))
    }).pipe(
      Effect.raceFirst(Effect.flatMap(ended, (code) => Effect.fail(failed(`The server ended with ${code}`, log)))),
      Effect.timeoutFail({ duration: PATIENCE, onTimeout: () => failed("The server did not start in time", log) })
    )
  return { child, ended, says, log: () => log }
}

/** The processes of its sessions, which outlive a killed server by a moment and may still commit; Linux tells them. */
const childrenOf = (pid: number): ReadonlyArray<number> => {
  const list = `/proc/${pid}/task/${pid}/children`
  return existsSync(list) ? readFileSync(list, "utf8").split(" ").map(Number).filter((child) => child > 0) : []
}

const killed = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It was gone already.
  }
}

const failed = (reason: string, log: string) => new PostgresServerFailed({ reason, log })

/** Ends the server when this process ends, even by `kill -9`: the shell reads from a pipe that then closes. */
const guard = (server: ChildProcess): void => {
  const watcher = spawn("/bin/sh", ["-c", "read _; kill -QUIT \"$1\"", "sh", String(server.pid)], {
    stdio: ["pipe", "ignore", "ignore"]
  })
  watcher.on("error", () => {})
  watcher.stdin.on("error", () => {})
  watcher.unref()
  if ("unref" in watcher.stdin && typeof watcher.stdin.unref === "function") watcher.stdin.unref()
  server.once("exit", () => watcher.kill("SIGKILL"))
}

const initialise = (binaries: PostgresBinaries.PostgresBinaries, house: House) => {
  const files = ["-D", house.data, `--pwfile=${join(house.folder, "password")}`]
  // The folder does not outlive this process; only what the server itself writes has to survive a crash.
  const rest = ["-U", USER, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
  const { ended, log } = launch(join(binaries.folder, "initdb"), [...files, ...rest], house.spawn)
  return Effect.flatMap(
    ended,
    (code) => code === 0 ? Effect.void : Effect.fail(failed(`initdb ended with ${code}`, log()))
  )
}

const makeRunning = (
  binaries: PostgresBinaries.PostgresBinaries,
  house: House,
  port: number,
  settings: Readonly<Record<string, string>>
) =>
  Effect.gen(function*() {
    let running: ReturnType<typeof launch> | undefined
    const all = { ...defaults, port: String(port), ...settings }
    const args = ["-D", house.data, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])]
    const once = Effect.suspend(() => {
      const server = launch(join(binaries.folder, "postgres"), args, house.spawn)
      guard(server.child)
      void server.child.once("exit", () => {
        if (running === server) running = undefined
      })
      running = server
      return Effect.onError(server.says("ready to accept connections"), () =>
        Effect.zipRight(Effect.sync(() => server.child.kill("SIGKILL")), server.ended))
    })
    // The children of a killed server need a moment to notice; until then it refuses to start on their folder.
    const patient = Effect.retry(once, {
      schedule: Schedule.spaced("100 millis"),
      times: 50,
      while: ({ log }) =>
        /shared memory block|could not bind|lock file/.test(log)
    })
    const end = (signal: NodeJS.Signals) =>
      Effect.suspend(() => {
        const server = running
        if (server === undefined) return Effect.void
        const sessions = signal === "SIGKILL" ? childrenOf(server.child.pid ?? 0) : []
        server.child.kill(signal)
        for (const pid of sessions) killed(pid)
        return Effect.asVoid(server.ended)
      })
    const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)
    return {
      start: oneAtATime(Effect.suspend(() => running === undefined ? patient : Effect.void)),
      stop: oneAtATime(end("SIGINT")),
      kill: oneAtATime(end("SIGKILL")),
      pid: Effect.sync(() => running?.child.pid),
      log: Effect.sync(() => running?.log() ?? "")
    }
  })

/** Makes an empty database on the server of another one's address, and gives its address. */
export const createDatabase = (
  beside: Redacted.Redacted,
  name: string
): Effect.Effect<Redacted.Redacted, PostgresServerFailed> => {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) return Effect.dieMessage(`"${name}" is not the name of a database`)
  const url = new URL(Redacted.value(beside))
  url.pathname = `/${name}`
  return Effect.flatMap(PgClient.make({ url: beside, maxConnections: 1 }), (sql) => sql`CREATE DATABASE ${sql(name)}`)
    .pipe(
      Effect.scoped,
      Effect.provide(Reactivity.layer),
      Effect.mapBoth({
        onFailure: (error) => failed(`The database ${name} was not made`, String(error.cause)),
        onSuccess: () => Redacted.make(url.toString())
      })
    )
}

/** A server that runs until the scope ends; its folder goes with it. */
export const make = (
  { origin, settings = {} }: PostgresServerOptions = {}
): Effect.Effect<PostgresServer["Type"], PostgresServerError, Scope> =>
  Effect.gen(function*() {
    const binaries = yield* PostgresBinaries.find(origin)
    const house = yield* Effect.acquireRelease(
      Effect.sync(() => build(binaries)),
      ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    yield* initialise(binaries, house)
    const port = yield* freePort
    const running = yield* makeRunning(binaries, house, port, settings)
    // One that a fault run left paused does not hear the wish to stop.
    yield* Effect.addFinalizer(() =>
      running.stop.pipe(Effect.interruptible, Effect.timeoutOption("10 seconds"), Effect.zipRight(running.kill))
    )
    yield* running.start
    const url = (database: string) =>
      Redacted.make(`postgres://${USER}:${house.password}@127.0.0.1:${port}/${database}`)
    const create = (name: string) => createDatabase(url("postgres"), name)
    return { ...running, port, folder: house.data, binaries, url, createDatabase: create }
  })

export const layer = (options?: PostgresServerOptions): Layer.Layer<PostgresServer, PostgresServerError> =>
  Layer.scoped(PostgresServer, make(options))
