/**
 * Loaded first in the process a launcher starts (`node --import`). A server must not outlive the command that started it:
 * killed with SIGKILL, a launcher passes nothing on, and the server would go on holding the port and the data folder. So
 * the child watches its parent and drains when that is gone.
 */

/** Seldom enough to cost nothing, often enough that "stop, start again" finds the folder free. */
const watchEveryMs = 500

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

if (process.env.LOOM_CHILD === "1") {
  delete process.env.LOOM_CHILD
  watchParent(() => process.kill(process.pid, "SIGTERM"))
}
