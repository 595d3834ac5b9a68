/** `ExtractionJobStore` in `loom.extraction_jobs` (docs/schema.md). */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import type { Fragment } from "../platform/Clickhouse.ts"
import { EpochMillis, UInt64 } from "../platform/ClickhouseValue.ts"
import { ExtractionJob, ExtractorChoice, FINISHED, JobState, Receipts } from "./ExtractionJobModel.ts"
import { ExtractionJobStore } from "./ExtractionJobStore.ts"

/** Empty text in the store, null here. */
const orNull = <A>(schema: Schema.Schema<A, string>) =>
  Schema.transform(Schema.String, Schema.NullOr(Schema.String), {
    strict: true,
    decode: (text) => text === "" ? null : text,
    encode: (text) => text ?? ""
  }).pipe(Schema.compose(Schema.NullOr(schema), { strict: false }))

const Row = Schema.Struct({
  ...ExtractionJob.fields,
  bound_user: orNull(Schema.String),
  receipts: orNull(Schema.parseJson(Receipts)),
  observed_at: Schema.NullOr(EpochMillis),
  retry_at: Schema.NullOr(EpochMillis),
  created_at: EpochMillis,
  at: EpochMillis,
  epoch: UInt64,
  version: UInt64
})

const SignRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  job_id: Schema.String,
  choice: ExtractorChoice,
  last_state: JobState,
  retry: Schema.NullOr(EpochMillis),
  came_at: EpochMillis,
  last_version: UInt64
})

const CountRow = Schema.Struct({ state: JobState, jobs: UInt64, oldest_at: EpochMillis })

const columns = ch.join(Object.keys(ExtractionJob.fields).map((name) => ch.identifier(name)))

/** Comes first in every statement that answers a caller. */
const within = ({ namespace, org }: Scope, user_id: string | null): Fragment =>
  ch.fragment`org = ${ch.string(org)} AND namespace = ${ch.string(namespace)} ${
    user_id === null ? ch.empty : ch.fragment`AND user_id = ${ch.string(user_id)}`
  }`

const time = (millis: number | null): Date | null => millis === null ? null : new Date(millis)

const rowOf = (job: ExtractionJob) => ({
  ...job,
  bound_user: job.bound_user ?? "",
  receipts: job.receipts === null ? "" : JSON.stringify(job.receipts),
  observed_at: time(job.observed_at),
  retry_at: time(job.retry_at),
  created_at: time(job.created_at),
  at: time(job.at)
})

export const layer: Layer.Layer<ExtractionJobStore, never, Clickhouse> = Layer.effect(
  ExtractionJobStore,
  Effect.map(Clickhouse, (clickhouse): ExtractionJobStore["Type"] => ({
    put: Effect.fn("ExtractionJobStore.put")(function*(jobs) {
      yield* clickhouse.insert("loom.extraction_jobs", jobs.map(rowOf))
    }),
    byIds: Effect.fn("ExtractionJobStore.byIds")(function*(scope, user_id, ids) {
      if (ids.length === 0) return []
      return yield* clickhouse.query(
        ch.sql("ExtractionJobStore.byIds")`SELECT ${columns} FROM loom.extraction_jobs FINAL
          WHERE ${within(scope, user_id)} AND job_id IN ${ch.array("String", ids)}`,
        Row
      )
    }),
    standing: Effect.fn("ExtractionJobStore.standing")(function*(asked) {
      if (asked.length === 0) return []
      const rows = yield* clickhouse.query(
        ch.sql("ExtractionJobStore.standing")`SELECT ${columns} FROM loom.extraction_jobs FINAL
          WHERE (org, namespace, job_id) IN ${
          ch.tuples(
            ["String", "String", "String"],
            asked.map(({ job_id, scope: { namespace, org } }) => [org, namespace, job_id])
          )
        }`,
        Row
      )
      const found = new Map(rows.map((job) => [`${actorId(job)} ${job.job_id}`, job]))
      return asked.map(({ job_id, scope }) => Option.fromNullable(found.get(`${actorId(scope)} ${job_id}`)))
    }),
    page: Effect.fn("ExtractionJobStore.page")(function*(scope, { session_id, states, user_id }, after, limit) {
      return yield* clickhouse.query(
        ch.sql("ExtractionJobStore.page")`SELECT ${columns} FROM loom.extraction_jobs FINAL
          WHERE ${within(scope, user_id)}
            ${session_id === null ? ch.empty : ch.fragment`AND session_id = ${ch.string(session_id)}`}
            ${states.length === 0 ? ch.empty : ch.fragment`AND state IN ${ch.array("String", states)}`}
            ${
          after === null
            ? ch.empty
            : ch.fragment`AND (created_at, job_id) > (${ch.dateTime64(after.created_at)}, ${ch.string(after.job_id)})`
        }
          ORDER BY created_at, job_id LIMIT ${ch.uint32(limit)}`,
        Row
      )
    }),
    counts: Effect.fn("ExtractionJobStore.counts")(function*(scope, user_id) {
      const rows = yield* clickhouse.query(
        ch.sql("ExtractionJobStore.counts")`SELECT state, count() AS jobs, min(created_at) AS oldest_at
          FROM loom.extraction_jobs FINAL WHERE ${within(scope, user_id)} GROUP BY state ORDER BY state`,
        CountRow
      )
      return rows.map(({ jobs, ...count }) => ({ ...count, jobs: Number(jobs) }))
    }),
    touched: Effect.fn("ExtractionJobStore.touched")(function*(since, limit) {
      // Without FINAL, which would read all: what was written last is among what was written since.
      const rows = yield* clickhouse.query(
        ch.sql("ExtractionJobStore.touched")`SELECT org, namespace, any(agent) AS agent, any(user_id) AS user_id,
            any(session_id) AS session_id, job_id, any(extractor) AS choice, argMax(state, version) AS last_state,
            argMax(tuple(retry_at), version).1 AS retry, min(created_at) AS came_at, max(version) AS last_version
          FROM loom.extraction_jobs WHERE version > ${ch.uint64(since)} GROUP BY org, namespace, job_id
          ${since === 0n ? ch.fragment`HAVING last_state NOT IN ${ch.array("String", FINISHED)}` : ch.empty}
          ORDER BY came_at, job_id LIMIT ${ch.uint32(limit)}`,
        SignRow
      )
      return rows.map((row) => ({
        scope: { org: row.org, namespace: row.namespace },
        writer: { agent: row.agent, user_id: row.user_id, session_id: row.session_id },
        job_id: row.job_id,
        extractor: row.choice,
        state: row.last_state,
        retry_at: row.retry,
        created_at: row.came_at,
        version: row.last_version
      }))
    })
  }))
)
