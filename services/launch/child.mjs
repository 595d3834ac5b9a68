/**
 * Loaded first in the process a launcher starts (`node --import`). A server must not outlive the command that started it:
 * killed with SIGKILL, a launcher passes nothing on, and the server would go on holding the port and the data folder. So
 * the child watches its parent and drains when that is gone. And Ctrl-C reaches it more than once, from the terminal and
 * from each launcher above: the echoes of one signal must not cut short the drain that the first began.
 */

/** Seldom enough to cost nothing, often enough that "stop, start again" finds the folder free. */
const watchEveryMs = 500

/** Echoes come at once; who asks again after this long means it. */
const echoMs = 1000

const codes = { SIGINT: 130, SIGTERM: 143 }

/** Calls `gone` once when the process that started this one has ended. */
export const watchParent = (gone) => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    gone()
  }, watchEveryMs)
  timer.unref()
}

let firstAt
const onSignal = (signal) => {
  if (firstAt !== undefined) {
    if (Date.now() - firstAt > echoMs) process.exit(codes[signal])
    return
  }
  firstAt = Date.now()
  // Too early for anybody else to have something to drain
  if (process.listenerCount(signal) === 1) process.exit(codes[signal])
}

if (process.env.LOOM_CHILD === "1") {
  delete process.env.LOOM_CHILD
  for (const signal of Object.keys(codes)) process.on(signal, onSignal)
  watchParent(() => process.kill(process.pid, "SIGTERM"))
}
