/**
 * What the store says when all is quiet again, read over HTTP: every version of every key the run wrote to, what a read of
 * the key finds now and found at earlier moments, what a list of the namespace shows; and its change feed and audit chain.
 */
import * as Schema from "effect/Schema"

export const Version = Schema.Struct({
  version: Schema.String,
  value: Schema.String,
  sha256: Schema.String,
  status: Schema.String,
  change: Schema.String,
  write_id: Schema.String,
  memory_id: Schema.String,
  reinforcement_count: Schema.Number,
  /** What the caller of a delete said of it; empty otherwise. */
  reason: Schema.String
})
export type Version = typeof Version.Type

export const Head = Schema.Struct({
  found: Schema.Boolean,
  version: Schema.String,
  sha256: Schema.String,
  value: Schema.String
})
export type Head = typeof Head.Type

/** What a read of the past found. */
export const Past = Schema.Struct({
  /** Milliseconds since 1970, by the clock that the versions go by. */
  at: Schema.Number,
  found: Schema.Boolean,
  sha256: Schema.String
})
export type Past = typeof Past.Type

/** An entry of the change feed. */
export const Change = Schema.Struct({ version: Schema.String, key: Schema.String, change: Schema.String })
export type Change = typeof Change.Type

export const KeyFacts = Schema.Struct({
  namespace: Schema.String,
  key: Schema.String,
  /** Oldest first, in the order of the store's answer turned round. */
  versions: Schema.Array(Version),
  head: Head,
  /** Reads of what was served at some moments. */
  past: Schema.Array(Past)
})
export type KeyFacts = typeof KeyFacts.Type

export const Listed = Schema.Struct({ key: Schema.String, sha256: Schema.String })

export const Facts = Schema.Struct({
  keys: Schema.Array(KeyFacts),
  namespaces: Schema.Array(Schema.Struct({
    namespace: Schema.String,
    listed: Schema.Array(Listed),
    /** In the order of the feed. */
    changes: Schema.Array(Change),
    /** What does not hold of its audit chain, in words. */
    chainFaults: Schema.Array(Schema.String)
  }))
})
export type Facts = typeof Facts.Type

/** Whether a version of this status answers reads. */
export const isLive = (status: string): boolean => status === "active" || status === "conflicted"
