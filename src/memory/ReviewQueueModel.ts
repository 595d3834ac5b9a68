/**
 * What waits for a person in a namespace, as one queue over many kinds. A kind is a source that counts, tells how long the
 * oldest has waited and shows the first of them, each with both sides, why, and the requests that settle it. Sources are
 * joined where layers meet, so a slice adds a kind of its own; one that the caller may not see at all is left out.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../kernel/Caller.ts"
import type { Scope } from "../kernel/Identity.ts"
import { Json } from "../kernel/Json.ts"
import type { LoomError } from "../kernel/LoomError.ts"

/** Every kind that a build knows, in the order in which a person works them off. */
export const ReviewKind = Schema.Literal(
  "conflicts",
  "proposals",
  "stale_attestations",
  "failed_extractions",
  "dead_letters"
)
export type ReviewKind = typeof ReviewKind.Type

/** One memory that an item is about. */
export const ReviewSide = Schema.Struct({
  memory_id: Schema.String,
  memory_key: Schema.String,
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  status: Schema.String,
  memory_type: Schema.String,
  /** Null when it is withheld. */
  value: Json,
  value_withheld: Schema.optional(Schema.Boolean),
  content_sha256: Schema.String,
  version_text: Schema.String,
  updated_at: Schema.String,
  actor: Schema.String,
  source_class: Schema.String,
  verification: Schema.String
})
export type ReviewSide = typeof ReviewSide.Type

/** A request that settles an item; `side` is the side that it is about, counted from 1, null when it is about all. */
export const ReviewStep = Schema.Struct({
  action: Schema.String,
  side: Schema.NullOr(Schema.Number),
  /** What it does, in a few words. */
  what: Schema.String,
  verb: Schema.String,
  request: Schema.Record({ key: Schema.String, value: Json })
})
export type ReviewStep = typeof ReviewStep.Type

export const ReviewItem = Schema.Struct({
  /** Tells it from every other item of its kind, for as long as it waits. */
  id: Schema.String,
  since: Schema.String,
  age_seconds: Schema.Number,
  /** Why it waits, in words. */
  why: Schema.String,
  sides: Schema.Array(ReviewSide),
  steps: Schema.Array(ReviewStep)
})
export type ReviewItem = typeof ReviewItem.Type

/** What waits of one kind. */
export interface Waiting {
  readonly count: number
  /** Milliseconds; null when nothing waits. */
  readonly oldest: number | null
  /** The ones that have waited longest, oldest first. */
  readonly items: ReadonlyArray<ReviewItem>
}

export interface ReviewLook {
  readonly scope: Scope
  readonly caller: Caller
  /** Milliseconds. */
  readonly now: number
  readonly limit: number
}

export interface ReviewSource {
  readonly kind: ReviewKind
  readonly what: string
  /** What somebody does who works them off by verbs. */
  readonly next: string
  /** Whether the caller may see this kind at all. */
  readonly isOpen: (caller: Caller) => boolean
  readonly look: (look: ReviewLook) => Effect.Effect<Waiting, LoomError>
}

export class ReviewSources extends Context.Tag("loom/memory/ReviewQueueModel/ReviewSources")<
  ReviewSources,
  ReadonlyArray<ReviewSource>
>() {}

/** Since when something waits, as an item says it. */
export const ageOf = (at: number, now: number): Pick<ReviewItem, "since" | "age_seconds"> => ({
  since: new Date(at).toISOString(),
  age_seconds: Math.max(0, Math.floor((now - at) / 1000))
})
