/** The verb by which somebody tells what came of one memory. */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { onceField } from "../memory/LifecycleVerbs.ts"
import { rowFields, writeFields } from "../memory/MemoryFields.ts"
import { Outcome } from "./RunModel.ts"

export const MemoryOutcome = make("memory.outcome", {
  access: "write",
  idempotent: false,
  writes: true,
  listed: false,
  teaching: {
    what:
      "Tell what came of relying on a memory: it is credited or counts less for a while. Of a decision the outcome itself is kept, and memory.for_file marks one that failed.",
    when: "A decision worked out or failed, or a memory proved useful or misleading.",
    whenNot: "The memory is false (memory.reject), changed (memory.set), or a whole run ends (run.complete).",
    args:
      "memory_key or memory_id, and outcome. A later success takes the mark off a decision. Several reports of one caller on one day are one vote. found=false means there is no such memory in service."
  },
  payload: Schema.Struct({
    ...rowFields,
    ...onceField,
    outcome: Outcome,
    note: Schema.optional(Schema.String.pipe(Schema.maxLength(2048))),
    run_id: writeFields.run_id
  }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    recorded: Schema.Boolean,
    memory_id: Schema.NullOr(Schema.String),
    memory_key: Schema.NullOr(Schema.String),
    outcome: Outcome,
    /** What it is for the memory's rank. */
    vote: Schema.Literal("credit", "harm", "none"),
    /** Whether it is a decision, of which the outcome is kept. */
    decision: Schema.Boolean,
    /** Whether it is marked as a decision that failed by now. */
    failed: Schema.Boolean,
    degraded: Schema.Array(Schema.String)
  })
})
