/**
 * Joins the command with all that it imports into a few files in its place: a process has loaded them in half the time that
 * some two thousand small ones take. What ships as a library stays as it is. Only a clone builds, so this may import what is
 * not installed with the package.
 */
import { build } from "esbuild"
import * as Path from "node:path"

// The command and what it starts in a thread of its own, which it finds beside itself
const entries = ["services/cli/main.js", "src/platform/EmbedderUseLiteWorker.js"]

/** `folder` is what tsc made of the sources, `packages` what is installed with us. */
export const joinCommand = (folder, packages) =>
  build({
    absWorkingDir: folder,
    entryPoints: entries,
    outdir: Path.join("services", "cli"),
    entryNames: "[name]",
    // Beside the command: a module finds what it reads from where it stands itself
    chunkNames: "[name]-[hash]",
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: true,
    sourcesContent: false,
    // What is native, or is data that is read from its own folder, stays a package; Effect is ours to load as we like
    external: packages.filter((name) => name !== "effect" && !name.startsWith("@effect/")),
    // Some of what is joined asks for Node's own modules in the older way
    banner: {
      js: "import { createRequire as requireFrom } from \"node:module\"; const require = requireFrom(import.meta.url);"
    },
    logLevel: "error"
  })
