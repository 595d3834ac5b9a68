/**
 * The blacklist verbs: add a pattern (and sweep what is stored), list those in force, end one.
 */
import * as Schema from "effect/Schema"
import { Name, NamespaceName } from "../kernel/Identity.ts"
import { make } from "../kernel/Verb.ts"
import { CursorText } from "../platform/Cursors.ts"
import { PatternScope, PatternType } from "./BlacklistModel.ts"

/** The longest reason; it is repeated in every refusal. */
const Reason = Schema.String.pipe(Schema.maxLength(512))

const place = {
  pattern_id: Schema.String,
  scope: PatternScope,
  /** Null for a global pattern. */
  org: Schema.NullOr(Schema.String),
  /** Null for a pattern of an org or a global one. */
  namespace: Schema.NullOr(Schema.String)
}

const added = {
  ...place,
  /** True when the same pattern was in force there already: nothing was added, `pattern_id` is that one. */
  noop: Schema.Boolean,
  /** From this version on a process runs the pattern. */
  blacklist_version: Schema.Number,
  /** Whether every process that judges writes had said within two seconds that it runs the pattern. */
  confirmed: Schema.Boolean,
  /** Stored memories that were tombstoned, over both passes. */
  swept: Schema.Number,
  /** Whether matching memories may be left because a pass reached its cap. */
  swept_truncated: Schema.Boolean,
  /** Why the sweep did not finish; empty when it did or was not asked for. */
  sweep_error: Schema.String
}

export const BlacklistAdd = make("blacklist.add", {
  access: "admin",
  idempotent: true,
  writes: true,
  listed: true,
  destructive: true,
  teaching: {
    what: "Refuse every future write whose value matches a pattern; with sweep, also tombstone stored ones that do.",
    when: "Something must never be stored again: a secret, a name, a claim that keeps coming back.",
    whenNot: "One memory is wrong (memory.reject) or has to go (memory.delete).",
    args:
      "pattern_type substring (default) ignores case, width and accents; regex is RE2 on the text as it is. Neither is misled by invisible characters. A pattern of one character, or one that a single space or letter matches, is refused: it would refuse nearly every write. scope is namespace (default), org (a token that opens every namespace) or global (the root token). swept counts what was tombstoned; swept_truncated or a sweep_error means the sweep did not finish: the same call without its idempotency_key goes on with it. a locked memory stays and is told in sweep_error. confirmed says that no process takes a new match any more; what was stored before is told by the sweep."
  },
  payload: Schema.Struct({
    org: Schema.optional(Name),
    namespace: Schema.optional(NamespaceName),
    pattern: Schema.String.pipe(Schema.minLength(1)),
    pattern_type: Schema.optional(PatternType),
    scope: Schema.optional(PatternScope),
    reason: Schema.optional(Reason),
    sweep: Schema.optional(Schema.Boolean),
    idempotency_key: Schema.optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(256)))
  }),
  answer: Schema.Struct(added)
})

export const BlacklistList = make("blacklist.list", {
  access: "read",
  idempotent: true,
  writes: false,
  listed: false,
  teaching: {
    what: "List the patterns in force that may refuse your writes, newest first.",
    when: "A write was BLACKLISTED, or you look for a pattern to end.",
    whenNot: "You want to know whether one value would be refused (memory.set with dry_run).",
    args:
      "With namespace, those that hold in it; without, those of all namespaces you open. pattern is null where you may not end it; reason tells why it is there. A page may hold fewer than limit and still have a next_cursor."
  },
  payload: Schema.Struct({
    org: Schema.optional(Name),
    namespace: Schema.optional(NamespaceName),
    scope: Schema.optional(PatternScope),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 1000))),
    cursor: Schema.optional(CursorText)
  }),
  answer: Schema.Struct({
    patterns: Schema.Array(Schema.Struct({
      ...place,
      /** Null where the caller may not end it. */
      pattern: Schema.NullOr(Schema.String),
      pattern_type: PatternType,
      reason: Schema.String,
      created_at: Schema.String,
      /** Null where the pattern is. */
      created_by: Schema.NullOr(Schema.String)
    })),
    next_cursor: Schema.NullOr(Schema.String)
  })
})

export const BlacklistRemove = make("blacklist.remove", {
  access: "admin",
  idempotent: true,
  writes: true,
  listed: false,
  teaching: {
    what: "End a pattern: values that match it may be stored again. What a sweep tombstoned stays so.",
    when: "A pattern refuses what it should not.",
    whenNot: "A swept memory should come back (memory.restore, once the pattern has ended).",
    args: "found=false means there is no such pattern among those you may see; ending twice changes nothing."
  },
  payload: Schema.Struct({ pattern_id: Schema.String.pipe(Schema.maxLength(64)) }),
  answer: Schema.Struct({
    found: Schema.Boolean,
    removed: Schema.Boolean,
    pattern_id: Schema.String,
    /** When it was first ended. */
    removed_at: Schema.NullOr(Schema.String)
  })
})
