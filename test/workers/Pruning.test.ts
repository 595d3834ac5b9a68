/**
 * What is removed in the course of time, on a real Postgres and the engine: rows of random ages and kinds, of which exactly
 * those go that nobody can need any more, in however many batches, also when one breaks off.
 */
import * as Snowflake from "@effect/cluster/Snowflake"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { FaultPoint } from "../../src/kernel/FaultPoint.ts"
import { Unavailable } from "../../src/kernel/LoomError.ts"
import { Fence } from "../../src/memory/Fence.ts"
import * as FencePostgres from "../../src/memory/FencePostgres.ts"
import { answerRow } from "../../src/memory/MemoryCommitClickhouse.ts"
import { noAnswer } from "../../src/memory/MemoryDisowned.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import * as MemoryStoreClickhouse from "../../src/memory/MemoryStoreClickhouse.ts"
import * as PruneAnswersClickhouse from "../../src/memory/PruneAnswersClickhouse.ts"
import * as PruneAnswersPostgres from "../../src/memory/PruneAnswersPostgres.ts"
import * as PruneIntentsPostgres from "../../src/memory/PruneIntentsPostgres.ts"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import { Postgres } from "../../src/platform/Postgres.ts"
import * as PostgresCluster from "../../src/platform/PostgresCluster.ts"
import * as PostgresMigrations from "../../src/platform/PostgresMigrations.ts"
import * as PostgresMigrator from "../../src/platform/PostgresMigrator.ts"
import * as PruneLettersClickhouse from "../../src/work/PruneLettersClickhouse.ts"
import * as PruneMessagesPostgres from "../../src/work/PruneMessagesPostgres.ts"
import { Prunables, PruneLog } from "../../src/work/PruneModel.ts"
import type { Prunable } from "../../src/work/PruneModel.ts"
import type { DeadLetter } from "../../src/work/WorkerModel.ts"
import { WorkerStore } from "../../src/work/WorkerStore.ts"
import * as WorkerStoreClickhouse from "../../src/work/WorkerStoreClickhouse.ts"
import * as Pruning from "../../workers/Pruning.ts"
import { intentOf } from "../memory/FenceContract.ts"
import { layerEngine } from "../memory/MemoryEngine.ts"
import { freshScope, noon } from "../memory/MemoryFixture.ts"
import * as PostgresHouse from "../support/PostgresHouse.ts"

const migrated = Layer.effectDiscard(
  Effect.zipRight(Effect.flatMap(PostgresMigrations.load(), PostgresMigrator.run), PostgresCluster.create)
)

const house = Layer.mergeAll(FencePostgres.layer, MemoryStoreClickhouse.layer, WorkerStoreClickhouse.layer).pipe(
  Layer.provideMerge(migrated),
  Layer.provideMerge(Layer.merge(PostgresHouse.layer(), layerEngine))
)

const HOUR = 3_600_000

const sample = <A>(one: FastCheck.Arbitrary<A>, count: number): ReadonlyArray<A> =>
  FastCheck.sample(one, { numRuns: count, seed: 20_261_130 })

/** Removes until nothing is left to remove, so many at once; how many that were. */
const all = ({ prune }: Prunable, limit: number) =>
  Effect.gen(function*() {
    let sum = 0
    while (true) {
      const removed = yield* prune(limit)
      if (removed === 0) return sum
      sum += removed
    }
  })

const atNoon = TestClock.setTime(noon)

