import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MAX_BODY_BYTES } from "../../services/gateway/HttpBody.ts"
import { breakOff, call, codeOf, layerSingleUser, post, raw } from "./HttpToys.ts"

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)

/** Bodies that no verb may see, with the answer each one meets. */
const garbage: ReadonlyArray<readonly [name: string, body: string | Uint8Array, status: number, code: string]> = [
  ["nothing", "", 400, "BAD_JSON"],
  ["white space", " \n\t", 400, "BAD_JSON"],
  ["a word", "hello", 400, "BAD_JSON"],
  ["half an object", "{\"text\":", 400, "BAD_JSON"],
  ["a trailing comma", "{\"text\":\"a\",}", 400, "BAD_JSON"],
  ["two objects", "{}{}", 400, "BAD_JSON"],
  ["single quotes", "{'text':'a'}", 400, "BAD_JSON"],
  ["a bare key", "{text:1}", 400, "BAD_JSON"],
  ["a comment", "{}//", 400, "BAD_JSON"],
  ["NaN", "{\"number\":NaN}", 400, "BAD_JSON"],
  ["a leading zero", "{\"number\":01}", 400, "BAD_JSON"],
  ["a raw NUL", "\u0000", 400, "BAD_JSON"],
  ["a raw NUL in a string", "{\"text\":\"\u0000\"}", 400, "BAD_JSON"],
  ["a raw line break in a string", "{\"text\":\"\n\"}", 400, "BAD_JSON"],
  ["a form", "text=a&number=1", 400, "BAD_JSON"],
  ["gzip", bytes(0x1f, 0x8b, 0x08, 0x00), 400, "BAD_JSON"],
  ["broken UTF-8", bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 400, "BAD_JSON"],
  ["overlong UTF-8", bytes(0x22, 0xc0, 0xaf, 0x22), 400, "BAD_JSON"],
  ["a surrogate as UTF-8", bytes(0x22, 0xed, 0xa0, 0x80, 0x22), 400, "BAD_JSON"],
  ["UTF-16", Buffer.from("{}", "utf16le"), 400, "BAD_JSON"],
  ["a thousand levels", `{"value":${"[".repeat(1000)}${"]".repeat(1000)}}`, 422, "INVALID_ARGUMENT"],
  ["null", "null", 422, "INVALID_ARGUMENT"],
  ["true", "true", 422, "INVALID_ARGUMENT"],
  ["a number", "5", 422, "INVALID_ARGUMENT"],
  ["a string", "\"{}\"", 422, "INVALID_ARGUMENT"],
  ["an array", "[{}]", 422, "INVALID_ARGUMENT"],
  ["a key twice", "{\"text\":\"a\",\"text\":\"b\"}", 422, "INVALID_ARGUMENT"],
  ["a key twice inside", "{\"value\":{\"a\":1,\"a\":2}}", 422, "INVALID_ARGUMENT"],
  ["a number too large", "{\"number\":1e999}", 422, "INVALID_ARGUMENT"],
  ["a number too long", "{\"number\":12345678901234567891}", 422, "INVALID_ARGUMENT"],
  ["a lone surrogate", "{\"text\":\"\\ud800\"}", 422, "INVALID_ARGUMENT"],
  ["a lone surrogate in a key", "{\"value\":{\"\\uDFFF\":1}}", 422, "INVALID_ARGUMENT"],
  ["a wrong type", "{\"text\":5}", 422, "INVALID_ARGUMENT"],
  ["a wrong type in a list", "{\"list\":[true,\"no\"]}", 422, "INVALID_ARGUMENT"],
  ["null in a field", "{\"number\":null}", 422, "INVALID_ARGUMENT"],
  ["an unknown field", "{\"tex\":\"a\"}", 422, "UNKNOWN_FIELD"],
  ["__proto__", "{\"__proto__\":{\"text\":\"a\"}}", 422, "UNKNOWN_FIELD"],
  ["constructor", "{\"constructor\":{\"prototype\":{}}}", 422, "UNKNOWN_FIELD"],
  ["SQL as a field", "{\"x'; DROP TABLE loom.memory; --\":1}", 422, "UNKNOWN_FIELD"],
  ["a field of 100 kB", `{"${"x".repeat(100_000)}":1}`, 422, "UNKNOWN_FIELD"]
]

const ok = "{\"text\":\"ok\"}"

