/** The stock client, and plain requests, against the embedded engine behind HTTP. */
import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll } from "vitest"
import { ClickhouseEngineServer } from "../../src/platform/ClickhouseEngineServer.ts"
import { layerServer, token } from "./ClickhouseTemp.ts"

const maxBody = 8_000_000
const scope = Effect.runSync(Scope.make())
const password = Redacted.value(token)
let url = ""
let client: ReturnType<typeof createClient>

const log = { level: ClickHouseLogLevel.OFF }

beforeAll(async () => {
  const context = await Effect.runPromise(Layer.buildWithScope(layerServer({ maxBody, maxRequests: 20 }), scope))
  url = Context.get(context, ClickhouseEngineServer).url
  client = createClient({ url, password, log })
  await client.command({ query: "CREATE TABLE people (id UInt64, name String) ENGINE = MergeTree ORDER BY id" })
})

afterAll(async () => {
  await client.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => "resolved", (error: unknown) => error)

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, search = "") =>
  fetch(`${url}/${search}`, { method: "POST", body, headers: { "x-clickhouse-key": password, ...headers } })

describe("the stock client", () => {
  it("pings, with and without a query", async () => {
    assert.isTrue((await client.ping()).success)
    assert.isTrue((await client.ping({ select: true })).success)
    const stranger = createClient({ url, password: "wrong", log })
    assert.isTrue((await stranger.ping()).success)
    assert.isFalse((await stranger.ping({ select: true })).success)
    await stranger.close()
  })

  it("queries with parameters and settings, also packed", async () => {
    const packed = createClient({ url, password, log, compression: { response: true, request: true } })
    for (const each of [client, packed]) {
      const result = await each.query({
        query: "SELECT number AS n, {text: String} AS text, {list: Array(UInt8)} AS list FROM numbers({count: UInt32})",
        query_params: { text: "a'\\\n\t{x: String}", list: [1, 2], count: 3_000 },
        clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
        format: "JSONEachRow"
      })
      const rows = await result.json<object>()
      assert.strictEqual(rows.length, 3_000)
      assert.deepStrictEqual(rows[2_999], { n: 2_999, text: "a'\\\n\t{x: String}", list: [1, 2] })
    }
    await packed.close()
  })

  it("sends long parameters as a form", async () => {
    const wide = createClient({ url, password, log, use_multipart_params_auto: true })
    const result = await wide.query({
      query: "SELECT length({ids: Array(String)}) AS n, {text: String} AS text",
      query_params: { ids: Array.from({ length: 5_000 }, (_, index) => `id-${index}`), text: "é\r\n'--" },
      format: "JSONEachRow"
    })
    assert.deepStrictEqual(await result.json(), [{ n: "5000", text: "é\r\n'--" }])
    await wide.close()
  })

  it("inserts arrays and streams, plain and packed, and reads a stream", async () => {
    const packed = createClient({ url, password, log, compression: { request: true } })
    await client.insert({ table: "people", values: [{ id: 1, name: "a;b\n" }], format: "JSONEachRow" })
    await packed.insert({
      table: "people",
      values: Readable.from(Array.from({ length: 1_000 }, (_, index) => ({ id: index + 2, name: "x" }))),
      format: "JSONEachRow"
    })
    await client.insert({
      table: "people",
      values: Readable.from(["2000,\"c,d\"\n"], { objectMode: false }),
      format: "CSV"
    })
    const result = await client.query({ query: "SELECT id, name FROM people ORDER BY id", format: "JSONEachRow" })
    let rows = 0
    for await (const chunk of result.stream()) rows += chunk.length
    assert.strictEqual(rows, 1_002)
    await packed.close()
  })

  it("gets errors of its own class with code and type", async () => {
    const unknown = await rejection(client.query({ query: "SELECT * FROM nothing" }))
    assert.instanceOf(unknown, ClickHouseError)
    assert.deepInclude(unknown, { code: "60", type: "UNKNOWN_TABLE" })
    const syntax = await rejection(client.command({ query: "SELEC 1" }))
    assert.instanceOf(syntax, ClickHouseError)
    assert.deepInclude(syntax, { code: "62" })
    const missing = await rejection(client.query({ query: "SELECT {nobody: String}" }))
    assert.deepInclude(missing, { code: "456", type: "UNKNOWN_QUERY_PARAMETER" })
    const late = await rejection(
      client.query({ query: "SELECT throwIf(number = 100000), repeat('x', 50) FROM numbers(200000)" })
    )
    assert.deepInclude(late, { code: "395" })
    const session = await rejection(client.query({ query: "SELECT 1", session_id: "s" }))
    assert.deepInclude(session, { code: "48" })
  })

  it("stops a query whose caller went away, or that is killed by id", async () => {
    const slow = { query: "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(1)" }
    const running = async () => {
      const result = await client.query({
        query:
          "SELECT count() AS n FROM system.processes WHERE query LIKE '%ignore(1)%' AND query NOT LIKE '%processes%'",
        clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
        format: "JSONEachRow"
      })
      const [row] = await result.json<{ readonly n: number }>()
      return row?.n
    }
    const until = async (count: number) => {
      for (let attempt = 0; (await running()) !== count; attempt++) assert.isBelow(attempt, 2_000)
    }
    const controller = new AbortController()
    const left = rejection(client.query({ ...slow, abort_signal: controller.signal }))
    await until(1)
    controller.abort()
    assert.instanceOf(await left, Error)
    await until(0)

    const query_id = randomUUID()
    const killed = rejection(client.query({ ...slow, query_id }))
    await until(1)
    await client.command({ query: `KILL QUERY WHERE query_id = '${query_id}'` })
    assert.deepInclude(await killed, { code: "394" })
    await until(0)
  })
})

