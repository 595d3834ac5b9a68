/**
 * A value stated again under the key that holds it, pure: it is reinforced and takes the terms stated with it. When it became
 * true is said once; another type or label is judged (`MemoryRecast`).
 */
import * as Either from "effect/Either"
import type { Refusal } from "../kernel/LoomError.ts"
import { answerOf, judgedFacts, standingFacts } from "./MemoryAnswer.ts"
import type { SetItem, Statement, WriteMeta } from "./MemoryCommand.ts"
import { statedOutright } from "./MemoryDependents.ts"
import { carried } from "./MemoryDraft.ts"
import type { WriteAnswer } from "./MemoryFields.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { isRecast, recast } from "./MemoryRecast.ts"
import { isSearchable } from "./MemoryType.ts"
import { Writing } from "./MemoryWriting.ts"
import type { Planned, Planning } from "./MemoryWriting.ts"

/** The same value stated again under its own key: reinforced, with what of the statement counts. */
export const restated = (
  planning: Planning,
  meta: WriteMeta,
  item: SetItem,
  own: MemoryRow
): Either.Either<Planned<WriteAnswer>, Refusal> => {
  const { valid_at } = item.statement
  const asked = restatement(item.statement, own)
  const cast = classified(own, item)
  const columns = {
    ...statedOutright(own, item.source_class),
    ...asked,
    ...cast,
    reinforcement_count: own.reinforcement_count + 1
  }
  const change = dates(asked) ? "label" : "restate"
  const noted = {
    ...meta,
    advisories: [
      ...meta.advisories,
      ...(cast.sensitivity === own.sensitivity ? [] : item.content.advisories ?? []),
      "The same value was already stored; it is reinforced",
      ...(valid_at === undefined || own.valid_at === null || valid_at === own.valid_at
        ? []
        : ["It keeps the valid_at it has; memory.update changes that"]),
      ...keptEnds(own, asked)
    ]
  }
  const content = { ...item.content, ...cast, ...(isSearchable(cast) ? {} : { searchable: null }) }
  if (isRecast(own, content)) {
    return Either.map(
      recast(planning, noted, own, { content, columns, change }),
      ({ decision, next, writing }) =>
        writing.planned(answerOf(noted, writing.current(next), {
          ...(decision === undefined ? {} : judgedFacts(noted, decision, own))
        }))
    )
  }
  const writing = new Writing(planning, noted)
  const row = writing.add((moment) => carried(own, noted, moment, change, columns))
  const isNew = row.canonical_sha256 !== own.canonical_sha256 || isSearchable(row) !== isSearchable(own)
  if (isNew || item.statement.entities !== undefined) writing.derive(row, isNew ? content : null)
  if (row.sensitivity === "high" && own.sensitivity !== "high") writing.hideDuplicates(row)
  return Either.right(writing.planned(answerOf(noted, row, standingFacts(planning.view, row))))
}

/** The ends that a restatement without a word on them leaves as they are: its writer may count on more. */
const keptEnds = (own: MemoryRow, { expires_at, valid_to }: Statement): ReadonlyArray<string> => [
  ...(own.expires_at === null || expires_at !== undefined
    ? []
    : [`It still ends at ${iso(own.expires_at)}; ttl_seconds or clear_expiry changes that`]),
  ...(own.valid_to === null || valid_to !== undefined
    ? []
    : [`It is still true until ${iso(own.valid_to)}; valid_to changes that`])
]

const iso = (millis: number): string => new Date(millis).toISOString()

/** Whether a statement says when its claim was true; such a change counts on the time axis, a plain restatement never. */
export const dates = ({ valid_at, valid_to }: Statement): boolean => valid_at !== undefined || valid_to !== undefined

/** What of a restated claim counts: when it became true is said once, or the same sentence would take the first answer away. */
const restatement = ({ valid_at, ...statement }: Statement, own: MemoryRow): Statement =>
  own.valid_at === null && valid_at !== undefined ? { ...statement, valid_at } : statement

/**
 * A restatement may change type or sensitivity, and a value may be known for a secret by now; the form under which equals
 * are found follows them.
 */
const classified = (own: MemoryRow, { content, statement }: SetItem) => {
  const typed = statement.memory_type === undefined
    ? { memory_type: own.memory_type }
    : { memory_type: content.memory_type, retyped_from: content.retyped_from }
  const sensitivity = statement.sensitivity ?? (content.sensitivity === "high" ? "high" : own.sensitivity)
  const changes = statement.memory_type !== undefined || sensitivity !== own.sensitivity
  return {
    retyped_from: own.retyped_from,
    ...typed,
    sensitivity,
    canonical_sha256: !changes
      ? own.canonical_sha256
      : isSearchable({ ...typed, sensitivity })
      ? content.canonical_sha256
      : ""
  }
}
