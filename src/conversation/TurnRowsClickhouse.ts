/**
 * Rows of turns and of their parts as ClickHouse keeps them, and which of them a filter means. `ofWriters` comes first in
 * every condition, so that none reads past its scope. Of two rows of one turn the one that deletes it counts, else the one
 * with the earlier position: however often and in whatever order the same turn is written, the same row is read.
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { inScope } from "../memory/MemoryRowsClickhouse.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Fragment } from "../platform/Clickhouse.ts"
import { formsOf, holdsAny } from "../platform/ClickhouseTerms.ts"
import { base64Of, EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { saidAt, Turn } from "./TurnModel.ts"
import type { IndexedTurn, TurnWriter } from "./TurnModel.ts"
import type { Deletion, TurnFilter, TurnWords } from "./TurnStore.ts"

export const TurnRow = Schema.Struct({
  ...Turn.fields,
  position: UInt64,
  at: Schema.NullOr(EpochMillis),
  recorded_at: EpochMillis
})

export const turnColumns: Fragment = ch.join(Object.keys(Turn.fields).map((name) => ch.identifier(name)))

/** The sort key behind the scope. */
export const keyColumns: Fragment = ch.fragment`agent, user_id, session_id, turn_id`

export type TurnKey = Pick<Turn, "agent" | "user_id" | "session_id" | "turn_id">

export const atKeys = (keys: ReadonlyArray<TurnKey>): Fragment =>
  ch.fragment`(${keyColumns}) IN ${
    ch.tuples(
      ["String", "String", "String", "String"],
      keys.map(({ agent, session_id, turn_id, user_id }) => [agent, user_id, session_id, turn_id])
    )
  }`

/** Turns of several scopes; each names its own. */
export const atPlaces = (places: ReadonlyArray<TurnWriter & Pick<Turn, "turn_id">>): Fragment =>
  ch.fragment`(org, namespace, ${keyColumns}) IN ${
    ch.tuples(
      ["String", "String", "String", "String", "String", "String"],
      places.map(({ agent, namespace, org, session_id, turn_id, user_id }) => [
        org,
        namespace,
        agent,
        user_id,
        session_id,
        turn_id
      ])
    )
  }`

export const ofWriter = (writer: TurnWriter): Fragment =>
  ch.fragment`${inScope(writer)} AND agent = ${ch.string(writer.agent)} AND user_id = ${
    ch.string(writer.user_id)
  } AND session_id = ${ch.string(writer.session_id)}`

/** The scope and the writers, in the order of the sort keys. */
export const ofWriters = (scope: Scope, { agent, session_ids, user_id }: TurnFilter): Fragment =>
  ch.join([
    inScope(scope),
    ...(agent === null ? [] : [ch.fragment`agent = ${ch.string(agent)}`]),
    ...(user_id === null ? [] : [ch.fragment`user_id = ${ch.string(user_id)}`]),
    ...(session_ids.length === 0 ? [] : [ch.fragment`session_id IN ${ch.array("String", session_ids)}`])
  ], " AND ")

/** The rest of a filter; turns and their parts have these columns alike. */
export const passing = (scope: Scope, filter: TurnFilter): Fragment => {
  const { role, run_id, since, speaker, until, words } = filter
  return ch.join([
    ch.fragment`true`,
    ...(run_id === null ? [] : [ch.fragment`run_id = ${ch.string(run_id)}`]),
    ...(role === null ? [] : [ch.fragment`role = ${ch.string(role)}`]),
    ...(speaker === null ? [] : [ch.fragment`speaker = ${ch.string(speaker)}`]),
    ...(since === null ? [] : [ch.fragment`said_at >= ${ch.dateTime64(since)}`]),
    ...(until === null ? [] : [ch.fragment`said_at < ${ch.dateTime64(until)}`]),
    ...(words === null ? [] : [ch.fragment`turn_id IN (${holding(scope, filter, words)})`])
  ], " AND ")
}

/** The turns that hold the words: the words of a long one may stand in several of its parts, those of a phrase in one. */
const holding = (scope: Scope, filter: TurnFilter, words: TurnWords): Fragment => {
  const from = ch.fragment`SELECT turn_id FROM loom.conversation_chunks PREWHERE ${ofWriters(scope, filter)}`
  if (words.match === "phrase") {
    return ch.fragment`${from} WHERE hasSubstr(stems, ${ch.array("String", words.stems)})`
  }
  if (words.groups.length === 0) return ch.fragment`${from} WHERE ${ch.boolean(words.match === "all")}`
  const any = ch.fragment`${from} WHERE ${holdsAny(words.groups)}`
  return words.match === "any"
    ? any
    : ch.fragment`${any} GROUP BY turn_id HAVING ${
      ch.join(
        words.groups.map((group) =>
          ch.fragment`max(hasAny(terms, arrayMap(form -> sipHash64(form), ${ch.array("String", formsOf(group))})))`
        ),
        " AND "
      )
    }`
}

const FIRST_VERSION = 1n << 63n
const DELETED_VERSION = (1n << 64n) - 1n

export const rowOf = ({ turn }: IndexedTurn): object => ({
  ...turn,
  at: turn.at === null ? null : new Date(turn.at),
  recorded_at: new Date(turn.recorded_at),
  deleted_at: null,
  version: FIRST_VERSION - turn.position
})

/** What stays of a deleted turn: that its id was used, and who deleted it when and why. */
export const deletedRow = (
  { agent, namespace, org, role, session_id, turn_id, user_id }: Turn,
  { actor, at, reason }: Deletion
): object => ({
  org,
  namespace,
  agent,
  user_id,
  session_id,
  turn_id,
  role,
  recorded_at: new Date(at),
  deleted_at: new Date(at),
  deleted_by: actor,
  delete_reason: reason,
  version: DELETED_VERSION
})

/** The columns of a part as they are sent; one of them exists only in an insert. */
export const chunkColumns: ReadonlyArray<string> = [
  "org",
  "namespace",
  "agent",
  "user_id",
  "session_id",
  "turn_id",
  "chunk_index",
  "embedder_id",
  "start_at",
  "end_at",
  "stems",
  "lemmas",
  "vector_base64",
  "role",
  "speaker",
  "run_id",
  "said_at",
  "position"
]

export const chunkRows = ({ chunks, embedder_id, turn }: IndexedTurn): ReadonlyArray<object> => {
  const { agent, namespace, org, position, role, run_id, session_id, speaker, turn_id, user_id } = turn
  return chunks.map(({ end, index, lemmas, start, stems, vector }) => ({
    org,
    namespace,
    agent,
    user_id,
    session_id,
    turn_id,
    chunk_index: index,
    embedder_id,
    start_at: start,
    end_at: end,
    stems,
    lemmas,
    vector_base64: base64Of(vector),
    role,
    speaker,
    run_id,
    said_at: new Date(saidAt(turn)),
    position
  }))
}
