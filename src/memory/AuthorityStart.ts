/**
 * The look of a process that has both stores at what they are under, before it does anything else. Postgres decides; stores that hold
 * nothing yet take what the first process names. What ClickHouse remembers is put right where a move broke off.
 */
import * as Effect from "effect/Effect"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Clickhouse } from "../platform/Clickhouse.ts"
import type { Postgres } from "../platform/Postgres.ts"
import * as AuthorityClickhouse from "./AuthorityClickhouse.ts"
import { AuthorityRefused } from "./AuthorityModel.ts"
import type { Authority } from "./AuthorityModel.ts"
import * as AuthorityPostgres from "./AuthorityPostgres.ts"

/** The one of now; fails when this Postgres is not the one that ClickHouse is a copy of. */
export const current: Effect.Effect<
  { readonly authority: Authority; readonly isDecided: boolean },
  AuthorityRefused | StoreError,
  Clickhouse | Postgres
> = Effect.gen(function*() {
  const decided = yield* AuthorityPostgres.decided
  if (decided !== undefined) return { authority: decided, isDecided: true }
  if ((yield* AuthorityClickhouse.decided) === "postgres") {
    return yield* new AuthorityRefused({ told: "postgres", reason: "stranger" })
  }
  return { authority: "clickhouse", isDecided: false }
})

/** Fails unless the stores are under what the process was told. */
export const requireTold = (
  told: Authority
): Effect.Effect<void, AuthorityRefused | StoreError, Clickhouse | Postgres> =>
  Effect.gen(function*() {
    const { authority, isDecided } = yield* current
    const isNew = !isDecided && told === "postgres" && !(yield* AuthorityClickhouse.holdsAny)
    if (!isNew && authority !== told) return yield* new AuthorityRefused({ told, reason: "other" })
    // First there: a process without a Postgres may start at any moment.
    if (told === "postgres") yield* AuthorityClickhouse.remember("postgres")
    if (isNew) yield* AuthorityPostgres.decideFirst("postgres")
    if (told === "clickhouse" && isDecided && !(yield* AuthorityPostgres.isMoving)) {
      yield* AuthorityClickhouse.remember("clickhouse")
    }
  })
