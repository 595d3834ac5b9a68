/**
 * What stands of a model's reply, pure: a fact that cites a turn there is none of, that nobody said, that only the assistant
 * thought, or that is told of the wrong person is refused with a code, and the others stand. Dates are worked out here, from
 * the words that stand in the turn; nothing that a model wrote is repaired but the name of who spoke.
 */
import * as Either from "effect/Either"
import type { Turn } from "../conversation/TurnModel.ts"
import { isBlank, words } from "../platform/Analyzer.ts"
import { stopWords } from "../platform/AnalyzerStopWords.ts"
import { formsIn, holds, namesIn, numbersIn } from "../platform/StatedThings.ts"
import type { Segment } from "./ExtractPrompt.ts"
import { numberOf } from "./ExtractReply.ts"
import type { ReplyFact, ReplyForget } from "./ExtractReply.ts"
import type { Fact, ForgetRequest, RefusedFact, Transcript } from "./FactModel.ts"
import { dateOf } from "./RelativeDate.ts"

type Checked<A> = Either.Either<A, RefusedFact>

const refused = (code: string, reason: string, turns: ReadonlyArray<Turn> = []): Either.Either<never, RefusedFact> =>
  Either.left({ code, reason, turn_ids: turns.map(({ turn_id }) => turn_id) })

// Three lines of print: what is longer is no single fact.
const LONGEST_TEXT = 500
const LONGEST_NAME = 200
// "I moved to Berlin" is told as "lives in Berlin": a short sentence may have as many words of its own as of the speaker's.
const MOST_FOREIGN = 0.5

/** The turns of these numbers, each once and in order; undefined when one of them is none of the segment's. */
const cited = (segment: Segment, numbers: ReadonlyArray<number | string>): ReadonlyArray<Turn> | undefined => {
  const records = [...segment.before, ...segment.records]
  const asked = new Set(numbers.map(numberOf))
  const found = new Map(records.filter(({ number }) => asked.has(number)).map(({ number, turn }) => [number, turn]))
  return found.size === asked.size
    ? [...found].sort(([left], [right]) => left - right).map(([, turn]) => turn)
    : undefined
}

/** Whether all that is cited was shown for the sense alone: the segment before has told it. */
const isTold = (segment: Segment, turns: ReadonlyArray<Turn>): boolean =>
  turns.every((turn) => !segment.records.some((record) => record.turn === turn))

/** `undefined` for what another segment tells. */
export const checkFact = (transcript: Transcript, segment: Segment, fact: ReplyFact): Checked<Fact> | undefined => {
  const turns = cited(segment, fact.turns)
  if (turns === undefined || turns.length === 0) {
    return refused("NO_SUCH_TURN", "It cites a turn that there is none of.")
  }
  if (isTold(segment, turns)) return undefined
  if (isBlank(fact.text) || isBlank(fact.attribute) || fact.text.length > LONGEST_TEXT) {
    return refused("UNREADABLE", "It is blank, or no single fact.", turns)
  }
  if (turns.every(({ role }) => role === "assistant")) {
    return refused("ASSISTANT", "Only the assistant said it.", turns)
  }
  return Either.flatMap(subjectOf(transcript, turns, fact), ({ subject, text }) => {
    const evidence = turns.map(({ content }) => content).join("\n")
    const anchor = anchorOf(transcript, turns, fact.date)
    const told = [
      evidence,
      transcript.user,
      ...turns.map(({ speaker }) => speaker),
      // A date that is worked out may stand in the text too.
      ...(anchor === null ? [] : [dateWords(anchor.at)])
    ].join("\n")
    if (!isBorne(text, told, subject)) return refused("NOT_SAID", "The turns that it cites do not say it.", turns)
    const speakers = turns.map(({ speaker }) => speaker)
    return Either.right({
      subject,
      attribute: fact.attribute.slice(0, LONGEST_NAME),
      text,
      about_other: subject !== "user" && !speakers.includes(subject),
      memory_type: fact.type === "preference" ? "preference" : "semantic",
      turn_ids: turns.map(({ turn_id }) => turn_id),
      anchor,
      confidence: Number.isFinite(fact.confidence) ? Math.min(1, Math.max(0, fact.confidence)) : 0.5,
      entities: namesIn(text).filter((name) => holds(formsIn(evidence), name.toLowerCase()))
    })
  })
}

const same = (left: string, right: string): boolean => left.trim().toLowerCase() === right.trim().toLowerCase()

