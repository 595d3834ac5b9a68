/**
 * Namespace registrations in `loom.namespaces`; the row with the highest version counts.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { Namespace } from "./NamespaceModel.ts"
import { NamespaceSettings } from "./NamespaceSettingsModel.ts"
import { NamespaceStore } from "./NamespaceStore.ts"

// A row of before there were settings holds the column's default, the empty text.
const Settings = Schema.transform(Schema.String, Schema.parseJson(NamespaceSettings), {
  strict: true,
  decode: (text) => text === "" ? "{}" : text,
  encode: (text) => text
})

const Row = Schema.Struct({
  ...Namespace.fields,
  settings: Settings,
  created_at: EpochMillis,
  updated_at: EpochMillis,
  version: UInt64
})

const ScopeRow = Schema.Struct({ org: Schema.String, namespace: Schema.String })

const encodeSettings = Schema.encodeSync(Settings)

const columns = ch
  .fragment`org, namespace, default_conflict_policy, settings, description, created_at, updated_at, actor, version`

export const layer: Layer.Layer<NamespaceStore, never, Clickhouse> = Layer.effect(
  NamespaceStore,
  Effect.map(Clickhouse, (clickhouse) => ({
    find: Effect.fn("NamespaceStore.find")(function*(scope) {
      const rows = yield* clickhouse.query(
        ch.sql("NamespaceStore.find")`SELECT ${columns} FROM loom.namespaces FINAL
          WHERE org = ${ch.string(scope.org)} AND namespace = ${ch.string(scope.namespace)}`,
        Row
      )
      return Option.fromNullable(rows[0])
    }),
    list: Effect.fn("NamespaceStore.list")(function*(org) {
      return yield* clickhouse.query(
        ch.sql("NamespaceStore.list")`SELECT ${columns} FROM loom.namespaces FINAL
          WHERE org = ${ch.string(org)} ORDER BY namespace`,
        Row
      )
    }),
    consolidating: clickhouse.query(
      ch.sql("NamespaceStore.consolidating")`SELECT org, namespace FROM loom.namespaces FINAL
        WHERE JSONExtractBool(settings, 'consolidation') ORDER BY org, namespace`,
      ScopeRow
    ),
    put: Effect.fn("NamespaceStore.put")(function*(namespace) {
      yield* clickhouse.insert("loom.namespaces", [{
        ...namespace,
        settings: encodeSettings(namespace.settings),
        created_at: new Date(namespace.created_at),
        updated_at: new Date(namespace.updated_at)
      }])
    })
  }))
)
