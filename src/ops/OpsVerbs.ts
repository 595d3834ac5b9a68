/**
 * The verbs by which an admin looks after background work: how the workers fare, pausing and resuming them, what they gave
 * up on, and whether everything answers. They tell of the namespaces that the token opens and of no others.
 */
import * as Schema from "effect/Schema"
import { NamespaceName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"

const WorkerName = Schema.String.pipe(Schema.maxLength(64))

export const WorkerState = Schema.Literal("running", "paused", "failed", "stopped")
export type WorkerState = typeof WorkerState.Type

const lag = {
  /** Changes not handled yet. */
  lag_changes: Schema.Number,
  /** Age of the oldest of them; 0 when there is none. */
  lag_seconds: Schema.Number,
  /** Open dead letters. */
  dead_letters: Schema.Number
}

const workerView = {
  name: Schema.String,
  /**
   * `feed`: it handles every change; `schedule`: it runs every so often for the whole installation; `queue`: it handles what
   * was put into a queue (extraction.list).
   */
  reads: Schema.Literal("feed", "schedule", "queue"),
  /** `stopped`: no process has given a sign of its life for a minute. */
  state: WorkerState,
  /** The error code of the last failure that still stands; null when there is none. */
  last_error: Schema.NullOr(Schema.String),
  last_seen_at: Schema.NullOr(Schema.String),
  ...lag
}

export const OpsWorkers = make("ops.workers", {
  access: "admin",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "List the background workers: state, lag, last error and dead letters, and how far each is in your namespaces.",
    when: "Something that a worker derives is missing or late.",
    whenNot: "You want to see what a worker gave up on (ops.dead_letters).",
    args: "Namespaces that lag most come first. cursor is the version up to which everything was handled."
  },
  payload: Schema.Struct({
    namespace: Schema.optional(NamespaceName),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 1000)))
  }),
  answer: Schema.Struct({
    workers: Schema.Array(Schema.Struct({
      ...workerView,
      namespaces: Schema.Array(Schema.Struct({
        namespace: Schema.String,
        cursor: Schema.String,
        state: WorkerState,
        last_error: Schema.NullOr(Schema.String),
        ...lag
      })),
      /** Namespaces that there are to tell of, shown or not. */
      namespaces_total: Schema.Number
    })),
    degraded: Schema.Array(Schema.String)
  })
})

const pausing = {
  payload: Schema.Struct({ name: WorkerName, namespace: Schema.optional(NamespaceName) }),
  answer: Schema.Struct({
    name: Schema.String,
    /** What was paused or resumed: null in both means the whole installation. */
    org: Schema.NullOr(Schema.String),
    namespace: Schema.NullOr(Schema.String),
    /** Whether the worker is paused there by now; a wider pause outlasts a narrower resume. */
    paused: Schema.Boolean
  })
}

export const OpsWorkerPause = make("ops.worker_pause", {
  access: "admin",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what:
      "Pause a background worker for your org, or for one namespace; it forgets nothing and goes on where it stopped.",
    when: "A worker is in the way, or does what you want to look at first.",
    whenNot: "One change cannot be handled: the worker gives up on it by itself (ops.dead_letters).",
    args:
      "The root token pauses it for the whole installation, and alone pauses a worker that runs on a schedule. It takes a few seconds."
  },
  ...pausing
})

export const OpsWorkerResume = make("ops.worker_resume", {
  access: "admin",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what: "Let a paused background worker go on, for the same org or namespace that it was paused for.",
    when: "You paused it.",
    whenNot: "It is failed or stopped: it starts again by itself, or no process runs it.",
    args: "paused=true in the answer means that a wider pause still holds."
  },
  ...pausing
})

export const OpsDeadLetters = make("ops.dead_letters", {
  access: "admin",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what: "List the changes that workers gave up on; have them tried again (retry), or let them go (drop).",
    when: "ops.workers counts dead letters.",
    whenNot: "A worker is only behind: it goes on by itself.",
    args:
      "action is list (default), retry or drop. retry and drop take versions, or all=true for every open letter that matches worker and namespace. A letter tells the change and an error code, never a value."
  },
  payload: Schema.Struct({
    action: Schema.optional(Schema.Literal("list", "retry", "drop")),
    worker: Schema.optional(WorkerName),
    namespace: Schema.optional(NamespaceName),
    versions: Schema.optional(
      Schema.Array(Schema.String.pipe(Schema.pattern(/^\d{1,20}$/))).pipe(
        Schema.minItems(1),
        Schema.maxItems(500)
      )
    ),
    all: Schema.optional(Schema.Boolean),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 500)))
  }),
  answer: Schema.Struct({
    letters: Schema.Array(Schema.Struct({
      worker: Schema.String,
      namespace: Schema.String,
      version_text: Schema.String,
      memory_id: Schema.String,
      change: Schema.String,
      code: Schema.String,
      tries: Schema.Number,
      first_at: Schema.String,
      at: Schema.String,
      state: Schema.Literal("open", "retry", "done", "dropped")
    })),
    /** Letters that this request changed. */
    changed: Schema.Number
  })
})

export const OpsHealth = make("ops.health", {
  access: "admin",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Tell whether the stores, the embedder and the workers do what they should.",
    when: "You look for what is wrong with a server.",
    whenNot: "A supervisor asks whether to send requests (GET /readyz).",
    args: "healthy is true when everything is ready, no worker is failed or stopped, and none has dead letters."
  },
  payload: Schema.Struct({}),
  answer: Schema.Struct({
    healthy: Schema.Boolean,
    checks: Schema.Array(Schema.Struct({ name: Schema.String, ready: Schema.Boolean })),
    embedder: Schema.Struct({ id: Schema.String, dimensions: Schema.Number, ready: Schema.Boolean }),
    workers: Schema.Array(Schema.Struct(workerView))
  })
})
