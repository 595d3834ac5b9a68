/** What every `Clickhouse` promises, run over each of its layers. */
import { assert, describe, layer } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { ch, Clickhouse } from "../../src/platform/Clickhouse.ts"
import * as Value from "../../src/platform/ClickhouseValue.ts"

const One = Schema.Struct({ one: Schema.Number })
const selectOne = ch.sql("test.one")`SELECT 1 AS one`

const makeTable = (name: string, columns: string, settings = "") =>
  Effect.flatMap(Clickhouse, ({ command }) =>
    Effect.zipRight(
      command(ch.sql("test.database")`CREATE DATABASE IF NOT EXISTS loom ENGINE = Atomic`),
      command({
        operation: "test.table",
        text: `CREATE TABLE loom.${name} (${columns}) ENGINE = MergeTree ORDER BY id ${settings}`,
        params: {}
      })
    ))

const countOf = (name: string) =>
  Effect.flatMap(Clickhouse, ({ query }) =>
    Effect.map(
      query(
        ch.sql("test.count")`SELECT count() AS count FROM ${ch.identifier("loom", name)}`,
        Schema.Struct({ count: Value.UInt64 })
      ),
      ([row]) => row?.count
    ))

const failsWith = (tag: string) => (exit: Exit.Exit<unknown, { readonly _tag: string }>) =>
  assert.strictEqual(
    Exit.isFailure(exit) && exit.cause._tag === "Fail" ? exit.cause.error._tag : "no typed failure",
    tag
  )

