/**
 * What other processes of this machine use, as Linux tells it under /proc; zero elsewhere. Plain reads, since a bench takes
 * them between its rounds.
 */
import { readdirSync, readFileSync } from "node:fs"

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // Ended meanwhile, or no Linux
    return ""
  }
}

/** Behind the name of the program, which may hold anything: state, parent, …; numbered as in `man proc` from 3 on. */
const statOf = (pid: number): ReadonlyArray<string> =>
  read(`/proc/${pid}/stat`).split(") ").slice(1).join(") ").split(" ")

const PARENT = 4
const USER_TICKS = 14
const CHILDREN_SYSTEM_TICKS = 17
// The kernel counts in hundredths of a second on every platform that Node runs on.
const TICK_MILLIS = 10

/** Milliseconds of processor that a process has used, with those of children that ended. */
const ownCpuMillis = (pid: number): number =>
  TICK_MILLIS *
  statOf(pid).slice(USER_TICKS - 3, CHILDREN_SYSTEM_TICKS - 2).reduce((sum, ticks) => sum + Number(ticks), 0)

const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc").map(Number).filter((one) => one > 0 && Number(statOf(one)[PARENT - 3]) === pid)
  } catch {
    return []
  }
}

/** Milliseconds of processor that a process and its children have used. */
export const cpuMillis = (pid: number): number =>
  [pid, ...childrenOf(pid)].reduce((sum, one) => sum + ownCpuMillis(one), 0)

/** Megabytes of memory that a process has resident. */
export const residentMegabytes = (pid: number): number => {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1]
  return kilobytes === undefined ? 0 : Math.round(Number(kilobytes) / 102.4) / 10
}
