/**
 * The authority as ClickHouse remembers it, where every process looks before it does anything else. Stores that hold nothing
 * yet take the one that the first process names.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StoreError } from "../kernel/LoomError.ts"
import { ch, Clickhouse } from "../platform/Clickhouse.ts"
import { Flag } from "../platform/ClickhouseValue.ts"
import { Authority, AuthorityRefused } from "./AuthorityModel.ts"

const Row = Schema.Struct({ authority: Authority })
const Holds = Schema.Struct({ holds: Flag })

const MEMORY = "memory"

/** What was decided last; undefined when nobody decided, which means ClickHouse. */
export const decided: Effect.Effect<Authority | undefined, StoreError, Clickhouse> = Effect.flatMap(
  Clickhouse,
  (clickhouse) =>
    Effect.map(
      clickhouse.query(
        ch.sql("Authority.decided")`SELECT authority FROM loom.authority FINAL WHERE part = ${ch.string(MEMORY)}`,
        Row
      ),
      ([row]) => row?.authority
    )
)

export const decide = (authority: Authority): Effect.Effect<void, StoreError, Clickhouse> =>
  Effect.flatMap(Clickhouse, (clickhouse) => clickhouse.insert("loom.authority", [{ part: MEMORY, authority }]))

/** Whether ClickHouse holds any memory. */
const holdsAny: Effect.Effect<boolean, StoreError, Clickhouse> = Effect.flatMap(
  Clickhouse,
  (clickhouse) =>
    Effect.map(
      clickhouse.query(
        ch.sql("Authority.holds")`SELECT count() > 0 AS holds FROM (SELECT 1 FROM loom.memory LIMIT 1)`,
        Holds
      ),
      ([row]) => row?.holds === true
    )
)

/** For a process under ClickHouse. */
export const requireClickhouse: Effect.Effect<void, AuthorityRefused | StoreError, Clickhouse> = Effect.flatMap(
  decided,
  (found) =>
    found === "postgres" ? Effect.fail(new AuthorityRefused({ told: "clickhouse", reason: "other" })) : Effect.void
)

/** For a process under Postgres; `original` tells whether that Postgres holds any memory. */
export const requirePostgres = <R>(
  original: Effect.Effect<boolean, StoreError, R>
): Effect.Effect<void, AuthorityRefused | StoreError, Clickhouse | R> =>
  Effect.gen(function*() {
    const found = yield* decided
    const holds = yield* holdsAny
    if (found === "clickhouse" || (found === undefined && holds)) {
      return yield* new AuthorityRefused({ told: "postgres", reason: "other" })
    }
    if (holds && !(yield* original)) return yield* new AuthorityRefused({ told: "postgres", reason: "stranger" })
    if (found === undefined) yield* decide("postgres")
  })
