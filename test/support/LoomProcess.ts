/**
 * A real `loom` process for tests: started on any free port, asked over HTTP, killed or told to stop, started again on the
 * same folder. It runs the build when that is newer than every source (a test run builds first), else the sources.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { globalValue } from "effect/GlobalValue"
import type { Scope } from "effect/Scope"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The newest change under a folder, in milliseconds since 1970. */
const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0)

const isBuilt = (): boolean => {
  const stamp = statSync(join(root, "dist", ".stamp"), { throwIfNoEntry: false })
  return stamp !== undefined &&
    ["src", "services", "workers", "migrations"].every((room) =>
      statSync(join(root, room), { throwIfNoEntry: false }) === undefined || newest(join(root, room)) < stamp.mtimeMs
    )
}

let chosen: ReadonlyArray<string> | undefined
/** What Node runs as the `loom` command. */
const program = (): ReadonlyArray<string> =>
  chosen ??= isBuilt()
    ? [join("dist", "services", "cli", "main.js")]
    : ["--import", "tsx", join("services", "cli", "main.ts")]

/** The process ended, or did not say where it serves in time; `log` is what it wrote. */
export class StartFailed extends Data.TaggedError("StartFailed")<{ readonly reason: string; readonly log: string }> {
  override get message() {
    return `${this.reason}\n${this.log}`
  }
}

/** How a process ended: its exit code, or the signal that ended it. */
export type Ending = number | NodeJS.Signals

export interface LoomProcess {
  /** Without a slash at the end. */
  readonly url: string
  readonly pid: number
  readonly data: string
  /** Milliseconds from the start of the process until it said where it serves. */
  readonly startMillis: number
  /** All that the process wrote so far. */
  readonly log: () => string
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly ended: Effect.Effect<Ending>
  /** `kill -9`, and its end. */
  readonly kill: Effect.Effect<Ending>
  /** SIGTERM, and its end. */
  readonly stop: Effect.Effect<Ending>
}

export interface StartOptions {
  readonly data: string
  /** `serve` by default. */
  readonly command?: "serve" | "engine" | "gateway" | "runner"
  /** Beside the defaults: the test embedder and any free port. */
  readonly env?: Readonly<Record<string, string>>
  /** In front of the command, such as `ip netns exec` and the name of a network namespace. */
  readonly within?: ReadonlyArray<string>
}

/** What outlives its scope because the test process ends before: servers that run, and folders. */
const left = globalValue("loom/test/support/LoomProcess", () => {
  const found = { children: new Set<ChildProcess>(), folders: new Set<string>() }
  process.once("exit", () => {
    for (const child of found.children) child.kill("SIGKILL")
    for (const folder of found.folders) rmSync(folder, { recursive: true, force: true })
  })
  // The runner of the tests ends a process so.
  process.once("SIGTERM", () => process.exit(143))
  return found
})

/** A folder of its own, removed when the scope ends. */
export const tempFolder: Effect.Effect<string, never, Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "loom-serve-"))
    left.folders.add(folder)
    return folder
  }),
  (folder) =>
    Effect.sync(() => {
      rmSync(folder, { recursive: true, force: true })
      left.folders.delete(folder)
    })
)

// A cold start from the sources on a busy machine.
const PATIENCE = "50 seconds"

const settings = (data: string): Record<string, string> => ({
  UV_THREADPOOL_SIZE: "16",
  LOOM_DATA: data,
  LOOM_PORT: "0",
  LOOM_ENGINE_PORT: "0",
  LOOM_RUNNER_PORT: "0",
  LOOM_EMBEDDER: "test",
  LOOM_LOG_LEVEL: "WARN"
})

/** What the caller's own environment says of Loom must not reach a server under test. */
const inherited = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("LOOM_") && name !== "NODE_OPTIONS")
  )

/** Runs a command to its end; what it wrote on stdout. Any other exit code than 0 is a failure. */
export const run = (
  args: ReadonlyArray<string>,
  { data, env = {} }: Pick<StartOptions, "data" | "env">
): Effect.Effect<string, StartFailed> =>
  Effect.async((resume) => {
    const child = spawn(process.execPath, [...program(), ...args], {
      cwd: root,
      env: { ...inherited(), ...settings(data), ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let out = ""
    let log = ""
    child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => void (log += chunk.toString()))
    child.on("close", (code) =>
      resume(
        code === 0
          ? Effect.succeed(out)
          : Effect.fail(new StartFailed({ reason: `loom ${args.join(" ")} ended with ${code}`, log: out + log }))
      ))
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** Starts a server and waits until it listens; it is killed when the scope ends, if it still runs then. */
export const start = (
  { command = "serve", data, env = {}, within = [] }: StartOptions
): Effect.Effect<LoomProcess, StartFailed, Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const began = performance.now()
      const [first = process.execPath, ...rest] = [...within, process.execPath, ...program(), command]
      const child = spawn(first, rest, {
        cwd: root,
        env: { ...inherited(), ...settings(data), ...env },
        stdio: ["ignore", "pipe", "pipe"]
      })
      left.children.add(child)
      child.once("exit", () => left.children.delete(child))
      let log = ""
      let url = ""
      let ready = () => {}
      const listen = (chunk: Buffer) => {
        log += chunk.toString()
        url ||= /serves at (https?:\/\/[^\s"'/,;)]+)/.exec(log)?.[1] ?? ""
        if (url !== "") ready()
      }
      child.stdout.on("data", listen)
      child.stderr.on("data", listen)
      const ending = new Promise<Ending>((resolve) => {
        child.on("error", () => resolve(-1))
        // Not `close`, which waits for whoever else holds the pipes.
        child.on("exit", (code, signal) => resolve(code ?? signal ?? -1))
      })
      const answer = new Promise<string>((resolve) => {
        ready = () => resolve(url)
      })
      return { child, began, ending, answer, log: () => log }
    }),
    ({ child, ending }) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return ending
      })
  ).pipe(
    Effect.flatMap(({ answer, began, child, ending, log }) => {
      const ended = Effect.promise(() => ending)
      const signal = (name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
      const failed = (reason: string) => new StartFailed({ reason, log: log() })
      return Effect.promise(() => answer).pipe(
        Effect.raceFirst(Effect.flatMap(ended, (code) => Effect.fail(failed(`The server ended with ${code}`)))),
        Effect.timeoutFail({ duration: PATIENCE, onTimeout: () => failed("The server did not start in time") }),
        Effect.map((url): LoomProcess => ({
          url,
          pid: child.pid ?? -1,
          data,
          startMillis: performance.now() - began,
          log,
          signal,
          ended,
          kill: Effect.zipRight(signal("SIGKILL"), ended),
          stop: Effect.zipRight(signal("SIGTERM"), ended)
        }))
      )
    })
  )