layer(house, { timeout: 120_000 })("pruning", (it) => {
  it.effect("removes answers that no retry may ask for, and none that one may", () =>
    Effect.gen(function*() {
      yield* atNoon
      const clickhouse = yield* Clickhouse
      const store = yield* MemoryStore
      const prunable = yield* PruneAnswersClickhouse.make
      assert.strictEqual(Duration.toHours(prunable.keep), 25)
      const scope = freshScope()
      const ages = sample(FastCheck.integer({ min: 0, max: 50 * HOUR }), 200)
      const rows = ages.map((age, n) => ({
        scope,
        idem_hash: `hash-${n}`,
        payload_hash: "p",
        write_id: `wr_${n}`,
        answer: `{"n":${n}}`,
        at: noon - age,
        version: BigInt(noon - age) * 1_000_000n
      }))
      yield* clickhouse.insert("loom.idempotency", rows.map(answerRow))
      // Voided a moment ago, one of two hours and one of thirty: what voids has no time but a version above.
      const voided = ages.flatMap((age, n) => age < 3 * HOUR ? [n] : [])
      assert.isNotEmpty(voided)
      yield* clickhouse.insert(
        "loom.idempotency",
        voided.map((n) =>
          answerRow({ ...noAnswer, scope, idem_hash: `hash-${n}`, version: (rows[n]?.version ?? 0n) + 1n })
        )
      )
      const found = (n: number) =>
        Effect.map(
          store.keptAnswer(scope, `hash-${n}`, noon - 24 * HOUR),
          Option.match({ onNone: () => null, onSome: ({ answer }) => answer })
        )
      const before = yield* Effect.forEach(ages, (_, n) => found(n))
      yield* all(prunable, 17)
      // Nothing that a retry was given before is another now.
      assert.deepEqual(yield* Effect.forEach(ages, (_, n) => found(n)), before)
      assert.isTrue(voided.every((n) => before[n] === null) && before.some((answer) => answer !== null))
      const Left = Schema.Struct({ idem_hash: Schema.String })
      const left = yield* clickhouse.query(
        ch.sql("test.left")`SELECT DISTINCT idem_hash FROM loom.idempotency WHERE namespace = ${
          ch.string(scope.namespace)
        } ORDER BY idem_hash`,
        Left
      )
      const kept = ages.flatMap((age, n) => age <= 25 * HOUR ? [`hash-${n}`] : []).sort()
      assert.deepEqual(left.map(({ idem_hash }) => idem_hash), kept)
      assert.isTrue(kept.length > 50 && kept.length < 150)
    }))

  it.effect("removes the same of Postgres, where it is the authority, and looks for nothing where it is not", () =>
    Effect.gen(function*() {
      yield* atNoon
      const { command, query, sql } = yield* Postgres
      const prunable = yield* PruneAnswersPostgres.make
      const Made = Schema.Struct({ made: Schema.Boolean })
      const [there] = yield* query("test.made", sql`SELECT to_regclass('loom.answers') IS NOT NULL AS made`, Made)
      if (there?.made !== true) {
        assert.strictEqual(yield* prunable.prune(10), 0)
        yield* command(
          "test.table",
          sql`CREATE TABLE loom.answers (org text, namespace text, idem_hash text, version numeric(20, 0), at bigint,
            payload_hash text, write_id text, answer bytea, PRIMARY KEY (org, namespace, idem_hash, version))`
        )
      }
      const ages = sample(FastCheck.integer({ min: 0, max: 50 * HOUR }), 100)
      yield* Effect.forEach(ages, (age, n) =>
        command(
          "test.answer",
          sql`INSERT INTO loom.answers (org, namespace, idem_hash, version, at, payload_hash, write_id, answer)
            VALUES ('acme', ${`space-${n % 3}`}, ${`hash-${n}`}, ${n}, ${noon - age}::bigint, 'p', 'w', 'a')`
        ))
      const old = ages.filter((age) => age > 25 * HOUR)
      assert.strictEqual(yield* all(prunable, 9), old.length)
      const Left = Schema.Struct({ found: Schema.NumberFromString, oldest: Schema.NumberFromString })
      const left = yield* query("test.left", sql`SELECT count(*) AS found, min(at) AS oldest FROM loom.answers`, Left)
      assert.strictEqual(left[0]?.found, ages.length - old.length)
      assert.isAtLeast(left[0]?.oldest ?? 0, noon - 25 * HOUR)
    }))

  it.effect("removes letters that were done with a month ago, whole, and none that is open or asked for again", () =>
    Effect.gen(function*() {
      yield* atNoon
      const store = yield* WorkerStore
      const prunable = yield* PruneLettersClickhouse.make
      const scope = freshScope()
      const letter = (position: bigint, at: number, state: DeadLetter["state"]): DeadLetter => ({
        worker: "resolver",
        scope,
        position,
        memory_id: `mem_${position}`,
        change: "create",
        code: "INTERNAL",
        tries: 5,
        first_at: at - 1,
        at,
        state,
        actor: ""
      })
      const month = 30 * 24 * HOUR
      yield* store.file([1n, 2n, 3n, 4n, 5n].map((position) => letter(position, noon - 2 * month, "open")))
      yield* store.file([
        letter(1n, noon - month - 1_000, "done"),
        letter(2n, noon - month - 1_000, "dropped"),
        letter(3n, noon - month + 1_000, "done"),
        letter(4n, noon - month - 1_000, "done")
      ])
      // Asked for again since.
      yield* store.file([letter(4n, noon - 1_000, "retry")])
      assert.strictEqual(yield* all(prunable, 1), 2)
      const left = yield* store.letters({
        reach: { ...scope, namespaces: [scope.namespace] },
        worker: null,
        states: ["open", "retry", "done", "dropped"],
        limit: 9
      })
      assert.deepEqual(left.map(({ position, state }) => [position, state]).sort(), [
        [3n, "done"],
        [4n, "retry"],
        [5n, "open"]
      ])
    }))

  it.effect("removes intents an hour after they were decided, and none that somebody has to settle", () =>
    Effect.gen(function*() {
      const { command, query, sql } = yield* Postgres
      const fence = yield* Fence
      const prunable = yield* PruneIntentsPostgres.make
      const scope = freshScope()
      const { epoch } = yield* fence.take(scope)
      const owner = { scope, epoch }
      // One under way, and one that was just confirmed.
      yield* fence.reserve([intentOf(owner, 1n, 10n), intentOf(owner, 2n, 20n)])
      yield* fence.confirm([{ ...owner, seq: 1n }])
      const cases = sample(
        FastCheck.record({
          state: FastCheck.constantFrom("open", "doomed", "done", "void"),
          minutes: FastCheck.integer({ min: 0, max: 120 })
        }),
        150
      )
      const Old = 1_000n
      yield* Effect.forEach(cases, ({ minutes, state }, n) =>
        command(
          "test.intent",
          sql`INSERT INTO loom.intents (org, namespace, epoch, seq, state, rows, top, reserved_at, decided_at)
            VALUES (${scope.org}, ${scope.namespace}, 0, ${String(Old + BigInt(n))}::bigint, ${state}, '[]', 1,
              now() - interval '9 days',
              CASE ${state}::text WHEN 'open' THEN NULL ELSE now() - ${minutes + 0.5} * interval '1 minute' END)`
        ))
      const settled = cases.filter(({ minutes, state }) => (state === "done" || state === "void") && minutes >= 60)
      assert.isAbove(settled.length, 20)
      assert.strictEqual(yield* all(prunable, 7), settled.length)
      const left = yield* query(
        "test.left",
        sql`SELECT count(*)::integer AS found FROM loom.intents WHERE org = ${scope.org} AND namespace = ${scope.namespace}`,
        Schema.Struct({ found: Schema.Number })
      )
      assert.strictEqual(left[0]?.found, cases.length - settled.length + 2)
      // A repeated confirmation is the same as once, and whoever comes next finds all that is open.
      assert.deepEqual(yield* fence.confirm([{ ...owner, seq: 1n }]), [true])
      const taken = yield* fence.take(scope)
      const open = cases.filter(({ state }) => state === "open" || state === "doomed").length
      assert.strictEqual(taken.open.length, open + 1)
    }))

  it.effect("removes stored messages of calls that were answered a day ago, with all that belongs to them", () =>
    Effect.gen(function*() {
      yield* atNoon
      const { command, query, sql } = yield* Postgres
      const prunable = yield* PruneMessagesPostgres.make
      const [messages, replies] = [sql("loom_cluster_messages"), sql("loom_cluster_replies")]
      const idAt = (millis: number, n: number) =>
        String((BigInt(millis - Snowflake.constEpochMillis) << 22n) + BigInt(n))
      const cases = sample(
        FastCheck.record({
          answered: FastCheck.boolean(),
          sentAgo: FastCheck.integer({ min: 0, max: 60 * HOUR }),
          took: FastCheck.integer({ min: 0, max: 30 * HOUR })
        }),
        100
      ).map((one) => ({ ...one, took: Math.min(one.took, one.sentAgo) }))
      yield* Effect.forEach(cases, ({ answered, sentAgo, took }, n) =>
        Effect.gen(function*() {
          const request = idAt(noon - sentAgo, n)
          const message = (id: string, kind: number) =>
            command(
              "test.message",
              sql`INSERT INTO ${messages} (id, shard_id, entity_type, entity_id, kind, tag, payload, processed, request_id)
                VALUES (${id}::bigint, 'default:1', 'Job', 'a', ${kind}, 'run', '{}', ${answered}, ${request}::bigint)`
            )
          yield* message(request, 0)
          yield* message(idAt(noon - sentAgo, 1_000 + n), 1)
          const reply = (id: string, kind: number | null, sequence: number | null) =>
            command(
              "test.reply",
              sql`INSERT INTO ${replies} (id, kind, request_id, payload, sequence)
                VALUES (${id}::bigint, ${kind}::int, ${request}::bigint, '{}', ${sequence}::int)`
            )
          yield* reply(idAt(noon - sentAgo, 2_000 + n), null, 0)
          if (answered) yield* reply(idAt(noon - sentAgo + took, 3_000 + n), 0, null)
        }))
      const isOld = ({ answered, sentAgo, took }: typeof cases[number]) => answered && sentAgo - took > 25 * HOUR
      const old = cases.filter(isOld)
      assert.isAbove(old.length, 10)
      assert.strictEqual(yield* all(prunable, 3), old.length)
      const Counts = Schema.Struct({ messages: Schema.Number, replies: Schema.Number, requests: Schema.Number })
      const [left] = yield* query(
        "test.left",
        sql`SELECT (SELECT count(*)::int FROM ${messages}) AS messages, (SELECT count(*)::int FROM ${replies}) AS replies,
          (SELECT count(DISTINCT request_id)::int FROM ${messages}) AS requests`,
        Counts
      )
      const rest = cases.filter((one) => !isOld(one))
      assert.deepEqual(left, {
        messages: rest.length * 2,
        replies: rest.length + rest.filter(({ answered }) => answered).length,
        requests: rest.length
      })
    }))
})

