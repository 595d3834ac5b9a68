/**
 * What an import reads: a known number of items, each found by its index, and a hash of the whole, by which a later run
 * knows that it goes on with the same file. Lines of JSONL are decoded when they are asked for, not kept.
 */
import * as Either from "effect/Either"
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import type { ImportItem, ItemFault } from "./ImportItem.ts"
import { fromLine } from "./ImportItem.ts"

export interface ImportSource {
  /** Hex SHA-256 of the file. */
  readonly sha256: string
  readonly size: number
  readonly at: (index: number) => Either.Either<ImportItem, ItemFault>
}

export const sha256Of = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex")

interface Line {
  readonly number: number
  readonly start: number
  readonly end: number
}

const NEWLINE = 10
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

const isBlank = (bytes: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte !== 32 && byte !== 9 && byte !== 13) return false
  }
  return true
}

/** The lines that hold something; numbers count from 1, blank lines included. */
const linesOf = (bytes: Buffer): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
  for (let number = 1; start < bytes.length; number++) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found < 0 ? bytes.length : found
    if (!isBlank(bytes, start, end)) lines.push({ number, start, end })
    start = end + 1
  }
  return lines
}

/** The items of a JSONL file; `now` is the time that expiries count from, in epoch milliseconds. */
export const jsonl = (bytes: Buffer, namespace: string | undefined, now: number): ImportSource => {
  const lines = linesOf(bytes)
  return {
    sha256: sha256Of(bytes),
    size: lines.length,
    at: (index) => {
      const { end, number, start } = lines[index] ?? { number: 0, start: 0, end: 0 }
      const id = `line ${number}`
      const line = bytes.subarray(start, end)
      return isUtf8(line)
        ? fromLine(id, line.toString("utf8"), namespace, now)
        : Either.left({ id, memory_key: null, code: "BAD_JSON", message: "The line is not UTF-8" })
    }
  }
}

/** Items that are all known. */
export const items = (sha256: string, all: ReadonlyArray<ImportItem>): ImportSource => ({
  sha256,
  size: all.length,
  at: (index) => {
    const item = all[index]
    return item === undefined
      ? Either.left({ id: String(index), memory_key: null, code: "INTERNAL", message: "There is no such item" })
      : Either.right(item)
  }
})
