/**
 * What the files of `deploy` may speak of: the settings and the commands of this build, and the files themselves.
 */
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { allSettings } from "../../services/cli/ConfigurationPage.ts"
import { commandsWithExamples } from "../../services/cli/HelpExamples.ts"
import { loom } from "../services/CliHouse.ts"

export const root = fileURLToPath(new URL("../..", import.meta.url))

export interface Facts {
  /** Names of environment variables. */
  readonly settings: ReadonlySet<string>
  /** The options of each command, by its name: `--port` of `gateway`. */
  readonly commands: ReadonlyMap<string, ReadonlySet<string>>
}

export const facts: Effect.Effect<Facts> = Effect.map(
  Effect.forEach(commandsWithExamples, (name) =>
    Effect.map(
      loom([...name.split(" "), "--help"]),
      ({ stdout }) => [name, new Set(stdout.match(/--[a-z][a-z-]*/g) ?? [])] as const
    )),
  (commands) => ({ settings: new Set(allSettings.map(({ name }) => name)), commands: new Map(commands) })
)

export const read = (path: string): string => readFileSync(join(root, path), "utf8")

export const exists = (path: string): boolean => existsSync(join(root, path))

/** Paths of the files below a folder, from the root of the repository. */
export const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted()

/** Why a command line of `loom` cannot be run; undefined when it can. */
export const commandFault = ({ commands }: Facts, args: ReadonlyArray<string>): string | undefined => {
  const [first = "", second = ""] = args
  const options = commands.get(`${first} ${second}`) ?? commands.get(first)
  if (options === undefined) return `loom has no command ${first}`
  const unknown = args.flatMap((arg) => /^--[a-z][a-z-]*/.exec(arg) ?? []).find((option) => !options.has(option))
  return unknown === undefined ? undefined : `loom ${first} has no option ${unknown}`
}

/** Faults of what a file says of Loom: settings that do not exist, command lines that nobody can run. */
export const wordFaults = (facts: Facts, path: string, text: string): ReadonlyArray<string> => {
  const unknown = [...new Set(text.match(/\bLOOM_[A-Z0-9_]+\b/g) ?? [])].filter((name) => !facts.settings.has(name))
  // Command lines stand in code: in a span, in a fenced block, or behind a margin.
  const code = [...text.matchAll(/`([^`\n]+)`/g), ...text.matchAll(/^(?: {2,}| *\$ |loom )(.*)$/gm)].map(([all]) => all)
  const lines = code.flatMap((line) => [...line.matchAll(/(?:^|[\s`|(])loom ([a-z][a-z -]*[^`|)]*)/g)])
  const broken = lines.flatMap(([, rest = ""]) => commandFault(facts, rest.trim().split(/\s+/)) ?? [])
  return [...unknown.map((name) => `there is no setting ${name}`), ...new Set(broken)].map((fault) =>
    `${path}: ${fault}`
  )
}
