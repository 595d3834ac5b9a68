/**
 * Runs the command line inside the test: the real commands against real servers, with the streams, the environment and
 * the arguments of the test's own.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import * as Cli from "../../services/cli/Cli.ts"
import { Stop } from "../../services/cli/Stop.ts"
import type { Writer } from "../../services/cli/Streams.ts"
import { Streams } from "../../services/cli/Streams.ts"

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A text, or what comes as it is asked for. */
  readonly stdin?: string | AsyncIterable<Uint8Array>
  /** Whether stdin and stdout are those of a terminal. */
  readonly atTerminal?: boolean
  /** Called with each text of stdout as it comes, for commands that do not end. */
  readonly onStdout?: (text: string) => void
}

const layerNode = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer, FetchHttpClient.layer)

const writer = (parts: Array<string>, listen: (text: string) => void = () => {}): Writer => ({
  write: (text, done) => {
    parts.push(String(text))
    listen(String(text))
    done?.()
    return true
  }
})

/** Runs one command line to its end. */
export const loom = (
  args: ReadonlyArray<string>,
  { atTerminal = false, env = {}, onStdout, stdin = "" }: RunOptions = {}
): Effect.Effect<Ran> => {
  const [out, err]: [Array<string>, Array<string>] = [[], []]
  return Cli.run(["node", "loom", ...args]).pipe(
    Effect.provideService(Streams, {
      stdin: Object.assign(typeof stdin === "string" ? Readable.from([Buffer.from(stdin)]) : stdin, {
        isTTY: atTerminal
      }),
      stdout: { ...writer(out, onStdout), isTTY: atTerminal },
      stderr: writer(err)
    }),
    Effect.provideService(Stop, { isNormal: Effect.void }),
    Effect.provide(layerNode),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)), { pathDelim: "_" })),
    Effect.map((code) => ({ code, stdout: out.join(""), stderr: err.join("") }))
  )
}

/** A folder of its own, removed when the scope ends. */
export const tempFolder: Effect.Effect<string, never, Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "loom-cli-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