/** Whom it is about. What a named speaker says of himself is his, whatever the model made of it. */
const subjectOf = (
  { user }: Transcript,
  turns: ReadonlyArray<Turn>,
  { subject: given, text }: ReplyFact
): Checked<{ readonly subject: string; readonly text: string }> => {
  const name = given.trim().slice(0, LONGEST_NAME)
  const isUser = /^(?:the )?(?:user|speaker|i|me|myself)$/iu.test(name) || (user !== "" && same(name, user))
  const spoke = turns.filter(({ role }) => role === "user")
  if (!isUser) {
    if (name === "" || /^(?:the )?(?:assistant|ai|bot|system|model)$/iu.test(name)) {
      return refused("ASSISTANT", "It is about the assistant, or about nobody.", turns)
    }
    const speaker = turns.find((turn) => turn.speaker !== "" && same(turn.speaker, name))?.speaker
    if (speaker !== undefined) return Either.right({ subject: speaker, text })
    const forms = formsIn(turns.map(({ content }) => content).join("\n"))
    return words(name).some((word) => holds(forms, word) && !stopWords.has(word))
      ? Either.right({ subject: name, text })
      : refused("NOT_SAID", "The turns that it cites do not name whom it is about.", turns)
  }
  const named = [...new Set(spoke.map(({ speaker }) => speaker))].filter((one) => one !== "" && !same(one, user))
  const [other] = named
  if (other === undefined) return Either.right({ subject: "user", text })
  if (named.length > 1 || spoke.some(({ speaker }) => speaker === "" || same(speaker, user))) {
    return refused("WRONG_SUBJECT", "Several people said it, and it does not say of whom it is.", turns)
  }
  return Either.right({ subject: other, text: text.replace(/^(?:the\s+)?user\b/iu, other) })
}

const months = "January February March April May June July August September October November December".split(" ")
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")

/** A date in every way in which a sentence may tell it. */
const dateWords = (at: number): string => {
  const date = new Date(at)
  return `${date.toISOString().slice(0, 10)} ${date.getUTCDate()} ${months[date.getUTCMonth()] ?? ""} ${
    date.getUTCMonth() + 1
  } ${date.getUTCFullYear()} ${days[date.getUTCDay()] ?? ""}`
}

/** The date that words of a turn stand for, against the time of that turn; null where they do not stand there. */
const anchorOf = (
  { observed_at }: Transcript,
  turns: ReadonlyArray<Turn>,
  phrase: string | null
): Fact["anchor"] => {
  const sought = (phrase ?? "").trim().toLowerCase()
  if (sought === "") return null
  const turn = turns.find(({ content }) => content.toLowerCase().includes(sought))
  if (turn === undefined) return null
  // The sentence around tells whether it lies ahead or behind.
  const at = turn.content.toLowerCase().indexOf(sought)
  const from = Math.max(turn.content.lastIndexOf(".", at) + 1, turn.content.lastIndexOf("\n", at) + 1, 0)
  const end = turn.content.indexOf(".", at + sought.length)
  const sentence = turn.content.slice(from, end === -1 ? undefined : end + 1)
  const said = dateOf(sentence, turn.at ?? observed_at) ?? dateOf(sought, turn.at ?? observed_at)
  return said === null ? null : { at: said.at, confidence: said.confidence }
}

/** Whether numbers and names of a text stand in what was said, and enough of its words. */
const isBorne = (text: string, told: string, subject: string): boolean => {
  const numbers = numbersIn(told)
  if (![...numbersIn(text)].every((number) => numbers.has(number))) return false
  const forms = formsIn(`${told}\n${subject}`)
  if (!namesIn(text).every((name) => words(name).every((word) => holds(forms, word)))) return false
  const ofSubject = new Set(words(subject))
  const content = [...new Set(words(text))].filter((word) =>
    !stopWords.has(word) && word !== "user" && !ofSubject.has(word)
  )
  const foreign = content.filter((word) => !holds(forms, word))
  return content.length > 0 && foreign.length <= content.length * MOST_FOREIGN
}

/** A request that stands: the user made it, in a turn that says what. */
export const checkForget = (segment: Segment, { turn, what }: ReplyForget): Checked<ForgetRequest> | undefined => {
  const [said] = cited(segment, [turn]) ?? []
  if (said === undefined) return refused("NO_SUCH_TURN", "It cites a turn that there is none of.")
  if (isTold(segment, [said])) return undefined
  if (said.role !== "user") return refused("NOT_THE_USER", "Nobody but the user asks to forget.", [said])
  const forms = formsIn(said.content)
  const content = words(what).filter((word) => !stopWords.has(word))
  return content.length > 0 && content.every((word) => holds(forms, word))
    ? Either.right({ what, turn_id: said.turn_id })
    : refused("NOT_SAID", "The turn that it cites does not ask for that.", [said])
}