/** A list of rows by number, of which the even ones are old. */
const toyOf = (name: string, rows: Array<number>, broken = false): Prunable => ({
  name,
  keep: Duration.hours(2),
  prune: () =>
    broken ? Effect.fail(new Unavailable({ operation: name })) : Effect.sync(() => {
      const at = rows.findIndex((row) => row % 2 === 0)
      if (at >= 0) rows.splice(at, 1)
      return at >= 0 ? 1 : 0
    })
})

const spin = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, Effect.forever(Effect.zipRight(Effect.yieldNow(), TestClock.adjust("1 second"))))

describe("a run of pruning", () => {
  it.effect("goes over all there is though one fails, says what it did, and goes on where it broke off", () =>
    Effect.gen(function*() {
      const [first, last] = [[1, 2, 3, 4, 6], [2, 5]]
      let breaks = 2
      const log = yield* PruneLog
      const run = Pruning.run.pipe(
        Effect.provideService(Prunables, [toyOf("toys", first), toyOf("broken", [], true), toyOf("cars", last)]),
        Effect.provideService(FaultPoint, {
          hit: (point) => point === "pruning.between" && --breaks === 0 ? Effect.die("crashed") : Effect.void
        }),
        spin,
        Effect.exit
      )
      assert.isTrue(Exit.isFailure(yield* run))
      // Broken off after its second batch.
      assert.deepEqual([first, last], [[1, 3, 6], [2, 5]])
      const second = yield* run
      assert.isTrue(Exit.isFailure(second) && Cause.pretty(second.cause).includes("broken"), String(second))
      assert.deepEqual([first, last], [[1, 3], [5]])
      const entries = new Map(log.entries().map((entry) => [entry.name, entry]))
      assert.deepInclude(entries.get("toys"), { removed: 3, keepMillis: 2 * HOUR })
      assert.isAbove(entries.get("cars")?.lookedAt ?? -1, 0)
      assert.isAtMost(entries.get("cars")?.lookedAt ?? 0, yield* Clock.currentTimeMillis)
      assert.isUndefined(entries.get("broken"))
    }))
})
