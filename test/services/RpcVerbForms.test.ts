/**
 * One verb, one declaration, every form: each verb that a slice declares must be in the client's list, the RPC group, the
 * typed client, HTTP, OpenAPI, the registry and MCP (as a tool, or through `loom_op`). The verbs are found by looking into
 * the slices, so a verb that was forgotten somewhere fails here.
 */
import * as Rpc from "@effect/rpc/Rpc"
import * as RpcClient from "@effect/rpc/RpcClient"
import * as RpcGroup from "@effect/rpc/RpcGroup"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { readdirSync } from "node:fs"
import { Dispatch } from "../../services/gateway/Dispatch.ts"
import { LoomClient } from "../../src/client/LoomClient.ts"
import * as LoomRpcClient from "../../src/client/LoomRpcClient.ts"
import { LoomRpcs } from "../../src/client/LoomRpcs.ts"
import { allVerbs, writerVerbs } from "../../src/client/Verbs.ts"
import { LoomError, refuse } from "../../src/kernel/LoomError.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { payloadFields } from "../../src/kernel/Verb.ts"
import { address, layerServer, layerSingleUser } from "./RpcToys.ts"

const root = new URL("../../src/", import.meta.url)

const isVerb = (value: unknown): value is { readonly tag: string } =>
  Predicate.hasProperty(value, "tag") && Predicate.hasProperty(value, "teaching") && Predicate.hasProperty(value, "rpc")

const declared = Effect.promise(async () => {
  const slices = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const files = slices.flatMap(({ name }) =>
    readdirSync(new URL(`${name}/`, root)).filter((file) => file.endsWith("Verbs.ts")).map((file) => `${name}/${file}`)
  )
  const modules: ReadonlyArray<object> = await Promise.all(files.map((file) => import(new URL(file, root).href)))
  return [...new Set(modules.flatMap((module) => Object.values(module)).filter(isVerb).map(({ tag }) => tag))].sort()
})

const listed = allVerbs.map(({ tag }) => String(tag)).sort()

describe("the client's lists", () => {
  it.effect("hold every verb that a slice declares", () =>
    Effect.gen(function*() {
      const tags = yield* declared
      assert.isAbove(tags.length, 10)
      assert.deepStrictEqual(listed, tags)
    }))

  it("agree: RPC group, typed client in both kinds", () => {
    assert.deepStrictEqual([...LoomRpcs.requests.keys()].sort(), listed)
    const promises = LoomClient.make()
    for (const tag of listed) {
      const [family = "", name = ""] = tag.split(".")
      const holder: unknown = Reflect.get(promises, family)
      assert.isTrue(Predicate.hasProperty(holder, name) && Predicate.isFunction(holder[name]), tag)
    }
  })

  it("name writer verbs that exist and declare an agent", () => {
    for (const tag of writerVerbs) {
      const verb = allVerbs.find((one) => one.tag === tag)
      assert.include(verb === undefined ? [] : payloadFields(verb), "agent", tag)
    }
  })

  it("keep the types of requests", () => {
    const loom = LoomClient.make()
    const wrong = () => {
      // @ts-expect-error memory_key and value are required
      void loom.memory.set({})
      // @ts-expect-error there is no such field
      void loom.memory.get({ memory_key: "a", colour: "red" })
    }
    assert.isFunction(wrong)
  })
})

// Every verb is there and answers one recognisable refusal, so that what is tested is the way to it.
const reached = refuse("LOCKED", "reached")
const layerReached = Layer.succeed(Dispatch, {
  verbs: allVerbs satisfies ReadonlyArray<VerbFacts>,
  call: (tag) => Effect.fail(listed.includes(tag) ? reached : refuse("UNKNOWN_VERB", "There is no such verb"))
})

const raw = (tag: string) => Rpc.make(tag, { payload: Schema.Unknown, success: Schema.Unknown, error: LoomError })

const getJson = (url: string) => Effect.promise(async () => JSON.parse(await (await fetch(url)).text()))

const postJson = (url: string, body: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return await response.text()
  })

layer(layerServer(layerSingleUser, layerReached))("every verb is reached", (it) => {
  it.effect("over HTTP, and stands in the registry and in OpenAPI", () =>
    Effect.gen(function*() {
      const at = yield* address
      const registry = yield* getJson(`http://${at}/v1/verbs`)
      assert.deepStrictEqual(registry.verbs.map(({ verb }: { verb: string }) => verb).sort(), listed)
      const spec = yield* getJson(`http://${at}/openapi.json`)
      for (const tag of listed) {
        assert.include(yield* postJson(`http://${at}/v1/${tag}`, {}), `"LOCKED"`, tag)
        assert.nestedProperty(spec.paths[`/v1/${tag}`], "post.requestBody", tag)
      }
    }))

  it.effect("over RPC", () =>
    Effect.gen(function*() {
      const at = yield* address
      const group = RpcGroup.make(...listed.map(raw))
      yield* Effect.gen(function*() {
        const client = yield* RpcClient.make(group, { flatten: true })
        for (const tag of listed) {
          const refused = yield* client(tag, {}).pipe(Effect.asVoid, Effect.flip)
          assert.deepInclude(refused, { code: "LOCKED" }, tag)
        }
      }).pipe(Effect.scoped, Effect.provide(LoomRpcClient.layerProtocol({ url: `ws://${at}/rpc` })))
    }))

  it.effect("over MCP, as a tool of its own when it is listed, and through loom_op", () =>
    Effect.gen(function*() {
      const at = yield* address
      const send = (method: string, params: unknown) =>
        Effect.map(postJson(`http://${at}/mcp`, { jsonrpc: "2.0", id: 1, method, params }), (text) =>
          JSON.parse(text).result)
      const { tools } = yield* send("tools/list", {})
      const names: ReadonlyArray<string> = tools.map(({ name }: { name: string }) =>
        name
      )
      const own = allVerbs.filter((verb) => verb.listed).map(({ tag }) => `loom_${tag.replaceAll(".", "_")}`)
      assert.sameMembers([...names], [...own, "loom_op"])
      const help = yield* send("tools/call", { name: "loom_op", arguments: { op: "help" } })
      assert.deepStrictEqual(help.structuredContent.verbs.map(({ op }: { op: string }) => op).sort(), listed)
      for (const tag of listed) {
        const called = yield* send("tools/call", { name: "loom_op", arguments: { op: tag, arguments: {} } })
        assert.propertyVal(called.structuredContent, "code", "LOCKED", tag)
      }
      for (const name of own) {
        const called = yield* send("tools/call", { name, arguments: {} })
        assert.propertyVal(called.structuredContent, "code", "LOCKED", name)
      }
    }))

  it.effect("by the client, whose probe finds nothing missing", () =>
    Effect.gen(function*() {
      const at = yield* address
      const loom = LoomClient.make({ baseUrl: `http://${at}` })
      assert.deepInclude(yield* Effect.promise(() => loom.probe()), { ok: true, unknown_to_sdk: [] })
      for (const tag of listed) {
        const code = yield* Effect.promise(() =>
          loom.call(tag, {}).then(() => "", (cause) => Reflect.get(cause, "code"))
        )
        assert.strictEqual(code, "LOCKED", tag)
      }
    }))
})
