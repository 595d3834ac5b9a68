/**
 * A process of the demonstration: the `loom` command line run as this one is, from the sources or from the build, until it
 * says in JSON where it is. It is told to stop when the scope ends, and stops by itself when this process is gone.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** The process ended, or did not say where it is in time; `log` is what it wrote. */
export class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly reason: string; readonly log: string }> {
  override get message() {
    return `${this.reason}\n${this.log}`
  }
}

export type Env = Readonly<Record<string, string>>

const Started = Schema.parseJson(Schema.Struct({
  url: Schema.String,
  pid: Schema.Int,
  /** Of a runner, for the others. */
  address: Schema.optional(Schema.String),
  /** Of an engine. */
  token_file: Schema.optional(Schema.String)
}))
export type Started = typeof Started.Type

const program = fileURLToPath(new URL(`../cli/main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url))

// A cold start of several processes at once on a small machine.
const PATIENCE = "90 seconds"
// Above the time that a process takes to end by itself.
const GRACE = "16 seconds"
// Enough to hold the reason of a failed start.
const LOG_LENGTH = 8_192

const launch = (args: ReadonlyArray<string>, env: Env) => {
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    // With the launcher's watch of its parent.
    env: { ...process.env, ...env, LOOM_CHILD: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C of the terminal is for this process, which stops the others in order.
    detached: true
  })
  let out = ""
  let log = ""
  const listeners = new Set<() => void>()
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
    for (const listener of listeners) listener()
  })
  child.stderr.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-LOG_LENGTH)
  })
  const ending = new Promise<number | string>((resolve) => {
    child.on("error", (error) => resolve(error.message))
    child.on("exit", (code, signal) => resolve(code ?? signal ?? "no code"))
  })
  const firstLine = Effect.async<string>((resume) => {
    const look = () => out.includes("\n") && resume(Effect.succeed(out.slice(0, out.indexOf("\n"))))
    listeners.add(look)
    look()
    return Effect.sync(() => listeners.delete(look))
  })
  return { child, ended: Effect.promise(() => ending), firstLine, log: () => log }
}

/** Starts one and waits until it says where it is. */
export const start = (args: ReadonlyArray<string>, env: Env): Effect.Effect<Started, DemoFailed, Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => launch([...args, "--json"], env)),
    ({ child, ended }) =>
      Effect.sync(() => child.kill("SIGTERM")).pipe(
        Effect.zipRight(Effect.timeout(Effect.interruptible(ended), GRACE)),
        Effect.catchAll(() => Effect.sync(() => child.kill("SIGKILL")))
      )
  ).pipe(
    Effect.flatMap(({ ended, firstLine, log }) => {
      const failed = (reason: string) => new DemoFailed({ reason, log: log() })
      return firstLine.pipe(
        Effect.flatMap(Schema.decode(Started)),
        Effect.mapError(() => failed(`loom ${args.join(" ")} says something else than where it is`)),
        Effect.raceFirst(
          Effect.flatMap(ended, (code) => Effect.fail(failed(`loom ${args.join(" ")} ended with ${code}`)))
        ),
        Effect.timeoutFail({
          duration: PATIENCE,
          onTimeout: () => failed(`loom ${args.join(" ")} did not start in time`)
        })
      )
    })
  )

/** Runs a command to its end. */
export const run = (args: ReadonlyArray<string>, env: Env): Effect.Effect<void, DemoFailed> =>
  Effect.suspend(() => {
    const { ended, log } = launch(args, env)
    return Effect.flatMap(ended, (code) =>
      code === 0 ? Effect.void : Effect.fail(
        new DemoFailed({ reason: `loom ${args.join(" ")} ended with ${code}`, log: log() })
      ))
  })
