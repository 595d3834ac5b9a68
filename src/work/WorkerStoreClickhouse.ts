/** `WorkerStore` in `loom.worker_…` (docs/schema.md): the last word of each counts, a cursor's by epoch, then position. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { EpochMillis, Flag, nanosOf, UInt64 } from "../platform/ClickhouseValue.ts"
import { LetterState } from "./WorkerModel.ts"
import type { DeadLetter } from "./WorkerModel.ts"
import { counting, within } from "./WorkerRowsClickhouse.ts"
import { WorkerStore } from "./WorkerStore.ts"

const CursorRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  position: UInt64,
  failures: Schema.Number,
  code: Schema.String,
  at: EpochMillis
})

const PauseRow = Schema.Struct({
  worker: Schema.String,
  org: Schema.String,
  namespace: Schema.String,
  paused: Flag,
  actor: Schema.String,
  at: EpochMillis
})

const StatusRow = Schema.Struct({
  worker: Schema.String,
  state: Schema.Literal("running", "failed"),
  code: Schema.String,
  epoch: UInt64,
  at: EpochMillis
})

const LetterRow = Schema.Struct({
  worker: Schema.String,
  org: Schema.String,
  namespace: Schema.String,
  position: UInt64,
  memory_id: Schema.String,
  change: Schema.String,
  code: Schema.String,
  tries: Schema.Number,
  first_at: EpochMillis,
  at: EpochMillis,
  state: LetterState,
  actor: Schema.String
})

const CountRow = Schema.Struct({
  worker: Schema.String,
  org: Schema.String,
  namespace: Schema.String,
  letters: UInt64
})

const letterColumns = ch.fragment`worker, org, namespace, position, memory_id, change, code, tries, first_at, at, state,
  actor`

const letterRow = ({ at, first_at, scope, ...letter }: DeadLetter) => ({
  ...letter,
  ...scope,
  first_at: new Date(first_at),
  at: new Date(at),
  version: nanosOf(at)
})

const make = (clickhouse: Clickhouse["Type"]): WorkerStore["Type"] => ({
  cursors: Effect.fn("WorkerStore.cursors")(function*(worker, reach) {
    const rows = yield* clickhouse.query(ch.sql("WorkerStore.cursors")`${counting(worker, reach)}`, CursorRow)
    return rows.map(({ namespace, org, ...cursor }) => ({ ...cursor, scope: { org, namespace } }))
  }),
  move: Effect.fn("WorkerStore.move")(function*(worker, epoch, cursors) {
    if (cursors.length === 0) return
    yield* clickhouse.insert(
      "loom.worker_cursors",
      cursors.map(({ at, scope, ...cursor }) => ({ worker, epoch, ...scope, ...cursor, at: new Date(at) }))
    )
  }),
  prune: Effect.fn("WorkerStore.prune")(function*(worker, epoch) {
    yield* clickhouse.command(
      ch.sql("WorkerStore.prune")`DELETE FROM loom.worker_cursors
        WHERE worker = ${ch.string(worker)} AND epoch < ${ch.uint64(epoch)}`
    )
  }),
  pauses: Effect.fn("WorkerStore.pauses")(function*(worker) {
    return yield* clickhouse.query(
      ch.sql("WorkerStore.pauses")`SELECT worker, org, namespace, paused, actor, at FROM loom.worker_pauses FINAL
        WHERE paused ${worker === null ? ch.empty : ch.fragment`AND worker = ${ch.string(worker)}`}
        ORDER BY worker, org, namespace`,
      PauseRow
    )
  }),
  pause: Effect.fn("WorkerStore.pause")(function*(pause) {
    yield* clickhouse.insert("loom.worker_pauses", [{ ...pause, at: new Date(pause.at), version: nanosOf(pause.at) }])
  }),
  statuses: clickhouse.query(
    ch.sql("WorkerStore.statuses")`SELECT worker, state, code, epoch, at FROM loom.worker_status FINAL ORDER BY worker`,
    StatusRow
  ),
  report: Effect.fn("WorkerStore.report")(function*(status) {
    yield* clickhouse.insert("loom.worker_status", [{ ...status, at: new Date(status.at) }])
  }),
  letters: Effect.fn("WorkerStore.letters")(function*({ limit, reach, states, worker }) {
    const rows = yield* clickhouse.query(
      ch.sql("WorkerStore.letters")`SELECT ${letterColumns} FROM loom.worker_dead_letters FINAL
        WHERE ${within(reach)} ${worker === null ? ch.empty : ch.fragment`AND worker = ${ch.string(worker)}`}
          AND state IN ${ch.array("String", states)}
        ORDER BY first_at, worker, org, namespace, position LIMIT ${ch.uint32(limit)}`,
      LetterRow
    )
    return rows.map(({ namespace, org, ...letter }) => ({ ...letter, scope: { org, namespace } }))
  }),
  countLetters: Effect.fn("WorkerStore.countLetters")(function*(reach, states) {
    const rows = yield* clickhouse.query(
      ch.sql("WorkerStore.countLetters")`SELECT worker, org, namespace, count() AS letters
        FROM loom.worker_dead_letters FINAL WHERE ${within(reach)} AND state IN ${ch.array("String", states)}
        GROUP BY worker, org, namespace ORDER BY worker, org, namespace`,
      CountRow
    )
    return rows.map(({ letters, namespace, org, worker }) => ({
      worker,
      scope: { org, namespace },
      count: Number(letters)
    }))
  }),
  file: Effect.fn("WorkerStore.file")(function*(letters) {
    if (letters.length === 0) return
    yield* clickhouse.insert("loom.worker_dead_letters", letters.map(letterRow))
  })
})

export const layer: Layer.Layer<WorkerStore, never, Clickhouse> = Layer.effect(
  WorkerStore,
  Effect.map(Clickhouse, make)
)
