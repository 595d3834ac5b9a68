/**
 * `npm start`: from a fresh clone to a running server, installing and building what is missing. What follows the command
 * (`npm start -- --port 7778`) is passed on to `loom serve`.
 */
import { runLoom } from "./command.mjs"
import { ensureBuilt, ensureInstalled, say } from "./house.mjs"

try {
  await ensureInstalled()
  await ensureBuilt()
  say("starting loom serve")
  process.exitCode = await runLoom(["serve", ...process.argv.slice(2)])
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
