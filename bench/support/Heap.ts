/**
 * How much memory of this process is in use once what is garbage has been collected. Collecting by hand has to be allowed
 * first; that is done here, so that a bench needs no flag.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** Bytes of objects and of buffers outside the heap. */
export const bytesInUse = (): number => {
  if (typeof collect === "function") collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
