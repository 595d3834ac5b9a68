import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CallerMiddleware, CurrentCaller } from "../../services/gateway/Auth.ts"
import { call, codeOf, layerTeam, post, send } from "./HttpToys.ts"
import type { Reply } from "./HttpToys.ts"

const folder = mkdtempSync(join(tmpdir(), "loom-http-auth-"))
const rootFile = join(folder, "root.token")

const removeFolder = Layer.scopedDiscard(
  Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
)

const Minted = Schema.Struct({ token: Schema.String, token_id: Schema.String })
const minted = (reply: Reply) => Schema.decodeUnknownSync(Minted)(reply.json)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const asRoot = () => bearer(readFileSync(rootFile, "utf8").trim())

const team = { org: "acme", namespaces: ["eng"], role: "write", kind: "human", subject: "ada" }
const mint = (more: object = {}, headers = asRoot()) =>
  Effect.map(call("token.mint", { ...team, ...more }, headers), minted)

const refusedWords = "The request carries no token that is live"

/** A route that another edge brings. */
const callerRoute = HttpLayerRouter.add(
  "GET",
  "/caller",
  Effect.map(CurrentCaller, ({ actor }) => HttpServerResponse.text(actor))
).pipe(Layer.provide(CallerMiddleware.layer))

layer(Layer.provideMerge(layerTeam(rootFile, callerRoute), removeFolder))("team mode", (it) => {
  it.effect("every token that is not live is refused in the same words", () =>
    Effect.gen(function*() {
      const live = yield* mint()
      const revoked = yield* mint()
      yield* call("token.revoke", { token_id: revoked.token_id }, asRoot())
      const ended = yield* mint({ ttl_seconds: 60 })
      assert.strictEqual((yield* call("toy.who", {}, bearer(ended.token))).status, 200)
      yield* TestClock.adjust("61 seconds")
      const attempts: ReadonlyArray<Record<string, string>> = [
        {},
        { authorization: "" },
        { authorization: live.token },
        { authorization: `Basic ${live.token}` },
        bearer(""),
        bearer("nonsense"),
        bearer(`loom_${"0".repeat(16)}_${"0".repeat(64)}`),
        bearer(`${live.token.slice(0, -1)}${live.token.endsWith("0") ? "1" : "0"}`),
        bearer(`${live.token}0`),
        bearer(live.token.toUpperCase()),
        bearer(`loom_root_${"0".repeat(64)}`),
        bearer(revoked.token),
        bearer(ended.token),
        bearer("x".repeat(10_000))
      ]
      const texts = new Set<string>()
      for (const headers of attempts) {
        const reply = yield* call("toy.who", {}, headers)
        assert.strictEqual(reply.status, 401)
        assert.strictEqual(codeOf(reply), "UNAUTHENTICATED")
        assert.strictEqual(reply.headers["www-authenticate"], "Bearer")
        texts.add(reply.text)
      }
      assert.deepEqual([...texts], [
        JSON.stringify({
          detail: { code: "UNAUTHENTICATED", message: refusedWords, category: "access", retryable: false }
        })
      ])
      assert.strictEqual((yield* call("toy.who", {}, { authorization: `bEARER  ${live.token} ` })).status, 200)
    }))

  it.effect("the caller is looked at before the body", () =>
    Effect.map(post("toy.echo", "{"), (reply) => assert.strictEqual(reply.status, 401)))

  it.effect("what tells how to call needs no token", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/health", "/livez", "/readyz", "/v1/verbs", "/openapi.json", "/docs"]) {
        assert.strictEqual((yield* send("GET", path)).status, 200)
      }
    }))

  it.effect("a token opens its org and namespaces and nothing else, known or not", () =>
    Effect.gen(function*() {
      const one = bearer((yield* mint()).token)
      const two = bearer((yield* mint({ namespaces: ["eng", "ops"], kind: "service", subject: "bot" })).token)
      const all = bearer((yield* mint({ namespaces: ["*"] })).token)
      assert.deepEqual((yield* call("toy.who", {}, one)).json, {
        actor: "human:ada",
        org: "acme",
        namespace: "eng",
        reads: null
      })
      assert.deepInclude((yield* call("toy.who", { namespace: "ops" }, two)).json, {
        actor: "process:bot",
        namespace: "ops"
      })
      assert.deepInclude((yield* call("toy.who", { namespace: "any" }, all)).json, { namespace: "any" })
      // Several namespaces and none named: the request must say which.
      assert.strictEqual(codeOf(yield* call("toy.who", {}, two)), "INVALID_ARGUMENT")
      assert.strictEqual(codeOf(yield* call("toy.who", {}, all)), "INVALID_ARGUMENT")
      const closed = [
        yield* call("toy.who", { namespace: "ops" }, one),
        yield* call("toy.who", { namespace: "never-made" }, one),
        yield* call("toy.who", { org: "other" }, one),
        yield* call("toy.who", { org: "other", namespace: "any" }, all),
        yield* call("toy.write", { org: "other" }, one)
      ]
      assert.deepEqual([...new Set(closed.map(codeOf))], ["FORBIDDEN"])
      assert.strictEqual(new Set(closed.map(({ text }) => text)).size, 1)
    }))

  it.effect("a role includes the ones before it", () =>
    Effect.gen(function*() {
      const statuses = []
      for (const role of ["read", "write", "admin"]) {
        const headers = bearer((yield* mint({ role })).token)
        for (const verb of ["toy.who", "toy.write", "toy.admin"]) {
          statuses.push((yield* call(verb, {}, headers)).status)
        }
      }
      assert.deepEqual(statuses, [200, 403, 403, 200, 200, 403, 200, 200, 200])
    }))

  it.effect("a body's user never outranks the token's", () =>
    Effect.gen(function*() {
      const bound = bearer((yield* mint({ user_id: "u1" })).token)
      assert.deepInclude((yield* call("toy.write", {}, bound)).json, { user: "u1" })
      assert.deepInclude((yield* call("toy.write", { user_id: "u1" }, bound)).json, { user: "u1" })
      assert.strictEqual(codeOf(yield* call("toy.write", { user_id: "u2" }, bound)), "FORBIDDEN")
      assert.deepInclude((yield* call("toy.who", {}, bound)).json, { reads: "u1" })
      assert.deepInclude((yield* call("toy.who", { user_id: "u2" }, bound)).json, { reads: "none" })
      const free = bearer((yield* mint()).token)
      assert.deepInclude((yield* call("toy.write", { user_id: "u2" }, free)).json, { user: "u2" })
      assert.deepInclude((yield* call("toy.write", {}, free)).json, { user: "-" })
    }))

  it.effect("the root token opens no namespace", () =>
    Effect.gen(function*() {
      for (const request of [{ namespace: "eng" }, { org: "acme", namespace: "eng" }, { org: "-", namespace: "x" }]) {
        assert.strictEqual(codeOf(yield* call("toy.who", request, asRoot())), "FORBIDDEN")
      }
    }))

  it.effect("a route that is merged in finds its caller, or is not reached", () =>
    Effect.gen(function*() {
      const refused = yield* send("GET", "/caller")
      assert.strictEqual(codeOf(refused), "UNAUTHENTICATED")
      assert.isDefined(refused.headers["x-request-id"])
      const { token } = yield* mint()
      assert.strictEqual((yield* send("GET", "/caller", { headers: bearer(token) })).text, "human:ada")
    }))

  it.effect("web pages of other sites meet no guard, only the want of a token", () =>
    Effect.map(
      call("toy.who", {}, { origin: "https://app.example" }),
      (reply) => assert.strictEqual(reply.status, 401)
    ))
})
