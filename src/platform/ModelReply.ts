/**
 * The JSON in what a language model said. Pure. Models wrap it in fences and chatter, think aloud before it, leave commas
 * and comments in it, escape what needs no escape, and break off. All of that is read; nothing is invented: what cannot be
 * read is a fault, and of a text that broke off only whole items of lists are kept, which `truncated` tells. How one value
 * is read is in `ModelReplyScan`.
 */
import * as Either from "effect/Either"
import * as Json from "../kernel/Json.ts"
import { scanFrom } from "./ModelReplyScan.ts"

/** One JSON value that a reply holds. */
export interface Reading {
  readonly value: unknown
  /** Whether the text broke off within it: lists may have had more items, objects more members. */
  readonly truncated: boolean
  /** Whether it stood in a fence of its own, or alone. */
  readonly fenced: boolean
}

/** Why a reply holds no value, in words for the model; nothing of the reply is in them. */
export interface ReplyFault {
  readonly message: string
}

interface Found extends Reading {
  readonly length: number
}

// What opens a value, and the tags between which models think aloud. Within a value neither is looked for.
const landmark = /[{[]|<(\/?)(?:think|thinking|thought|reasoning)>/gi
const thoughtEnd = /<\/(?:think|thinking|thought|reasoning)>/gi
const fenceBefore = /```[\w-]*[ \t]*\r?\n?\s*$/

/** All values that a reply may mean, the likeliest first: a fenced one, then the longest, then the last; whole ones first. */
export const readings = (text: string): Either.Either<ReadonlyArray<Reading>, ReplyFault> => {
  const whole = strictly(text) ?? strictly(unfenced(unthought(text)))
  if (whole !== undefined) return Either.right([whole])
  const { fault, found } = scanned(text)
  return found.length === 0
    ? Either.left({ message: fault ?? "it holds no JSON" })
    : Either.right(found.toReversed().toSorted(likelier).map(({ length: _, ...reading }) => reading))
}

/** The likeliest value of a reply. */
export const read = (text: string): Either.Either<Reading, ReplyFault> =>
  Either.flatMap(
    readings(text),
    ([first]) => first === undefined ? Either.left({ message: "it holds no JSON" }) : Either.right(first)
  )

const strictly = (text: string): Reading | undefined =>
  Either.match(Json.parse(text.trim()), {
    onLeft: () => undefined,
    onRight: (value) => ({ value, truncated: false, fenced: true })
  })

const unthought = (text: string): string => text.replace(/^\s*<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>/i, "")

const unfenced = (text: string): string =>
  /^\s*```[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```\s*$/.exec(text)?.[1] ?? text

const likelier = (one: Found, other: Found): number =>
  Number(one.truncated) - Number(other.truncated) || Number(other.fenced) - Number(one.fenced) ||
  other.length - one.length

const scanned = (text: string): { readonly found: ReadonlyArray<Found>; readonly fault: string | undefined } => {
  let found: Array<Found> = []
  let fault: string | undefined
  let at = 0
  for (;;) {
    landmark.lastIndex = at
    const mark = landmark.exec(text)
    if (mark === null) return { found, fault }
    const start = mark.index
    at = landmark.lastIndex
    // What stood before an end without a beginning was thought too.
    if (mark[1] === "/") {
      found = []
      continue
    }
    if (mark[1] === "") {
      thoughtEnd.lastIndex = at
      if (!thoughtEnd.test(text)) return { found, fault: fault ?? "it broke off while thinking" }
      at = thoughtEnd.lastIndex
      continue
    }
    const scan = scanFrom(text, start)
    at = scan.next
    if (scan._tag === "Value") {
      found.push({
        value: scan.value,
        truncated: scan.truncated,
        fenced: fenceBefore.test(text.slice(Math.max(0, start - 64), start)),
        length: scan.next - start
      })
    } else if (scan.serious) fault ??= scan.message
  }
}
