/**
 * How `loom review` shows what waits, and how it reads what a person decides; pure. What is stored stands on lines of its
 * own without any control character, so that no value can write over the screen.
 */
import * as Either from "effect/Either"
import { ageText, cutTo, oneLine } from "../../src/context/ForFileBlock.ts"
import type { ReviewItem, ReviewSide, ReviewStep } from "../../src/memory/ReviewQueueModel.ts"
import type { NamespaceReview } from "../../src/memory/ReviewQueueVerbs.ts"

type Queue = typeof NamespaceReview.answer.Type
export type Kind = Queue["kinds"][number]

// A value longer than some lines is read with memory.get.
const VALUE = 600

const age = (seconds: number): string => ageText(seconds * 1_000)

/** What waits of each kind, as rows of a table. */
export const summary = ({ kinds }: Queue): ReadonlyArray<ReadonlyArray<string>> => [
  ["KIND", "WAITING", "OLDEST", "WHAT"],
  ...kinds.map(({ count, kind, oldest_age_seconds, what }) => [
    kind,
    String(count),
    oldest_age_seconds === null ? "-" : age(oldest_age_seconds),
    what
  ])
]

const valueText = ({ value, value_withheld }: ReviewSide): string =>
  value_withheld === true
    ? "(withheld: read it with memory.get)"
    : cutTo(oneLine(typeof value === "string" ? value : JSON.stringify(value)), VALUE)

const sideLines = (side: ReviewSide, at: number, of: number): ReadonlyArray<string> => {
  const marks = [
    side.memory_type,
    side.source_class,
    `by ${oneLine(side.actor)}`,
    side.updated_at.slice(0, 16).replace("T", " "),
    ...(side.user_id === "-" ? [] : [`user ${oneLine(side.user_id)}`]),
    ...(side.verification === "none" ? [] : [`vouched for: ${side.verification}`])
  ]
  const name = of > 1 ? `${at + 1}  ` : "   "
  return [`  ${name}${oneLine(side.memory_key)} (${marks.join(", ")})`, `     ${valueText(side)}`]
}

/** An item: why it waits, and every side of it. */
export const itemLines = (item: ReviewItem): ReadonlyArray<string> => [
  `  ${oneLine(item.why)}`,
  ...item.sides.flatMap((side, at) => sideLines(side, at, item.sides.length))
]

export const headLine = (kind: string, at: number, of: number, item: ReviewItem): string =>
  `${kind} ${at} of ${of}, waiting for ${age(item.age_seconds)}`

const nameOf = ({ action, side }: ReviewStep): string => side === null ? action : `${action} ${side}`

/** What can be said about an item. */
export const choiceLines = ({ steps }: ReviewItem): ReadonlyArray<string> => {
  const rows = [
    ...steps.map((step) => [nameOf(step), step.what] as const),
    ["skip", "leave it as it is"] as const,
    ["quit", "end here"] as const
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, what]) => `    ${name.padEnd(width)}  ${what}`)
}

/** The same as calls, for whoever has no terminal. */
export const callLines = ({ steps }: ReviewItem): ReadonlyArray<string> =>
  steps.map((step) =>
    `    ${nameOf(step)}: loom call ${step.verb} '${JSON.stringify(step.request).replaceAll("'", "'\\''")}'`
  )

export type Choice = ReviewStep | "skip" | "quit"

/**
 * What a line means for an item: an action or the beginning of one, with a side where it is about one (`revise 1`, `r1`).
 * Otherwise what can be said, in words.
 */
export const choiceOf = ({ steps }: ReviewItem, line: string): Either.Either<Choice, string> => {
  const [, word = "", side] = /^\s*([a-z]+)\s*([12])?\s*$/i.exec(line) ?? []
  const said = word.toLowerCase()
  const actions = [...new Set(steps.map(({ action }) => action)), "skip", "quit"]
  const meant = said === "" ? [] : actions.filter((action) => action.startsWith(said))
  const exact = meant.includes(said) ? said : meant.length === 1 ? meant[0] : undefined
  const can = [...steps.map(nameOf), "skip", "quit"].join(", ")
  if (exact === undefined) {
    return Either.left(`Say one of: ${can}. The beginning of a word is enough, such as ${exampleOf(steps)}.`)
  }
  if (exact === "skip" || exact === "quit") return Either.right(exact)
  const own = steps.filter(({ action }) => action === exact)
  const [only] = own
  if (only !== undefined && only.side === null) return Either.right(only)
  const step = own.find((one) => String(one.side) === side)
  return step === undefined
    ? Either.left(`Say which one: ${own.map(nameOf).join(" or ")}.`)
    : Either.right(step)
}

const exampleOf = ([first]: ReadonlyArray<ReviewStep>): string =>
  first === undefined ? "`s`" : `\`${first.action.slice(0, 1)}${first.side ?? ""}\``
