import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ch } from "../../src/platform/Clickhouse.ts"
import { encodeParam, encodeParams } from "../../src/platform/ClickhouseParam.ts"
import { scan } from "../../src/platform/ClickhouseScan.ts"
import * as Value from "../../src/platform/ClickhouseValue.ts"

describe("ch", () => {
  it("puts types into the text and values beside it", () => {
    const statement = ch.sql("MemoryStore.heads", { max_threads: 1 })`
      SELECT * FROM ${ch.identifier("loom", "memory")} WHERE org = ${ch.string("o'; DROP")} AND version > ${
      ch.uint64(5n)
    }
        AND id IN ${ch.array("String", ["a", "b"])} AND at < ${ch.dateTime64(0)} AND agent = ${
      ch.nullable("String", null)
    }`
    assert.strictEqual(
      statement.text.replace(/\s+/g, " ").trim(),
      "SELECT * FROM `loom`.`memory` WHERE org = {p1: String} AND version > {p2: UInt64} AND id IN {p3: Array(String)} "
        + "AND at < {p4: DateTime64(3, 'UTC')} AND agent = {p5: Nullable(String)}"
    )
    assert.strictEqual(statement.operation, "MemoryStore.heads")
    assert.deepStrictEqual(statement.settings, { max_threads: 1 })
    assert.deepStrictEqual(encodeParams(statement.params), {
      p1: "o\\'; DROP",
      p2: "5",
      p3: "['a','b']",
      p4: "1970-01-01 00:00:00.000",
      p5: "\\N"
    })
    assert.deepStrictEqual(scan(statement.text).placeholders, Object.keys(statement.params))
  })

  it("numbers the values of composed fragments in the order of the text", () => {
    const scope = ch.fragment`org = ${ch.string("o")} AND namespace = ${ch.string("n")}`
    const filters = ch.join([scope, ch.fragment`agent = ${ch.string("a")}`, ch.fragment`(${ch.empty}1)`], " AND ")
    const list = ch.join([ch.uint32(1), ch.uint32(2)])
    const statement = ch.sql("test")`SELECT ${list} WHERE ${filters} LIMIT ${ch.uint8(3)}`
    assert.strictEqual(
      statement.text,
      "SELECT {p1: UInt32}, {p2: UInt32} WHERE org = {p3: String} AND namespace = {p4: String} AND agent = {p5: String} "
        + "AND (1) LIMIT {p6: UInt8}"
    )
    assert.deepStrictEqual(Object.values(encodeParams(statement.params)), ["1", "2", "o", "n", "a", "3"])
    assert.isUndefined(statement.settings)
  })

  it("lets the later setting win", () => {
    const statement = ch.withSettings(ch.sql("test", { max_threads: 1, readonly: 1 })`SELECT 1`, { max_threads: 2 })
    assert.deepStrictEqual(statement.settings, { max_threads: 2, readonly: 1 })
  })

  it("quotes names and literals", () => {
    assert.strictEqual(ch.sql("test")`${ch.identifier("a`b\\c", "d")}`.text, "`a\\`b\\\\c`.`d`")
    assert.strictEqual(ch.sql("test")`${ch.literal("a'b\\c")}`.text, "'a\\'b\\\\c'")
  })

  it("refuses numbers that the type does not hold", () => {
    assert.throws(() => ch.uint64(-1n), RangeError)
    assert.throws(() => ch.uint64(2n ** 64n), RangeError)
    assert.throws(() => ch.int64(2n ** 63n), RangeError)
    assert.throws(() => ch.uint32(2 ** 32), RangeError)
    assert.throws(() => ch.uint32(1.5), RangeError)
    assert.throws(() => ch.array("UInt8", [1, 256]), RangeError)
    assert.throws(() => ch.dateTime64(Number.NaN))
    assert.throws(() => ch.dateTime64(Date.UTC(1899, 11, 31)), RangeError)
  })
})

describe("encodeParam", () => {
  it("escapes as TabSeparated does, and quotes inside arrays, tuples and maps", () => {
    assert.strictEqual(encodeParam("a\tb\nc\rd\\e'f\0g"), "a\\tb\\nc\\rd\\\\e\\'f\\0g")
    assert.strictEqual(encodeParam(["a'", null, true, 1n, 0.5]), "['a\\'',NULL,TRUE,1,0.5]")
    assert.strictEqual(encodeParam([{ tuple: ["a", 1] }, { tuple: ["b", 2] }]), "[('a',1),('b',2)]")
    assert.strictEqual(encodeParam({ entries: [["a", "b"]] }), "{'a':'b'}")
    assert.strictEqual(encodeParam(Number.NaN), "nan")
    assert.strictEqual(encodeParam(Number.NEGATIVE_INFINITY), "-inf")
    assert.strictEqual(encodeParam(false), "0")
  })
})

describe("scan", () => {
  it("finds each placeholder once and none inside literals, names and comments", () => {
    const sql =
      `SELECT {a: String}, '{b: String}', "{c: String}", \`{d: String}\`, $x$ {e: String} ; $x$, {a: String}, -- {f: String};
      /* {g: String} ; */ 'it\\'s {h: String}', 'it''s {i: String}', {j:Array(Tuple(String, DateTime64(3, 'UTC')))}, {'k': 1}, a#b`
    assert.deepStrictEqual(scan(sql), { placeholders: ["a", "j"], stateful: false, multiple: false, takesData: false })
  })

  it("sees a second statement, not a closing semicolon", () => {
    assert.isFalse(scan("SELECT 1;\n-- done\n ").multiple)
    assert.isTrue(scan("SELECT 1; SELECT 2").multiple)
    assert.isTrue(scan("/* a */ SELECT ';' ; DROP TABLE t").multiple)
  })

  it("stops at the data of an insert", () => {
    assert.deepStrictEqual(scan("INSERT INTO t (format) FORMAT JSONEachRow {\"a\": \"; {b: String}\"}"), {
      placeholders: [],
      stateful: false,
      multiple: false,
      takesData: true
    })
    assert.deepStrictEqual(scan("INSERT INTO t SELECT format FROM s WHERE a = {a: String}").placeholders, ["a"])
    assert.deepStrictEqual(scan("INSERT INTO t VALUES ({a: String})").placeholders, ["a"])
    assert.isFalse(scan("SELECT 1 FORMAT JSON").takesData)
  })

  it("knows what leaves state behind", () => {
    assert.isTrue(scan("set max_threads = 1").stateful)
    assert.isTrue(scan("-- a\nUSE system").stateful)
    assert.isTrue(scan("CREATE OR REPLACE TEMPORARY TABLE t (a Int8)").stateful)
    assert.isFalse(scan("CREATE TABLE t (temporary Int8) ENGINE = Memory").stateful)
  })
})

describe("ClickhouseValue", () => {
  it("decodes and encodes what an insert reads", () => {
    const Row = Schema.Struct({ id: Value.UInt64, at: Value.EpochMillis, day: Value.DateTime64, flag: Value.Flag })
    const wire = {
      id: "18446744073709551615",
      at: "2026-11-29 18:05:09.123",
      day: "1969-12-31 23:59:59.999",
      flag: true
    }
    const row = Schema.decodeUnknownSync(Row)({ ...wire, flag: 1 })
    assert.deepStrictEqual(row, {
      id: 2n ** 64n - 1n,
      at: Date.UTC(2026, 10, 29, 18, 5, 9, 123),
      day: new Date(-1),
      flag: true
    })
    assert.deepStrictEqual(Schema.encodeSync(Row)(row), wire)
  })

  it("refuses what only looks like a value", () => {
    assert.throws(() => Schema.decodeUnknownSync(Value.UInt64)("-1"))
    assert.throws(() => Schema.decodeUnknownSync(Value.UInt64)("18446744073709551616"))
    assert.throws(() => Schema.decodeUnknownSync(Value.UInt64)(5))
    assert.throws(() => Schema.decodeUnknownSync(Value.EpochMillis)("yesterday"))
  })
})
