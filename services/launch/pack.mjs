/**
 * What `npm pack` needs beyond npm (`before` and `after` are its prepack and postpack). @effect/sql-clickhouse 0.46.0 works
 * with the Effect packages pinned here but still declares the versions before them as peers, and `overrides` count in the
 * root project alone. So the tarball bundles that one package with its peers widened to the pinned versions; whoever
 * installs the tarball then gets one copy of everything and no complaint. `check` proves it in an empty project, where the
 * examples compile and run.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { threads } from "./command.mjs"
import { cache, ensureBuilt, ensureInstalled, root, run, say } from "./house.mjs"

const manifest = Path.join(root, "package.json")
const bundled = "@effect/sql-clickhouse"
const bundledManifest = Path.join(root, "node_modules", bundled, "package.json")

const readJson = (path) => JSON.parse(Fs.readFileSync(path, "utf8"))

/** Where the file is kept as it was, until `after`. */
const kept = (path) => Path.join(cache, `${Path.basename(Path.dirname(path))}-package.json`)

// A rename, not a write: npm rereads a folder whose own time has changed, and else believes its record of the tree
const replace = (path, text) => {
  Fs.writeFileSync(`${path}.new`, text)
  Fs.renameSync(`${path}.new`, path)
}

const exchange = (path, change) => {
  Fs.copyFileSync(path, kept(path))
  replace(path, `${JSON.stringify(change(readJson(path)), null, 2)}\n`)
}

const after = () => {
  for (const path of [manifest, bundledManifest]) {
    if (!Fs.existsSync(kept(path))) continue
    replace(path, Fs.readFileSync(kept(path), "utf8"))
    Fs.rmSync(kept(path))
  }
}

const before = async () => {
  await ensureInstalled()
  await ensureBuilt()
  Fs.mkdirSync(cache, { recursive: true })
  // What a pack that was cut off left behind
  after()
  const { dependencies: pins } = readJson(manifest)
  // Its one dependency becomes a peer too: npm bundles what a bundled package depends on, and the driver is ours already
  exchange(bundledManifest, ({ dependencies, peerDependencies, ...rest }) => ({
    ...rest,
    peerDependencies: Object.fromEntries(
      Object.keys({ ...dependencies, ...peerDependencies }).map((name) => [name, pins[name]])
    )
  }))
  // Not in the repository's own manifest: npm 10 cannot install a project that bundles what it overrides
  exchange(manifest, ({ devDependencies, overrides, ...rest }) => ({ ...rest, bundleDependencies: [bundled] }))
}

/** Every installed copy of effect and of each @effect package, by name. */
const copies = (folder, found = new Map()) => {
  if (!Fs.existsSync(folder)) return found
  for (const name of Fs.readdirSync(folder)) {
    const path = Path.join(folder, name)
    const isScope = name.startsWith("@")
    for (const full of isScope ? Fs.readdirSync(path).map((part) => `${name}/${part}`) : [name]) {
      if (full === "effect" || full.startsWith("@effect/")) found.set(full, (found.get(full) ?? 0) + 1)
      copies(Path.join(folder, full, "node_modules"), found)
    }
  }
  return found
}

const strict = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    moduleResolution: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [Path.join(root, "node_modules/@types")],
    outDir: "out"
  },
  include: ["*.ts"]
}

/** A slow registry may take a minute; a step that takes longer than this is not going to end. */
const patience = 180_000

/** Long enough for a server to be up on a busy machine; an example that is one then has to end well when told to. */
const lifetime = 20_000

/** Runs a program beside a Postgres and an engine, or says why it cannot. */
const withStores = Path.join(root, "test/support/WithStores.ts")

const check = async () => {
  await ensureInstalled()
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "loom-pack-"))
  const project = Path.join(folder, "project")
  const data = Path.join(folder, "data")

  const step = async (title, command, args, { cwd = project, timeout = patience, wrong } = {}) => {
    const env = { ...threads, LOOM_DATA: data, LOOM_PORT: "0" }
    const { code, cut, output, took } = await run(command, args, { capture: true, cwd, env, timeout })
    const late = cut && timeout === patience ? "took too long" : undefined
    const complaint = late ?? wrong?.exec(output)?.[0] ?? (code === 0 ? undefined : `exit ${code}`)
    if (complaint !== undefined) throw new Error(`${title}: ${complaint}\n${output}`)
    say(`${title}: ${took}`)
    return output
  }

  try {
    Fs.mkdirSync(project)
    const packed = await run("npm", ["pack", "--loglevel=error", "--pack-destination", folder], { capture: true })
    if (packed.code !== 0) throw new Error(packed.output)
    const tarball = Fs.readdirSync(folder).find((name) => name.endsWith(".tgz"))
    Fs.writeFileSync(Path.join(project, "package.json"), `{ "name": "empty", "private": true, "type": "module" }\n`)
    await step("plain install", "npm", ["install", Path.join(folder, tarball)], { wrong: /ERESOLVE|peer/i })
    await step("tree", "npm", ["ls", "--all"], { wrong: /invalid|extraneous/ })
    const twice = [...copies(Path.join(project, "node_modules"))].filter(([, count]) => count > 1)
    if (twice.length > 0) throw new Error(`Installed more than once: ${twice.map(([name]) => name).join(", ")}`)

    const examples = Path.join(root, "examples")
    const names = Fs.existsSync(examples) ? Fs.readdirSync(examples).filter((name) => name.endsWith(".ts")) : []
    for (const name of names) Fs.copyFileSync(Path.join(examples, name), Path.join(project, name))
    Fs.writeFileSync(Path.join(project, "tsconfig.json"), JSON.stringify(strict))
    if (names.length > 0) {
      await step("examples compile", process.execPath, [Path.join(root, "node_modules/typescript/bin/tsc"), "-p", "."])
    }
    for (const name of names) {
      const program = Path.join(project, "out", name.replace(/\.ts$/, ".js"))
      const text = Fs.readFileSync(Path.join(examples, name), "utf8")
      // One that needs a cluster has its stores started around it.
      const around = text.includes("LOOM_POSTGRES_URL") ? ["--import", "tsx", withStores, process.execPath] : []
      // A server serves until it is told to stop; any other ends by itself, and its last line says what came of it.
      const isServer = text.includes("Layer.launch")
      const said = await step(`${name} runs`, process.execPath, [...around, program], {
        cwd: around.length > 0 ? root : project,
        timeout: isServer ? lifetime : patience
      })
      if (!isServer) say(said.trim().split("\n").at(-1))
    }
    const { version } = readJson(manifest)
    const said = await step("loom --version", Path.join(project, "node_modules/.bin/loom"), ["--version"])
    if (!said.includes(version)) throw new Error(`loom --version does not say ${version}\n${said}`)
  } finally {
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

const modes = { before, after, check }
const mode = process.argv[2] ?? ""
if (!(mode in modes)) throw new Error(`Unknown step ${mode}: one of ${Object.keys(modes).join(", ")}`)
try {
  await modes[mode]()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
