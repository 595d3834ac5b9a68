/** Runs one TypeScript file from its source (`node services/launch/run.mjs bench/Write.ts --json`), installing what is missing. */
import { runNode } from "./command.mjs"
import { ensureInstalled } from "./house.mjs"

await ensureInstalled()
process.exitCode = await runNode(["--import", "tsx", ...process.argv.slice(2)])
