/** The three protocols of language models, as a server of one sees them: what a request asks, and what an answer looks like. */
import * as Schema from "effect/Schema"

export type Protocol = "chat" | "responses" | "messages"

/** What is answered. */
export interface Said {
  readonly text: string
  /** `length`: it had become as long as it may. */
  readonly finish?: "stop" | "length"
  readonly tokensIn?: number
  readonly tokensOut?: number
  /** Whether the answer says what it took; it does unless told otherwise. */
  readonly counted?: boolean
}

interface Asked {
  readonly model: string
  readonly system: string
  readonly user: string
  readonly correction: { readonly said: string; readonly why: string } | null
  readonly form: { readonly name: string; readonly schema: unknown } | null
  readonly maxTokens: number | null
}

export const protocolOf = (path: string): Protocol | undefined =>
  path.endsWith("/chat/completions")
    ? "chat"
    : path.endsWith("/responses")
    ? "responses"
    : /\/messages(\?.*)?$/.test(path)
    ? "messages"
    : undefined

const Part = Schema.Struct({ text: Schema.String })
const Content = Schema.Union(Schema.String, Schema.Array(Part))
const Turn = Schema.Struct({ role: Schema.String, content: Content })
const Form = Schema.Struct({ name: Schema.String, schema: Schema.Unknown })

const Chat = Schema.Struct({
  model: Schema.String,
  messages: Schema.Array(Turn),
  max_tokens: Schema.optional(Schema.Number),
  response_format: Schema.optional(Schema.Struct({ type: Schema.String, json_schema: Schema.optional(Form) }))
})

const Responses = Schema.Struct({
  model: Schema.String,
  input: Schema.Array(Turn),
  max_output_tokens: Schema.optional(Schema.Number),
  text: Schema.optional(Schema.Struct({
    format: Schema.optional(
      Schema.Struct({
        type: Schema.String,
        name: Schema.optional(Schema.String),
        schema: Schema.optional(Schema.Unknown)
      })
    )
  }))
})

const Messages = Schema.Struct({
  model: Schema.String,
  system: Schema.optional(Content),
  messages: Schema.Array(Turn),
  max_tokens: Schema.optional(Schema.Number),
  tools: Schema.optional(Schema.Array(Schema.Struct({ name: Schema.String, input_schema: Schema.Unknown })))
})

const textOf = (content: typeof Content.Type | undefined): string =>
  content === undefined ? "" : typeof content === "string" ? content : content.map(({ text }) => text).join("\n")

const asked = (
  model: string,
  turns: ReadonlyArray<typeof Turn.Type>,
  form: Asked["form"],
  maxTokens: number | undefined
): Asked => {
  const of = (...roles: ReadonlyArray<string>) =>
    turns.filter(({ role }) => roles.includes(role)).map(({ content }) => textOf(content))
  const [user = "", why] = of("user")
  const [said] = of("assistant")
  return {
    model,
    system: of("system", "developer").join("\n"),
    user,
    correction: said === undefined ? null : { said, why: why ?? "" },
    form,
    maxTokens: maxTokens ?? null
  }
}

/** Reads a request; one of another shape is the test's fault, so it throws. */
export const questions: Readonly<Record<Protocol, (body: unknown) => Asked>> = {
  chat: (body) => {
    const { max_tokens, messages, model, response_format } = Schema.decodeUnknownSync(Chat)(body)
    return asked(model, messages, response_format?.json_schema ?? null, max_tokens)
  },
  responses: (body) => {
    const { input, max_output_tokens, model, text } = Schema.decodeUnknownSync(Responses)(body)
    const format = text?.format
    const form = format?.type === "json_schema" ? { name: format.name ?? "", schema: format.schema } : null
    return asked(model, input, form, max_output_tokens)
  },
  messages: (body) => {
    const { max_tokens, messages, model, system, tools } = Schema.decodeUnknownSync(Messages)(body)
    const [tool] = tools ?? []
    const form = tool === undefined ? null : { name: tool.name, schema: tool.input_schema }
    return asked(model, [{ role: "system", content: textOf(system) }, ...messages], form, max_tokens)
  }
}

const objectIn = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** An answer with status 200. */
export const answers: Readonly<Record<Protocol, (asked: Asked, said: Said) => object>> = {
  chat: ({ model }, { counted = true, finish = "stop", text, tokensIn = 11, tokensOut = 7 }) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    model: `${model}-2026`,
    choices: [{ index: 0, finish_reason: finish, message: { role: "assistant", content: text } }],
    ...(counted
      ? { usage: { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut } }
      : {})
  }),
  responses: ({ model }, { counted = true, finish = "stop", text, tokensIn = 11, tokensOut = 7 }) => ({
    id: "resp-1",
    object: "response",
    created_at: 1_700_000_000,
    status: finish === "length" ? "incomplete" : "completed",
    error: null,
    incomplete_details: finish === "length" ? { reason: "max_output_tokens" } : null,
    instructions: null,
    model: `${model}-2026`,
    output: [{
      id: "msg-1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [], logprobs: [] }]
    }],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    metadata: {},
    temperature: 1,
    top_p: 1,
    ...(counted
      ? {
        usage: {
          input_tokens: tokensIn,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: tokensOut,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: tokensIn + tokensOut
        }
      }
      : {})
  }),
  messages: ({ form, model }, { finish = "stop", text, tokensIn = 11, tokensOut = 7 }) => {
    const input = form === null ? undefined : objectIn(text)
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: `${model}-2026`,
      content: input === undefined || form === null
        ? [{ type: "text", text }]
        : [{ type: "tool_use", id: "toolu_1", name: form.name, input }],
      stop_reason: finish === "length" ? "max_tokens" : input === undefined ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: { input_tokens: tokensIn, output_tokens: tokensOut }
    }
  }
}

const kinds: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "not_found_error",
  429: "rate_limit_error"
}

/** The body of a failure, which all three write alike. */
export const failure = (status: number, message: string): object => ({
  type: "error",
  error: { type: kinds[status] ?? "api_error", message, code: null, param: null }
})
