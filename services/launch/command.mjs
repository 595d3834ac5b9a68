/**
 * Starts a program, above all the built `loom` command line, in a process of its own. libuv reads the size of its thread
 * pool when Node starts, before any code of ours, so it has to stand in the environment by then. Signals are passed on,
 * the exit code comes back.
 */
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"
import { watchParent } from "./child.mjs"

/** The built command line. */
export const entry = new URL("../../dist/services/cli/main.js", import.meta.url)

/** Room for queries of the embedded engine, file reads and DNS side by side; libuv's default of four makes them wait in line. */
export const threads = { UV_THREADPOOL_SIZE: "16" }

// Megabytes for what has just been made. A request makes a few hundred kilobytes that are waste when it is answered; with
// the default of 16 so much of it is still in use at each sweep that copying it takes a seventh of a busy process's time,
// and a twelfth with this (64 callers of memory.set).
const memory = ["--max-semi-space-size=64"]

const passedOn = ["SIGINT", "SIGTERM"]

/** Runs Node on a program and its arguments; resolves with the exit code to leave with. */
export const runNode = (args) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [
      ...memory,
      "--import",
      new URL("./child.mjs", import.meta.url).href,
      ...args
    ], {
      env: { ...threads, ...process.env, LOOM_CHILD: "1" },
      stdio: "inherit"
    })
    const pass = (signal) => child.kill(signal)
    for (const signal of passedOn) process.on(signal, pass)
    // Under npm the parent stays for as long as we do; a plain shell may end and mean us to go on
    if (process.env.npm_lifecycle_event !== undefined) watchParent(() => child.kill("SIGTERM"))
    child.on("error", reject)
    child.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })

/** Runs the built command line. */
export const runLoom = (args) => runNode([fileURLToPath(entry), ...args])