describe("a plain request", () => {
  it("needs the token, in any of its places", async () => {
    const basic = `Basic ${Buffer.from(`anyone:${password}`).toString("base64")}`
    const places: ReadonlyArray<readonly [string, Record<string, string>]> = [
      [`?password=${password}`, {}],
      ["", { authorization: basic }],
      ["", { authorization: `Bearer ${password}` }],
      ["", { "x-clickhouse-user": "anyone", "x-clickhouse-key": password }]
    ]
    for (const [search, headers] of places) {
      const response = await fetch(`${url}/${search}`, { method: "POST", body: "SELECT 1", headers })
      assert.strictEqual(await response.text(), "1\n")
    }
    for (const headers of [{}, { "x-clickhouse-key": "" }, { authorization: basic.slice(0, -8) }]) {
      const response = await fetch(url, { method: "POST", body: "SELECT 1", headers })
      assert.strictEqual(response.status, 403)
      assert.strictEqual(response.headers.get("x-clickhouse-exception-code"), "516")
      assert.include(await response.text(), "AUTHENTICATION_FAILED")
    }
  })

  it("may give the statement in the url, the body, or both", async () => {
    const get = await fetch(
      `${url}/?query=${encodeURIComponent("SELECT 1 + {x: UInt8}")}&param_x=2&password=${password}`
    )
    assert.strictEqual(await get.text(), "3\n")
    const both = await post(" + 1", {}, `?query=${encodeURIComponent("SELECT 1")}`)
    assert.strictEqual(await both.text(), "2\n")
    const formatted = await post("SELECT 1 AS a", {}, "?default_format=JSONEachRow&database=system")
    assert.strictEqual(await formatted.text(), "{\"a\":1}\n")
    const inline = await post("INSERT INTO people FORMAT JSONEachRow {\"id\": 5000, \"name\": \"{z: String}; x\"}")
    assert.strictEqual(inline.status, 200)
  })

  it("leaves nothing behind", async () => {
    await post("SET max_result_rows = 3")
    await post("SELECT 1", {}, "?max_result_rows=4&database=system")
    await post("CREATE TEMPORARY TABLE mine (a UInt8)")
    for (let index = 0; index < 12; index++) {
      const response = await post(
        "SELECT getSetting('max_result_rows'), currentDatabase(), (SELECT count() FROM system.tables WHERE is_temporary)"
      )
      assert.strictEqual(await response.text(), "0\tdefault\t0\n")
    }
  })

  it("is bounded, packed and unpacked", async () => {
    const insert = "?query=INSERT%20INTO%20people%20FORMAT%20TSV"
    const plain = await post("1\ta\n".repeat(maxBody / 4 + 1), {}, insert)
    assert.strictEqual(plain.status, 413)
    const bomb = await post(
      new Uint8Array(gzipSync("1\ta\n".repeat(maxBody / 4 + 1))),
      { "content-encoding": "gzip" },
      insert
    )
    assert.strictEqual(bomb.status, 413)
    const garbage = await post("not packed", { "content-encoding": "gzip" }, insert)
    assert.strictEqual(garbage.status, 400)
    const binary = await post(new Uint8Array([49, 9, 255, 10]), {}, insert)
    assert.strictEqual(binary.status, 501)
    const empty = await post("")
    assert.strictEqual(empty.status, 400)
    const path = await fetch(`${url}/play`, { headers: { "x-clickhouse-key": password } })
    assert.strictEqual(path.status, 501)
  })

  it("is refused when too many wait", async () => {
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await post("SELECT sleep(0.3)")).status))
    assert.isTrue(statuses.includes(503))
    assert.isAtLeast(statuses.filter((status) => status === 200).length, 20)
    assert.strictEqual((await post("SELECT 1")).status, 200)
  })
})
