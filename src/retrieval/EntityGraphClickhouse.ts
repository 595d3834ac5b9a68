/**
 * The entity graph as SQL. `loom.memory_entities` is sorted by entity, so names are looked up by key; it says which
 * memories ever named one, and the rows that may be found say which do. Counts and heads are of those rows alone.
 */
import * as Cache from "effect/Cache"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch } from "../platform/Clickhouse.ts"
import type { Clickhouse, Fragment, Statement } from "../platform/Clickhouse.ts"
import { HUB } from "./EntityGraph.ts"
import { found, inScope, within } from "./SearchFilterClickhouse.ts"
import type { SearchIndex } from "./SearchIndex.ts"
import type { EntityWeights, SearchFilter } from "./SearchModel.ts"
import { foundAmong, headColumns, HeadRow, lastVersionSettings } from "./SearchRowsClickhouse.ts"

/**
 * An entity that so many rows of a caller's slice ever named is a hub to whoever asks: five times what makes one. Reading
 * who names it now would take 100 ms where they lie apart. Only here do rows that a filter leaves out say anything.
 */
const MOST_ROWS = 5 * HUB

// That a namespace has entities stays true but for an erasure, so it may be old. That it has none ends with the first.
const SOME_AGE = "30 seconds"
const NONE_AGE = "1 second"
const SCOPES_KEPT = 4_096

const CountRow = Schema.Struct({ rows: Schema.Number })
const EntityRow = Schema.Struct({ entity: Schema.String, rows: Schema.Number })

const anyEntity = (scope: Scope): Statement =>
  ch.sql("SearchIndex.anyEntity")`
    SELECT toUInt32(count()) AS rows FROM (SELECT 1 FROM loom.memory_entities PREWHERE ${inScope(scope)} LIMIT 1)`

const knownEntities = (scope: Scope, filter: SearchFilter, names: ReadonlyArray<string>): Statement =>
  ch.sql("SearchIndex.knownEntities")`
    SELECT entity, toUInt32(count()) AS rows FROM loom.memory_entities
    PREWHERE ${within(scope, filter)} AND entity IN ${ch.array("String", names)}
    GROUP BY entity HAVING rows <= ${ch.uint32(MOST_ROWS)}`

/** The rows that may be found among the memories that ever named one of the entities. */
const naming = (scope: Scope, filter: SearchFilter, names: Fragment): Fragment => {
  const slice = within(scope, filter)
  const ever = ch.fragment`${slice} AND (agent, user_id, session_id, memory_key) IN (
      SELECT agent, user_id, session_id, memory_key FROM loom.memory_entities PREWHERE ${slice} AND entity IN ${names})`
  return ch.fragment`${foundAmong(scope, filter, ever)} AND hasAny(entities, ${names})`
}

const entityRows = (scope: Scope, filter: SearchFilter, entities: ReadonlyArray<string>): Statement => {
  const names = ch.fragment`${ch.array("String", entities)}`
  return ch.sql("SearchIndex.entityRows", lastVersionSettings)`
    SELECT arrayJoin(arrayIntersect(entities, ${names})) AS entity, toUInt32(count()) AS rows
    ${naming(scope, filter, names)}
    GROUP BY entity`
}

const servedRows = (scope: Scope, filter: SearchFilter, most: number): Statement =>
  ch.sql("SearchIndex.servedRows")`
    SELECT toUInt32(count()) AS rows
    FROM (SELECT 1 ${found(scope, filter, within(scope, filter))} LIMIT ${ch.uint32(most)})`

/** The order is that of `EntityGraph.share`. */
const bestNaming = (scope: Scope, filter: SearchFilter, { beside, named }: EntityWeights, limit: number): Statement => {
  const names = ch.fragment`${ch.array("String", [...named.keys(), ...beside.keys()])}`
  const worthOf = (weights: Iterable<number>) => ch.array("Float64", [...weights])
  const asked = [...named.values()].reduce((sum, weight) => sum + weight, 0)
  return ch.sql("SearchIndex.naming", lastVersionSettings)`
    SELECT ${headColumns} ${naming(scope, filter, names)}
    ORDER BY greatest(
      arraySum(arrayMap((name, weight) -> has(entities, name) * weight, ${ch.array("String", [...named.keys()])}, ${
    worthOf([...named.values()].map((weight) => weight ** 2 / asked))
  })),
      arrayMax(arrayPushBack(arrayMap((name, worth) -> has(entities, name) * worth, ${
    ch.array("String", [...beside.keys()])
  }, ${worthOf(beside.values())}), 0))
    ) DESC, version DESC
    LIMIT ${ch.uint32(limit)}`
}

type Methods = Pick<SearchIndex["Type"], "knownEntities" | "entityRows" | "servedRows" | "naming">

export const make = (clickhouse: Pick<Clickhouse["Type"], "query">): Effect.Effect<Methods> =>
  Effect.map(
    Cache.makeWith({
      capacity: SCOPES_KEPT,
      timeToLive: Exit.match({ onFailure: () => NONE_AGE, onSuccess: (some) => some ? SOME_AGE : NONE_AGE }),
      lookup: (scope: Scope) =>
        Effect.map(clickhouse.query(anyEntity(scope), CountRow), (rows) => (rows[0]?.rows ?? 0) > 0)
    }),
    (known) => ({
      knownEntities: Effect.fn("SearchIndex.knownEntities")(function*(scope, filter, names) {
        const { namespace, org } = scope
        const key = Data.struct({ org, namespace })
        // The cache would keep a failure too.
        const some = names.length > 0 && (yield* Effect.tapError(known.get(key), () => known.invalidate(key)))
        if (!some) return []
        return (yield* clickhouse.query(knownEntities(scope, filter, names), EntityRow)).map(({ entity }) => entity)
      }),
      entityRows: Effect.fn("SearchIndex.entityRows")(function*(scope, filter, entities) {
        if (entities.length === 0) return new Map()
        const rows = yield* clickhouse.query(entityRows(scope, filter, entities), EntityRow)
        return new Map(rows.map(({ entity, rows }) => [entity, rows]))
      }),
      servedRows: Effect.fn("SearchIndex.servedRows")(function*(scope, filter, most) {
        const rows = yield* clickhouse.query(servedRows(scope, filter, most), CountRow)
        return rows[0]?.rows ?? 0
      }),
      naming: Effect.fn("SearchIndex.naming")(function*(scope, filter, weights, limit) {
        return yield* clickhouse.query(bestNaming(scope, filter, weights, limit), HeadRow)
      })
    })
  )
