import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call, codeOf, layerSingleUser, post, raw, SECRET, send } from "./HttpToys.ts"

const mintedId = /^req_[0-9a-f-]{36}$/

layer(layerSingleUser())("HttpEdge", (it) => {
  describe("request ids", () => {
    it.effect("an acceptable one comes back, on every kind of answer", () =>
      Effect.gen(function*() {
        const headers = { "x-request-id": "Ab.9_-z" }
        const replies = yield* Effect.all([
          call("toy.echo", {}, headers),
          post("toy.echo", "{", headers),
          call("toy.fail", { how: "bug" }, headers),
          call("none", {}, headers),
          send("GET", "/nowhere", { headers }),
          send("GET", "/v1/toy.echo", { headers }),
          send("GET", "/v1/health", { headers }),
          send("GET", "/docs", { headers }),
          post("toy.echo", new Uint8Array(5_000_000), headers)
        ])
        assert.deepEqual(replies.map(({ status }) => status), [200, 400, 500, 404, 404, 405, 200, 200, 413])
        for (const reply of replies) assert.strictEqual(reply.headers["x-request-id"], "Ab.9_-z")
      }))

    it.effect("64 characters are accepted", () =>
      Effect.gen(function*() {
        const id = "a".repeat(64)
        assert.strictEqual((yield* call("toy.echo", {}, { "x-request-id": id })).headers["x-request-id"], id)
      }))

    for (const given of ["", "a".repeat(65), "a b", "a,b", "a/b", "é", "<script>"]) {
      it.effect(`one is made instead of ${JSON.stringify(given.slice(0, 10))}`, () =>
        Effect.gen(function*() {
          const reply = yield* call("toy.echo", {}, { "x-request-id": given })
          assert.match(reply.headers["x-request-id"] ?? "", mintedId)
        }))
    }

    it.effect("no two requests share a made one", () =>
      Effect.gen(function*() {
        const replies = yield* Effect.replicateEffect(call("toy.echo", {}), 20)
        assert.strictEqual(new Set(replies.map(({ headers }) => headers["x-request-id"])).size, 20)
      }))
  })

  describe("methods and paths", () => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      it.effect(`${method} on a verb`, () =>
        Effect.gen(function*() {
          const reply = yield* send(method, "/v1/toy.echo")
          assert.strictEqual(reply.status, 405)
          assert.strictEqual(reply.headers["allow"], "POST")
          assert.strictEqual(codeOf(reply), "METHOD_NOT_ALLOWED")
        }))
    }

    it.effect("HEAD on a verb", () =>
      Effect.map(send("HEAD", "/v1/toy.echo"), (reply) => {
        assert.strictEqual(reply.status, 405)
        assert.strictEqual(reply.headers["allow"], "POST")
        assert.strictEqual(reply.text, "")
      }))

    for (const path of ["/v1/health", "/v1/verbs", "/livez", "/readyz", "/openapi.json", "/docs"]) {
      it.effect(`POST on ${path}`, () =>
        Effect.gen(function*() {
          const reply = yield* send("POST", path, { body: "{}" })
          assert.strictEqual(reply.status, 405)
          assert.strictEqual(reply.headers["allow"], "GET, HEAD")
          assert.strictEqual((yield* send("HEAD", path)).status, 200)
        }))
    }

    const unknown: ReadonlyArray<readonly [path: string, code: string]> = [
      ["/v1/memory.sett", "UNKNOWN_VERB"],
      ["/v1/TOY.ECHO", "UNKNOWN_VERB"],
      ["/v1/toy%2Eecho%00", "UNKNOWN_VERB"],
      ["/v1/__proto__", "UNKNOWN_VERB"],
      ["/v1/constructor", "UNKNOWN_VERB"],
      ["/v1/'; DROP TABLE loom.memory; --", "UNKNOWN_VERB"],
      ["/v1", "NOT_FOUND"],
      ["/v2/toy.echo", "NOT_FOUND"],
      ["/v1/toy.echo/more", "NOT_FOUND"],
      [`/v1/${"a".repeat(5000)}`, "NOT_FOUND"],
      ["/%ff%fe", "NOT_FOUND"],
      ["/v1/%zz", "NOT_FOUND"],
      ["/../etc/passwd", "NOT_FOUND"],
      ["/favicon.ico", "NOT_FOUND"]
    ]
    for (const [path, code] of unknown) {
      it.effect(`POST ${path.slice(0, 40)}`, () =>
        Effect.gen(function*() {
          const reply = yield* send("POST", path, { body: "{}" })
          assert.strictEqual(reply.status, 404)
          assert.strictEqual(codeOf(reply), code)
          assert.isBelow(reply.text.length, 400)
        }))
    }

    it.effect("a query is passed over", () =>
      Effect.map(
        send("POST", "/v1/toy.echo?a=1&text=b", { body: "{}" }),
        ({ json }) => assert.deepEqual(json, { got: {} })
      ))

    it.effect("what is no HTTP is told so", () =>
      Effect.gen(function*() {
        for (
          const text of [
            "hello\r\n\r\n",
            "GET / HTTP/9\r\n\r\n",
            "POST /v1/toy.echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n"
          ]
        ) {
          const answer = yield* raw([text])
          assert.match(answer, /^HTTP\/1\.1 400 /)
          assert.include(answer, "{\"detail\":{\"code\":\"BAD_REQUEST\"")
        }
        const long = yield* raw([`GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`])
        assert.include(long, "HEADERS_TOO_LARGE")
      }))
  })

  describe("failures of a verb", () => {
    const cases: ReadonlyArray<readonly [how: string, status: number, detail: object]> = [
      ["refused", 423, { code: "LOCKED", message: "The memory is locked", reason: "audit", retryable: false }],
      ["unavailable", 503, { code: "UNAVAILABLE", retryable: true }],
      ["overloaded", 429, { code: "OVERLOADED", retryable: true, retry_after_s: 1.2 }],
      ["corrupt", 500, { code: "INTERNAL", retryable: false }],
      ["bug", 500, { code: "INTERNAL", retryable: false }],
      ["answer", 500, { code: "INTERNAL", retryable: false }],
      ["interrupt", 503, { code: "UNAVAILABLE", retryable: true }]
    ]
    const Detail = Schema.Struct({ detail: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })
    for (const [how, status, expected] of cases) {
      it.effect(how, () =>
        Effect.gen(function*() {
          const reply = yield* call("toy.fail", { how })
          assert.strictEqual(reply.status, status)
          codeOf(reply)
          assert.deepInclude(Schema.decodeUnknownSync(Detail)(reply.json).detail, expected)
          assert.notInclude(reply.text, SECRET)
          assert.notMatch(reply.text, /stack|\.ts\b/)
          assert.strictEqual(reply.headers["retry-after"], how === "overloaded" ? "2" : undefined)
        }))
    }

    it.effect("a fault names the request id in the body too", () =>
      Effect.gen(function*() {
        const { json } = yield* call("toy.fail", { how: "bug" }, { "x-request-id": "look-here" })
        assert.strictEqual(Schema.decodeUnknownSync(Detail)(json).detail["request_id"], "look-here")
      }))
  })

  describe("Idempotency-Key", () => {
    it.effect("stands for the field of that name", () =>
      Effect.gen(function*() {
        const header = { "idempotency-key": "from-header" }
        assert.deepInclude((yield* call("toy.write", {}, header)).json, { key: "from-header" })
        assert.deepInclude((yield* call("toy.write", { idempotency_key: "from-body" }, header)).json, {
          key: "from-body"
        })
        assert.deepInclude((yield* call("toy.write", {})).json, { key: null })
      }))

    it.effect("obeys the rules of the field", () =>
      Effect.map(
        call("toy.write", {}, { "idempotency-key": "k".repeat(257) }),
        (reply) => assert.strictEqual(codeOf(reply), "INVALID_ARGUMENT")
      ))

    it.effect("means nothing to a read, and is refused where it would deceive", () =>
      Effect.gen(function*() {
        const header = { "idempotency-key": "k" }
        assert.strictEqual((yield* call("toy.echo", {}, header)).status, 200)
        assert.strictEqual(codeOf(yield* call("toy.keyless", {}, header)), "UNKNOWN_FIELD")
      }))
  })

  describe("open pages", () => {
    it.effect("every answer forbids caches and guessing", () =>
      Effect.gen(function*() {
        for (const reply of [yield* call("toy.echo", {}), yield* call("none", {}), yield* send("GET", "/docs")]) {
          assert.strictEqual(reply.headers["cache-control"], "no-store")
          assert.strictEqual(reply.headers["x-content-type-options"], "nosniff")
        }
      }))

    it.effect("health", () =>
      Effect.gen(function*() {
        const checks = [{ name: "store", ready: true }]
        const report = { live: true, ready: true, checks, version: "0.0.0-test" }
        assert.deepEqual((yield* send("GET", "/v1/health")).json, report)
        assert.deepEqual((yield* send("GET", "/readyz")).json, report)
        assert.deepEqual((yield* send("GET", "/livez")).json, { live: true, version: "0.0.0-test" })
      }))

    it.effect("the registry lists every verb with its fields", () =>
      Effect.gen(function*() {
        const Registry = Schema.Struct({
          build_version: Schema.String,
          verbs: Schema.Array(Schema.Struct({
            verb: Schema.String,
            role: Schema.String,
            fields: Schema.Array(Schema.String),
            mcp_tool: Schema.String,
            request: Schema.Struct({ type: Schema.Literal("object"), additionalProperties: Schema.Literal(false) })
          })),
          errors: Schema.Array(Schema.Struct({ code: Schema.String, status: Schema.Number }))
        })
        const { json } = yield* send("GET", "/v1/verbs")
        const { errors, verbs } = Schema.decodeUnknownSync(Registry)(json)
        assert.includeMembers(verbs.map(({ verb }) => verb), ["toy.echo", "token.mint", "token.revoke", "token.list"])
        assert.deepInclude(verbs.find(({ verb }) => verb === "toy.write"), {
          role: "write",
          mcp_tool: "loom_toy_write",
          fields: ["org", "namespace", "idempotency_key", "user_id"]
        })
        assert.includeMembers(errors.map(({ code }) => code), ["LOCKED", "INTERNAL", "METHOD_NOT_ALLOWED"])
      }))

    it.effect("the page needs nothing from elsewhere", () =>
      Effect.gen(function*() {
        const { headers, status, text } = yield* send("GET", "/docs")
        assert.strictEqual(status, 200)
        assert.match(headers["content-type"] ?? "", /^text\/html/)
        assert.include(text, "POST /v1/toy.echo")
        assert.notMatch(text, /(src|href)="(https?:)?\/\//)
        assert.match(headers["content-security-policy"] ?? "", /^default-src 'none'/)
        const root = yield* send("GET", "/")
        assert.deepEqual([root.status, root.headers["location"]], [302, "/docs"])
      }))
  })
})

layer(layerSingleUser(undefined, false))("HttpEdge of a server that is not ready", (it) => {
  it.effect("lives and says that it is not ready", () =>
    Effect.gen(function*() {
      const ready = yield* send("GET", "/readyz")
      assert.strictEqual(ready.status, 503)
      assert.deepInclude(ready.json, { ready: false, checks: [{ name: "store", ready: false }] })
      assert.strictEqual((yield* send("GET", "/v1/health")).status, 200)
      assert.strictEqual((yield* send("GET", "/livez")).status, 200)
    }))
})
