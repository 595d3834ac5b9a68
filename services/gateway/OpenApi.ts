/**
 * The contract of the HTTP edge as OpenAPI 3.1, read off the verbs: one path a verb, its request and answer as they stand
 * on the wire, and every error code under its status. A snapshot of it is kept in `docs/openapi.json`, so that a change
 * of the wire shows in review.
 */
import type { VerbFacts } from "../../src/kernel/Verb.ts"
import { MAX_BODY_BYTES } from "./HttpBody.ts"
import { everyCode, mcpTool, wireSchema } from "./VerbRegistry.ts"
import type { SchemaObject } from "./VerbRegistry.ts"

const JSON_TYPE = "application/json"

const componentPath = "#/components/schemas/"

const content = (schema: SchemaObject) => ({ [JSON_TYPE]: { schema } })

const ref = (kind: "schemas" | "responses" | "headers" | "parameters", name: string) => ({
  $ref: `#/components/${kind}/${name}`
})

const requestIdHeader = { "x-request-id": ref("headers", "RequestId") }

const errorSchema: SchemaObject = {
  type: "object",
  required: ["detail"],
  properties: {
    detail: {
      type: "object",
      required: ["code", "message", "category", "retryable"],
      properties: {
        code: { type: "string", enum: everyCode.map(({ name }) => name) },
        message: { type: "string", description: "In plain words; never a stored value." },
        category: { type: "string", enum: [...new Set(everyCode.map(({ category }) => category))] },
        retryable: { type: "boolean", description: "Whether the same request may succeed later." },
        retry_after_s: { type: "number", description: "Seconds to wait; also in `Retry-After`." },
        field: { type: "string", description: "The field at fault, when one is." }
      },
      additionalProperties: true
    }
  }
}

const statuses = [...new Set(everyCode.map(({ status }) => status))].sort((left, right) => left - right)

// Codes that only a request of another method or path, or one that is no HTTP, can meet.
const notAtAVerb = new Set([404, 405, 431])

// Reads change nothing, so no lock stands in their way.
const onlyWrites = new Set([423])

const codesOf = (status: number): string =>
  everyCode.filter((code) => code.status === status)
    .map(({ name, next }) => `- \`${name}\`: ${next}`)
    .join("\n")

const waits = new Set([429])

const errorResponses = Object.fromEntries(statuses.map((status) => [
  `Error${status}`,
  {
    description: codesOf(status),
    headers: { ...requestIdHeader, ...(waits.has(status) ? { "retry-after": ref("headers", "RetryAfter") } : {}) },
    content: content(ref("schemas", "Error"))
  }
]))

const describe = ({ teaching }: VerbFacts): string =>
  [
    teaching.what,
    `**When:** ${teaching.when}`,
    `**When not:** ${teaching.whenNot}`,
    ...(teaching.args === undefined ? [] : [`**Arguments:** ${teaching.args}`])
  ].join("\n\n")

const family = (tag: string): string => tag.split(".")[0] ?? tag

const operation = (verb: VerbFacts, defs: Map<string, SchemaObject>) => ({
  operationId: verb.tag,
  tags: [family(verb.tag)],
  summary: verb.teaching.what,
  description: describe(verb),
  "x-loom": {
    role: verb.access,
    writes: verb.writes,
    idempotent: verb.idempotent,
    mcp_tool: mcpTool(verb.tag),
    mcp_listed: verb.listed
  },
  parameters: [
    ref("parameters", "RequestId"),
    ...(verb.writes ? [ref("parameters", "IdempotencyKey")] : [])
  ],
  requestBody: { required: true, content: content(wireSchema(verb, "payload", defs, componentPath)) },
  responses: {
    "200": {
      description: "Done. A miss, and what the caller may not read, are told in the body and are no error.",
      headers: requestIdHeader,
      content: content(wireSchema(verb, "answer", defs, componentPath))
    },
    ...Object.fromEntries(
      statuses.filter((status) => !notAtAVerb.has(status) && (verb.writes || !onlyWrites.has(status)))
        .map((status) => [String(status), ref("responses", `Error${status}`)])
    )
  }
})

const probe = (summary: string, unready: boolean) => ({
  get: {
    tags: ["server"],
    summary,
    security: [],
    responses: {
      "200": { description: "Yes", content: content({ type: "object" }) },
      ...(unready
        ? { "503": { description: "Not ready; `checks` says what is missing", content: content({ type: "object" }) } }
        : {})
    }
  }
})

/** The OpenAPI document of a server with these verbs. */
export const openApi = (verbs: ReadonlyArray<VerbFacts>, version: string) => {
  const defs = new Map<string, SchemaObject>()
  const paths = Object.fromEntries(verbs.map((verb) => [`/v1/${verb.tag}`, { post: operation(verb, defs) }]))
  return {
    openapi: "3.1.0",
    info: {
      title: "Loom",
      version,
      description:
        "Shared long-term memory for AI agents. Every verb is `POST /v1/<verb>` with one JSON object of at " +
        `most ${MAX_BODY_BYTES} bytes; unknown fields are refused. In team mode send \`Authorization: Bearer <token>\`.`
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }, {}],
    tags: [...new Set(verbs.map(({ tag }) => family(tag))), "server"].map((name) => ({ name })),
    paths: {
      ...paths,
      "/v1/verbs": probe("Every verb with its fields, and every error code", false),
      "/v1/health": probe("Whether the server lives, and whether it is ready", false),
      "/livez": probe("Whether the server lives", false),
      "/readyz": probe("Whether the server is ready", true)
    },
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "`loom_<id>_<secret>`" } },
      parameters: {
        RequestId: {
          name: "x-request-id",
          in: "header",
          required: false,
          description: "Taken over into the answer and the log; one is made when it is missing or malformed.",
          schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,64}$" }
        },
        IdempotencyKey: {
          name: "idempotency-key",
          in: "header",
          required: false,
          description: "Taken for the field `idempotency_key` when the body has none.",
          schema: { type: "string", minLength: 1, maxLength: 256 }
        }
      },
      headers: {
        RequestId: { description: "The id under which the log knows the request", schema: { type: "string" } },
        RetryAfter: { description: "Seconds to wait", schema: { type: "integer" } }
      },
      responses: errorResponses,
      schemas: { Error: errorSchema, ...Object.fromEntries([...defs].sort(([left], [right]) => left < right ? -1 : 1)) }
    }
  }
}

export type OpenApiDocument = ReturnType<typeof openApi>
