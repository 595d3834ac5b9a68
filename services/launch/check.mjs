/**
 * One check by name (`node services/launch/check.mjs types`), as `npm run check:types` and `npm test` call it. The table
 * is the single place that says how each check is run.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { cache, ensureBuilt, ensureInstalled, ensurePatched, hashOfSettings, root, runTool } from "./house.mjs"

const rooms = ["src", "services", "workers", "migrations", "test", "bench", "examples"]
const present = () => rooms.filter((room) => Fs.existsSync(Path.join(root, room)))

/** tsc remembers what it found, so that only what changed is checked again. */
const types = (project, memory) => async (options) => {
  Fs.mkdirSync(cache, { recursive: true })
  await ensurePatched()
  const remembered = Path.join(cache, `${memory}-${hashOfSettings().slice(0, 12)}.tsbuildinfo`)
  const remembering = ["--incremental", "--tsBuildInfoFile", remembered]
  return runTool("typescript/bin/tsc", ["-p", project, "--noEmit", ...remembering], options)
}

export const checks = {
  format: (options) => runTool("dprint/bin.cjs", ["check"], options),
  lint: (options) => runTool("oxlint/bin/oxlint", ["--deny-warnings"], options),
  imports: (options) =>
    runTool(
      "dependency-cruiser/bin/dependency-cruise.mjs",
      ["--config", ".dependency-cruiser.cjs", ...present()],
      options
    ),
  types: types("tsconfig.json", "types"),
  // The same types with the stricter diagnostics that hold for what is shipped
  shipped: types("tsconfig.build.json", "shipped")
}

const main = async (names) => {
  await ensureInstalled()
  for (const name of names) {
    if (name === "build") await ensureBuilt({ force: true })
    else if ((await checks[name]({})).code !== 0) process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2))