export const suite = <R, E>(name: string, clickhouse: Layer.Layer<Clickhouse | R, E>) =>
  describe(name, () => {
    layer(clickhouse, { excludeTestServices: true, timeout: Duration.seconds(60) })((it) => {
      it.effect("binds any text as it is, alone and in arrays, tuples and maps", () =>
        Effect.gen(function*() {
          const { query } = yield* Clickhouse
          const text = FastCheck.oneof(
            FastCheck.string({ unit: "grapheme" }),
            FastCheck.string({
              unit: FastCheck.constantFrom("\\", "'", "\"", "`", "\n", "\r", "\t", "\0", ";", "{p1: String}", "é")
            })
          )
          const texts = FastCheck.sample(text, { numRuns: 60, seed: 7 })
          const rows = yield* query(
            ch.sql("test.texts")`
              SELECT ${ch.array("String", texts)} AS texts, ${ch.string(texts.join(""))} AS joined,
                ${ch.tuples(["String", "UInt64"], texts.map((item, index) => [item, BigInt(index)]))} AS pairs,
                ${ch.map(Object.fromEntries(texts.map((item, index) => [`k${index}`, item])))} AS map,
                ${ch.nullable("String", null)} IS NULL AS absent, ${ch.nullable("String", "")} AS empty`,
            Schema.Struct({
              texts: Schema.Array(Schema.String),
              joined: Schema.String,
              pairs: Schema.Array(Schema.Tuple(Schema.String, Value.UInt64)),
              map: Schema.Record({ key: Schema.String, value: Schema.String }),
              absent: Value.Flag,
              empty: Schema.String
            })
          )
          assert.deepStrictEqual(rows, [{
            texts,
            joined: texts.join(""),
            pairs: texts.map((item, index) => [item, BigInt(index)] as const),
            map: Object.fromEntries(texts.map((item, index) => [`k${index}`, item])),
            absent: true,
            empty: ""
          }])
        }))

      it.effect("keeps numbers and times exact", () =>
        Effect.gen(function*() {
          const { insert, query } = yield* Clickhouse
          yield* makeTable("exact", "id UInt64, i Int64, f Float64, v Array(Float32), at DateTime64(3, 'UTC'), b Bool")
          const at = 1_764_439_509_123
          const row = {
            id: 2n ** 64n - 1n,
            i: -(2n ** 63n),
            f: 0.1 + 0.2,
            v: new Float32Array([0.1, -2.5e-8]),
            at: new Date(at),
            b: true
          }
          yield* insert("loom.exact", [row])
          const Row = Schema.Struct({
            id: Value.UInt64,
            i: Value.Int64,
            f: Schema.Number,
            v: Schema.Array(Schema.Number),
            at: Value.EpochMillis,
            b: Value.Flag
          })
          const rows = yield* query(
            ch.sql("test.exact")`
              SELECT * FROM loom.exact WHERE id = ${ch.uint64(row.id)} AND i IN ${ch.array("Int64", [row.i])}
                AND f = ${ch.float64(row.f)} AND at = ${ch.dateTime64(at)} AND b = ${ch.boolean(true)} LIMIT ${
              ch.uint32(1)
            }`,
            Row
          )
          assert.deepStrictEqual(rows.map(({ v, ...rest }) => ({ ...rest, v: new Float32Array(v) })), [{ ...row, at }])
          const [sent] = yield* query(
            ch.sql("test.vector")`SELECT ${ch.array("Float32", Array.from(row.v))} AS v, ${ch.dateTime64(-1)} AS at`,
            Schema.Struct({ v: Schema.Array(Schema.Number), at: Value.DateTime64 })
          )
          assert.deepStrictEqual(new Float32Array(sent?.v ?? []), row.v)
          assert.strictEqual(sent?.at.toISOString(), "1969-12-31T23:59:59.999Z")
        }))

      it.effect("takes many and long parameters", () =>
        Effect.gen(function*() {
          const { command, query } = yield* Clickhouse
          yield* makeTable("wide", "id UInt64")
          const ids = Array.from({ length: 20_000 }, (_, index) => `id-${index}`)
          const [row] = yield* query(
            ch.sql("test.many")`SELECT length(${ch.array("String", ids)}) AS ids, length(${
              ch.string("x".repeat(500_000))
            }) AS text`,
            Schema.Struct({ ids: Schema.NumberFromString, text: Schema.NumberFromString })
          )
          assert.deepStrictEqual(row, { ids: 20_000, text: 500_000 })
          yield* command(ch.sql("test.delete")`DELETE FROM loom.wide WHERE id IN ${
            ch.array(
              "UInt64",
              ids.map((_, id) => BigInt(id)).slice(0, 5_000)
            )
          }`)
        }))

      it.effect("inserts as one part whatever the size", () =>
        Effect.gen(function*() {
          const { insert, query } = yield* Clickhouse
          yield* makeTable("large", "id UInt64, text String")
          const wide = Array.from({ length: 70 }, (_, id) => ({ id, text: `${id}-`.padEnd(1_000_000, "abcdefgh") }))
          assert.isAtLeast(JSON.stringify(wide).length, 64 * 1024 * 1024)
          yield* insert("loom.large", wide, { settings: { optimize_on_insert: 0 } })
          // More rows than the engine puts into a block by itself.
          const narrow = { id: 1 }
          yield* insert("loom.large", Array.from({ length: 1_300_000 }, () => narrow))
          const parts = yield* query(
            ch.sql("test.parts")`
              SELECT rows, level FROM system.parts WHERE database = 'loom' AND table = 'large' ORDER BY rows`,
            Schema.Struct({ rows: Value.UInt64, level: Schema.Number })
          )
          assert.deepStrictEqual(parts, [{ rows: 70n, level: 0 }, { rows: 1_300_000n, level: 0 }])
        }), 60_000)

      it.effect("refuses a column that the table lacks and writes nothing of that insert", () =>
        Effect.gen(function*() {
          const { insert } = yield* Clickhouse
          yield* makeTable("strict", "id UInt64, text String DEFAULT 'none'")
          failsWith("Unavailable")(yield* Effect.exit(insert("loom.strict", [{ id: 1 }, { id: 2, texxt: "a" }])))
          assert.strictEqual(yield* countOf("strict"), 0n)
          yield* insert("loom.strict", [{ id: 1 }])
          yield* insert("loom.strict", [])
          assert.strictEqual(yield* countOf("strict"), 1n)
          const bad = yield* Effect.exit(insert("loom.strict; DROP TABLE loom.strict", [{ id: 1 }]))
          assert.isTrue(Exit.isFailure(bad) && bad.cause._tag === "Die")
        }))

      it.effect("never shows the output of a failed query to a later one", () =>
        Effect.gen(function*() {
          const { query } = yield* Clickhouse
          const broken = ch.sql("test.broken")`
            SELECT throwIf(number = 300000) AS one, repeat('leak', 20) AS text FROM numbers(400000)`
          yield* Effect.forEach(Array.from({ length: 4 }), () =>
            Effect.gen(function*() {
              failsWith("Unavailable")(yield* Effect.exit(query(broken, One)))
              assert.deepStrictEqual(yield* query(selectOne, One), [{ one: 1 }])
            }))
          const mixed = yield* Effect.forEach(
            Array.from({ length: 48 }, (_, index) => index),
            (index) => index % 3 === 0 ? Effect.exit(query(broken, One)) : Effect.exit(query(selectOne, One)),
            { concurrency: 16 }
          )
          mixed.forEach((exit, index) =>
            index % 3 === 0 ? failsWith("Unavailable")(exit) : assert.deepStrictEqual(exit, Exit.succeed([{ one: 1 }]))
          )
        }))

      it.effect("ends settings with their statement", () =>
        Effect.gen(function*() {
          const { command, query } = yield* Clickhouse
          const Setting = Schema.Struct({ value: Schema.String, other: Schema.String })
          const read = ch.sql("test.setting")`
            SELECT toString(getSetting('max_result_rows')) AS value, toString(getSetting('join_use_nulls')) AS other`
          const changed = ch.withSettings(read, { max_result_rows: 1234, join_use_nulls: true })
          const answers = yield* Effect.forEach(
            Array.from({ length: 60 }, (_, index) => index),
            (index) => query(index % 2 === 0 ? changed : read, Setting),
            { concurrency: 8 }
          )
          answers.forEach((rows, index) =>
            assert.deepStrictEqual(rows, [
              index % 2 === 0 ? { value: "1234", other: "true" } : { value: "0", other: "false" }
            ])
          )
          yield* Effect.exit(
            query(ch.withSettings(ch.sql("test.fails")`SELECT throwIf(1)`, { max_result_rows: 5 }), One)
          )
          yield* command(ch.sql("test.set")`SET max_result_rows = 7`)
          yield* command(ch.sql("test.use")`USE system`)
          const after = yield* Effect.forEach(Array.from({ length: 16 }), () =>
            query(
              ch.sql("test.after")`SELECT toString(getSetting('max_result_rows')) AS value, currentDatabase() AS other`,
              Setting
            ), {
            concurrency: 16
          })
          assert.deepStrictEqual(after, Array.from({ length: 16 }, () => [{ value: "0", other: "default" }]))
        }))

      it.effect("refuses a statement that lacks a parameter, though others had one of that name", () =>
        Effect.gen(function*() {
          const { query } = yield* Clickhouse
          const Row = Schema.Struct({ text: Schema.String })
          const whole = ch.sql("test.whole")`SELECT ${ch.string("secret of another")} AS text`
          yield* Effect.forEach(Array.from({ length: 16 }), () => query(whole, Row), { concurrency: 16 })
          const lacking = yield* Effect.forEach(
            Array.from({ length: 16 }),
            () => Effect.exit(query({ ...whole, params: {} }, Row)),
            { concurrency: 16 }
          )
          lacking.forEach(failsWith("Unavailable"))
        }))

      it.effect("refuses two statements in one", () =>
        Effect.gen(function*() {
          const { command, query } = yield* Clickhouse
          yield* makeTable("twice", "id UInt64")
          failsWith("Unavailable")(yield* Effect.exit(command(ch.sql("test.two")`SELECT 1; DROP TABLE loom.twice`)))
          failsWith("Unavailable")(yield* Effect.exit(query(ch.sql("test.two")`SELECT 1 AS one; SELECT 2 AS one`, One)))
          assert.strictEqual(yield* countOf("twice"), 0n)
        }))

      it.effect("tells a row that does not decode from a failure", () =>
        Effect.gen(function*() {
          const { query } = yield* Clickhouse
          failsWith("Corrupt")(yield* Effect.exit(query(ch.sql("test.corrupt")`SELECT 'a' AS one`, One)))
          failsWith("Corrupt")(yield* Effect.exit(query(ch.sql("test.corrupt")`SELECT 1 AS two`, One)))
          failsWith("Unavailable")(yield* Effect.exit(query(ch.sql("test.none")`SELECT * FROM loom.nothing_here`, One)))
          assert.deepStrictEqual(yield* query(ch.sql("test.empty")`SELECT 1 AS one WHERE 0`, One), [])
        }))

      it.effect("decodes many rows", () =>
        Effect.gen(function*() {
          const { query } = yield* Clickhouse
          const rows = yield* query(
            ch.sql("test.many")`SELECT number AS one, toString(number) AS text FROM numbers(${
              ch.uint32(20_001)
            }) ORDER BY number`,
            Schema.Struct({ one: Value.UInt64, text: Schema.String })
          )
          assert.strictEqual(rows.length, 20_001)
          assert.deepStrictEqual(rows[20_000], { one: 20_000n, text: "20000" })
        }))

      it.effect("stops the query of an interrupted fiber and returns at once", () =>
        Effect.gen(function*() {
          const { query } = yield* Clickhouse
          const mark = "stops the query of an interrupted fiber"
          const slow = ch.sql("test.slow")`SELECT count() AS one FROM numbers(100000000000) WHERE NOT ignore(${
            ch.string(mark)
          })`
          const slowQueries = query(
            ch.sql("test.processes")`
              SELECT toUInt32(count()) AS one FROM system.processes WHERE query LIKE '%numbers(100000000000)%' AND query NOT LIKE '%processes%'`,
            One
          )
          const until = (count: number) =>
            Effect.repeat(slowQueries, {
              until: ([row]) => row?.one === count,
              schedule: Schedule.intersect(Schedule.spaced("20 millis"), Schedule.recurs(500))
            })
          const fiber = yield* Effect.fork(query(slow, One))
          yield* until(1)
          const [took] = yield* Effect.timed(Fiber.interrupt(fiber))
          assert.isBelow(Duration.toMillis(took), 1_000)
          const [ended] = yield* Effect.timed(until(0))
          assert.isBelow(Duration.toMillis(ended), 5_000)
        }))

      it.effect("runs queries side by side", () =>
        Effect.gen(function*() {
          const { query } = yield* Clickhouse
          const sleep = ch.sql("test.sleep")`SELECT sleep(0.5) AS one`
          const [took] = yield* Effect.timed(
            Effect.forEach(Array.from({ length: 8 }), () => query(sleep, One), { concurrency: "unbounded" })
          )
          assert.isBelow(Duration.toMillis(took), 2_500)
        }))

      it.effect("gives the sql client underneath", () =>
        Effect.gen(function*() {
          const { client: sql } = yield* Clickhouse
          const rows = yield* sql`SELECT ${sql.param("UInt64", "18446744073709551615")} AS id, ${"it's"} AS text`
          assert.deepStrictEqual(rows, [{ id: "18446744073709551615", text: "it's" }])
          const failure = yield* Effect.flip(sql`SELECT * FROM loom.nothing_here`)
          assert.strictEqual(failure._tag, "SqlError")
          yield* (yield* Clickhouse).ping
        }))
    })
  })
