/**
 * `TurnStore` in `loom.conversation_turns` and `loom.conversation_chunks`. The block into the first is what stores turns;
 * their parts come before it, so that a turn that is there can be found. A deletion takes the parts first: one that breaks
 * off has its turn still there, and is done whole when it is asked again.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { faultPoint } from "../kernel/FaultPoint.ts"
import { inScope } from "../memory/MemoryRowsClickhouse.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment, Statement } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag } from "../platform/ClickhouseValue.ts"
import { TurnRole } from "./TurnModel.ts"
import type { Turn, TurnWriter } from "./TurnModel.ts"
import {
  atKeys,
  atPlaces,
  chunkColumns,
  chunkRows,
  deletedRow,
  ofWriter,
  ofWriters,
  passing,
  rowOf,
  turnColumns,
  TurnRow
} from "./TurnRowsClickhouse.ts"
import type { TurnKey } from "./TurnRowsClickhouse.ts"
import { corpusOf, nearest, NearRow, wordiest, WordRow } from "./TurnSearchClickhouse.ts"
import { TurnStore } from "./TurnStore.ts"
import type { FoundTurn, KnownTurn, SessionPlace, TurnPage } from "./TurnStore.ts"

const KnownRow = Schema.Struct({
  turn_id: Schema.String,
  content_sha256: Schema.String,
  role: TurnRole,
  speaker: Schema.String,
  is_deleted: Flag
})

/** A turn among those of many writers. */
const placeIn = ({ agent, namespace, org, session_id, user_id }: TurnWriter, turn_id: string): string =>
  JSON.stringify([org, namespace, agent, user_id, session_id, turn_id])

const CountRow = Schema.Struct({ rows: Schema.Number })

const SessionRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  turns: Schema.Number,
  speakers: Schema.Array(Schema.String),
  first_at: EpochMillis,
  last_at: EpochMillis
})

const StandingRow = Schema.Struct({
  turn_id: Schema.String,
  content_sha256: Schema.String,
  said_at: EpochMillis
})

type Part = Omit<typeof NearRow.Type, "cosine">

const there = ch.fragment`deleted_at IS NULL`

const direction = (backwards: boolean): Fragment => backwards ? ch.fragment`DESC` : ch.fragment`ASC`

const orderOf = ({ backwards, by }: TurnPage): Fragment =>
  ch.join(
    [by === "session" ? ch.fragment`session_id` : ch.fragment`said_at`, ch.fragment`position`, ch.fragment`turn_id`]
      .map((column) => ch.fragment`${column} ${direction(backwards)}`)
  )

const behind = ({ after, backwards, by }: TurnPage): Fragment => {
  if (after === null) return ch.empty
  const sign = backwards ? ch.fragment`<` : ch.fragment`>`
  const rest = ch.fragment`${ch.uint64(after.position)}, ${ch.string(after.turn_id)}`
  return by === "session"
    ? ch.fragment`AND (session_id, position, turn_id) ${sign} (${ch.string(after.session_id)}, ${rest})`
    : ch.fragment`AND (said_at, position, turn_id) ${sign} (${ch.dateTime64(after.said_at)}, ${rest})`
}

const sessionBehind = (after: SessionPlace | null): Fragment =>
  after === null
    ? ch.empty
    : ch.fragment`HAVING last_at < ${ch.dateTime64(after.last_at)} OR (last_at = ${
      ch.dateTime64(after.last_at)
    } AND (session_id, agent, user_id) > (${ch.string(after.session_id)}, ${ch.string(after.agent)}, ${
      ch.string(after.user_id)
    }))`

/** The turns of one writer together, since their rows lie together. */
const byWriter = (turns: ReadonlyArray<Turn>): ReadonlyArray<readonly [Turn, ReadonlyArray<Turn>]> => {
  const groups = new Map<string, Array<Turn>>()
  for (const turn of turns) {
    const key = JSON.stringify([turn.org, turn.namespace, turn.agent, turn.user_id, turn.session_id])
    const own = groups.get(key)
    if (own === undefined) groups.set(key, [turn])
    else own.push(turn)
  }
  return [...groups.values()].flatMap((own) => own[0] === undefined ? [] : [[own[0], own] as const])
}

