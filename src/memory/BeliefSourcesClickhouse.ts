/**
 * `BeliefSources` in `loom.memory_belief_sources`; the row with the highest version counts.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { identityKey } from "../kernel/Identity.ts"
import type { Identity, Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { BeliefSource, BeliefSources } from "./BeliefSources.ts"
import { inPlaces, inScope } from "./MemoryRowsClickhouse.ts"

const Row = Schema.Struct({
  ...BeliefSource.fields,
  reversible_until: Schema.NullOr(EpochMillis),
  at: EpochMillis,
  version: UInt64,
  epoch: UInt64,
  seq: UInt64
})

const PlaceRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String
})

const columns = ch.join(Object.keys(BeliefSource.fields).map((name) => ch.identifier(name)))

// A server refuses a parameter above 128 KiB; an id and a place are some 140 bytes.
const AT_ONCE = 500

const derivations = (
  scope: Scope,
  memories: ReadonlyArray<Identity & { readonly memory_id: string }>
) => {
  const isDerived = ch.fragment`${inScope(scope)} AND source_namespace = ${ch.string(scope.namespace)}
    AND support_type = 'derived_from'`
  return ch.sql("BeliefSources.derivations")`SELECT ${columns} FROM loom.memory_belief_sources FINAL
    WHERE ${isDerived} AND (${inPlaces(memories)}
      OR (agent, user_id, session_id, memory_key, content_sha256) IN (
        SELECT agent, user_id, session_id, memory_key, content_sha256 FROM loom.memory_belief_sources
        WHERE ${isDerived} AND source_memory_id IN ${ch.array("String", memories.map(({ memory_id }) => memory_id))}
      ))
    ORDER BY version DESC`
}

export const layer: Layer.Layer<BeliefSources, never, Clickhouse> = Layer.effect(
  BeliefSources,
  Effect.map(Clickhouse, (clickhouse) => ({
    record: Effect.fn("BeliefSources.record")(function*(sources) {
      yield* clickhouse.insert(
        "loom.memory_belief_sources",
        sources.map((source) => ({
          ...source,
          reversible_until: source.reversible_until === null ? null : new Date(source.reversible_until),
          at: new Date(source.at)
        }))
      )
    }),
    of: Effect.fn("BeliefSources.of")(function*(identity) {
      return yield* clickhouse.query(
        ch.sql("BeliefSources.of")`SELECT ${columns} FROM loom.memory_belief_sources FINAL
          WHERE ${inScope(identity)} AND ${inPlaces([identity])} ORDER BY version DESC`,
        Row
      )
    }),
    restingOn: Effect.fn("BeliefSources.restingOn")(function*(org, namespace, memoryId) {
      return yield* clickhouse.query(
        ch.sql("BeliefSources.restingOn")`SELECT ${columns} FROM loom.memory_belief_sources FINAL
          WHERE org = ${ch.string(org)} AND source_namespace = ${ch.string(namespace)}
            AND source_memory_id = ${ch.string(memoryId)} ORDER BY version DESC`,
        Row
      )
    }),
    drawnFrom: Effect.fn("BeliefSources.drawnFrom")(function*(scope, bound, turnIds) {
      if (turnIds.length === 0) return []
      const rows = yield* clickhouse.query(
        ch.sql("BeliefSources.drawnFrom")`SELECT DISTINCT agent, user_id, session_id, memory_key
          FROM loom.memory_belief_sources
          WHERE ${inScope(scope)} ${bound === null ? ch.empty : ch.fragment`AND user_id = ${ch.string(bound)}`}
            AND source_namespace = ${ch.string(scope.namespace)} AND support_type = 'extracted_from'
            AND source_memory_id IN ${ch.array("String", turnIds)}`,
        PlaceRow
      )
      return rows.map(identityKey)
    }),
    derivations: Effect.fn("BeliefSources.derivations")(function*(scope, memories) {
      const found = yield* Effect.forEach(
        Arr.chunksOf(memories, AT_ONCE),
        (some) => clickhouse.query(derivations(scope, some), Row)
      )
      const once = new Map(found.flat().map((source) => [source.lineage_id, source]))
      return [...once.values()].sort((left, right) => left.version > right.version ? -1 : 1)
    })
  }))
)
