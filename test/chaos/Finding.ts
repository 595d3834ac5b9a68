/**
 * What a checker holds against a store, in the shortest words that let a person see it for himself: which key, what is
 * wrong, and the calls (by their ids in the history) that show it.
 */
export type FindingKind =
  /** An acknowledged write is not in the history. */
  | "lost"
  /** One operation made two versions, or counted twice. */
  | "applied_twice"
  /** A read showed what was no longer, or never became, the state of its key. */
  | "stale_head"
  /** Versions stand in an order that no order of the calls in time explains. */
  | "order"
  /** A version stands on a state that its operation excludes. */
  | "cas"
  /** Of a refused write there is something in the history. */
  | "refused_applied"
  /** A dry run wrote. */
  | "dry_run"
  /** A version that nobody asked for. */
  | "unexplained"
  /** A retry was told something else than the first time. */
  | "idempotency"
  /** Refused, or told that there was nothing to do, without a reason at any moment of the call. */
  | "no_reason"
  /** The change feed is not the history. */
  | "feed"
  /** The audit chain is broken. */
  | "chain"
  /** A read of the past shows something else than the history of that moment. */
  | "past"
  /** An answer that no such call may get. */
  | "odd"

export interface Finding {
  readonly kind: FindingKind
  readonly namespace: string
  readonly key: string
  readonly text: string
  readonly calls: ReadonlyArray<number>
}
