/**
 * The tools that MCP shows: one for each listed verb (`memory.set` is `loom_memory_set`) and `loom_op`, which reaches and
 * explains all of them. A refusal is a tool result with `isError` and the error's `detail`, so that a model can read it
 * and do better; nothing of schemas or causes leaves.
 */
import type * as McpSchema from "@effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { LoomError } from "../../src/kernel/LoomError.ts"
import { allCodes, toWire } from "../../src/kernel/LoomError.ts"
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { payloadFault } from "../../src/kernel/Verb.ts"
import { describe, help } from "./McpHelp.ts"
import { inputSchema } from "./McpInputSchema.ts"
import { mcpTool } from "./VerbRegistry.ts"

export type ToolResult = typeof McpSchema.CallToolResult.Encoded
export type ToolListing = typeof McpSchema.Tool.Encoded

/** Runs a verb for the caller of this session; answers encoded JSON. */
export type RunVerb = (tag: string, payload: unknown) => Effect.Effect<unknown, LoomError>

export interface McpTools {
  readonly listing: ReadonlyArray<ToolListing>
  /** Undefined when there is no such tool. Verbs that are not listed answer to their tool name and dotted name too. */
  readonly call: (name: string, args: unknown, run: RunVerb) => Effect.Effect<ToolResult> | undefined
}

const OP = "loom_op"

const OpArguments = Schema.Struct({
  op: Schema.String,
  arguments: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  query: Schema.optional(Schema.String)
})

const decodeOp = Schema.decodeUnknown(OpArguments, { onExcessProperty: "error", errors: "all" })

const opTool: ToolListing = {
  name: OP,
  title: "Any Loom verb",
  description: [
    "WHAT: Call any verb of Loom by name; op `help` lists the verbs and describes each with its arguments.",
    "WHEN: You need a verb that has no tool of its own.",
    "WHEN NOT: The verb has a tool of its own.",
    "ARGS: op is the verb (`memory.restore`) and arguments its fields. For help, query is a verb or words."
  ].join("\n"),
  inputSchema: {
    type: "object",
    properties: {
      op: { type: "string", description: "A verb such as `memory.restore`, or `help`." },
      arguments: { type: "object", description: "The verb's arguments." },
      query: { type: "string", description: "With `help`: a verb to describe in full, or words to look for." }
    },
    required: ["op"],
    additionalProperties: false
  },
  annotations: {
    title: "Any Loom verb",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false
  }
}

const verbTool = (verb: VerbFacts): ToolListing => ({
  name: mcpTool(verb.tag),
  title: verb.tag,
  description: describe(verb),
  inputSchema: inputSchema(verb),
  annotations: {
    title: verb.tag,
    readOnlyHint: !verb.writes,
    destructiveHint: verb.destructive ?? false,
    idempotentHint: verb.idempotent,
    openWorldHint: false
  }
})

export const make = (verbs: ReadonlyArray<VerbFacts>): McpTools => {
  const tags = new Map(verbs.flatMap(({ tag }) => [[tag, tag], [mcpTool(tag), tag]]))
  const op = (args: unknown, run: RunVerb) =>
    Effect.mapError(decodeOp(args), payloadFault).pipe(
      Effect.flatMap(({ arguments: inner = {}, op, query }) =>
        op === "help" ? Effect.succeed(help(verbs, query)) : run(tags.get(op) ?? op, inner)
      )
    )
  return {
    listing: [...verbs.filter((verb) => verb.listed).map(verbTool), opTool],
    call: (name, args, run) => {
      if (name === OP) return Effect.match(op(args, run), { onFailure: failed, onSuccess: succeeded })
      const tag = tags.get(name)
      return tag === undefined
        ? undefined
        : Effect.match(run(tag, args), { onFailure: failed, onSuccess: succeeded })
    }
  }
}

const succeeded = (answer: unknown): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(answer) }],
  ...(typeof answer === "object" && answer !== null ? { structuredContent: answer } : {})
})

const failed = (error: LoomError): ToolResult => {
  const { detail } = toWire(error).body
  const { category: _c, code, message, retryable: _r, ...facts } = detail
  const next = allCodes.find(({ name }) => name === code)?.next
  return {
    isError: true,
    structuredContent: detail,
    content: [{
      type: "text",
      text: [
        `${code}: ${message}`,
        ...(Object.keys(facts).length === 0 ? [] : [JSON.stringify(facts)]),
        ...(next === undefined ? [] : [`Next: ${next}`])
      ].join("\n")
    }]
  }
}
