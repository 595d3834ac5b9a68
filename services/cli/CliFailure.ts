/**
 * How a command ends that does not do what it was asked: one line in words for people, an exit code for scripts, and
 * with `--json` the same `{"detail": …}` that the server's HTTP edge would send.
 */
import * as Schema from "effect/Schema"
import type { CallFailure } from "../../src/client/LoomApiError.ts"

/** Every exit code with its meaning; `docs/configuration.md` lists them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  inUse: 3,
  portTaken: 4,
  unreachable: 5
} as const

export const exitMeanings: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [exitCodes.done, "Done. For an import: every item went in. A server that was told to stop ends with it too."],
  [exitCodes.failed, "Refused or failed; stderr says why in one line."],
  [exitCodes.usage, "The command line or the configuration is wrong; nothing was started."],
  [exitCodes.inUse, "The data folder is in use by another process, which the message names."],
  [exitCodes.portTaken, "The port is taken, or may not be listened on."],
  [exitCodes.unreachable, "No server answers at the address."],
  [130, "Stopped by Ctrl-C before the end (SIGTERM: 143)."]
]

type ExitName = keyof typeof exitCodes

const names: ReadonlyArray<ExitName> = ["done", "failed", "usage", "inUse", "portTaken", "unreachable"]

export class CliFailure extends Schema.TaggedError<CliFailure>()("CliFailure", {
  exit: Schema.Literal(...names),
  message: Schema.String,
  detail: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** True when stdout has the result already, as that of an import that went in in part. */
  printed: Schema.optionalWith(Schema.Boolean, { default: () => false })
}) {}

/** A failure that the command line itself found. */
export const cliFailure = (
  exit: Exclude<ExitName, "done">,
  code: string,
  message: string,
  facts: object = {}
): CliFailure => new CliFailure({ exit, message, detail: { ...facts, code, message } })

// Said by the message or by the exit code already.
const saidElsewhere: ReadonlySet<string> = new Set(["code", "message", "category", "retryable"])

const factsOf = (detail: Readonly<Record<string, unknown>>): string => {
  const facts = Object.entries(detail).filter(([name]) => !saidElsewhere.has(name))
  return facts.length === 0 ? "" : ` (${facts.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")})`
}

/**
 * A call that the server refused, or that met no server at `baseUrl`. The server tells no kind of bad token from another;
 * `token` says in words which one was sent.
 */
export const callFailed = (failure: CallFailure, baseUrl: string, token?: string): CliFailure => {
  const { detail, error, requestId, status } = failure
  if (token !== undefined && detail["code"] === "UNAUTHENTICATED") {
    return new CliFailure({
      exit: "failed",
      message: `UNAUTHENTICATED: ${token}`,
      detail: { ...detail, base_url: baseUrl }
    })
  }
  if (status === null && error._tag === "Unavailable") {
    const message = `No server answers at ${baseUrl}. Start one with \`loom serve\`, or set LOOM_BASE_URL.`
    return cliFailure("unreachable", "UNAVAILABLE", message, { base_url: baseUrl, retryable: true })
  }
  const message = typeof detail["message"] === "string" ? detail["message"] : error.message
  const code = typeof detail["code"] === "string" ? `${detail["code"]}: ` : ""
  const request = requestId === null || status === null || status < 500 ? {} : { request_id: requestId }
  return new CliFailure({
    exit: "failed",
    message: `${code}${message}${factsOf({ ...detail, ...request })}`,
    detail: { ...detail, ...request }
  })
}
