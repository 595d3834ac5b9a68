/**
 * The outbox in Postgres. A drain holds the rows of its namespace locked while it copies them, so that two of them never
 * cross: a late copy of an older commit could bring back what a newer one took away. It runs in a fiber of its own, one for
 * a namespace and few at once, however many wait for it: who waits may be one that nothing interrupts, and every drain
 * holds a connection that commits need as well.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { faultPoint } from "../kernel/FaultPoint.ts"
import { actorId } from "../kernel/Identity.ts"
import type { Scope } from "../kernel/Identity.ts"
import { Unavailable } from "../kernel/LoomError.ts"
import type { StoreError } from "../kernel/LoomError.ts"
import { Postgres } from "../platform/Postgres.ts"
import { Int8 } from "../platform/PostgresValue.ts"
import { fitting, mergeCommits } from "./CommitMerge.ts"
import type { Sent } from "./MemoryCommitPostgres.ts"
import { MemoryProjection } from "./MemoryProjection.ts"
import type { Commit } from "./MemoryStore.ts"
import { COPY_LIMIT, Outbox } from "./Outbox.ts"
import * as OutboxBody from "./OutboxBody.ts"

const WaitingRow = Schema.Struct({ id: Int8, body: OutboxBody.FromBytes })

const Last = Schema.Struct({ last: Schema.NullOr(Int8) })

const BacklogRow = Schema.Struct({
  org: Schema.String,
  namespace: Schema.String,
  commits: Schema.NumberFromString,
  age: Schema.Number
})

// Read at once: commits are small but for bulks, whose bodies are some megabytes each.
const PAGE = 8
// Well within what the server and the connection allow an open transaction that is silent (5 and 8 seconds).
const SIGN_OF_LIFE = Duration.seconds(2)
// For this long after one that was given up the others are not even begun: each would hold its connection as long.
const PAUSE_MILLIS = 1_000
// Of the ten connections of a process.
const DRAINS_AT_ONCE = 3
// A reader waits for a copy that is late, not for one that nobody makes.
const LOOK = Duration.millis(20)
const PATIENCE = Duration.seconds(2)
// Of which a scope is told; more are a disaster that one line tells as well.
const BACKLOGS = 1_000

const make = Effect.gen(function*() {
  const { command, query, sql, transaction } = yield* Postgres
  const projection = yield* MemoryProjection
  const life = yield* Effect.scope
  const permits = yield* Effect.makeSemaphore(DRAINS_AT_ONCE)
  /** Commits of this process that are being copied, by namespace: a drain must not overtake them. */
  const underWay = new Map<string, Deferred.Deferred<void>>()
  /** The drains of this process, by namespace. */
  const draining = new Map<string, Deferred.Deferred<number, StoreError>>()
  let pausedUntil = 0

  const untilCopied = (scope: Scope): Effect.Effect<void> =>
    Effect.suspend(() => {
      const other = underWay.get(actorId(scope))
      return other === undefined ? Effect.void : Effect.zipRight(Deferred.await(other), untilCopied(scope))
    })

  const remove = (ids: ReadonlyArray<bigint>) =>
    command("Outbox.remove", sql`DELETE FROM loom.outbox WHERE id = ANY(${ids.map(String)}::bigint[])`)

  const givenUp = Effect.map(Clock.currentTimeMillis, (now) => {
    pausedUntil = now + PAUSE_MILLIS
    return new Unavailable({ operation: "Outbox.copy" })
  })

  const copyOf = (commit: Commit) =>
    projection.commit(commit).pipe(
      Effect.interruptible,
      Effect.disconnect,
      Effect.timeoutOption(COPY_LIMIT),
      Effect.flatMap((copied) => Option.isNone(copied) ? Effect.flatMap(givenUp, Effect.fail) : Effect.void)
    )

  // Waiting is all that may be interrupted: a statement that is cancelled late may take the next one with it.
  const alive = Effect.sleep(SIGN_OF_LIFE).pipe(
    Effect.zipRight(Effect.uninterruptible(command("Outbox.alive", sql`SELECT 1`))),
    Effect.forever
  )

  const drainPage = ({ namespace, org }: Scope) =>
    transaction(
      "Outbox.drain",
      Effect.gen(function*() {
        const rows = yield* query(
          "Outbox.drain",
          sql`SELECT id, body FROM loom.outbox WHERE org = ${org} AND namespace = ${namespace}
            ORDER BY id LIMIT ${PAGE} FOR UPDATE`,
          WaitingRow
        )
        if (rows.length === 0) return 0
        const turn = rows.slice(0, fitting(rows.map(({ body }) => body)))
        yield* Effect.raceFirst(copyOf(mergeCommits(turn.map(({ body }) => body))), alive)
        yield* faultPoint("outbox.after_copy")
        yield* remove(turn.map(({ id }) => id))
        return turn.length
      })
    )

  const pageInTurn = (scope: Scope) =>
    permits.withPermits(1)(Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => now < pausedUntil ? Effect.fail(new Unavailable({ operation: "Outbox.copy" })) : drainPage(scope)
    ))

  /** Copies a page, or waits for whoever is at it; answers how many commits it copied itself. */
  const drainOnce = (scope: Scope): Effect.Effect<number, StoreError> =>
    Effect.flatMap(Deferred.make<number, StoreError>(), (done) =>
      Effect.suspend(() => {
        const id = actorId(scope)
        const other = draining.get(id)
        if (other !== undefined) return Effect.as(Deferred.await(other), 0)
        draining.set(id, done)
        const page = pageInTurn(scope).pipe(
          Effect.interruptible,
          Effect.catchAllCause((cause) =>
            Effect.fail(
              Option.getOrElse(Cause.failureOption(cause), () => new Unavailable({ operation: "Outbox.drain" }))
            )
          ),
          Effect.onExit((exit) => {
            draining.delete(id)
            return Deferred.done(done, exit)
          })
        )
        return Effect.zipRight(Effect.forkIn(page, life), Deferred.await(done))
      }))

  /** The last of what waits, up to a number when one is given. */
  const lastWaiting = ({ namespace, org }: Scope, upTo?: bigint) =>
    Effect.map(
      query(
        "Outbox.waits",
        sql`SELECT max(id) AS last FROM loom.outbox WHERE org = ${org} AND namespace = ${namespace}
          AND id <= coalesce(${upTo === undefined ? null : String(upTo)}::bigint, id)`,
        Last
      ),
      ([row]) => row?.last ?? undefined
    )

  const drain = Effect.fn("Outbox.drain")(function*(scope: Scope) {
    yield* untilCopied(scope)
    let copied = 0
    // Most often there is none, and a transaction would cost three round trips to find that out.
    const last = yield* lastWaiting(scope)
    if (last === undefined) return copied
    // What is committed meanwhile has others to wait for it.
    do copied += yield* drainOnce(scope)
    while ((yield* lastWaiting(scope, last)) !== undefined)
    return copied
  })

  /** Copies commits behind which nothing waits, as one. */
  const copy = (sent: ReadonlyArray<Sent>) =>
    sent.length === 0 ? Effect.void : Effect.gen(function*() {
      const done = yield* Deferred.make<void>()
      const ids = sent.map(({ scope }) => actorId(scope))
      for (const id of ids) underWay.set(id, done)
      yield* copyOf(mergeCommits(sent.map(({ commit }) => commit))).pipe(
        Effect.zipRight(faultPoint("outbox.after_copy")),
        // What stays is copied once more, and is there once all the same.
        Effect.zipRight(Effect.ignore(remove(sent.map(({ id }) => id)))),
        Effect.ensuring(Effect.suspend(() => {
          for (const id of ids) if (underWay.get(id) === done) underWay.delete(id)
          return Deferred.succeed(done, undefined)
        }))
      )
    })

  return Outbox.of({
    project: Effect.fn("Outbox.project")(function*(sent: ReadonlyArray<Sent>) {
      const isLate = ({ behind, scope }: Sent) => behind || underWay.has(actorId(scope))
      const late = sent.filter(isLate)
      yield* Effect.all([
        copy(sent.filter((one) => !isLate(one))),
        Effect.forEach(late, ({ scope }) => drain(scope), { discard: true })
      ], { concurrency: "unbounded", discard: true })
    }),
    drain,
    caughtUp: Effect.fn("Outbox.caughtUp")(function*(scope: Scope) {
      const looked = lastWaiting(scope).pipe(
        Effect.repeat({ until: (last) => last === undefined, schedule: Schedule.spaced(LOOK) }),
        Effect.interruptible,
        Effect.disconnect,
        Effect.timeoutOption(PATIENCE)
      )
      return Option.isSome(yield* looked)
    }),
    waiting: Effect.fn("Outbox.waiting")(function*(atLeast: Duration.Duration) {
      const rows = yield* query(
        "Outbox.waiting",
        sql`SELECT org, namespace, count(*) AS commits,
            (extract(epoch FROM clock_timestamp() - min(at)) * 1000)::double precision AS age
          FROM loom.outbox GROUP BY org, namespace
          HAVING min(at) <= clock_timestamp() - ${Duration.toMillis(atLeast)} * interval '1 millisecond'
          ORDER BY min(at) LIMIT ${BACKLOGS}`,
        BacklogRow
      )
      return rows.map(({ age, commits, ...scope }) => ({ scope, commits, age }))
    })
  })
})

export const layer: Layer.Layer<Outbox, never, Postgres | MemoryProjection> = Layer.scoped(Outbox, make)
