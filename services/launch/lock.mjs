/**
 * Completes `package-lock.json` after a change of dependencies (`npm run lock`). A registry mirror may serve the native
 * packages of its own platform only; npm then writes a lock without the others, which `npm ci` refuses everywhere. Such
 * packages are optional and name their platform, so an entry with version, os and cpu is all that npm needs to skip or fetch them.
 */
import * as Fs from "node:fs"

const path = new URL("../../package-lock.json", import.meta.url)
const lock = JSON.parse(Fs.readFileSync(path, "utf8"))
const platform = /(?:^|[-/])(darwin|linux|win32|android|freebsd)-([a-z0-9]+)(?:-(gnu|glibc|musl))?$/

const missing = []
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const match = platform.exec(name)
    if (match === null || lock.packages[`node_modules/${name}`] !== undefined) continue
    const [, os, cpu, libc] = match
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...(libc === undefined ? {} : { libc: [libc === "musl" ? "musl" : "glibc"] }),
      optional: true,
      os: [os]
    }
    missing.push(name)
  }
}

const byPath = ([a], [b]) => a.localeCompare(b, "en")
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(byPath))
Fs.writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
console.log(missing.length === 0 ? "The lock is complete." : `Added to the lock: ${missing.join(", ")}`)
