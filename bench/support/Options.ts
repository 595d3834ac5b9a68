/**
 * The arguments that every bench takes. A wrong one ends the process with 2 and a line that names it.
 */
import { parseArgs } from "node:util"

export interface Options {
  /** Rows in the namespace that is measured. */
  readonly rows: number
  /** Over how many namespaces the rows are spread; only benches that tell so take it. */
  readonly tenants: number
  /** How many namespaces there are; only benches that tell so take it. */
  readonly namespaces: number
  /** How many sessions are told; only benches that tell so take it. */
  readonly sessions: number
  /** The one part to measure; only benches that tell so take it. */
  readonly part: string | undefined
  /** How many callers ask at once. */
  readonly callers: number
  /** No part of the measuring goes on for longer; a part that is cut short says how far it came. */
  readonly seconds: number
  /** Of the facts, the vectors and the order of what is asked. */
  readonly seed: number
  /** A data folder that stays and is used again, so that it is filled once. */
  readonly data: string | undefined
  readonly json: boolean
}

const usage = (name: string, defaults: Options) =>
  [
    `npm run ${name} -- [options]`,
    `  --rows N      rows in the namespace (${defaults.rows})`,
    `  --tenants N   bench:search: namespaces the rows are spread over (${defaults.tenants})`,
    `  --namespaces N  bench:cluster, bench:namespaces: how many (${defaults.namespaces})`,
    `  --sessions N  bench:extraction: how many (${defaults.sessions})`,
    "  --part NAME   bench:cluster: spread, hot, reads or fence alone; bench:extraction: test or use-lite, the embedder",
    `  --callers N   callers at once (${defaults.callers})`,
    `  --seconds N   most time for each part (${defaults.seconds})`,
    `  --seed N      of facts and vectors (${defaults.seed})`,
    "  --data DIR    keep and reuse this data folder",
    "  --json        one JSON object as the last line"
  ].join("\n")

const leave = (text: string, code: number): never => {
  process.stderr.write(`${text}\n`)
  process.exit(code)
}

const whole = (name: string, text: string | undefined, fallback: number): number => {
  if (text === undefined) return fallback
  const number = Number(text)
  return Number.isSafeInteger(number) && number > 0
    ? number
    : leave(`--${name} takes a whole number above 0, not ${JSON.stringify(text)}`, 2)
}

const parsed = () => {
  try {
    return parseArgs({
      options: {
        rows: { type: "string" },
        tenants: { type: "string" },
        namespaces: { type: "string" },
        sessions: { type: "string" },
        part: { type: "string" },
        callers: { type: "string" },
        seconds: { type: "string" },
        seed: { type: "string" },
        data: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" }
      }
    }).values
  } catch (cause) {
    return leave(cause instanceof Error ? cause.message : String(cause), 2)
  }
}

type Defaults = Pick<Options, "rows" | "callers" | "seconds"> & Partial<Pick<Options, "namespaces" | "sessions">>

export const read = (name: string, defaults: Defaults): Options => {
  const whenAbsent: Options = {
    namespaces: 1,
    sessions: 1,
    ...defaults,
    tenants: 1,
    seed: 1,
    part: undefined,
    data: undefined,
    json: false
  }
  const given = parsed()
  if (given.help === true) leave(usage(name, whenAbsent), 0)
  return {
    rows: whole("rows", given.rows, whenAbsent.rows),
    tenants: whole("tenants", given.tenants, whenAbsent.tenants),
    namespaces: whole("namespaces", given.namespaces, whenAbsent.namespaces),
    callers: whole("callers", given.callers, whenAbsent.callers),
    seconds: whole("seconds", given.seconds, whenAbsent.seconds),
    seed: whole("seed", given.seed, whenAbsent.seed),
    sessions: whole("sessions", given.sessions, whenAbsent.sessions),
    part: given.part,
    data: given.data,
    json: given.json ?? false
  }
}
