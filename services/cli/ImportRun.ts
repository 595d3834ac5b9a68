/**
 * An import from its source to its summary: it goes on where an earlier run of the same file broke off, sends batches
 * side by side, writes a receipt for every item and shows how far it is. What was answered is written down before the
 * next call, so a break costs at most the calls that were under way.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { randomUUID } from "node:crypto"
import { join, resolve } from "node:path"
import { sha256 } from "../../src/kernel/Json.ts"
import { CliFailure } from "./CliFailure.ts"
import * as CliSettings from "./CliSettings.ts"
import * as ImportCall from "./ImportCall.ts"
import * as ImportPlan from "./ImportPlan.ts"
import type { ImportReceipt, Outcome, Summary } from "./ImportReceipt.ts"
import { isIn, summarise } from "./ImportReceipt.ts"
import type { ImportSource } from "./ImportSource.ts"
import * as ImportState from "./ImportState.ts"
import * as ProgressBar from "./ProgressBar.ts"
import type { Remote } from "./Remote.ts"
import { startFailure } from "./StartFailure.ts"

export interface RunOptions {
  readonly source: ImportSource
  readonly remote: Remote
  /** What of the options changes where items go, such as the namespace. */
  readonly variant: string
  readonly receipts: string | undefined
  readonly fresh: boolean
  /** Calls at once. */
  readonly concurrency: number
  /** Items in a call. */
  readonly batch: number
  /** Called with the receipts of every call. */
  readonly onReceipts?: (receipts: ReadonlyArray<ImportReceipt>) => void
}

// Well below the 4 MiB of a request, with room for the fields around the items and for escapes.
const BATCH_BYTES = 2 * 1024 * 1024
// More lines of the same kind help nobody; all of them are in the receipts.
const COMPLAINTS = 10

const stateFile = (options: RunOptions, data: string): string => {
  const { receipts, remote, source, variant } = options
  if (receipts !== undefined) return `${receipts}.progress`
  const name = sha256([source.sha256, remote.baseUrl, variant].join("\n")).slice(0, 16)
  return join(resolve(data), "imports", `${name}.progress`)
}

const faultReceipt = (fault: ImportPlan.Plan["faults"][number]): ImportReceipt => ({
  index: fault.index,
  id: fault.id,
  namespace: null,
  memory_key: fault.memory_key,
  outcome: "refused",
  code: fault.code,
  message: fault.message,
  memory_id: null,
  version_text: null,
  content_sha256: null,
  answered_by: null
})

/** Runs the import; fails when it had to stop before its end. Items that did not go in are counted, not a failure here. */
export const run = (options: RunOptions): Effect.Effect<Summary, CliFailure> =>
  Effect.gen(function*() {
    const { remote, source } = options
    const data = yield* Effect.mapError(CliSettings.data, (error) => startFailure(error))
    const target = JSON.stringify([
      remote.baseUrl,
      remote.scope.org ?? null,
      remote.scope.namespace ?? null,
      options.variant
    ])
    const state = yield* ImportState.open({
      head: { source: source.sha256, target },
      file: stateFile(options, data),
      receipts: options.receipts,
      fresh: options.fresh
    })
    const plan = ImportPlan.make(source, { items: options.batch, bytes: BATCH_BYTES })
    const salt = options.fresh ? `${source.sha256}${yield* Effect.sync(() => randomUUID())}` : source.sha256
    const call = ImportCall.make(remote, salt)
    const bar = yield* ProgressBar.make({ label: "import", total: source.size, before: state.done.size })
    const outcomes = new Map<number, Outcome>(state.done)
    let complaints = 0

    const complain = ({ code, id, message, outcome }: ImportReceipt) =>
      isIn(outcome) || complaints >= COMPLAINTS
        ? Effect.void
        : Effect.zipRight(
          Effect.sync(() => void complaints++),
          bar.say(`${id}: ${outcome}, ${code}: ${message}`)
        )

    const take = (receipts: ReadonlyArray<ImportReceipt>) =>
      Effect.gen(function*() {
        yield* state.record(receipts)
        for (const { index, outcome } of receipts) outcomes.set(index, outcome)
        options.onReceipts?.(receipts)
        yield* Effect.forEach(receipts, complain, { discard: true })
        yield* bar.advance(receipts.length)
      })

    const send = (batch: ImportPlan.Batch) => {
      const items = batch.items.flatMap((index): ReadonlyArray<ImportCall.Indexed> => {
        const item = state.done.has(index) ? undefined : source.at(index)
        return item === undefined || Either.isLeft(item) ? [] : [{ index, item: item.right }]
      })
      // Once the server answered, its answer is written down even when the import is told to stop.
      return items.length === 0
        ? Effect.void
        : Effect.uninterruptibleMask((restore) => Effect.flatMap(restore(call.send(items, batch.alone)), take))
    }

    yield* take(plan.faults.map(faultReceipt))
    yield* Effect.forEach(plan.lanes, (lane) => Effect.forEach(lane, send, { discard: true }), {
      concurrency: options.concurrency,
      discard: true
    }).pipe(
      Effect.ensuring(bar.end),
      Effect.onInterrupt(() => bar.say(GO_ON)),
      Effect.mapError(({ detail, exit, message }) => new CliFailure({ exit, message: `${message} ${GO_ON}`, detail }))
    )
    const summary = summarise([...outcomes.values()], state.done.size)
    if (summary.refused + summary.failed === 0) yield* state.finish
    return summary
  })

const GO_ON = "What went in is noted: the same command goes on from there."
