/**
 * A language model that says what its script says, in a process of its own and over the real protocol (chat completions):
 * of each turn that states "The A of B is C." it finds that fact. What is measured beside it is the house, not the model.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"

export class ModelGone extends Data.TaggedError("ModelGone")<{ readonly reason: string }> {
  override get message() {
    return `The scripted model failed: ${this.reason}`
  }
}

const program = fileURLToPath(new URL("./ScriptedModelProcess.ts", import.meta.url))

/** Starts it; the answer is the base of its addresses, as LOOM_LLM_URL takes it. It ends with the scope. */
export const start: Effect.Effect<string, ModelGone, Scope> = Effect.acquireRelease(
  Effect.sync(() =>
    fork(program, [], { execArgv: ["--import", "tsx"], stdio: ["ignore", "inherit", "inherit", "ipc"] })
  ),
  (child) => Effect.sync(() => child.kill("SIGKILL"))
).pipe(
  Effect.flatMap((child) =>
    Effect.async<string, ModelGone>((resume) => {
      child.once("exit", (code) => resume(Effect.fail(new ModelGone({ reason: `it ended with ${code}` }))))
      child.once("message", (port) => resume(Effect.succeed(`http://127.0.0.1:${Number(port)}/v1`)))
    })
  )
)
