/** The verb that shows what waits for a person in a namespace. */
import * as Schema from "effect/Schema"
import { make } from "../kernel/Verb.ts"
import { scopeFields } from "./MemoryFields.ts"
import { ReviewItem, ReviewKind } from "./ReviewQueueModel.ts"

export const NamespaceReview = make("namespace.review", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what:
      "What waits for a person in a namespace, by kind: contradictions, proposals, attestations that no longer hold, changes that workers gave up on. Counts, the oldest age, and the first of each with the requests that settle it.",
    when: "Somebody looks after a namespace, or asks what there is to decide.",
    whenNot: "You look for bad habits (namespace.audit), or page through one kind (conflicts.list, memory.proposals).",
    args:
      "kind shows one kind alone; limit is how many of each are shown (10), 0 gives the counts. A token bound to one user is shown that user's rows; dead letters are an admin's. `loom review` works the queue off in a terminal."
  },
  payload: Schema.Struct({
    ...scopeFields,
    kind: Schema.optional(ReviewKind),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(0, 200)))
  }),
  answer: Schema.Struct({
    namespace: Schema.String,
    /** Of all kinds that are shown. */
    total: Schema.Number,
    kinds: Schema.Array(Schema.Struct({
      kind: ReviewKind,
      what: Schema.String,
      count: Schema.Number,
      oldest_at: Schema.NullOr(Schema.String),
      oldest_age_seconds: Schema.NullOr(Schema.Number),
      next: Schema.String,
      /** Oldest first. */
      items: Schema.Array(ReviewItem)
    })),
    degraded: Schema.Array(Schema.String)
  })
})
