/**
 * Every verb with garbage: a wrong value of every kind in every field, as `GET /v1/verbs` lists them, unknown fields,
 * bodies that are no request, bodies too large. Each gets a clear 4xx or a normal answer, none a 500, a word of the engine
 * or a row of another tenant; and the server goes on. A verb that is added later is covered from its first day.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { MemoryGet, MemorySet } from "../../src/memory/MemoryVerbs.ts"
import { get, ok, postRaw, send } from "../support/LoomHttp.ts"
import type { Reply } from "../support/LoomHttp.ts"
import * as LoomServer from "../support/LoomServer.ts"
import { rounds } from "../support/Rounds.ts"

const FieldSchema = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Registry = Schema.Struct({
  verbs: Schema.Array(Schema.Struct({
    verb: Schema.String,
    fields: Schema.Array(Schema.String),
    request: Schema.Struct({
      required: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
      properties: Schema.Record({ key: Schema.String, value: FieldSchema })
    })
  }))
})

const registry = Effect.map(get("/v1/verbs"), ({ json }) => Schema.decodeUnknownSync(Registry)(json).verbs)

/** The namespace that the requests are in, and one beside it whose rows none of them may show. */
const here = "garbage"
const SENTINEL = "SENTINEL-OF-ANOTHER-TENANT"

const foreign = Effect.forEach(
  ["neighbour", "garbage-2", "local"],
  (namespace) =>
    ok(MemorySet, {
      namespace,
      memory_key: "u/secret",
      value: `${SENTINEL} ${namespace}`,
      tags: ["secret"],
      entities: ["secret"]
    })
)

const sql = "x'\"`\\ ') OR 1=1 UNION ALL SELECT * FROM loom.memory --"

// JSON texts, so that what no JavaScript value can be is among them.
const garbage: ReadonlyArray<string> = [
  "null",
  "true",
  "0",
  "-1",
  "1.5",
  "1e308",
  "9007199254740993",
  "1e999",
  "\"\"",
  "\" \"",
  "\"x\"",
  "\"\\u0000\"",
  "\"\\ud83d\"",
  "\"\\udc00\\ud83d\"",
  JSON.stringify(sql),
  "\"{p:String}\"",
  "\"%_*?[a-z]\"",
  "\"../../etc/passwd\"",
  "\"\\ufeff\\u202e\\u200b\"",
  JSON.stringify("é".repeat(70_000)),
  "[]",
  "{}",
  "[null]",
  `[${JSON.stringify(sql)}]`,
  "[[[[[]]]]]",
  "[{},1,\"x\",null]",
  `{"$gt":"","__proto__":{"admin":true},${JSON.stringify(sql)}:1}`,
  `[${Array.from({ length: 3_000 }, (_, index) => `"t${index}"`).join()}]`
]

/** Every kind meets every verb with as many fields in either run; every kind in every other field of it where all is played. */
const EVERY = rounds({ some: 5, all: 2 })

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

/** A value that a field may well take, by its schema; the rest of a request around one field of garbage. */
const plausible = (name: string, schema: typeof FieldSchema.Type): string => {
  const { anyOf, enum: values, minItems, type } = schema
  if (name === "items") return "[{\"memory_key\":\"u/item\",\"value\":\"an item\"}]"
  if (name === "namespaces") return "[\"*\"]"
  if (name === "memory_key") return "\"u/key\""
  if (Array.isArray(values)) return JSON.stringify(values[0])
  if (Array.isArray(anyOf)) return "\"read\""
  switch (type) {
    case "array":
      return minItems === 1 ? "[\"x\"]" : "[]"
    case "integer":
    case "number":
      return "1"
    case "boolean":
      return "false"
    case "object":
      return "{}"
    default:
      return name === "role" ? "\"read\"" : name === "kind" ? "\"human\"" : "\"plausible\""
  }
}

const leaks =
  /DB::|clickhouse|chdb|loom\.(memory|tokens|changes)|\n\s+at |node_modules|node:internal|\.[jt]s:\d|SyntaxError|TypeError|syntax error|Code: \d+/i

const check = (what: string, reply: Reply) => {
  const told = `${what.slice(0, 300)} answered ${reply.status}: ${reply.text.slice(0, 300)}`
  assert.isTrue(reply.status === 200 || (reply.status >= 400 && reply.status < 500), told)
  assert.notInclude(reply.text, SENTINEL, told)
  if (reply.status === 200) return
  // The caller's own text may come back in a name; nothing else may.
  assert.notMatch(reply.text.replaceAll("UNION ALL SELECT * FROM loom.memory", ""), leaks, told)
  assert.match(reply.text, /^\{"detail":\{.*"code":"[A-Z_]+".*\}\}$/s, told)
}

