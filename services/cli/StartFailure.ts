/**
 * What can keep a process from starting, in one line each: which setting, folder, port or store it is and what to do. A
 * new error of a layer does not compile until it has its words here.
 */
import type { ServeError } from "@effect/platform/HttpServerError"
import type { SocketServerError } from "@effect/platform/SocketServer"
import * as ConfigError from "effect/ConfigError"
import type { RootTokenUnreadable } from "../../src/access/RootToken.ts"
import type { Corrupt, Unavailable } from "../../src/kernel/LoomError.ts"
import type { AuthorityRefused } from "../../src/memory/AuthorityModel.ts"
import type { EngineOpenError } from "../../src/platform/ClickhouseEmbedded.ts"
import type { ListenFailed } from "../../src/platform/ClickhouseEngineServer.ts"
import type { TokenUnreadable } from "../../src/platform/ClickhouseEngineToken.ts"
import type { MigrationError, SchemaOutdated } from "../../src/platform/ClickhouseMigrator.ts"
import type { EngineInUse } from "../../src/platform/EngineOwner.ts"
import type { ListenRefused } from "../gateway/Http.ts"
import type { RunnerAddressRefused, RunnerPortTaken } from "../layers/RunnerAddress.ts"
import type { CliFailure } from "./CliFailure.ts"
import { cliFailure } from "./CliFailure.ts"

export type StartError =
  | AuthorityRefused
  | ConfigError.ConfigError
  | Corrupt
  | EngineOpenError
  | ListenFailed
  | ListenRefused
  | MigrationError
  | RootTokenUnreadable
  | RunnerAddressRefused
  | RunnerPortTaken
  | SchemaOutdated
  | ServeError
  | SocketServerError
  | TokenUnreadable
  | Unavailable

/** What is known of the start that failed. */
export interface StartFacts {
  readonly host?: string
  readonly port?: number
  /** Where a runner meant to listen for the others. */
  readonly runner?: { readonly host: string; readonly port: number }
  /** Where a server says that it serves the folder. */
  readonly servedAt?: string | undefined
  /** Settings that came from an option: `LOOM_PORT` as `--port`. */
  readonly options?: ReadonlyMap<string, string>
}

/** Every wrong value of a configuration, as `LOOM_PORT: expected …`. */
export const configFaults = (
  error: ConfigError.ConfigError,
  options: ReadonlyMap<string, string> = new Map()
): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
      return [...new Set([...configFaults(error.left, options), ...configFaults(error.right, options)])]
    case "Or":
      // Two sources: one that merely lacks the value says nothing beside one that holds a wrong one.
      return configFaults(ConfigError.isMissingDataOnly(error.left) ? error.right : error.left, options)
    default: {
      const name = error.path.join("_")
      return [`${options.get(name) ?? name}: ${plain(error.message)}`]
    }
  }
}

// Effect's words for a missing value name the place it was sought in.
const plain = (message: string): string => /^Expected \S+ to exist in the \w+/.test(message) ? "is missing" : message

const configFailure = (error: ConfigError.ConfigError, { options }: StartFacts): CliFailure => {
  const faults = configFaults(error, options)
  return cliFailure("usage", "CONFIGURATION", `Wrong configuration: ${faults.join("; ")}`, { faults })
}

const inUse = (error: EngineInUse, servedAt: string | undefined): CliFailure => {
  const owner = error.owner
  const facts = { path: error.path, owner: owner === null ? null : { ...owner, url: servedAt ?? owner.url } }
  const message = owner === null || servedAt === undefined ?
    error.message :
    `The data folder ${error.path} is in use by \
process ${owner.pid}, which serves it at ${servedAt}. Use that server, stop it, or choose another folder with LOOM_DATA.`
  return cliFailure("inUse", "DATA_IN_USE", message, facts)
}

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

const listenFailure = (
  cause: unknown,
  words: string,
  { host = "127.0.0.1", port = 0 }: StartFacts,
  option = "--port"
): CliFailure => {
  const fail = (message: string) => cliFailure("portTaken", "PORT", message, { host, port })
  switch (codeOf(cause) ?? /\bE[A-Z]{4,}\b/.exec(words)?.[0]) {
    case "EADDRINUSE":
      return fail(
        `Port ${port} of ${host} is taken. Choose another with ${option} (0 takes any free one), or stop its owner.`
      )
    case "EACCES":
      return fail(`The system does not let this user listen on port ${port}; choose one above 1023 with ${option}.`)
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return fail(`This machine has no address ${host} to listen on.`)
    default:
      return fail(`Cannot listen on port ${port} of ${host}: ${words}`)
  }
}

export const startFailure = (error: StartError, facts: StartFacts = {}): CliFailure => {
  switch (error._tag) {
    case "ConfigError":
      return configFailure(error, facts)
    case "EngineInUse":
      return inUse(error, facts.servedAt)
    case "ServeError":
      return listenFailure(error.cause, String(error.cause), facts)
    case "RunnerPortTaken":
    case "SocketServerError":
      return listenFailure(error.cause, String(error.cause), facts.runner ?? {}, "--runner-port")
    case "RunnerAddressRefused":
      return cliFailure("usage", "CONFIGURATION", `${error.message}.`, { host: error.host })
    case "ListenFailed":
      return listenFailure(undefined, error.message, facts)
    case "ListenRefused":
      return cliFailure("usage", "CONFIGURATION", `${error.message} (--mode team or LOOM_MODE=team).`, {
        host: error.host
      })
    case "EngineUnopened":
      return cliFailure("failed", "ENGINE", `The engine does not open ${error.path}: ${firstLine(error.message)}`)
    case "RootTokenUnreadable":
    case "TokenUnreadable":
      return cliFailure("failed", "TOKEN_FILE", `The token file ${error.path} does not read: ${error.message}`)
    case "AuthorityRefused":
      return cliFailure("failed", "AUTHORITY", `${error.message}.`)
    case "MigrationRefused":
    case "MigrationInvalid":
    case "SchemaOutdated":
      return cliFailure("failed", "SCHEMA", error.message)
    case "Unavailable":
      return cliFailure("failed", "UNAVAILABLE", unavailable(error.operation) ?? `${error.message}; ${whyAbove}.`)
    case "Corrupt":
      return cliFailure("failed", "INTERNAL", `${error.message}; the log line above says where.`)
  }
}

const whyAbove = "the log line above says why"

const unavailable = (operation: string): string | undefined => {
  const store = { "Clickhouse.connect": "ClickHouse", "Postgres.connect": "Postgres" }[operation]
  return store && `No connection to ${store}; the log line above says which setting to check.`
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? text
