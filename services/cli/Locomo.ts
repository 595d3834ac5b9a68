/**
 * The LoCoMo data set as it is published: conversations of sessions of turns, and questions with the turns that hold
 * their evidence. A turn becomes one memory, in one namespace a conversation. Pure.
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { ImportItem } from "./ImportItem.ts"

const Turn = Schema.Struct({
  speaker: Schema.String,
  dia_id: Schema.String,
  text: Schema.String,
  blip_caption: Schema.optional(Schema.String)
})

const Question = Schema.Struct({
  question: Schema.String,
  category: Schema.Number,
  answer: Schema.optional(Schema.Union(Schema.String, Schema.Number)),
  evidence: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] })
})
export type Question = typeof Question.Type

const Sample = Schema.Struct({
  sample_id: Schema.String,
  conversation: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** Of each session, what was extracted of each speaker: the statement, and the turns it was read from. */
  observation: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), {
    default: () => ({})
  }),
  qa: Schema.optionalWith(Schema.Array(Question), { default: () => [] })
})

const File = Schema.parseJson(Schema.Array(Sample))

export interface LocomoTurn {
  readonly dia_id: string
  readonly speaker: string
  readonly text: string
  readonly caption: string | undefined
}

export interface LocomoSession {
  readonly number: number
  /** Epoch milliseconds, read as UTC; null when the session says no date that is one. */
  readonly time: number | null
  readonly turns: ReadonlyArray<LocomoTurn>
}

export interface LocomoConversation {
  readonly id: string
  readonly sessions: ReadonlyArray<LocomoSession>
  readonly questions: ReadonlyArray<Question>
  readonly facts: ReadonlyArray<LocomoFact>
}

/** A statement that was extracted from a session, and the ids of its turns as they are spelt. */
export interface LocomoFact {
  readonly session: number
  readonly text: string
  readonly evidence: ReadonlyArray<string>
}

const months = "january february march april may june july august september october november december".split(" ")

/** `1:56 pm on 8 May, 2023` as epoch milliseconds, read as UTC. */
export const sessionTime = (text: string): number | null => {
  const match = /^\s*(\d{1,2}):(\d{2})\s*([ap])m\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*$/i.exec(text)
  if (match === null) return null
  const [, hour = "", minute = "", half = "", day = "", month = "", year = ""] = match
  const at = months.indexOf(month.toLowerCase())
  const hours = Number(hour) % 12 + (half.toLowerCase() === "p" ? 12 : 0)
  const time = Date.UTC(Number(year), at, Number(day), hours, Number(minute))
  return at < 0 || new Date(time).getUTCDate() !== Number(day) ? null : time
}

const isTurns = Schema.decodeUnknownEither(Schema.Array(Turn))

const sessionsOf = (
  { conversation, sample_id }: typeof Sample.Type
): Either.Either<ReadonlyArray<LocomoSession>, string> => {
  const numbers = Object.keys(conversation)
    .flatMap((name) => /^session_(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((left, right) => left - right)
  const sessions: Array<LocomoSession> = []
  for (const number of numbers) {
    const turns = isTurns(conversation[`session_${number}`])
    if (Either.isLeft(turns)) return Either.left(`session ${number} of ${sample_id} holds no turns`)
    const date = conversation[`session_${number}_date_time`]
    sessions.push({
      number,
      time: typeof date === "string" ? sessionTime(date) : null,
      turns: turns.right.map(({ blip_caption, ...turn }) => ({ ...turn, caption: blip_caption }))
    })
  }
  return Either.right(sessions)
}

const Facts = Schema.Record({
  key: Schema.String,
  value: Schema.Array(Schema.Tuple(Schema.String, Schema.Union(Schema.String, Schema.Array(Schema.String))))
})
const isFacts = Schema.decodeUnknownOption(Facts)

/** What is not of the expected shape states nothing. */
const factsOf = ({ observation }: typeof Sample.Type): ReadonlyArray<LocomoFact> =>
  Object.entries(observation).flatMap(([name, value]) => {
    const session = Number(/^session_(\d+)_observation$/.exec(name)?.[1] ?? "0")
    return Object.values(Option.getOrElse(isFacts(value), (): typeof Facts.Type => ({}))).flat().map((
      [text, evidence]
    ) => ({
      session,
      text,
      evidence: typeof evidence === "string" ? [evidence] : evidence
    }))
  })

/** The conversations of a file, or why it is none, in words. */
export const parse = (text: string): Either.Either<ReadonlyArray<LocomoConversation>, string> =>
  Schema.decodeUnknownEither(File)(text).pipe(
    Either.mapLeft((fault) => {
      const first = ParseResult.ArrayFormatter.formatErrorSync(fault)[0]
      return first === undefined || first.path.length === 0
        ? "it is no JSON list of conversations"
        : `${first.path.map(String).join(".")} is not as expected`
    }),
    Either.flatMap((samples) =>
      Either.all(
        samples.map((sample) =>
          Either.map(sessionsOf(sample), (sessions): LocomoConversation => ({
            id: sample.sample_id,
            sessions,
            questions: sample.qa,
            facts: factsOf(sample)
          }))
        )
      )
    )
  )

const longMonths = months.map((month) => `${month.slice(0, 1).toUpperCase()}${month.slice(1)}`)

/** `8 May 2023`. */
const dateWords = (time: number): string => {
  const date = new Date(time)
  return `${date.getUTCDate()} ${longMonths[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** What is remembered of a turn: when, who, the words, and what a picture shows. */
export const turnText = ({ time }: LocomoSession, { caption, speaker, text }: LocomoTurn): string =>
  [
    ...(time === null ? [] : [`[${dateWords(time)}]`]),
    `${speaker}: ${text.trim()}`,
    ...(caption === undefined || caption.trim() === "" ? [] : [`[shares a photo of ${caption.trim()}]`])
  ].join(" ")

/** The key of a turn: which conversation, which session, which turn. */
export const turnKey = (conversation: string, session: number, dia_id: string): string =>
  `conversation/${conversation}/session-${session}/${dia_id}`

/** The turn that a key stands for. */
export const diaIdOf = (memory_key: string): string => memory_key.slice(memory_key.lastIndexOf("/") + 1)

export const namespaceOf = (prefix: string, conversation: LocomoConversation): string => `${prefix}${conversation.id}`

/** The memories of a conversation, a turn each. */
export const items = (prefix: string, conversation: LocomoConversation): ReadonlyArray<ImportItem> =>
  conversation.sessions.flatMap((session) =>
    session.turns.map((turn) => ({
      id: `${conversation.id} ${turn.dia_id}`,
      scope: { namespace: namespaceOf(prefix, conversation) },
      fields: {
        memory_key: turnKey(conversation.id, session.number, turn.dia_id),
        value: turnText(session, turn),
        tags: [`speaker:${turn.speaker}`],
        session_id: `session-${session.number}`,
        source_class: "imported",
        ...(session.time === null ? {} : { valid_at: new Date(session.time).toISOString() })
      },
      alone: false
    }))
  )
