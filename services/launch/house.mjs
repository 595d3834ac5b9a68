/**
 * What every launcher needs before the project itself can run: the installed packages, the build, child processes. Plain
 * JavaScript over Node's own modules alone, since on a fresh clone nothing else is there. Each step says in one line what
 * it does and does nothing when its result is already there, so a second run is quick and needs no network.
 */
import { spawn } from "node:child_process"
import * as Crypto from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Below node_modules, so that removing that removes what was remembered about it too. */
export const cache = Path.join(root, "node_modules", ".cache", "loom")

export const say = (line) => console.log(`[loom] ${line}`)

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`

/**
 * Runs a program in the project's folder; resolves with its exit code, whether it was told to end because its time was
 * up, and, with `capture`, what it wrote.
 */
export const run = (command, args, { capture = false, cwd = root, env = {}, timeout } = {}) =>
  new Promise((resolve, reject) => {
    const started = Date.now()
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      timeout,
      stdio: ["inherit", capture ? "pipe" : "inherit", capture ? "pipe" : "inherit"],
      // npm is a script file on Windows
      shell: process.platform === "win32"
    })
    const chunks = []
    child.stdout?.on("data", (chunk) => chunks.push(chunk))
    child.stderr?.on("data", (chunk) => chunks.push(chunk))
    child.on("error", reject)
    child.on("close", (code) => {
      const output = Buffer.concat(chunks).toString()
      resolve({ code: code ?? 1, cut: child.killed, output, took: seconds(started) })
    })
  })

/** Runs a tool of node_modules by its script, without a shell or npx between. */
export const runTool = (script, args, options) =>
  run(process.execPath, [Path.join(root, "node_modules", script), ...args], options)

const readJson = (path) => {
  try {
    return JSON.parse(Fs.readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

/** Whether node_modules holds what the lock file says; native packages of other platforms may be absent. */
const installed = () => {
  const wanted = readJson(Path.join(root, "package-lock.json"))?.packages
  const present = readJson(Path.join(root, "node_modules", ".package-lock.json"))?.packages
  if (wanted === undefined || present === undefined) return false
  return Object.entries(wanted).every(([path, { optional, peer, version }]) =>
    path === "" ||
    (present[path] === undefined ? optional === true || peer === true : present[path].version === version)
  )
}

export const ensureInstalled = async () => {
  if (installed()) return
  say("installing packages (npm ci)")
  const { code, took } = await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"])
  if (code !== 0) throw new Error("npm ci failed; is the package registry reachable?")
  say(`installed in ${took}`)
}

const filesUnder = (folder) =>
  Fs.existsSync(folder)
    ? Fs.readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => Path.join(entry.parentPath ?? entry.path, entry.name))
      .toSorted()
    : []

const rooms = ["src", "services", "workers", "migrations"]
const dist = Path.join(root, "dist")
const stamp = Path.join(dist, ".stamp")

const sources = () => rooms.flatMap((room) => filesUnder(Path.join(root, room)))

const hashOf = (files) => {
  const hash = Crypto.createHash("sha256")
  for (const file of files) {
    hash.update(Path.relative(root, file)).update("\0").update(Fs.readFileSync(file)).update("\0")
  }
  return hash.digest("hex")
}

const settings = ["tsconfig.json", "tsconfig.build.json", "package-lock.json"].map((name) => Path.join(root, name))

/** Of what decides beside the sources what tsc reports; by itself it does not notice that a rule was added or dropped. */
export const hashOfSettings = () => hashOf(settings)

/** What tsc does not emit but a module finds by its own address, such as a migration, keeps its place beside it. */
const copyAssets = (folder) => {
  for (const file of sources()) {
    const path = Path.relative(root, file)
    if (/\.(ts|md)$/.test(path) && !path.endsWith(".d.ts") || path.startsWith(Path.join("services", "launch"))) continue
    const target = Path.join(folder, path)
    Fs.mkdirSync(Path.dirname(target), { recursive: true })
    Fs.copyFileSync(file, target)
  }
}

/** Makes `tsc` report the diagnostics of @effect/language-service; does nothing when it already does. */
export const ensurePatched = async () => {
  const tsc = Fs.readFileSync(Path.join(root, "node_modules/typescript/lib/_tsc.js"), "utf8")
  const { version } = readJson(Path.join(root, "node_modules/@effect/language-service/package.json"))
  if (tsc.includes(`"use effect-lsp-patch-version ${version}"`)) return
  say("teaching tsc the Effect diagnostics")
  const patch = ["patch", "--module", "tsc"]
  const { code, output } = await runTool("@effect/language-service/cli.js", patch, { capture: true })
  if (code !== 0) throw new Error(output)
}

/**
 * Builds dist when the sources differ from those it was built from. It only translates, in a third of the time that
 * checking takes: the types are checked where a fault can be mended, not where somebody waits for a server. The old dist
 * is replaced when the new one is whole.
 */
export const ensureBuilt = async ({ force = false } = {}) => {
  const wanted = hashOf([...sources(), ...settings, fileURLToPath(new URL("join.mjs", import.meta.url))])
  if (!force && Fs.existsSync(stamp) && Fs.readFileSync(stamp, "utf8") === wanted) return
  say("building (tsc)")
  // As deep as dist, since source maps hold relative paths
  const next = Path.join(root, `.dist-${process.pid}`)
  try {
    const options = ["-p", "tsconfig.build.json", "--noCheck", "--incremental", "false", "--outDir", next]
    const { code, output, took } = await runTool("typescript/bin/tsc", options, { capture: true })
    if (code !== 0) throw new Error(`The build failed.\n${output}`)
    copyAssets(next)
    const { dependencies, optionalDependencies } = readJson(Path.join(root, "package.json"))
    const { joinCommand } = await import("./join.mjs")
    await joinCommand(next, Object.keys({ ...dependencies, ...optionalDependencies }))
    Fs.writeFileSync(Path.join(next, ".stamp"), wanted)
    Fs.rmSync(dist, { recursive: true, force: true })
    Fs.renameSync(next, dist)
    say(`built in ${took}`)
  } finally {
    Fs.rmSync(next, { recursive: true, force: true })
  }
}
