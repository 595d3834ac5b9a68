/**
 * How the memories about a file are printed: one line each, which nothing in a value can break, between a header and a
 * footer that are always there. Pure; which rows are printed is chosen in `ForFile`. Links to code have no part here yet:
 * a note on them would stand among the marks.
 */
import type { FileMemory } from "./ForFileModel.ts"
import { isDecision, isDisputed, isUnvouched, kindsOf, printsWhole } from "./ForFileModel.ts"

/** The longest line of a row that does not print whole, in UTF-16 units. */
export const LINE = 220
/** How many keys of decisions and constraints the ceiling's line names. */
export const NAMED = 5

const ELLIPSIS = "…"

// Line breaks and controls, and the marks that reorder or hide text. Joiners stay: scripts and emoji need them.
const BREAKS = /[\s\p{Cc}\u2028\u2029]+/gu
const HIDDEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** A text as a part of one line. */
export const oneLine = (text: string): string => text.replace(HIDDEN, "").replace(BREAKS, " ").trim()

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30 * DAY
const YEAR = 365 * DAY

const units = [[YEAR, "y"], [MONTH, "mo"], [DAY, "d"], [HOUR, "h"], [MINUTE, "m"]] as const

/** A span of time by its greatest unit, rounded down: `3d`, `5mo`, `now` below a minute. */
export const ageText = (millis: number): string => {
  const [length, name] = units.find(([unit]) => millis >= unit) ?? [0, ""]
  return length === 0 ? "now" : `${Math.floor(millis / length)}${name}`
}

// Longer than the names of people and services; a name is no place for a text.
const MAX_AUTHOR = 64

/** The subject of an actor: `ada` of `human:ada`. */
const authorOf = (actor: string): string =>
  cutTo(oneLine(actor.replace(/^(human|process):/, "")), MAX_AUTHOR) || "unknown"

/** At most `most` units of a text; one that is longer ends in `…` and in no half character. */
export const cutTo = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "").trimEnd()}${ELLIPSIS}`

const supersedesMark = (older: ReadonlyArray<FileMemory>): string =>
  `(supersedes ${older.map((row) => `${isDecision(row) ? "decision " : ""}${oneLine(row.memory_key)}`).join(", ")})`

const headOf = (row: FileMemory, now: number): string =>
  row.isTeam
    ? `${isDecision(row) ? "Decision" : "Team rule"} (by ${authorOf(row.statedBy)}, ${ageText(now - row.statedAt)})`
    : ""

/** What stands behind the kinds of a row from outside that nobody vouched for, so that it is not read as a rule. */
const originOf = (row: FileMemory): ReadonlyArray<string> =>
  isUnvouched(row) ? [row.source_class, "unverified", ...(isDisputed(row) ? ["disputed"] : [])] : []

const marksOf = (row: FileMemory, older: ReadonlyArray<FileMemory>): ReadonlyArray<string> => {
  const kinds = [...kindsOf(row).filter((kind) => !(row.isTeam && kind === "decision")), ...originOf(row)]
  return [
    ...(kinds.length === 0 ? [] : [`[${kinds.join(", ")}]`]),
    ...(row.pinned ? ["(pinned)"] : []),
    ...(isDecision(row) && row.tags.includes("outcome:failed") ? ["(outcome: failed)"] : []),
    ...(isDecision(row) && row.tags.includes("source-changed") ? ["(source changed)"] : []),
    ...(row.isTeam && older.length > 0 ? [supersedesMark(older)] : [])
  ]
}

const sourceOf = (row: FileMemory): string =>
  isDecision(row) && row.source_resource_id !== "" ? ` — source: ${oneLine(row.source_resource_id)}` : ""

/** The line of a row whose text was read; `older` are the rows that it supersedes. */
export const lineOf = (row: FileMemory, older: ReadonlyArray<FileMemory>, now: number): string => {
  const head = headOf(row, now)
  const lead = [...(head === "" ? [] : [head]), ...marksOf(row, older)].join(" ")
  const start = `- ${lead === "" ? "" : `${lead}${row.isTeam ? ":" : ""} `}`
  const text = oneLine(row.text ?? "")
  if (printsWhole(row)) return `${start}${text}${sourceOf(row)}`
  return cutTo(`${start}${text}${row.isCut ? ELLIPSIS : ""}`, LINE)
}

export const headerOf = (file: string): string => `Memories about ${oneLine(file)}:`

export const FOOTER =
  "One of these is wrong or out of date? Find its key with memory.search and remove it with memory.delete."

/** The line for rows that did not fit, and for those left out with the row that supersedes them. */
export const moreLine = (count: number): string =>
  `- ${ELLIPSIS} ${count} more: memory.for_file lists them as left_out and prints more with a larger token_budget`

/** The line for decisions and constraints above the ceiling: `rows` in their order, `count` of them in all. */
export const ceilingLine = (rows: ReadonlyArray<FileMemory>, count: number): string => {
  const named = rows.slice(0, NAMED).map((row) =>
    row.isTeam ? `${oneLine(row.memory_key)} (namespace ${oneLine(row.namespace)})` : oneLine(row.memory_key)
  )
  const what = count === 1 ? "1 more decision or constraint does" : `${count} more decisions and constraints do`
  const keys = named.length === 0
    ? ""
    : `${named.length < count ? `, the first ${named.length}` : ""}: ${named.join(", ")}`
  return `- ${what} not fit${keys}; read each with memory.get or find it with memory.search`
}

/** The parts of a block, each a line; null for a closing line that is not needed. */
export interface BlockLines {
  readonly header: string
  readonly lines: ReadonlyArray<string>
  readonly ceiling: string | null
  readonly more: string | null
}

export const blockOf = ({ ceiling, header, lines, more }: BlockLines): string =>
  [header, ...lines, ...(ceiling === null ? [] : [ceiling]), ...(more === null ? [] : [more]), FOOTER].join("\n")
