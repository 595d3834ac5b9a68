/**
 * A language model behind an OpenAI-compatible `POST {url}/chat/completions`. Forms are sent as `response_format`; a server
 * that refuses that is asked in words from then on. Neither key, prompt nor reply is ever logged, and the server's words
 * never reach our callers.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelPrompt, ModelReply } from "./LanguageModel.ts"
import { LanguageModelFailure } from "./LanguageModelFailure.ts"
import * as LanguageModelRetry from "./LanguageModelRetry.ts"
import { turnsOf } from "./ModelTurns.ts"

export interface OpenAiOptions {
  /** The base, for example `http://127.0.0.1:11434/v1`; `/chat/completions` is added. */
  readonly url: string
  /** Sent as a bearer token; none for a server of one's own. */
  readonly key: Redacted.Redacted | undefined
  readonly model: string
  /** How long a reply may take, the second try included. */
  readonly timeout: Duration.DurationInput
}

export const make = (
  options: OpenAiOptions
): Effect.Effect<typeof LanguageModel.Service, never, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    // Neither trace headers for a third party, nor spans whose attributes would hold its address.
    const client = (yield* HttpClient.HttpClient).pipe(
      HttpClient.withTracerPropagation(false),
      HttpClient.withTracerDisabledWhen(() => true)
    )
    const request = requestWith(client, options)
    const holdsForms = yield* Ref.make(true)
    const attempt = (prompt: ModelPrompt) =>
      Effect.flatMap(Ref.get(holdsForms), (holds) =>
        prompt.form === undefined || !holds
          ? request(prompt, false)
          : Effect.catchTag(request(prompt, true), "FormRefused", ({ failure }) =>
            request(prompt, false).pipe(
              // An address that is wrong altogether says nothing of forms.
              Effect.tap(Ref.set(holdsForms, false)),
              Effect.mapError((second) => second._tag === "FormRefused" ? failure : second)
            ))).pipe(
          Effect.catchTag("FormRefused", ({ failure }) => failure)
        )
    return yield* LanguageModelRetry.make(attempt, options)
  })

export const layer = (options: OpenAiOptions): Layer.Layer<LanguageModel, never, HttpClient.HttpClient> =>
  Layer.effect(LanguageModel, make(options))

/** The server does not take forms, as it seems. */
class FormRefused extends Schema.TaggedError<FormRefused>()("FormRefused", { failure: LanguageModelFailure }) {}

const Answer = Schema.Struct({
  model: Schema.optional(Schema.String),
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({ content: Schema.NullOr(Schema.String) }),
    finish_reason: Schema.optional(Schema.NullOr(Schema.String))
  })),
  usage: Schema.optional(Schema.NullOr(Schema.Struct({
    prompt_tokens: Schema.optional(Schema.Number),
    completion_tokens: Schema.optional(Schema.Number)
  })))
})

/** Whether a failure says that the server does not know forms: by name, or as of a request that it cannot serve. */
const refusesForm = (status: number, body: string): boolean =>
  status === 400 || status === 422
    ? /response_format|json_schema|structured output/i.test(body)
    : status === 404 || status === 501

const requestWith = (client: HttpClient.HttpClient, options: OpenAiOptions) => {
  const base = HttpClientRequest.post(`${options.url.replace(/\/+$/, "")}/chat/completions`).pipe(
    HttpClientRequest.acceptJson,
    options.key === undefined ? (request) => request : HttpClientRequest.bearerToken(options.key)
  )
  return (
    prompt: ModelPrompt,
    withForm: boolean
  ): Effect.Effect<ModelReply, LanguageModelFailure | FormRefused> =>
    Effect.gen(function*() {
      const form = withForm ? prompt.form : undefined
      const response = yield* client.execute(HttpClientRequest.bodyUnsafeJson(base, {
        model: options.model,
        messages: turnsOf(prompt, withForm),
        max_tokens: prompt.maxTokens,
        // The likeliest words: the same question over the same evidence should read the same.
        temperature: 0,
        stream: false,
        ...(form === undefined ? {} : {
          response_format: {
            type: "json_schema",
            json_schema: { name: form.name, strict: true, schema: form.schema }
          }
        })
      }))
      const { headers, status } = response
      if (status < 200 || status > 299) {
        // The connection serves the next request only when this body is read.
        const body = yield* Effect.orElseSucceed(response.text, () => "")
        const failure = LanguageModelFailure.ofStatus(status, headers["retry-after"])
        return yield* form !== undefined && refusesForm(status, body) ? new FormRefused({ failure }) : failure
      }
      const { choices: [{ finish_reason, message }], model, usage } = yield* HttpClientResponse.schemaBodyJson(Answer)(
        response
      )
      if (message.content === null) return yield* new LanguageModelFailure({ reason: "corrupt", status })
      return {
        text: message.content,
        model: model ?? options.model,
        tokensIn: usage?.prompt_tokens ?? null,
        tokensOut: usage?.completion_tokens ?? null,
        ...(finish_reason === undefined || finish_reason === null ? {} : { truncated: finish_reason === "length" })
      }
    }).pipe(
      Effect.catchTags({
        RequestError: () => new LanguageModelFailure({ reason: "transport" }),
        // A body that breaks off, or is no JSON: the connection's fault, so trying again may help.
        ResponseError: ({ response }) => new LanguageModelFailure({ reason: "transport", status: response.status }),
        ParseError: () => new LanguageModelFailure({ reason: "corrupt" })
      })
    )
}
