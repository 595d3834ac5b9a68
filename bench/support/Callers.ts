/**
 * Callers in a process of their own, over real sockets, so that what a caller waits for is measured without its own work
 * getting into the way of the server's. One process holds them all: RPC callers share a websocket, as the calls of one
 * program do; HTTP callers have a kept-alive connection each.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Job, Report } from "./CallersProcess.ts"

export class CallersGone extends Data.TaggedError("CallersGone")<{ readonly reason: string }> {
  override get message() {
    return `The callers' process failed: ${this.reason}`
  }
}

export interface Callers {
  /** Makes the calls of a job, so many at once, and reports the time of each. */
  readonly run: (job: Job) => Effect.Effect<Report, CallersGone>
}

const program = fileURLToPath(new URL("./CallersProcess.ts", import.meta.url))

/** Starts the process; it ends with the scope. `url` is the server's address without a slash at the end. */
export const start = (url: string): Effect.Effect<Callers, CallersGone, Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      fork(program, [url], { execArgv: ["--import", "tsx"], stdio: ["ignore", "inherit", "inherit", "ipc"] })
    ),
    (child) =>
      Effect.async<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  ).pipe(
    Effect.map((child): Callers => ({
      run: (job) =>
        Effect.async<Report, CallersGone>((resume) => {
          const ended = (code: number | null) =>
            resume(Effect.fail(new CallersGone({ reason: `it ended with ${code}` })))
          child.once("exit", ended)
          child.once("message", (answer: Report | { readonly fault: string }) => {
            child.off("exit", ended)
            resume("fault" in answer ? Effect.fail(new CallersGone({ reason: answer.fault })) : Effect.succeed(answer))
          })
          child.send(job)
        })
    })),
    // The first answer tells that it is up and connected.
    Effect.tap((callers) =>
      callers.run({ via: "rpc", verb: "namespace.list", payloads: [{}], callers: 1, seconds: 30 })
    )
  )
