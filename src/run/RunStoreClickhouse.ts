/** `RunStore` in `loom.runs` (docs/schema.md): one row a run, of which the last version counts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment } from "../platform/Clickhouse.ts"
import { EpochMillis } from "../platform/ClickhouseValue.ts"
import { Outcome, Retain, RunStatus, statusOf, versionOf } from "./RunModel.ts"
import type { Run, RunEnd } from "./RunModel.ts"
import { RunStore } from "./RunStore.ts"
import type { RunFilter, RunPlace } from "./RunStore.ts"

const Row = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  run_id: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  status: RunStatus,
  goal: Schema.String,
  user_request: Schema.String,
  expected_outcome: Schema.String,
  environment: Schema.String,
  model: Schema.String,
  consumer: Schema.String,
  role: Schema.String,
  metadata: Schema.String,
  budget_usd: Schema.NullOr(Schema.Number),
  budget_seconds: Schema.NullOr(Schema.Number),
  begun_at: EpochMillis,
  begun_by: Schema.String,
  begun_sha256: Schema.String,
  outcome: Schema.Literal("", ...Outcome.literals),
  weight: Schema.Number,
  final_response: Schema.String,
  confidence: Schema.NullOr(Schema.Number),
  duration_ms: Schema.NullOr(Schema.Number),
  completion: Schema.String,
  memories_used: Schema.Array(Schema.String),
  unknown_used: Schema.Array(Schema.String),
  recalled_keys: Schema.Array(Schema.String),
  reflection_id: Schema.String,
  retain: Schema.Literal("", ...Retain.literals),
  completed_at: Schema.NullOr(EpochMillis),
  completed_by: Schema.String,
  completed_sha256: Schema.String
})

const columns = ch.join(Object.keys(Row.fields).map((name) => ch.identifier(name)))

const runOf = (row: typeof Row.Type): Run => {
  const {
    completed_at,
    completed_by,
    completed_sha256,
    completion,
    confidence,
    duration_ms,
    final_response,
    memories_used,
    outcome,
    recalled_keys,
    reflection_id,
    retain,
    status,
    unknown_used,
    weight,
    ...begun
  } = row
  const end: RunEnd | null = status === "running" || outcome === "" || retain === "" || completed_at === null ? null : {
    status,
    outcome,
    weight,
    final_response,
    confidence,
    duration_ms,
    completion,
    memories_used,
    unknown_used,
    recalled_keys,
    reflection_id,
    retain,
    completed_at,
    completed_by,
    completed_sha256
  }
  return { ...begun, end }
}

/** What stands in the columns of the end while a run goes on; most of them are empty by default. */
const rowOf = (run: Run): object => {
  const { begun_at, end, ...begun } = run
  return {
    ...begun,
    ...(end === null ? {} : { ...end, completed_at: new Date(end.completed_at) }),
    begun_at: new Date(begun_at),
    status: statusOf(run),
    version: versionOf(run)
  }
}

const visible = ({ namespace, org }: Scope, user: string | null): Fragment =>
  ch.fragment`org = ${ch.string(org)} AND namespace = ${ch.string(namespace)}${
    user === null ? ch.empty : ch.fragment` AND user_id = ${ch.string(user)}`
  }`

const meant = ({ agent, outcome, session_id, status }: RunFilter): Fragment =>
  ch.fragment`${agent === null ? ch.empty : ch.fragment` AND agent = ${ch.string(agent)}`}${
    session_id === null ? ch.empty : ch.fragment` AND session_id = ${ch.string(session_id)}`
  }${status === null ? ch.empty : ch.fragment` AND status = ${ch.string(status)}`}${
    outcome === null ? ch.empty : ch.fragment` AND outcome = ${ch.string(outcome)}`
  }`

const behind = (after: RunPlace | null): Fragment =>
  after === null
    ? ch.empty
    : ch.fragment` AND (begun_at < ${ch.dateTime64(after.begun_at)} OR (begun_at = ${
      ch.dateTime64(after.begun_at)
    } AND run_id > ${ch.string(after.run_id)}))`

const make = (clickhouse: Clickhouse["Type"]): RunStore["Type"] => ({
  find: Effect.fn("RunStore.find")(function*(scope, user, runId) {
    const [row] = yield* clickhouse.query(
      ch.sql("RunStore.find")`SELECT ${columns} FROM loom.runs FINAL
        WHERE ${visible(scope, user)} AND run_id = ${ch.string(runId)}`,
      Row
    )
    return Option.map(Option.fromNullable(row), runOf)
  }),
  list: Effect.fn("RunStore.list")(function*(scope, filter, { after, limit }) {
    const rows = yield* clickhouse.query(
      ch.sql("RunStore.list")`SELECT ${columns} FROM loom.runs FINAL
        WHERE ${visible(scope, filter.user_id)}${meant(filter)}${behind(after)}
        ORDER BY begun_at DESC, run_id LIMIT ${ch.uint32(limit)}`,
      Row
    )
    return rows.map(runOf)
  }),
  put: Effect.fn("RunStore.put")(function*(run) {
    yield* clickhouse.insert("loom.runs", [rowOf(run)])
  })
})

export const layer: Layer.Layer<RunStore, never, Clickhouse> = Layer.effect(RunStore, Effect.map(Clickhouse, make))
