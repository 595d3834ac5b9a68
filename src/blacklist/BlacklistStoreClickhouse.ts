/**
 * Patterns in `loom.blacklist`, their version in `loom.blacklist_version`, and in `loom.blacklist_confirmations` which
 * process runs which. Ages are told by the clock of the store alone, so that the processes' clocks may differ.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { BlacklistPattern } from "./BlacklistModel.ts"
import { BlacklistStore } from "./BlacklistStore.ts"

const Row = Schema.Struct({
  ...BlacklistPattern.fields,
  created_at: EpochMillis,
  removed_at: Schema.NullOr(EpochMillis),
  version: UInt64
})

// Counts changes, so it stays far below the integers that a double holds.
const Count = Schema.transform(UInt64, Schema.Int, {
  strict: true,
  decode: (version) => Number(version),
  encode: (version) => BigInt(version)
})

const VersionRow = Schema.Struct({ version: Count })

const ConfirmationRow = Schema.Struct({ process_id: Schema.String, version: Count, age_millis: Count })

const columns = ch.fragment`pattern_id, scope, org, namespace, pattern, pattern_type, reason, created_at, created_by,
  removed_at, removed_by, idem_hash, request_hash, answer, version`

const time = (millis: number | null): Date | null => millis === null ? null : new Date(millis)

const rowOf = (pattern: BlacklistPattern) => ({
  ...pattern,
  created_at: time(pattern.created_at),
  removed_at: time(pattern.removed_at)
})

export const layer: Layer.Layer<BlacklistStore, never, Clickhouse> = Layer.effect(
  BlacklistStore,
  Effect.map(Clickhouse, (clickhouse) => {
    const version = clickhouse.query(
      ch.sql("BlacklistStore.version")`SELECT max(version) AS version FROM loom.blacklist_version`,
      VersionRow
    ).pipe(Effect.map(([row]) => row?.version ?? 0), Effect.withSpan("BlacklistStore.version"))

    const annotate = Effect.fn("BlacklistStore.annotate")(function*(pattern: BlacklistPattern) {
      yield* clickhouse.insert("loom.blacklist", [rowOf(pattern)])
    })

    const first = (operation: string, condition: ReturnType<typeof ch.fragment>) =>
      clickhouse.query(
        ch.sql(operation)`SELECT ${columns} FROM loom.blacklist FINAL WHERE ${condition}
          ORDER BY created_at, pattern_id LIMIT 1`,
        Row
      ).pipe(Effect.map(([row]) => Option.fromNullable(row)))

    const confirm = (row: object) => clickhouse.insert("loom.blacklist_confirmations", [row])

    return {
      inForce: Effect.fn("BlacklistStore.inForce")(function*(places) {
        if (places.length === 0) return []
        const names = ch.tuples(["String", "String"], places.map(({ namespace, org }) => [org, namespace]))
        return yield* clickhouse.query(
          ch.sql("BlacklistStore.inForce")`SELECT ${columns} FROM loom.blacklist FINAL
            WHERE (org, namespace) IN ${names} AND removed_at IS NULL ORDER BY created_at, pattern_id`,
          Row
        )
      }),
      list: Effect.fn("BlacklistStore.list")(function*({ after, limit, namespaces, org, scopes }) {
        const ofOrg = ch.join([
          ch.fragment`scope = 'global'`,
          ...(org === null
            ? []
            : [
              namespaces === null
                ? ch.fragment`org = ${ch.string(org)}`
                : ch.fragment`(org = ${ch.string(org)} AND namespace IN ${ch.array("String", ["", ...namespaces])})`
            ])
        ], " OR ")
        const where = ch.join([
          ch.fragment`(${ofOrg})`,
          ch.fragment`removed_at IS NULL`,
          ch.fragment`scope IN ${ch.array("String", scopes)}`,
          ...(after === null
            ? []
            : [
              ch.fragment`(created_at, pattern_id) < (${ch.dateTime64(after.created_at)}, ${
                ch.string(after.pattern_id)
              })`
            ])
        ], " AND ")
        return yield* clickhouse.query(
          ch.sql("BlacklistStore.list")`SELECT ${columns} FROM loom.blacklist FINAL WHERE ${where}
            ORDER BY created_at DESC, pattern_id DESC LIMIT ${ch.uint32(limit)}`,
          Row
        )
      }),
      find: Effect.fn("BlacklistStore.find")((id) =>
        first("BlacklistStore.find", ch.fragment`pattern_id = ${ch.string(id)}`)
      ),
      findByKey: Effect.fn("BlacklistStore.findByKey")((hash, since) =>
        first(
          "BlacklistStore.findByKey",
          ch.fragment`idem_hash = ${ch.string(hash)} AND (removed_at IS NULL OR created_at >= ${ch.dateTime64(since)})`
        )
      ),
      put: Effect.fn("BlacklistStore.put")(function*(pattern) {
        yield* annotate(pattern)
        // Read after the row is in: whoever sees a higher version than this one reads patterns later still.
        const next = (yield* version) + 1
        yield* clickhouse.insert("loom.blacklist_version", [{ name: "patterns", version: next }])
        return next
      }),
      annotate,
      version,
      confirm: Effect.fn("BlacklistStore.confirm")((process_id, version) =>
        confirm({ process_id, version, gone: false })
      ),
      leave: Effect.fn("BlacklistStore.leave")((process_id) => confirm({ process_id, version: 0, gone: true })),
      confirmations: Effect.fn("BlacklistStore.confirmations")((within) =>
        clickhouse.query(
          ch.sql("BlacklistStore.confirmations")`SELECT process_id, version, age_millis FROM (
              SELECT process_id, version, gone,
                toUInt64(greatest(0, dateDiff('millisecond', at, now64(3, 'UTC')))) AS age_millis
              FROM loom.blacklist_confirmations FINAL
            ) WHERE NOT gone AND age_millis <= ${ch.uint32(within)}`,
          ConfirmationRow
        )
      )
    }
  })
)
