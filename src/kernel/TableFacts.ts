/** The nouns of the registry of tables: what a table's columns are, and what becomes of its rows. See `Tables`. */

/** Columns by what they are; every column of the table stands in exactly one of the lists. */
export interface Columns {
  /** Whose rows they are: the tenant and the namespace. A table without any belongs to the installation. */
  readonly scope: ReadonlyArray<"org" | "namespace">
  /** Which memory, or which person, within the scope. */
  readonly identity: ReadonlyArray<string>
  /** What was said, and what tells of it or can be turned back into it: texts, hashes, vectors, words. */
  readonly content: ReadonlyArray<string>
  /** Everything else: states, times, counters, names of writers. */
  readonly facts: ReadonlyArray<string>
}

/**
 * What an erasure of a memory or of a person does to the table.
 * - `rows`: deletes the rows whose `identity` columns match.
 * - `blank`: writes the rows that match again, as a later revision in which their writer and key are empty.
 * - `scope`: deletes all rows of the namespace, which do not say whose they are and can be spared.
 * - `drain`: has what waits there copied first, after which there is none; they do not say whose they are.
 * - `keep`: leaves them; they hold no content, or prove that something happened without saying what.
 * An erasure of a whole namespace or org deletes the rows of the scope from every table that has one.
 */
export type Erase = "rows" | "blank" | "scope" | "drain" | "keep"

/**
 * What an export holds of the table: its `rows`, nothing because they are `derived` from others and made again on the
 * way in, nothing because they are `secret`, or nothing because they mean something in this installation only (`local`).
 */
export type Export = "rows" | "derived" | "secret" | "local"

/**
 * What `namespace.rollback` does: a `restate` writes the older state as a new version through the actor; what `follows`
 * is found through the heads and needs nothing; what is to `stay` is no state of memory.
 */
export type Rollback = "restate" | "follows" | "stay"

/** What may be removed without loss: nothing, or what the words say. */
export type Prune =
  | "nothing"
  /** Versions older than a retention window that an operator set, never a head. */
  | "window"
  /** Rows that no version refers to, and those of an embedder that is no longer used. */
  | "unreferred"
  /** Answers older than the 24 hours for which a key is kept. */
  | "day"
  /** Intents that were decided an hour ago, of which nobody asks any more; never an undecided one. */
  | "decided"
  /** Dead letters that were done with thirty days ago; never one that is open. */
  | "settled"
  /** Answers of a language model that were kept for thirty days; asked again, it says what it says then. */
  | "month"
  /** What processes said of themselves an hour ago; the table's own TTL removes it. */
  | "hour"
  /** Reports of 400 days ago, of whose votes a ten-thousandth is left by then; the table's own TTL removes them. */
  | "votes"

export interface TableFacts {
  /** Where it is when not in ClickHouse. */
  readonly store?: "postgres"
  readonly columns: Columns
  /** The identity column that names a person, by which an erasure of one finds the rows; null when none does. */
  readonly person: "user_id" | "bound_user" | null
  readonly erase: Erase
  readonly export: Export
  readonly rollback: Rollback
  readonly prune: Prune
}

/** The columns by which rows are of one tenant. */
export const scope = ["org", "namespace"] as const
/** The sort key of a memory behind its scope. */
export const identity: ReadonlyArray<string> = ["agent", "user_id", "session_id", "memory_key"]
/** Which taking of the fence wrote a row, and which of its commits. */
export const fence: ReadonlyArray<string> = ["epoch", "seq"]
