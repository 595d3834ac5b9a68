/**
 * A namespace: the unit that serialises writes, with the policies its owner chose. A namespace that nobody registered
 * works with the defaults.
 */
import * as Schema from "effect/Schema"
import { Scope } from "../kernel/Identity.ts"

/** What a write that contradicts a stored memory does. */
export const ConflictPolicy = Schema.Literal("auto_reinforce", "manual_review", "newest_wins", "append_only")
export type ConflictPolicy = typeof ConflictPolicy.Type

export const DEFAULT_CONFLICT_POLICY: ConflictPolicy = "auto_reinforce"

export const Namespace = Schema.Struct({
  ...Scope.fields,
  default_conflict_policy: ConflictPolicy,
  description: Schema.String,
  /** Milliseconds since 1970. */
  created_at: Schema.Number,
  updated_at: Schema.Number,
  actor: Schema.String,
  version: Schema.BigIntFromSelf
})
export type Namespace = typeof Namespace.Type