const goesOn = Effect.gen(function*() {
  const key = { namespace: here, memory_key: "u/after" }
  yield* ok(MemorySet, { ...key, value: "The server goes on" })
  assert.strictEqual((yield* ok(MemoryGet, key)).value, "The server goes on")
})

const body = (fields: Readonly<Record<string, string>>) =>
  `{${Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`

type Described = Effect.Effect.Success<typeof registry>[number]

const around = (verb: Described): Record<string, string> => ({
  ...verb.fields.includes("namespace") && { namespace: JSON.stringify(here) },
  ...Object.fromEntries(
    verb.request.required.map((name) => [name, plausible(name, verb.request.properties[name] ?? {})])
  )
})

layer(LoomServer.layerShared(), { excludeTestServices: true, timeout: 60_000 })("Garbage", (it) => {
  it.effect("wrong values of every kind in every field of every verb", () =>
    Effect.gen(function*() {
      yield* foreign
      const verbs = yield* registry
      assert.isAtLeast(verbs.length, 13)
      for (const verb of verbs) {
        const requests = Object.keys(verb.request.properties).flatMap((field, place) =>
          garbage.filter((_, index) => (index + place) % EVERY === 0).map((value) =>
            body({ ...around(verb), [field]: value })
          )
        )
        const replies = yield* Effect.forEach(requests, (request) => postRaw(verb.verb, request), { concurrency: 16 })
        replies.forEach((reply, index) => check(`${verb.verb} ${requests[index]}`, reply))
        // What every field must refuse, whatever it is.
        replies.forEach((reply, index) => {
          if (requests[index]?.includes("1e999") === true) assert.strictEqual(reply.status, 422)
        })
      }
      yield* goesOn
    }), 240_000)

  it.effect("a field that no verb has is named, whatever it is called", () =>
    Effect.gen(function*() {
      const names = [
        "nope",
        "",
        " ",
        "namespace ",
        "Memory_key",
        sql,
        "__proto__",
        "constructor",
        "toString",
        "a.b",
        "a[0]",
        "x".repeat(5_000),
        "\u0000",
        "\ufeff",
        "ключ",
        "$where",
        "{p:String}"
      ]
      for (const verb of yield* registry) {
        const replies = yield* Effect.forEach(names, (name) =>
          postRaw(verb.verb, body({ ...around(verb), [name]: "1" })), { concurrency: 16 })
        replies.forEach((reply, index) => {
          check(`${verb.verb} with a field ${names[index]}`, reply)
          assert.strictEqual(
            reply.status,
            422,
            `${verb.verb} took a field named ${JSON.stringify(names[index]?.slice(0, 40))}: ${reply.text.slice(0, 200)}`
          )
        })
      }
      yield* goesOn
    }), 60_000)

  it.effect("every field of every item of a bulk write", () =>
    Effect.gen(function*() {
      const verbs = yield* registry
      const fields = verbs.find(({ verb }) => verb === "memory.set")?.fields.filter((field) =>
        !/^(org|namespace|idempotency_key|dry_run|proposed)$/.test(field)
      ) ?? []
      assert.isAtLeast(fields.length, 20)
      // No surrogates and no number out of range: those are faults of the whole text (see the cases of text).
      const values = garbage.filter((value) => !/1e999|9007199254740993|\\ud|__proto__/.test(value))
      for (const field of [...fields, "nope", sql]) {
        const items = [
          ...values.map((value, index) =>
            body({ memory_key: `"u/${index}"`, value: JSON.stringify(`Item ${field} ${index}`), [field]: value })
          ),
          body({ memory_key: "\"u/good\"", value: "\"A good item\"" }),
          ...values
        ]
        const reply = yield* postRaw("memory.bulk_set", `{"namespace":"${here}","items":[${items.join()}]}`)
        check(`memory.bulk_set items with ${field}`, reply)
        assert.strictEqual(reply.status, 200, reply.text.slice(0, 300))
        assert.match(reply.text, /"memory_key":"u\/good","outcome":"(stored|merged)"/)
      }
      yield* goesOn
    }), 60_000)

  it.effect("bodies that are no request", () =>
    Effect.gen(function*() {
      const bodies: ReadonlyArray<readonly [what: string, body: string | Uint8Array, status: number]> = [
        ["nothing", "", 400],
        ["white space", " \n", 400],
        ["half an object", "{\"memory_key\":", 400],
        ["two objects", "{}{}", 400],
        ["single quotes", "{'memory_key':'u/a'}", 400],
        ["a comment", "{/* */}", 400],
        ["a trailing comma", "{\"memory_key\":\"u/a\",}", 400],
        ["NaN", "{\"value\":NaN}", 400],
        ["a form", "memory_key=u/a&value=x", 400],
        ["raw NUL", "{\"memory_key\":\"u/a\u0000\"}", 400],
        ["a raw line feed in a text", "{\"memory_key\":\"u/\na\"}", 400],
        ["invalid UTF-8", Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400],
        ["a surrogate in CESU-8", Uint8Array.from([0x22, 0xed, 0xa0, 0xbd, 0x22]), 400],
        ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), 400],
        ["null", "null", 422],
        ["a list", "[]", 422],
        ["a text", "\"x\"", 422],
        ["a number", "5", 422],
        ["a key twice", "{\"memory_key\":\"u/a\",\"memory_key\":\"u/b\"}", 422],
        ["a key twice, once escaped", "{\"memory_key\":\"u/a\",\"memory\\u005fkey\":\"u/b\"}", 422],
        ["a number that no double holds", "{\"value\":12345678901234567890123}", 422],
        ["nesting of 100,000", `{"value":${deep(100_000)}}`, 422],
        ["nesting of 200", `{"memory_key":"u/a","value":${deep(200)}}`, 422]
      ]
      for (const { verb } of yield* registry) {
        for (const [what, bytes, status] of bodies) {
          const reply = yield* postRaw(verb, bytes)
          check(`${verb} with ${what}`, reply)
          // What is no JSON at all may be told as either.
          assert.strictEqual(reply.status, status, `${verb} with ${what}: ${reply.text.slice(0, 200)}`)
        }
      }
      yield* goesOn
    }), 60_000)

  it.effect("a body of 10 MB is a 413 for every verb, and the connection lives", () =>
    Effect.gen(function*() {
      const large = `{"namespace":"${here}","memory_key":"u/a","value":"${"x".repeat(10_000_000)}"}`
      for (const { verb } of yield* registry) {
        const reply = yield* postRaw(verb, large)
        check(`${verb} with 10 MB`, reply)
        assert.strictEqual(reply.status, 413)
      }
      yield* goesOn
    }), 60_000)

  it.effect("verbs, paths and headers that do not exist", () =>
    Effect.gen(function*() {
      const { url } = yield* LoomServer.LoomServer
      for (
        const verb of [
          "memory.nope",
          "memory",
          "MEMORY.SET",
          "memory.set%00",
          "%2e%2e%2f",
          encodeURIComponent(sql),
          "memory.set'",
          "%ff",
          "%",
          "x".repeat(4_000),
          "__proto__",
          "constructor",
          "memory.set/x"
        ]
      ) {
        for (const method of ["POST", "GET", "PUT", "DELETE"]) {
          check(`${method} ${verb}`, yield* send(url, method, `/v1/${verb}`, method === "GET" ? undefined : "{}"))
        }
      }
      const headers: ReadonlyArray<Readonly<Record<string, string>>> = [
        { authorization: `Bearer ${sql}` },
        { authorization: "x".repeat(8_000) },
        { "idempotency-key": sql },
        { "idempotency-key": "x".repeat(5_000) },
        { "x-request-id": sql },
        { "content-encoding": "gzip" },
        { "content-type": "application/x-www-form-urlencoded" },
        { accept: "text/html" },
        { "content-length": "5" }
      ]
      for (const given of headers.slice(0, -1)) {
        check(
          JSON.stringify(given),
          yield* postRaw("memory.get", body({ namespace: `"${here}"`, memory_key: "\"u/a\"" }), { headers: given })
        )
      }
      yield* goesOn
    }))

  it.effect("names with a meaning in JavaScript are data in a value", () =>
    Effect.gen(function*() {
      const text = "{\"__proto__\":{\"admin\":true},\"constructor\":{\"prototype\":1},\"toString\":\"x\",\"\":0}"
      const reply = yield* postRaw("memory.set", `{"namespace":"${here}","memory_key":"u/proto","value":${text}}`)
      check("a value with __proto__", reply)
      if (reply.status !== 200) return assert.strictEqual(reply.status, 422)
      const { text: stored } = yield* postRaw("memory.get", `{"namespace":"${here}","memory_key":"u/proto"}`)
      for (
        const part of [
          "\"__proto__\":{\"admin\":true}",
          "\"constructor\":{\"prototype\":1}",
          "\"toString\":\"x\"",
          "\"\":0"
        ]
      ) {
        assert.include(stored, part)
      }
    }))
})
