/**
 * A language model behind an OpenAI-compatible `POST {url}/chat/completions`. One request that fails in passing is sent
 * once more, all within one time limit. Neither key, prompt nor reply is ever logged, and the server's words never reach
 * our callers.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Unavailable } from "../kernel/LoomError.ts"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelPrompt, ModelReply } from "./LanguageModel.ts"
import { LanguageModelFailure, retrying } from "./LanguageModelFailure.ts"

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
    const slots = yield* Effect.makeSemaphore(PARALLEL)
    return {
      model: options.model,
      generate: Effect.fn("LanguageModel.generate")((prompt: ModelPrompt) =>
        retrying(request(prompt)).pipe(
          slots.withPermits(1),
          Effect.timeoutFail({
            duration: options.timeout,
            onTimeout: () => new LanguageModelFailure({ reason: "late" })
          }),
          Effect.catchTag("LanguageModelFailure", ({ reason, status }) =>
            Effect.logWarning("The language model did not answer").pipe(
              Effect.annotateLogs({ reason, status: status ?? "none", model: options.model }),
              Effect.zipRight(new Unavailable({ operation: "LanguageModel.generate" }))
            ))
        )
      )
    }
  })

export const layer = (options: OpenAiOptions): Layer.Layer<LanguageModel, never, HttpClient.HttpClient> =>
  Layer.effect(LanguageModel, make(options))

// What a small server of one's own works on at once; who waits longer than the time limit is answered without a model.
const PARALLEL = 4

const Answer = Schema.Struct({
  model: Schema.optional(Schema.String),
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({ content: Schema.NullOr(Schema.String) })
  })),
  usage: Schema.optional(Schema.NullOr(Schema.Struct({
    prompt_tokens: Schema.optional(Schema.Number),
    completion_tokens: Schema.optional(Schema.Number)
  })))
})

const requestWith = (client: HttpClient.HttpClient, options: OpenAiOptions) => {
  const base = HttpClientRequest.post(`${options.url.replace(/\/+$/, "")}/chat/completions`).pipe(
    HttpClientRequest.acceptJson,
    options.key === undefined ? (request) => request : HttpClientRequest.bearerToken(options.key)
  )
  return ({ maxTokens, system, user }: ModelPrompt): Effect.Effect<ModelReply, LanguageModelFailure> =>
    Effect.gen(function*() {
      const response = yield* client.execute(HttpClientRequest.bodyUnsafeJson(base, {
        model: options.model,
        messages: [{ role: "system", content: system }, { role: "user", content: user }],
        max_tokens: maxTokens,
        // The likeliest words: the same question over the same evidence should read the same.
        temperature: 0,
        stream: false
      }))
      const { headers, status } = response
      if (status < 200 || status > 299) {
        // The connection serves the next request only when this body is read.
        yield* Effect.ignore(response.text)
        return yield* LanguageModelFailure.ofStatus(status, headers["retry-after"])
      }
      const { choices, model, usage } = yield* HttpClientResponse.schemaBodyJson(Answer)(response)
      const text = choices[0].message.content
      if (text === null) return yield* new LanguageModelFailure({ reason: "corrupt", status })
      return {
        text,
        model: model ?? options.model,
        tokensIn: usage?.prompt_tokens ?? null,
        tokensOut: usage?.completion_tokens ?? null
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
