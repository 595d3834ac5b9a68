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
