/**
 * What the import commands share: their options, and how they end. The exit code is 0 only when every item is in.
 */
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CliFailure } from "./CliFailure.ts"
import { CliFailure as Failure, cliFailure } from "./CliFailure.ts"
import * as CommonOptions from "./CommonOptions.ts"
import type { Summary } from "./ImportReceipt.ts"
import * as ImportRun from "./ImportRun.ts"
import type { ImportSource } from "./ImportSource.ts"
import * as Output from "./Output.ts"
import type { Remote } from "./Remote.ts"

const number = (name: string, initial: number, description: string) =>
  Options.integer(name).pipe(
    Options.withPseudoName("number"),
    Options.withDescription(`${description} (default ${initial})`),
    Options.withDefault(initial)
  )

// One embedder thread and one actor a namespace keep this many calls busy; more would only wait.
const CONCURRENCY = 4
// Large enough that the calls cost little, small enough that a break costs little.
const BATCH = 100
// What memory.bulk_set takes.
const MOST_ITEMS = 500

/** Options of every import. */
export const shared = {
  receipts: CommonOptions.text("receipts", "file", "Write what became of each item, one JSON object a line"),
  fresh: Options.boolean("fresh").pipe(
    Options.withDescription("Forget earlier progress, and write again what the last 24 hours brought in already")
  ),
  concurrency: number("concurrency", CONCURRENCY, "Calls at once"),
  batch: number("batch", BATCH, `Items in a call, at most ${MOST_ITEMS}`),
  data: CommonOptions.data,
  json: CommonOptions.asJson
}

export interface Shared {
  readonly receipts: Option.Option<string>
  readonly fresh: boolean
  readonly concurrency: number
  readonly batch: number
  readonly json: boolean
}

/** How an import waits for a server that is busy or restarts: minutes, since nobody sits in front of it. */
export const patientRetry = { attempts: 6, attemptMs: 120_000, maxMs: 10_000, pacingMs: 600_000 }

const words = (summary: Summary): string =>
  [
    `${summary.stored} stored`,
    `${summary.merged} merged into what was known`,
    `${summary.duplicates} duplicates`,
    `${summary.refused} refused`,
    `${summary.failed} failed`,
    ...(summary.resumed === 0 ? [] : [`${summary.resumed} of them by an earlier run`])
  ].join(", ")

/** Runs the import and tells its end. */
export const run = (
  source: ImportSource,
  remote: Remote,
  variant: string,
  options: Shared
): Effect.Effect<void, CliFailure> =>
  Effect.gen(function*() {
    const inRange = (value: number, most: number) => value >= 1 && value <= most
    if (!inRange(options.batch, MOST_ITEMS) || !inRange(options.concurrency, 64)) {
      return yield* cliFailure("usage", "USAGE", `--batch takes 1 to ${MOST_ITEMS} and --concurrency 1 to 64`)
    }
    const receipts = Option.getOrUndefined(options.receipts)
    const { batch, concurrency, fresh } = options
    const summary = yield* ImportRun.run({ source, remote, variant, receipts, fresh, concurrency, batch })
    yield* Output.result(options.json, summary, () => [`${summary.total} items: ${words(summary)}`])
    const outside = summary.refused + summary.failed
    if (outside > 0) {
      const where = receipts === undefined ? "--receipts FILE would say which" : `${receipts} says which`
      const message = `${outside} of ${summary.total} items did not go in; ${where}`
      return yield* new Failure({ exit: "failed", message, detail: { ...summary }, printed: true })
    }
  })
