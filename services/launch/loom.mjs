#!/usr/bin/env node
/** The `loom` command: right here when the environment is as it should be, else in a child that has it so. */
import { entry, runLoom } from "./command.mjs"

if (process.env.UV_THREADPOOL_SIZE !== undefined) {
  // Programs read their arguments from the third on, and may ask whether they are the one that was started
  process.argv[1] = (await import("node:url")).fileURLToPath(entry)
  await import(entry.href)
} else {
  process.exitCode = await runLoom(process.argv.slice(2))
}
