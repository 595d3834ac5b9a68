/**
 * What an import has done so far, in a small file that survives a break: a head that says what is imported where, then one
 * line for every call that was answered. A run of the same file to the same place goes on from there; a line that a crash
 * tore is not counted. When everything is in, the file is gone.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { CliFailure } from "./CliFailure.ts"
import { cliFailure } from "./CliFailure.ts"
import type { ImportReceipt } from "./ImportReceipt.ts"
import { ImportReceipt as Receipt, isIn, Outcome } from "./ImportReceipt.ts"

/** What makes two runs the same import. */
export const Head = Schema.Struct({ source: Schema.String, target: Schema.String })
export type Head = typeof Head.Type

const Entry = Schema.Struct({ done: Schema.Array(Schema.Tuple(Schema.Int, Outcome)) })

const decodeHead = Schema.decodeEither(Schema.parseJson(Head))
const decodeEntry = Schema.decodeEither(Schema.parseJson(Entry))
const decodeReceipt = Schema.decodeEither(Schema.parseJson(Receipt))

export interface ImportState {
  /** The outcomes of earlier runs, by index; only of items that are in. */
  readonly done: ReadonlyMap<number, Outcome>
  /** Writes down the receipts of one call. */
  readonly record: (receipts: ReadonlyArray<ImportReceipt>) => Effect.Effect<void, CliFailure>
  /** Everything is in: forgets the progress, keeps the receipts. */
  readonly finish: Effect.Effect<void, CliFailure>
}

export interface StateOptions {
  readonly head: Head
  /** The progress file. */
  readonly file: string
  /** Where receipts go, if anywhere. */
  readonly receipts: string | undefined
  /** Whether earlier progress is forgotten. */
  readonly fresh: boolean
}

const attempt = <A>(file: string, action: () => A): Effect.Effect<A, CliFailure> =>
  Effect.try({
    try: action,
    catch: (cause) => cliFailure("failed", "FILE", `${file} cannot be written: ${String(cause)}`, { file })
  })

// Written anew, since what a crash tore at its end must not join the next line; and in one rename, for the next crash.
const replace = (file: string, text: string): void => {
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}

const linesOf = (file: string): ReadonlyArray<string> =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter((line) => line !== "") : []

const sameHead = (left: Head, right: Head): boolean => left.source === right.source && left.target === right.target

const earlier = ({ file, fresh, head }: StateOptions): ReadonlyMap<number, Outcome> => {
  const [first = "", ...rest] = fresh ? [] : linesOf(file)
  const found = decodeHead(first)
  if (Either.isLeft(found) || !sameHead(found.right, head)) return new Map()
  return new Map(
    rest.flatMap((line) => Either.match(decodeEntry(line), { onLeft: () => [], onRight: ({ done }) => done }))
      .filter(([, outcome]) => isIn(outcome))
  )
}

const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`

/** The receipts of what is in stay; those of torn lines, other runs and items that are tried again go. */
const keptReceipts = (file: string, done: ReadonlyMap<number, Outcome>): string =>
  done.size === 0 ? "" : linesOf(file).flatMap((line) => {
    const receipt = decodeReceipt(line)
    return Either.isRight(receipt) && done.has(receipt.right.index) ? [`${line}\n`] : []
  }).join("")

/** Reads what earlier runs did and opens the files for this one. */
export const open = (options: StateOptions): Effect.Effect<ImportState, CliFailure> =>
  Effect.gen(function*() {
    const { file, head, receipts } = options
    const done = yield* attempt(file, () => earlier(options))
    yield* attempt(file, () => {
      mkdirSync(dirname(file), { recursive: true })
      replace(file, jsonLine(head) + (done.size === 0 ? "" : jsonLine({ done: [...done] })))
    })
    if (receipts !== undefined) {
      yield* attempt(receipts, () => {
        mkdirSync(dirname(receipts), { recursive: true })
        replace(receipts, keptReceipts(receipts, done))
      })
    }
    return {
      done,
      record: (all) =>
        Effect.gen(function*() {
          if (receipts !== undefined) {
            yield* attempt(receipts, () => appendFileSync(receipts, all.map(jsonLine).join("")))
          }
          yield* attempt(
            file,
            () => appendFileSync(file, jsonLine({ done: all.map(({ index, outcome }) => [index, outcome]) }))
          )
        }),
      finish: attempt(file, () => rmSync(file, { force: true }))
    }
  })
