import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { guard, isLoopback } from "../../services/gateway/HttpGuard.ts"
import { call, codeOf, layerSingleUser, raw } from "./HttpToys.ts"

describe("isLoopback", () => {
  const loopback = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "app.localhost",
    "127.0.0.1",
    "127.9.8.7",
    "::1",
    "[::1]",
    "::ffff:127.0.0.1"
  ]
  const other = [
    "",
    "example.com",
    "localhost.example.com",
    "localhost@example.com",
    "127.0.0.1.nip.io",
    "127.0.0.1.example.com",
    "1270.0.0.1",
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "notlocalhost",
    "localhost\nx"
  ]
  for (const host of loopback) it(`takes ${host}`, () => assert.isTrue(isLoopback(host)))
  for (const host of other) it(`refuses ${JSON.stringify(host)}`, () => assert.isFalse(isLoopback(host)))
})

describe("guard", () => {
  const passes: ReadonlyArray<{ readonly [name: string]: string }> = [
    { host: "127.0.0.1:7777" },
    { host: "localhost" },
    { host: "[::1]:7777" },
    { host: "localhost:7777", origin: "http://localhost:7777" },
    { host: "localhost:7777", origin: "http://127.0.0.1:3000" },
    { host: "localhost:7777", "sec-fetch-site": "same-origin" },
    { host: "localhost:7777", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }
  ]
  const refuses: ReadonlyArray<{ readonly [name: string]: string }> = [
    {},
    { host: "" },
    { host: "evil.example" },
    { host: "evil.example:7777" },
    { host: "localhost.evil.example:7777" },
    { host: "localhost:7777", origin: "https://evil.example" },
    { host: "localhost:7777", origin: "http://localhost.evil.example" },
    { host: "localhost:7777", origin: "http://localhost:1@evil.example" },
    { host: "localhost:7777", origin: "null" },
    { host: "localhost:7777", origin: "file://" },
    { host: "localhost:7777", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }
  ]
  for (const headers of passes) it(`passes ${JSON.stringify(headers)}`, () => assert.isUndefined(guard(headers)))
  for (const headers of refuses) {
    it(`refuses ${JSON.stringify(headers)}`, () => assert.strictEqual(guard(headers)?.code, "FORBIDDEN"))
  }
})

layer(layerSingleUser())("single-user mode", (it) => {
  it.effect("answers no page of another site", () =>
    Effect.gen(function*() {
      const reply = yield* call("toy.echo", {}, { origin: "https://evil.example" })
      assert.strictEqual(reply.status, 403)
      assert.strictEqual(codeOf(reply), "FORBIDDEN")
      assert.isUndefined(reply.headers["access-control-allow-origin"])
    }))

  it.effect("answers no rebound name, whatever the path", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/toy.echo", "/v1/verbs", "/docs", "/nowhere"]) {
        const text = yield* raw([
          `POST ${path} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`
        ])
        assert.match(text, /^HTTP\/1\.1 403 /)
      }
    }))

  it.effect("needs no token, and takes no placeholder for one", () =>
    Effect.gen(function*() {
      for (const authorization of ["", "Bearer nonsense", "Bearer dev", "Basic eA=="]) {
        const reply = yield* call("toy.who", {}, { authorization })
        assert.deepEqual(reply.json, { actor: "human:local", org: "dev", namespace: "local", reads: null })
      }
    }))

  it.effect("holds a token that is presented to what it says, or refuses it", () =>
    Effect.gen(function*() {
      const minted = yield* call("token.mint", {
        namespaces: ["local"],
        role: "read",
        kind: "human",
        subject: "bob",
        user_id: "bob"
      })
      const token = String(Object(minted.json).token)
      const as = (text: string) => ({ authorization: `Bearer ${text}` })
      assert.deepEqual((yield* call("toy.who", {}, as(token))).json, {
        actor: "human:bob",
        org: "dev",
        namespace: "local",
        reads: "bob"
      })
      assert.strictEqual((yield* call("toy.write", {}, as(token))).status, 403)
      const unknown = `loom_${"a".repeat(16)}_${"b".repeat(64)}`
      for (const text of [unknown, token.slice(0, -1), `${token}0`, token.toUpperCase(), "loom_root_0"]) {
        const reply = yield* call("toy.who", {}, as(text))
        assert.strictEqual(reply.status, 401, text)
        assert.strictEqual(codeOf(reply), "UNAUTHENTICATED")
      }
    }))

  it.effect("refuses another org", () =>
    Effect.map(call("toy.who", { org: "other" }), (reply) => assert.strictEqual(codeOf(reply), "FORBIDDEN")))
})

describe("single-user mode on an open address", () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.com"]) {
    it.effect(`refuses to listen on ${host}`, () =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(layerSingleUser(undefined, true, { host }))))
        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), "ListenRefused")
      }))
  }
})
