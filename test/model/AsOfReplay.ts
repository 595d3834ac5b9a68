/**
 * Reads of the past held against the model: at moments of both clocks, memory.list, memory.get and memory.timeline must
 * answer what the reference's beliefs say. A question is asked as soon as it can be and once more at the end: on the axis
 * of knowledge both answers are one, whatever was written in between.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { LIVE_STATUSES } from "../../src/memory/MemoryModel.ts"
import { textOf } from "./ModelClaims.ts"
import { validAtOf } from "./ModelCommands.ts"
import type { House } from "./ModelHouse.ts"
import { KEYS, labelOf } from "./ModelSteps.ts"
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

// ---- what the model says -------------------------------------------------------------------------------------------

const EVERYTHING = ["active", "conflicted", "duplicate", "superseded", "proposed", "tombstoned"]

const iso = (millis: number | null): string | null => millis === null ? null : new Date(millis).toISOString()

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

const sorted = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...texts].sort()

/** Answers that are right: one of these. */
interface Expected {
  readonly answers: ReadonlyArray<string>
}

const expectedOf = ({ at, axis, key, known, what }: Question, log: ReadonlyArray<Move>): Expected => {
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

// ---- what is answered ----------------------------------------------------------------------------------------------

const Placed = {
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String,
  value: Schema.Unknown
}
const Text = Schema.NullOr(Schema.String)
const Seen = Schema.Struct({
  ...Placed,
  status: Schema.String,
  pinned: Schema.Boolean,
  tags: Schema.Array(Schema.String),
  valid_at: Text,
  valid_to: Text,
  expires_at: Text
})
const decodeList = Schema.decodeUnknownSync(Schema.Struct({ memories: Schema.Array(Seen) }))
const decodeFound = Schema.decodeUnknownSync(
  Schema.Struct({ found: Schema.Boolean, other_writers: Schema.optional(Schema.Number) })
)
const decodeSeen = Schema.decodeUnknownSync(Seen)
const decodeTimeline = Schema.decodeUnknownSync(Schema.Struct({
  beliefs: Schema.Array(Schema.Struct({
    ...Placed,
    valid_from: Schema.String,
    from_basis: Schema.String,
    valid_until: Text,
    until_derived: Schema.Boolean,
    learned_at: Schema.String,
    withdrawn: Schema.Boolean,
    status: Schema.String,
    superseded_by: Text,
    retired_at: Text
  }))
}))

const seenText = (row: typeof Seen.Type): string =>
  JSON.stringify([
    labelOf(row),
    row.value,
    row.status,
    row.pinned,
    row.tags,
    row.valid_at,
    row.valid_to,
    row.expires_at
  ])

const answeredOf = (what: Question["what"], answer: unknown, name: (id: string) => string | undefined): string => {
  switch (what) {
    case "list":
    case "all":
      return JSON.stringify(sorted(decodeList(answer).memories.map(seenText)))
    case "get": {
      const { found, other_writers } = decodeFound(answer)
      return found ? `${seenText(decodeSeen(answer))} and ${other_writers ?? 0} others` : "nothing"
    }
    case "timeline":
      return JSON.stringify(sorted(
        decodeTimeline(answer).beliefs.map((one) =>
          JSON.stringify([
            labelOf(one),
            one.value,
            one.valid_from,
            one.from_basis,
            one.valid_until,
            one.until_derived,
            one.learned_at,
            one.withdrawn,
            one.status,
            one.superseded_by === null ? null : name(one.superseded_by) ?? one.superseded_by,
            one.retired_at
          ])
        )
      ))
  }
}

const payloadOf = ({ at, axis, key, known, what }: Question) => {
  const instant = axis === "both"
    ? { as_of_valid: iso(at), as_of_known: iso(known) }
    : { as_of: iso(at), as_of_basis: axis === "valid" ? "valid_time" : "knowledge_time" }
  const every = {
    include_duplicates: true,
    include_superseded: true,
    include_proposed: true,
    include_tombstoned: true
  }
  switch (what) {
    case "list":
      return { limit: 100, ...instant }
    case "all":
      return { limit: 100, ...instant, ...every }
    case "get":
      return { memory_key: key, ...instant }
    case "timeline":
      return {
        memory_key: key,
        include_withdrawn: true,
        ...(axis === "valid" ? {} : { as_of_known: iso(axis === "both" ? known : at) })
      }
  }
}

const VERBS = { list: "memory.list", all: "memory.list", get: "memory.get", timeline: "memory.timeline" } as const

const questionText = ({ at, axis, key, known, what }: Question): string =>
  `${VERBS[what]}${what === "all" ? " of everything" : what === "list" ? "" : ` ${key}`} ` +
  `${axis} at ${iso(at)}${axis === "both" ? ` by what was known at ${iso(known)}` : ""}`

/** What is wrong with the answer of a house, in words. */
export const asked = (
  house: House,
  question: Question,
  log: ReadonlyArray<Move>,
  name: (id: string) => string | undefined
): Effect.Effect<ReadonlyArray<string>, LoomError> =>
  Effect.map(house.ask(VERBS[question.what], payloadOf(question)), (answer) => {
    const seen = answeredOf(question.what, answer, name)
    const { answers } = expectedOf(question, log)
    return answers.includes(seen)
      ? []
      : [`${questionText(question)}: expected\n     ${answers.join("\n  or ")}\nwas answered\n     ${seen}`]
  })
