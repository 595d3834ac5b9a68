/**
 * What can be asked of the past after a history, and what the reference's beliefs say to it; also which acts may not move
 * what was true.
 */
import { LIVE_STATUSES } from "../../src/memory/MemoryModel.ts"
import { textOf } from "./ModelClaims.ts"
import { validAtOf } from "./ModelCommands.ts"
import { KEYS } from "./ModelSteps.ts"
import type { Act, Ask, MoveKind } from "./ModelSteps.ts"
import { booksOf, dateOf, intervalsOf, servedAt, trueAt } from "./ReferenceBeliefs.ts"
import type { Belief, Books, Move } from "./ReferenceBeliefs.ts"
import { isEnded } from "./ReferenceRow.ts"
import type { ReferenceRow } from "./ReferenceRow.ts"

/** A question with its times, so that it is the same whenever and wherever it is asked. */
export interface Question {
  readonly what: Ask["what"]
  readonly axis: Ask["axis"]
  readonly key: string
  readonly at: number
  readonly known: number
}

/** The moments at which an answer may change, and those just before. */
const momentsOf = (log: ReadonlyArray<Move>, now: number): ReadonlyArray<number> => {
  const ends = log.flatMap(({ at, row }) => [at, row.validAt, row.validTo, row.expiresAt].filter((one) => one !== null))
  const all = [now, validAtOf(1) ?? now, ...ends].flatMap((one) => [one - 1, one])
  return [...new Set(all)].sort((left, right) => left - right)
}

const pick = <A>(items: ReadonlyArray<A>, number: number): A => {
  const item = items[number % items.length]
  if (item === undefined) throw new Error("nothing to choose from")
  return item
}

export const questionOf = (ask: Ask, log: ReadonlyArray<Move>, now: number): Question => {
  const { at, key, known, what } = ask
  // What is out of service is shown for the axis of knowledge alone.
  const axis = what === "all" ? "knowledge" : ask.axis
  const moments = momentsOf(log, now)
  // What was known at a time can be asked of times that have come.
  const past = moments.filter((one) => one <= now)
  return {
    what,
    axis,
    key: pick(KEYS, key),
    at: pick(axis === "knowledge" ? past : moments, at),
    known: pick(past, known)
  }
}

const EVERYTHING = ["active", "conflicted", "duplicate", "superseded", "proposed", "tombstoned"]

export const iso = (millis: number | null): string | null => millis === null ? null : new Date(millis).toISOString()

const rowText = (row: ReferenceRow): string =>
  JSON.stringify([
    row.label,
    textOf(row.claim),
    row.status,
    row.pinned,
    row.tags,
    iso(row.validAt),
    iso(row.validTo),
    iso(row.expiresAt)
  ])

const beliefText = (belief: Belief): string => rowText({ ...belief.row, claim: belief.claim })

export const sorted = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...texts].sort()

/** Answers that are right: one of these. */
interface Expected {
  readonly answers: ReadonlyArray<string>
}

export const expectedOf = ({ at, axis, key, known, what }: Question, log: ReadonlyArray<Move>): Expected => {
  const books = booksOf(log, axis === "knowledge" ? at : axis === "both" ? known : Number.MAX_SAFE_INTEGER)
  switch (what) {
    case "list":
      return {
        answers: [
          JSON.stringify(
            sorted(axis === "knowledge" ? servedAt(books, at).map(rowText) : trueAt(books, at).map(beliefText))
          )
        ]
      }
    case "all":
      return { answers: [JSON.stringify(sorted(everyHead(books, at).map(rowText)))] }
    case "get": {
      const found = axis === "knowledge"
        ? servedAt(books, at).filter((row) => row.key === key).map((row) => ({ date: 0, text: rowText(row) }))
        : trueAt(books, at).filter(({ row }) => row.key === key)
          .map((belief) => ({ date: dateOf(belief), text: beliefText(belief) }))
      const last = Math.max(...found.map(({ date }) => date))
      // Which of several writers answers is left open where their dates are one.
      const first = found.filter(({ date }) => date === last)
      return {
        answers: found.length === 0 ? ["nothing"] : first.map(({ text }) => `${text} and ${found.length - 1} others`)
      }
    }
    case "timeline":
      return { answers: [JSON.stringify(sorted(intervalsOf(books, key).map(intervalText)))] }
  }
}

/** Whatever stood, served or not; a rejected row is shown by no list. */
const everyHead = (books: Books, at: number): ReadonlyArray<ReferenceRow> =>
  [...books.values()].map(({ head }) => head).filter((row) =>
    EVERYTHING.includes(row.status) && !(LIVE_STATUSES.some((status) => status === row.status) && isEnded(row, at))
  )

const intervalText = (
  { belief, by, derived, from, retired, status, until }: ReturnType<typeof intervalsOf>[number]
): string =>
  JSON.stringify([
    belief.row.label,
    textOf(belief.claim),
    iso(from),
    belief.validAt === null ? "learned" : "valid_at",
    iso(until),
    derived,
    iso(belief.learned),
    belief.withdrawn,
    status,
    by,
    iso(retired)
  ])

/** Acts that say nothing about the world: whatever they do to a row, what was true stays. */
const isQuiet = (act: Act): boolean => act.tag === "move" && act.parts.every(({ move }) => QUIET.includes(move.kind))
const QUIET: ReadonlyArray<MoveKind["kind"]> = ["pin", "lock", "touch", "label", "verify", "allow"]

/** What such an act changed of what was true, at any moment. */
export const movedBy = (
  act: Act,
  before: ReadonlyArray<Move>,
  after: ReadonlyArray<Move>,
  now: number
): ReadonlyArray<string> => {
  if (!isQuiet(act) || before === after) return []
  const [then, since] = [before, after].map((log) => booksOf(log, now))
  if (then === undefined || since === undefined) return []
  const told = (books: Books, at: number) =>
    trueAt(books, at).map(({ claim, row }) => `${row.label}: ${textOf(claim)}`).join("; ")
  return momentsOf(after, now).filter((at) => told(then, at) !== told(since, at)).map((at) =>
    `it moved what was true at ${iso(at)}`
  )
}
