/**
 * The life of the process: it runs one program and leaves with its exit code. The first SIGINT or SIGTERM interrupts the
 * program, which then closes what it opened; a second one leaves at once. A process whose normal end is to be stopped
 * (a server) says so and then ends with 0.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

export class Stop extends Context.Tag("loom/services/cli/Stop")<Stop, {
  /** Declares that a stop by signal is the normal end of this program. */
  readonly isNormal: Effect.Effect<void>
}>() {}

// Supervisors kill after 15 s or more; what has not ended by then is safe to cut, since every answer waited for its commit.
const PATIENCE = "14 seconds"
// npm and a terminal both pass Ctrl-C on, so that one arrives twice; who asks again after this long means it.
const ECHO_MILLIS = 1_000

const signalCodes = { SIGINT: 130, SIGTERM: 143 } as const
const BROKEN_PIPE = 141
type Signal = keyof typeof signalCodes

/** Runs the program and leaves the process; what the program answers is the exit code. */
export const runMain = (program: Effect.Effect<number, never, Stop>): void => {
  let normal = false
  let stopped: { readonly signal: Signal; readonly at: number } | undefined

  const codeOf = (signal: Signal): number => normal ? 0 : signalCodes[signal]
  const stop = Stop.of({ isNormal: Effect.sync(() => void (normal = true)) })
  const fiber = Effect.runFork(Effect.provideService(program, Stop, stop))

  const onSignal = (signal: Signal) => {
    if (stopped !== undefined) {
      if (performance.now() - stopped.at > ECHO_MILLIS) process.exit(signalCodes[signal])
      return
    }
    stopped = { signal, at: performance.now() }
    Effect.runFork(Fiber.interruptFork(fiber))
    Effect.runFork(Effect.zipRight(Effect.sleep(PATIENCE), Effect.sync(() => process.exit(codeOf(signal)))))
  }
  // Whoever read us is gone (`loom verbs | head`): nobody is left to tell, as after SIGPIPE.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(BROKEN_PIPE))
  process.on("SIGINT", () => onSignal("SIGINT"))
  process.on("SIGTERM", () => onSignal("SIGTERM"))

  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) return process.exit(exit.value)
    if (stopped !== undefined && Cause.isInterruptedOnly(exit.cause)) return process.exit(codeOf(stopped.signal))
    process.stderr.write(`loom: ${Cause.pretty(exit.cause)}\n`)
    process.exit(1)
  })
}
