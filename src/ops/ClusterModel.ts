/**
 * What an operator sees of the processes that write: the runners and the shards that each holds, whose each namespace is and
 * how much waits there, and what is left undone between the stores. Nothing of a memory is among it.
 */
import * as Schema from "effect/Schema"

/** As many as one answer tells of at most; what is beyond is counted. */
export const MOST_RUNNERS = 200

/** Beyond this a number of messages of the cluster is not counted further. */
export const MOST_MESSAGES = 10_000

export const RunnerView = Schema.Struct({
  /** `host:port` of its inbox; `this process` where there is only one. */
  address: Schema.String,
  /** Whether the others find it well, and it gave a sign of life within the lock expiry. */
  healthy: Schema.Boolean,
  /** The build that it runs; null when it did not answer. */
  version: Schema.NullOr(Schema.String),
  /** When it took its first shard of now; null when it holds none. */
  since: Schema.NullOr(Schema.String),
  /** Seconds since its last sign of life; null when it left none. */
  silent_seconds: Schema.NullOr(Schema.Number),
  /** The shards that it holds, in order. */
  shards: Schema.Array(Schema.Int),
  /** Namespace actors that are up; null when it did not answer. */
  actors: Schema.NullOr(Schema.Int),
  /** Requests that it took in for all of them and has not answered. */
  waiting: Schema.NullOr(Schema.Int),
  /** The most of them in one namespace, of late. */
  waiting_most: Schema.NullOr(Schema.Int)
})
export type RunnerView = typeof RunnerView.Type

export const NamespaceView = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  shard: Schema.Int,
  /** The runner that holds its shard; null when none does at the moment. */
  runner: Schema.NullOr(Schema.String),
  /** How often it was taken; null where nobody is fenced (one process). */
  epoch_text: Schema.NullOr(Schema.String),
  /** Who took it last, as Postgres knows it; its writer until another does. */
  holder: Schema.NullOr(Schema.String),
  taken_at: Schema.NullOr(Schema.String),
  /** Requests that its actor took in and has not answered; 0 when its actor is not up, null when nobody could tell. */
  waiting: Schema.NullOr(Schema.Int),
  /** Commits that are reserved and not decided: one under way, or left open by an owner that stopped. */
  open_intents: Schema.Int
})
export type NamespaceView = typeof NamespaceView.Type

/** What is removed in the course of time, by the worker `pruning`. */
export const PrunedView = Schema.Struct({
  name: Schema.String,
  /** Hours for which it is kept. */
  keep_hours: Schema.Number,
  /** Rows that the worker removed since its process started. */
  removed: Schema.Int,
  /** When it looked last; null when it did not yet. */
  looked_at: Schema.NullOr(Schema.String)
})
export type PrunedView = typeof PrunedView.Type

export const SchemaView = Schema.Struct({
  store: Schema.Literal("clickhouse", "postgres"),
  /** The last migration that ran there. */
  version: Schema.Int,
  /** The last that the build of the answering process knows. */
  known: Schema.Int
})
export type SchemaView = typeof SchemaView.Type

export const ClusterView = Schema.Struct({
  /** `process`: one process holds everything and nobody else may write; `cluster`: runners share the namespaces. */
  kind: Schema.Literal("process", "cluster"),
  runners: Schema.Array(RunnerView),
  /** Runners beyond those told of. */
  runners_left_out: Schema.Int,
  /** Shards that no runner holds: their namespaces wait. */
  shards_unheld: Schema.Array(Schema.Int),
  /** Singletons by the place at which they are fenced: background workers. */
  workers: Schema.Array(Schema.Struct({
    name: Schema.String,
    holder: Schema.String,
    epoch_text: Schema.String,
    taken_at: Schema.String
  })),
  /** Those with the most waiting first, then those with open intents, then those taken last. */
  namespaces: Schema.Array(NamespaceView),
  /** Namespaces that the token opens, beyond those told of. */
  namespaces_left_out: Schema.Int,
  /** Of all namespaces that the token opens. */
  open_intents: Schema.Int,
  /** Age in seconds of the oldest of them; null when there is none. */
  open_intents_oldest_seconds: Schema.NullOr(Schema.Number),
  /** Messages that the cluster's library stores; `MOST_MESSAGES` stands for as many or more. Null in one process. */
  messages: Schema.NullOr(Schema.Struct({ unprocessed: Schema.Int, kept: Schema.Int })),
  /** Commits in Postgres that wait for their copy in ClickHouse; null where ClickHouse is the authority. */
  relay: Schema.NullOr(Schema.Struct({ commits: Schema.Int, oldest_seconds: Schema.NullOr(Schema.Number) })),
  /** Told by the runner that runs the worker; empty when none does or it did not answer. */
  pruning: Schema.Array(PrunedView),
  schemas: Schema.Array(SchemaView),
  /** `runners_silent`: a runner that holds shards did not answer, so its numbers are missing. */
  degraded: Schema.Array(Schema.String)
})
export type ClusterView = typeof ClusterView.Type
