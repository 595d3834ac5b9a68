/**
 * MCP with the stock client against a real server process: over streamable HTTP, and over stdio through a second process
 * that calls the first. Both show the same tools and give the same typed errors.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { fileURLToPath } from "node:url"
import { address, layerServer, layerSingleUser, layerTeam } from "./RpcToys.ts"

type Transport = "http" | "stdio"

const transportOf = (transport: Transport, at: string, token: string) =>
  transport === "http"
    ? new StreamableHTTPClientTransport(new URL(`http://${at}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } }
    })
    : new StdioClientTransport({
      command: process.execPath,
      args: ["--import", "tsx", fileURLToPath(new URL("./McpStdioProcess.ts", import.meta.url))],
      env: { LOOM_BASE_URL: `http://${at}`, LOOM_API_KEY: token },
      stderr: "pipe"
    })

const connect = (transport: Transport, token = "member", at?: string) =>
  Effect.acquireRelease(
    Effect.flatMap(at === undefined ? address : Effect.succeed(at), (to) =>
      Effect.promise(async () => {
        const client = new Client({ name: "test", version: "1" })
        await client.connect(transportOf(transport, to, token))
        return client
      })),
    (client) => Effect.promise(() => client.close())
  )

const Result = Schema.Struct({
  isError: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  structuredContent: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  content: Schema.Tuple(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }))
})

const call = (client: Client, name: string, args?: Record<string, unknown>) =>
  Effect.flatMap(
    Effect.promise(() => client.callTool(args === undefined ? { name } : { name, arguments: args })),
    Schema.decodeUnknown(Result)
  )

// A process starts in about a second on two busy cores; each transport test starts one.
const PATIENCE = 60_000

layer(layerServer(layerTeam))("the stock client", (it) => {
  describe.each(["http", "stdio"] as const)("over %s", (transport) => {
    it.scoped("lists tools, calls them and gets typed errors", () =>
      Effect.gen(function*() {
        const client = yield* connect(transport)
        assert.strictEqual(client.getServerVersion()?.name, "loom")
        assert.include(client.getInstructions() ?? "", "<scope>/<kind>/<id>")
        assert.include(client.getInstructions() ?? "", "-v2")

        const { tools } = yield* Effect.promise(() => client.listTools())
        const names = tools.map(({ name }) => name)
        assert.includeMembers(names, ["loom_memory_set", "loom_memory_get", "loom_op"])
        assert.notInclude(names, "loom_memory_restore")
        const set = tools.find(({ name }) => name === "loom_memory_set")
        assert.match(set?.description ?? "", /^WHAT: .+\nWHEN: .+\nWHEN NOT: .+\nARGS: .+/)
        assert.deepStrictEqual(set?.inputSchema.required, ["memory_key", "value"])
        assert.notProperty(set?.inputSchema.properties, "org")
        assert.notInclude(JSON.stringify(set?.inputSchema), "$ref")
        assert.deepInclude(set?.annotations, { readOnlyHint: false, destructiveHint: false, idempotentHint: false })
        const get = tools.find(({ name }) => name === "loom_memory_get")
        assert.deepInclude(get?.annotations, { readOnlyHint: true, idempotentHint: true, openWorldHint: false })

        const stored = yield* call(client, "loom_memory_set", { memory_key: `mcp/${transport}/a`, value: ["x", 1] })
        assert.isFalse(stored.isError)
        assert.deepInclude(stored.structuredContent, { memory_key: `mcp/${transport}/a`, namespace: "eng" })
        const read = yield* call(client, "loom_memory_get", { memory_key: `mcp/${transport}/a` })
        assert.deepInclude(read.structuredContent, { found: true, value: ["x", 1] })

        const unknown = yield* call(client, "loom_memory_set", { memory_key: "a/b", value: 1, colour: "red" })
        assert.isTrue(unknown.isError)
        assert.deepInclude(unknown.structuredContent, {
          code: "UNKNOWN_FIELD",
          field: "colour",
          category: "validation"
        })
        assert.match(unknown.content[0].text, /^UNKNOWN_FIELD: .+\n.*\nNext: /)
        const missing = yield* call(client, "loom_memory_set")
        assert.deepInclude(missing.structuredContent, { code: "INVALID_ARGUMENT" })
        assert.notMatch(missing.content[0].text, /readonly|Struct|Expected|└─/)
      }), PATIENCE)

    it.scoped("reaches every verb through loom_op, which explains itself", () =>
      Effect.gen(function*() {
        const client = yield* connect(transport)
        const set = yield* call(client, "loom_op", { op: "memory.set", arguments: { memory_key: "op/a", value: 2 } })
        assert.deepInclude(set.structuredContent, { memory_key: "op/a" })
        const wrong = yield* call(client, "loom_op", { op: "memory.no_such", arguments: {} })
        assert.deepInclude(wrong.structuredContent, { code: "UNKNOWN_VERB" })
        const malformed = yield* call(client, "loom_op", { operation: "help" })
        assert.deepInclude(malformed.structuredContent, { code: "UNKNOWN_FIELD", field: "operation" })

        const all = yield* call(client, "loom_op", { op: "help" })
        assert.include(all.content[0].text, "memory.get")
        const page = yield* call(client, "loom_op", { op: "help", query: "memory.set" })
        assert.deepNestedInclude(page.structuredContent, { "verb.op": "memory.set", "verb.tool": "loom_memory_set" })
        assert.nestedProperty(page.structuredContent, "verb.arguments.properties.memory_key")
        const found = yield* call(client, "loom_op", { op: "help", query: "exact KEY" })
        assert.nestedPropertyVal(found.structuredContent, "verbs[0].op", "memory.get")
      }), PATIENCE)
  })

  it.scoped("over HTTP each request is its token's", () =>
    Effect.gen(function*() {
      const [member, reader] = yield* Effect.all([connect("http", "member"), connect("http", "reader")])
      const who = yield* Effect.forEach(
        [member, reader, member],
        (client) => call(client, "loom_op", { op: "toy.who", arguments: { namespace: "eng" } }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(who.map(({ structuredContent }) => structuredContent?.["actor"]), [
        "process:member",
        "human:reader",
        "process:member"
      ])
      const refused = yield* call(reader, "loom_memory_set", { memory_key: "a/b", value: 1, namespace: "eng" })
      assert.deepInclude(refused.structuredContent, { code: "FORBIDDEN" })
    }))

  it.scoped("failures of every kind are results, a bug without its words", () =>
    Effect.gen(function*() {
      const client = yield* connect("http")
      const tools = yield* Effect.promise(() => client.listTools())
      const toy = tools.tools.find(({ name }) => name === "loom_toy_fail")
      assert.propertyVal(toy?.annotations, "destructiveHint", true)
      const kinds = { refused: "LOCKED", unavailable: "UNAVAILABLE", overloaded: "OVERLOADED", bug: "INTERNAL" }
      for (const [how, code] of Object.entries(kinds)) {
        const result = yield* call(client, "loom_toy_fail", { how })
        assert.isTrue(result.isError)
        assert.deepInclude(result.structuredContent, { code })
        assert.notInclude(JSON.stringify(result), "secret")
      }
    }))

  it.effect("a connection without a live token is refused as over HTTP", () =>
    Effect.gen(function*() {
      const at = yield* address
      const response = yield* post(at, initialize, { authorization: "Bearer nobody" })
      assert.strictEqual(response.status, 401)
      assert.include(response.text, "UNAUTHENTICATED")
    }))

  it.effect("speaks JSON-RPC to whoever sends it by hand", () =>
    Effect.gen(function*() {
      const at = yield* address
      const send = (message: unknown, headers: Record<string, string> = {}) =>
        post(at, message, { authorization: "Bearer member", ...headers })
      const ping = { jsonrpc: "2.0", id: "a-string", method: "ping" }
      assert.deepStrictEqual(JSON.parse((yield* send(ping)).text), { jsonrpc: "2.0", id: "a-string", result: {} })
      const notified = yield* send({ jsonrpc: "2.0", method: "notifications/initialized" })
      assert.deepStrictEqual(notified, { status: 202, text: "" })
      const batch = yield* send([ping, { ...ping, id: 2, method: "no/such" }, { jsonrpc: "2.0", method: "x" }])
      assert.deepStrictEqual(
        JSON.parse(batch.text).map((
          answer: { id: unknown; error?: { code: number } }
        ) => [answer.id, answer.error?.code]),
        [["a-string", undefined], [2, -32601]]
      )
      const statuses = yield* Effect.forEach(
        ["{", "null", "[]", JSON.stringify({ id: 1, method: "ping" }), "\u0000", `{"jsonrpc":"2.0","jsonrpc":"1.0"}`],
        (text) => Effect.map(send(text), ({ status, text }) => [status, /\.ts|Expected|readonly/.test(text)])
      )
      assert.deepStrictEqual(statuses, [[400, false], [400, false], [202, false], [400, false], [400, false], [
        400,
        false
      ]])
      assert.strictEqual((yield* send(ping, { "mcp-protocol-version": "1999-01-01" })).status, 422)
      assert.strictEqual((yield* send("x".repeat(10_000_000))).status, 413)
      const got = yield* Effect.promise(() =>
        fetch(`http://${at}/mcp`, { headers: { authorization: "Bearer member" } })
      )
      assert.strictEqual(got.status, 405)
      const tool = yield* send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "rm", arguments: {} } })
      assert.include(tool.text, "-32602")
    }))
})

layer(layerServer(layerSingleUser))("in single-user mode", (it) => {
  it.effect("a page of another site is refused", () =>
    Effect.gen(function*() {
      const at = yield* address
      assert.strictEqual((yield* post(at, initialize, { origin: "http://evil.example" })).status, 403)
      assert.strictEqual((yield* post(at, initialize)).status, 200)
    }))
})

describe("loom mcp without a server", () => {
  layer(layerServer(layerSingleUser))((it) => {
    it.scoped("starts, lists tools and answers UNAVAILABLE", () =>
      Effect.gen(function*() {
        // Port 9 (discard) is closed on every machine that runs tests.
        const client = yield* connect("stdio", "member", "127.0.0.1:9")
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.isNotEmpty(tools)
        const result = yield* call(client, "loom_memory_get", { memory_key: "a/b/c" })
        assert.deepInclude(result.structuredContent, { code: "UNAVAILABLE", retryable: true })
      }), PATIENCE)
  })
})

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
}

const post = (at: string, message: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`http://${at}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message)
    })
    return { status: response.status, text: await response.text() }
  })