const deleting = (
  table: "conversation_turns" | "conversation_chunks",
  turns: ReadonlyArray<Turn>
): Statement | null => {
  const groups = byWriter(turns)
  return groups.length === 0
    ? null
    : ch.sql("TurnStore.remove")`DELETE FROM ${ch.identifier("loom", table)} WHERE (${
      ch.join(
        groups.map(([writer, own]) =>
          ch.fragment`(${ofWriter(writer)} AND turn_id IN ${ch.array("String", own.map(({ turn_id }) => turn_id))})`
        ),
        " OR "
      )
    })${table === "conversation_turns" ? ch.fragment` AND ${there}` : ch.empty}`
}

export const layer: Layer.Layer<TurnStore, never, Clickhouse> = Layer.effect(
  TurnStore,
  Effect.map(Clickhouse, (clickhouse): TurnStore["Type"] => ({
    known: Effect.fn("TurnStore.known")(function*(writer, ids) {
      if (ids.length === 0) return new Map()
      const rows = yield* clickhouse.query(
        ch.sql("TurnStore.known")`
          SELECT turn_id, content_sha256, role, speaker, deleted_at IS NOT NULL AS is_deleted
          FROM loom.conversation_turns FINAL
          WHERE ${ofWriter(writer)} AND turn_id IN ${ch.array("String", ids)}`,
        KnownRow
      )
      return new Map(rows.map(({ is_deleted, turn_id, ...said }): readonly [string, KnownTurn] => [
        turn_id,
        is_deleted ? { deleted: true } : { deleted: false, ...said }
      ]))
    }),
    append: Effect.fn("TurnStore.append")(function*(turns) {
      yield* clickhouse.insert("loom.conversation_chunks", turns.flatMap(chunkRows), { columns: chunkColumns })
      yield* faultPoint("turns.after_chunks")
      yield* clickhouse.insert("loom.conversation_turns", turns.map(rowOf))
    }),
    page: Effect.fn("TurnStore.page")(function*(scope, filter, page) {
      return yield* clickhouse.query(
        ch.sql("TurnStore.page")`
          SELECT ${turnColumns} FROM loom.conversation_turns FINAL
          WHERE ${ofWriters(scope, filter)} AND ${there} AND ${passing(scope, filter)} ${behind(page)}
          ORDER BY ${orderOf(page)} LIMIT ${ch.uint32(page.limit)}`,
        TurnRow
      )
    }),
    count: Effect.fn("TurnStore.count")(function*(scope, filter) {
      const [row] = yield* clickhouse.query(
        ch.sql("TurnStore.count")`
          SELECT toUInt32(count()) AS rows FROM loom.conversation_turns FINAL
          WHERE ${ofWriters(scope, filter)} AND ${there} AND ${passing(scope, filter)}`,
        CountRow
      )
      return row?.rows ?? 0
    }),
    byIds: Effect.fn("TurnStore.byIds")(function*(scope, user_id, ids) {
      if (ids.length === 0) return []
      const rows = yield* clickhouse.query(
        ch.sql("TurnStore.byIds")`
          SELECT ${turnColumns} FROM loom.conversation_turns FINAL
          WHERE ${inScope(scope)} ${
          user_id === null ? ch.empty : ch.fragment`AND user_id = ${ch.string(user_id)}`
        } AND turn_id IN ${ch.array("String", ids)} AND ${there}`,
        TurnRow
      )
      return [...new Set(ids)].flatMap((id) => rows.filter(({ turn_id }) => turn_id === id))
    }),
    ofWriters: Effect.fn("TurnStore.ofWriters")(function*(asked) {
      const rows = asked.every(({ ids }) => ids.length === 0) ? [] : yield* clickhouse.query(
        ch.sql("TurnStore.ofWriters")`
          SELECT ${turnColumns} FROM loom.conversation_turns FINAL WHERE ${
          atPlaces(asked.flatMap(({ ids, writer }) => ids.map((turn_id) => ({ ...writer, turn_id }))))
        } AND ${there}`,
        TurnRow
      )
      const found = new Map(rows.map((turn) => [placeIn(turn, turn.turn_id), turn]))
      return asked.map(({ ids, writer }) =>
        [...new Set(ids)].flatMap((id) => {
          const turn = found.get(placeIn(writer, id))
          return turn === undefined ? [] : [turn]
        })
      )
    }),
    sessions: Effect.fn("TurnStore.sessions")(function*(scope, filter, { after, limit }) {
      return yield* clickhouse.query(
        ch.sql("TurnStore.sessions")`
          SELECT agent, user_id, session_id, toUInt32(count()) AS turns,
            arraySort(groupUniqArray(if(speaker = '', toString(role), speaker))) AS speakers,
            min(said_at) AS first_at, max(said_at) AS last_at
          FROM loom.conversation_turns FINAL
          WHERE ${ofWriters(scope, filter)} AND ${there} AND ${passing(scope, filter)}
          GROUP BY agent, user_id, session_id ${sessionBehind(after)}
          ORDER BY last_at DESC, session_id, agent, user_id LIMIT ${ch.uint32(limit)}`,
        SessionRow
      )
    }),
    search: Effect.fn("TurnStore.search")(function*(scope, filter, question, limit) {
      const { groups, vector } = question
      const closest = (among: ReadonlyArray<TurnKey> | null, most: number) =>
        vector === null || most === 0
          ? Effect.succeed([])
          : clickhouse.query(nearest(scope, filter, vector, groups, most, among), NearRow)
      const [worded, near] = yield* Effect.all([
        groups.length === 0
          ? Effect.succeed([])
          : clickhouse.query(wordiest(scope, filter, groups, limit), WordRow),
        closest(null, limit)
      ], { concurrency: 2 })
      const isNear = new Set(near.map(({ turn_id }) => turn_id))
      const others = worded.filter(({ turn_id }) => !isNear.has(turn_id))
      const cosines = new Map(
        [...near, ...yield* closest(others, others.length)].map(({ cosine, turn_id }) => [turn_id, cosine])
      )
      // Of a turn that was found both ways the part with the words is shown; its closest part says how close it is.
      const parts = new Map([...near, ...worded].map((part): readonly [string, Part] => [part.turn_id, part]))
      const found = [...parts.values()]
      const standing = found.length === 0 ? [] : yield* clickhouse.query(
        ch.sql("TurnStore.standing")`
          SELECT turn_id, content_sha256, said_at FROM loom.conversation_turns FINAL
          WHERE ${inScope(scope)} AND ${atKeys(found)} AND ${there}`,
        StandingRow
      )
      return {
        corpus: corpusOf(worded[0]),
        turns: standing.flatMap(({ content_sha256, said_at, turn_id }): ReadonlyArray<FoundTurn> => {
          const part = parts.get(turn_id)
          return part === undefined ? [] : [{
            turn_id,
            content_sha256,
            said_at,
            start: part.start_at,
            end: part.end_at,
            cosine: cosines.get(turn_id) ?? null,
            terms: { counts: part.counts, length: part.words }
          }]
        })
      }
    }),
    remove: Effect.fn("TurnStore.remove")(function*(turns, deletion) {
      const [parts, rows] = [deleting("conversation_chunks", turns), deleting("conversation_turns", turns)]
      if (parts === null || rows === null) return
      yield* clickhouse.command(parts)
      yield* faultPoint("turns.after_copies")
      yield* clickhouse.insert("loom.conversation_turns", turns.map((turn) => deletedRow(turn, deletion)))
      yield* faultPoint("turns.after_deletion")
      // What was said leaves with the next merge anyhow; this hides it from every statement at once.
      yield* clickhouse.command(rows)
    })
  }))
)
