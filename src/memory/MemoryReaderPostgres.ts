/**
 * `MemoryReader` under the authority of Postgres: what is read by key or id, and what may not be shown, comes from there, as
 * it was committed; lists and the past come from the reader underneath, as soon as it has what was committed before, or as
 * it is when that takes too long, of which the answer then tells.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { noteBehind } from "../kernel/IndexLag.ts"
import { Postgres } from "../platform/Postgres.ts"
import type { PostgresStatement } from "../platform/Postgres.ts"
import { MemoryReader } from "./MemoryReader.ts"
import type { Place, WriterFilter } from "./MemoryReader.ts"
import { Body, placeOf } from "./MemoryRowsPostgres.ts"
import { Outbox } from "./Outbox.ts"

const PlaceRow = Schema.Struct({
  agent: Schema.String,
  user_id: Schema.String,
  session_id: Schema.String,
  memory_key: Schema.String
})

const make = Effect.gen(function*() {
  const { query, sql } = yield* Postgres
  const [reader, outbox] = [yield* MemoryReader, yield* Outbox]

  const caughtUp =
    <A extends ReadonlyArray<unknown>, B, E>(ask: (scope: Scope, ...rest: A) => Effect.Effect<B, E>) =>
    (scope: Scope, ...rest: A) =>
      Effect.flatMap(outbox.caughtUp(scope), (all) => all ? Effect.void : noteBehind).pipe(
        Effect.zipRight(ask(scope, ...rest))
      )

  const read = (operation: string, statement: PostgresStatement) =>
    Effect.map(query(operation, statement, Body), (rows) => rows.map(({ body }) => body))

  const inScope = ({ namespace, org }: Scope) => sql`org = ${org} AND namespace = ${namespace}`

  // A name that is not asked for is any.
  const byWriter = (scope: Scope, { agent, session_id, user_id }: WriterFilter) =>
    sql`${inScope(scope)} AND agent = coalesce(${agent}::text, agent) AND user_id = coalesce(${user_id}::text, user_id)
      AND session_id = coalesce(${session_id}::text, session_id)`

  const withheld = Effect.fn("MemoryReader.withheld")(function*(scope: Scope, identities: ReadonlyArray<Place>) {
    return identities.length === 0 ? [] : yield* query(
      "MemoryReader.withheld",
      sql`SELECT agent, user_id, session_id, memory_key FROM loom.heads WHERE ${inScope(scope)}
        AND place = ANY(${[...new Set(identities.map(placeOf))]}::text[]) AND sensitivity = 'high'`,
      PlaceRow
    )
  })

  return MemoryReader.of({
    list: (scope, filter, page) =>
      Effect.gen(function*() {
        const all = yield* outbox.caughtUp(scope)
        const rows = yield* reader.list(scope, filter, page)
        if (all) return rows
        yield* noteBehind
        // A late copy does not know yet what may no longer be shown.
        const high = new Set((yield* withheld(scope, rows)).map(identityKey))
        return rows.map((row) => high.has(identityKey(row)) ? { ...row, sensitivity: "high" as const } : row)
      }),
    count: caughtUp(reader.count),
    namedThings: caughtUp(reader.namedThings),
    history: caughtUp(reader.history),
    marks: caughtUp(reader.marks),
    versions: caughtUp(reader.versions),
    latest: caughtUp(reader.latest),
    byKey: Effect.fn("MemoryReader.byKey")(function*(scope, key, writer) {
      const { agent, session_id, user_id } = writer
      return yield* read(
        "MemoryReader.byKey",
        agent !== null && user_id !== null && session_id !== null
          ? sql`SELECT body FROM loom.heads WHERE ${inScope(scope)}
              AND place = ${placeOf({ agent, user_id, session_id, memory_key: key })}`
          : sql`SELECT body FROM loom.heads WHERE ${byWriter(scope, writer)}
              AND md5(memory_key) = md5(${key}) AND memory_key = ${key} ORDER BY version DESC`
      )
    }),
    byId: Effect.fn("MemoryReader.byId")(function*(scope, memoryId, writer) {
      return yield* read(
        "MemoryReader.byId",
        sql`SELECT body FROM loom.heads WHERE ${byWriter(scope, writer)} AND memory_id = ${memoryId}`
      )
    }),
    withheld
  })
})

/** Over the reader of ClickHouse. */
export const layer: Layer.Layer<MemoryReader, never, Postgres | MemoryReader | Outbox> = Layer.effect(
  MemoryReader,
  make
)
