/**
 * Reads of the past held against the model: at moments of both clocks, memory.list, memory.get and memory.timeline must
 * answer what the reference's beliefs say. A question is asked as soon as it can be and once more at the end: on the axis
 * of knowledge both answers are one, whatever was written in between.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { expectedOf, iso, sorted } from "./AsOfQuestions.ts"
import type { Question } from "./AsOfQuestions.ts"
import type { House } from "./ModelHouse.ts"
import { labelOf } from "./ModelSteps.ts"
import type { Move } from "./ReferenceBeliefs.ts"

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
