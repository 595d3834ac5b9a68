/**
 * Which store says what is so of memory: ClickHouse, or Postgres, of which ClickHouse is then a copy. The stores remember
 * it, so that no process takes the copy for the original or writes behind the original's back.
 */
import * as Schema from "effect/Schema"

export const Authority = Schema.Literal("clickhouse", "postgres")
export type Authority = typeof Authority.Type

/** A process was started under another authority than its stores are; the message says what to set or to run. */
export class AuthorityRefused extends Schema.TaggedError<AuthorityRefused>()("AuthorityRefused", {
  /** What the process was told. */
  told: Authority,
  reason: Schema.Literal("other", "stranger")
}) {
  override get message() {
    const other = this.told === "postgres" ? "clickhouse" : "postgres"
    return this.reason === "stranger"
      ? "The Postgres of LOOM_POSTGRES_URL holds no memory, and ClickHouse is a copy of one that does: check the address"
      : `The stores are under the authority of ${other}: set LOOM_AUTHORITY=${other}, or move them first with \
\`loom authority migrate --to ${this.told}\``
  }
}

/** A move that did not go on; nothing changed over. */
export class MoveStopped extends Schema.TaggedError<MoveStopped>()("MoveStopped", {
  /** `busy`: another is moving them. `late`: this one gave no sign of life in time, so writes went on without it. */
  reason: Schema.Literal("busy", "late")
}) {
  override get message() {
    return this.reason === "busy"
      ? "The stores are being moved already: wait for that to end, or ten seconds if it was killed"
      : "The move was taken for dead, since it stood still for ten seconds; nothing was changed over: run it again"
  }
}

/** The two stores do not hold the same of a namespace; the authority stays where it was. */
export class MoveDiffers extends Schema.TaggedError<MoveDiffers>()("MoveDiffers", {
  org: Schema.String,
  namespace: Schema.String
}) {
  override get message() {
    return `The stores differ in namespace ${this.namespace} of org ${this.org}; nothing was changed over`
  }
}
