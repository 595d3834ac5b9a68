/** The verbs of runs: an agent begins one with its goal, and ends it with what came of it and what it relied on. */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { onceField } from "../memory/LifecycleVerbs.ts"
import { Confidence, scopeFields, writerFields } from "../memory/MemoryFields.ts"
import { CursorText } from "../platform/Cursors.ts"
import { Goal, Label, Metadata, RunText, RunView, Weight } from "./RunFields.ts"
import { EndStatus, Outcome, Retain, RunStatus } from "./RunModel.ts"

// As long as the name of anything else; one that names no run is not found.
const RunId = Schema.String.pipe(Schema.maxLength(256))
// A memory_id or a key.
const Names = Schema.Array(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(512)))
const Amount = Schema.Number.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER))

export const RunBegin = make("run.begin", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: false,
  teaching: {
    what: "Begin a run: a piece of work with a goal, under whose run_id memories are written and its outcome is told.",
    when: "An agent starts on a task.",
    whenNot: "You only store a fact (memory.set) or a lesson without a run (memory.set with memory_type reflection).",
    args:
      "goal is needed. agent, user_id and session_id say who runs for whom. Pass the run_id to memory.set, and end with run.complete. The same idempotency_key gives the same run."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    ...onceField,
    goal: Goal,
    user_request: Schema.optional(RunText),
    expected_outcome: Schema.optional(RunText),
    environment: Schema.optional(RunText),
    model: Schema.optional(Label),
    consumer: Schema.optional(Label),
    role: Schema.optional(Label),
    metadata: Schema.optional(Metadata),
    budget_usd: Schema.optional(Amount),
    budget_seconds: Schema.optional(Amount)
  }),
  answer: Schema.Struct({
    run_id: Schema.String,
    namespace: Schema.String,
    status: RunStatus,
    begun_at: Schema.String,
    next: Schema.String
  })
})

export const RunComplete = make("run.complete", {
  access: "write",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what:
      "End a run: what came of it, and which memories it relied on. A success credits them, a failure counts against them.",
    when: "The work of a run is over, well or not.",
    whenNot: "One memory proved right or wrong without a run (memory.outcome), or a memory is false (memory.reject).",
    args:
      "memories_used names what the run relied on, by memory_id or key; what is not found stands in unknown. recalled_keys is what it was given and need not have used; it counts for nothing. outcome is unknown by default, status completed; weight (1) says how much the outcome counts. reflection is kept as a memory of that type under run/<run_id>/reflection. retain=outcome keeps no final_response and no metadata. The same again answers the same; anything else is RUN_CONFLICT."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...onceField,
    user_id: writerFields.user_id,
    session_id: writerFields.session_id,
    run_id: RunId,
    status: Schema.optional(EndStatus),
    final_response: Schema.optional(RunText),
    confidence: Schema.optional(Confidence),
    // More than a prompt holds; what a run merely saw belongs to recalled_keys.
    memories_used: Schema.optional(Names.pipe(Schema.maxItems(200))),
    recalled_keys: Schema.optional(Names.pipe(Schema.maxItems(1000))),
    outcome: Schema.optional(Outcome),
    weight: Schema.optional(Weight),
    duration_ms: Schema.optional(Amount),
    metadata: Schema.optional(Metadata),
    reflection: Schema.optional(RunText),
    retain: Schema.optional(Retain)
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    completed: Schema.Boolean,
    run_id: Schema.String,
    status: Schema.NullOr(RunStatus),
    outcome: Schema.NullOr(Outcome),
    completed_at: Schema.NullOr(Schema.String),
    /** memory_ids whose use was recorded. */
    memories_used: Schema.Array(Schema.String),
    /** Names in `memories_used` that were not found, as they were given. */
    unknown: Schema.Array(Schema.String),
    reflection_key: Schema.NullOr(Schema.String),
    reflection_id: Schema.NullOr(Schema.String),
    degraded: Schema.Array(Schema.String)
  })
})

export const RunGet = make("run.get", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "Read one run by its run_id.",
    when: "You look at what a run was for and how it ended.",
    whenNot: "You look for what it wrote (memory.list with run_id).",
    args: "found=false means there is no such run that you may read. Its lesson is read with memory.get."
  },
  payload: Schema.Struct({ ...scopeFields, run_id: RunId }),
  answer: Schema.Struct({ found: Schema.Boolean, run: Schema.NullOr(RunView) })
})

export const RunList = make("run.list", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "List runs, newest first, page by page.",
    when: "You look over recent work, what failed, or what never ended (status running).",
    whenNot: "You know the run_id (run.get).",
    args: "agent, user_id, session_id, status and outcome narrow. next_cursor walks on."
  },
  payload: Schema.Struct({
    ...scopeFields,
    ...writerFields,
    status: Schema.optional(RunStatus),
    outcome: Schema.optional(Outcome),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 200))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({ runs: Schema.Array(RunView), next_cursor: Schema.NullOr(Schema.String) })
})
