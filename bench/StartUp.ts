/**
 * How long `loom serve` takes to serve a large store: writes `--rows` memories (100,000 by default) into a folder of its
 * own, ends the server once by SIGTERM and once by `kill -9`, and measures both starts after it, from the start of the
 * process to its first answer to a read and to a write. `--json` prints one JSON object as the last line.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { rows: { type: "string", default: "100000" }, json: { type: "boolean", default: false } }
})
const rows = Number(values.rows)
const root = fileURLToPath(new URL("..", import.meta.url))
const built = join(root, "dist/services/cli/main.js")
const data = mkdtempSync(join(tmpdir(), "loom-start-up-"))

interface Server {
  readonly child: ChildProcess
  readonly url: string
  readonly startMillis: number
}

const startServer = async (): Promise<Server> => {
  const began = performance.now()
  const program = existsSync(built) ? [built] : ["--import", "tsx", join(root, "services/cli/main.ts")]
  const child = spawn(process.execPath, [...program, "serve"], {
    cwd: root,
    env: {
      ...process.env,
      UV_THREADPOOL_SIZE: "16",
      LOOM_DATA: data,
      LOOM_PORT: "0",
      LOOM_EMBEDDER: "test",
      LOOM_LOG_LEVEL: "WARN"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let log = ""
  for await (const chunk of child.stdout ?? []) {
    log += String(chunk)
    const url = /https?:\/\/[^\s"'/]+/.exec(log)?.[0]
    if (url !== undefined) {
      child.stdout?.resume()
      return { child, url, startMillis: performance.now() - began }
    }
  }
  throw new Error(`The server did not start: ${log}`)
}

const end = async ({ child }: Server, signal: NodeJS.Signals) => {
  const ended = once(child, "exit")
  child.kill(signal)
  await ended
}

const call = async (url: string, verb: string, body: object) => {
  const response = await fetch(`${url}/v1/${verb}`, { method: "POST", body: JSON.stringify(body) })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${verb} answered ${response.status}: ${text}`)
  return text
}

const BULK = 500
const NAMESPACES = 4

const fill = async (url: string) => {
  const began = performance.now()
  const batches = Math.ceil(rows / BULK)
  let next = 0
  const worker = async () => {
    while (next < batches) {
      const batch = next++
      const first = batch * BULK
      const items = Array.from({ length: Math.min(BULK, rows - first) }, (_, index) => ({
        memory_key: `area/${first % 97}/fact-${first + index}`,
        value: `Fact ${first + index}: the plan of area ${(first + index) % 97} names step ${index} and person ${
          (first + index) % 1013
        }`
      }))
      await call(url, "memory.bulk_set", { namespace: `space-${batch % NAMESPACES}`, items })
      if (!values.json && batch % 20 === 0) console.log(`${first + items.length} of ${rows} rows`)
    }
  }
  await Promise.all(Array.from({ length: NAMESPACES }, worker))
  return performance.now() - began
}

const measure = async (until: NodeJS.Signals) => {
  const began = performance.now()
  const server = await startServer()
  await call(server.url, "memory.get", { namespace: "space-1", memory_key: "area/15/fact-500" })
  const firstReadMillis = performance.now() - began
  await call(server.url, "memory.set", {
    namespace: "space-1",
    memory_key: "area/first-write",
    value: `Written at ${began}`
  })
  const firstWriteMillis = performance.now() - began
  await end(server, until)
  return {
    listening_ms: Math.round(server.startMillis),
    first_read_ms: Math.round(firstReadMillis),
    first_write_ms: Math.round(firstWriteMillis)
  }
}

try {
  const server = await startServer()
  const emptyMillis = server.startMillis
  const fillMillis = await fill(server.url)
  await end(server, "SIGTERM")
  const afterStop = await measure("SIGKILL")
  const afterKill = await measure("SIGTERM")
  const result = {
    rows,
    empty_ms: Math.round(emptyMillis),
    fill_s: Math.round(fillMillis / 1000),
    after_stop: afterStop,
    after_kill: afterKill
  }
  if (values.json) console.log(JSON.stringify(result))
  else console.log(result)
} finally {
  rmSync(data, { recursive: true, force: true })
}