const chunked = (parts: ReadonlyArray<string>): ReadonlyArray<string> => [
  "POST /v1/toy.echo HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n",
  ...parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`),
  "0\r\n\r\n"
]

const whole = (body: string, close = true): string =>
  `POST /v1/toy.echo HTTP/1.1\r\nhost: localhost\r\n${close ? "connection: close\r\n" : ""}` +
  `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const statusLines = (text: string): ReadonlyArray<string> => text.match(/HTTP\/1\.1 \d{3}/g) ?? []

layer(layerSingleUser())("HttpBody", (it) => {
  describe("refuses", () => {
    for (const [name, body, status, code] of garbage) {
      it.effect(name, () =>
        Effect.gen(function*() {
          const reply = yield* post("toy.echo", body)
          assert.strictEqual(reply.status, status, reply.text)
          assert.strictEqual(codeOf(reply), code)
          assert.isBelow(reply.text.length, 1000)
          assert.notMatch(reply.text, /call stack|\bat .*\.(ts|js):|Error:/)
        }))
    }

    it.effect("and says where the JSON broke", () =>
      Effect.gen(function*() {
        const { json } = yield* post("toy.echo", "{\"text\":\"a\",}")
        assert.deepInclude(json, {
          detail: {
            code: "BAD_JSON",
            message: "The body is not JSON at position 12",
            category: "validation",
            retryable: false,
            position: 12
          }
        })
      }))

    it.effect("a depth of 600,000, open and never closed, and lives on", () =>
      Effect.gen(function*() {
        for (const opening of ["[", "{\"a\":"]) {
          const reply = yield* post("toy.echo", opening.repeat(600_000))
          assert.include(["BAD_JSON", "INVALID_ARGUMENT"], codeOf(reply))
          assert.notMatch(reply.text, /call stack/i)
        }
      }))

    it.effect("a compressed body", () =>
      Effect.gen(function*() {
        const reply = yield* post("toy.echo", ok, { "content-encoding": "gzip" })
        assert.strictEqual(reply.status, 400)
        assert.strictEqual(codeOf(reply), "BAD_JSON")
      }))
  })

  describe("takes", () => {
    it.effect("any content type, and none", () =>
      Effect.gen(function*() {
        for (
          const type of [
            "application/json",
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=utf-8"
          ]
        ) {
          assert.strictEqual((yield* post("toy.echo", ok, { "content-type": type })).status, 200)
        }
        assert.strictEqual((yield* post("toy.echo", new TextEncoder().encode(ok))).status, 200)
      }))

    it.effect("a byte order mark", () =>
      Effect.map(post("toy.echo", `\ufeff${ok}`), ({ json }) => assert.deepEqual(json, { got: { text: "ok" } })))

    it.effect("escaped NUL, pairs of surrogates and odd keys as they are", () =>
      Effect.gen(function*() {
        const body = "{\"text\":\"\\u0000\\ud83d\\ude00\",\"value\":{\"__proto__\":{\"x\":1},\"constructor\":2,\"\":3}}"
        const reply = yield* post("toy.echo", body)
        assert.strictEqual(reply.status, 200)
        assert.strictEqual(
          reply.text,
          "{\"got\":{\"text\":\"\\u0000😀\",\"value\":{\"__proto__\":{\"x\":1},\"constructor\":2,\"\":3}}}"
        )
        assert.isUndefined(Reflect.get({}, "x"))
      }))

    it.effect("a body of just the limit", () =>
      Effect.gen(function*() {
        const frame = "{\"text\":\"\"}".length
        const reply = yield* call("toy.echo", { text: "x".repeat(MAX_BODY_BYTES - frame) })
        assert.strictEqual(reply.status, 200)
      }), 30_000)
  })

  describe("413", () => {
    it.effect("one byte over the limit", () =>
      Effect.gen(function*() {
        const frame = "{\"text\":\"\"}".length
        const reply = yield* call("toy.echo", { text: "x".repeat(MAX_BODY_BYTES - frame + 1) })
        assert.strictEqual(reply.status, 413)
        assert.strictEqual(codeOf(reply), "PAYLOAD_TOO_LARGE")
      }))

    it.effect("10 MB by fetch", () =>
      Effect.gen(function*() {
        const reply = yield* post("toy.echo", new Uint8Array(10_000_000).fill(0x5b))
        assert.strictEqual(reply.status, 413)
      }))

    it.effect("10 MB with a length, and the connection goes on", () =>
      Effect.gen(function*() {
        const text = yield* raw([whole("[".repeat(10_000_000), false), whole(ok)])
        assert.deepEqual(statusLines(text), ["HTTP/1.1 413", "HTTP/1.1 200"])
      }))

    it.effect("10 MB in chunks, and the connection goes on", () =>
      Effect.gen(function*() {
        const text = yield* raw([...chunked(Array.from({ length: 100 }, () => "[".repeat(100_000))), whole(ok)])
        assert.deepEqual(statusLines(text), ["HTTP/1.1 413", "HTTP/1.1 200"])
      }))

    it.effect("and who sends on for ever is cut off", () =>
      Effect.gen(function*() {
        const head = "POST /v1/toy.echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n"
        const megabyte = new Uint8Array(1024 * 1024).fill(0x5b)
        // Ends only when the server closes the connection.
        const text = yield* raw([head, ...Array.from({ length: 80 }, () => megabyte)])
        assert.notInclude(text, "HTTP/1.1 200")
      }))

    it.effect("even when the announced rest never comes", () =>
      Effect.gen(function*() {
        const head = "POST /v1/toy.echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n[["
        const text = yield* raw([head], (text) => text.includes("PAYLOAD_TOO_LARGE"))
        assert.deepEqual(statusLines(text), ["HTTP/1.1 413"])
      }))
  })

  it.effect("a connection stays usable after every kind of refusal", () =>
    Effect.gen(function*() {
      const text = yield* raw([
        whole("{", false),
        whole("[]", false),
        "GET /v1/toy.echo HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "POST /v1/none HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}",
        "POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nhello",
        whole(ok)
      ])
      assert.deepEqual(statusLines(text).map((line) => line.slice(9)), ["400", "422", "405", "404", "404", "200"])
    }))

  it.effect("a body that breaks off harms nobody", () =>
    Effect.gen(function*() {
      const head = "POST /v1/toy.echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 50\r\n\r\n{\"text\""
      assert.strictEqual(yield* breakOff(head), "")
      assert.strictEqual((yield* post("toy.echo", ok)).status, 200)
    }))
})

describe("the table of garbage", () => {
  it("holds each case once", () => {
    assert.strictEqual(new Set(garbage.map(([name]) => name)).size, garbage.length)
  })
})
