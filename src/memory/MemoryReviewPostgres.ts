/**
 * `MemoryReview` under the authority of Postgres: the review underneath looks at ClickHouse, so what waits of the namespace
 * is copied there first. A scrub then takes the quotes out of the heads and kept answers of Postgres too: it gives them the
 * texts that ClickHouse shows afterwards, where it is the same version or the same answer.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { identityKey } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { Postgres } from "../platform/Postgres.ts"
import { Int8 } from "../platform/PostgresValue.ts"
import type { MemoryRow } from "./MemoryModel.ts"
import { MemoryProjection } from "./MemoryProjection.ts"
import { MemoryReview } from "./MemoryReview.ts"
import type { Place } from "./MemoryReview.ts"
import { Body, bodyOf, placeOf, Utf8 } from "./MemoryRowsPostgres.ts"
import { quotingNothing } from "./MemoryScrub.ts"
import { Outbox } from "./Outbox.ts"

const AnswerRow = Schema.Struct({ idem_hash: Schema.String, version: Int8, at: Schema.NumberFromString, answer: Utf8 })

/** A text as it stands within a string of JSON. */
const within = (text: string): string => JSON.stringify(text).slice(1, -1)

const bytes = (text: string): Buffer => Buffer.from(text, "utf8")

const make = Effect.gen(function*() {
  const { command, query, sql } = yield* Postgres
  const [review, projection, outbox] = [yield* MemoryReview, yield* MemoryProjection, yield* Outbox]

  // Its owner copies a commit as a rule, and is not to be raced.
  const copied = (scope: Scope) =>
    Effect.flatMap(outbox.caughtUp(scope), (all) => all ? Effect.void : outbox.drain(scope))

  const drained =
    <A extends ReadonlyArray<unknown>, B, E>(ask: (scope: Scope, ...rest: A) => Effect.Effect<B, E>) =>
    (scope: Scope, ...rest: A) => Effect.zipRight(copied(scope), ask(scope, ...rest))

  const inScope = ({ namespace, org }: Scope) => sql`org = ${org} AND namespace = ${namespace}`

  const replaceBody = (row: MemoryRow) =>
    command(
      "MemoryReview.scrub",
      sql`UPDATE loom.heads SET body = ${bodyOf(row)} WHERE ${inScope(row)} AND place = ${placeOf(row)}
        AND version = ${String(row.version)}::numeric`
    )

  /** Heads whose answer or cause may quote the memory: an answer is JSON in the JSON of the row. */
  const scrubHeads = (scope: Scope, { memory_id, memory_key }: MemoryRow) =>
    Effect.gen(function*() {
      const rows = yield* query(
        "MemoryReview.scrub",
        sql`SELECT body FROM loom.heads WHERE ${inScope(scope)} AND (position(${bytes(memory_id)}::bytea IN body) > 0
          OR position(${bytes(within(within(memory_key)))}::bytea IN body) > 0)`,
        Body
      )
      const shown = new Map(
        (yield* projection.rows(scope, rows.map(({ body }) => body))).map((row) => [identityKey(row), row])
      )
      yield* Effect.forEach(rows, ({ body }) => {
        const row = shown.get(identityKey(body))
        const isSame = row === undefined || row.version !== body.version ||
          (row.answer === body.answer && row.cause === body.cause && row.value === body.value)
        return isSame ? Effect.void : replaceBody(row)
      }, { discard: true })
    })

  const scrubAnswers = (scope: Scope, named: MemoryRow) =>
    Effect.gen(function*() {
      const answers = yield* query(
        "MemoryReview.scrub",
        sql`SELECT idem_hash, version, at, answer FROM loom.answers WHERE ${inScope(scope)}
          AND (position(${bytes(named.memory_id)}::bytea IN answer) > 0
            OR position(${bytes(within(named.memory_key))}::bytea IN answer) > 0)`,
        AnswerRow
      )
      yield* Effect.forEach(answers, ({ answer, at, idem_hash, version }) =>
        Effect.gen(function*() {
          const shown = yield* projection.keptAnswer(scope, idem_hash, at)
          // One that ClickHouse no longer has is one that nobody is given any more.
          const text = Option.match(shown, {
            onNone: () => quotingNothing(answer, named),
            onSome: (kept) => kept.answer
          })
          if (text === answer) return
          yield* command(
            "MemoryReview.scrub",
            sql`UPDATE loom.answers SET answer = ${bytes(text)}
              WHERE ${inScope(scope)} AND idem_hash = ${idem_hash} AND version = ${String(version)}::numeric`
          )
        }), { discard: true })
    })

  const scrub = (scope: Scope, place: Place, contentSha256: string) =>
    Effect.gen(function*() {
      const scrubbed = yield* review.scrub(scope, place, contentSha256)
      const [head] = yield* query(
        "MemoryReview.scrub",
        sql`SELECT body FROM loom.heads WHERE ${inScope(scope)} AND place = ${placeOf(place)}`,
        Body
      )
      if (head !== undefined) {
        yield* scrubHeads(scope, head.body)
        yield* scrubAnswers(scope, head.body)
      }
      return scrubbed
    })

  return MemoryReview.of({
    heads: drained(review.heads),
    named: drained(review.named),
    conflictLinks: drained(review.conflictLinks),
    standingBy: drained(review.standingBy),
    derived: drained(review.derived),
    vectorless: (scope, embedderId, rows) => Effect.zipRight(copied(scope), review.vectorless(scope, embedderId, rows)),
    auditLink: drained(review.auditLink),
    versions: drained(review.versions),
    causedBy: drained(review.causedBy),
    point: drained(review.point),
    standing: drained(review.standing),
    scrub: drained(scrub)
  })
})

/** Over the review of ClickHouse. */
export const layer: Layer.Layer<MemoryReview, never, Postgres | MemoryProjection | MemoryReview | Outbox> = Layer
  .effect(
    MemoryReview,
    make
  )
