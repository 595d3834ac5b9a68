/**
 * Any provider of `@effect/ai` as our language model. A form is asked for by the provider's own way to structured replies;
 * the text of the reply is taken as it came, since what does not fit is mended by who asked (`ModelForm`). Spans and errors of
 * providers may hold prompts, so the first are not recorded and of the second only the kind and the status are told.
 */
import type * as AiError from "@effect/ai/AiError"
import * as Ai from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import * as AiTelemetry from "@effect/ai/Telemetry"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelPrompt, ModelReply, ReplyForm } from "./LanguageModel.ts"
import { LanguageModelFailure } from "./LanguageModelFailure.ts"
import * as LanguageModelRetry from "./LanguageModelRetry.ts"
import { turnsOf } from "./ModelTurns.ts"

export interface AiOptions {
  /** What answers tell as the model. */
  readonly model: string
  readonly timeout: Duration.DurationInput
  /** Bounds the replies of what it is given, in tokens; without it the provider's own setting holds. */
  readonly limited?: <A, E, R>(asked: Effect.Effect<A, E, R>, maxTokens: number) => Effect.Effect<A, E, R>
}

export const make = (
  { limited = (asked) => asked, model, timeout }: AiOptions
): Effect.Effect<typeof LanguageModel.Service, never, Ai.LanguageModel> =>
  Effect.flatMap(
    Ai.LanguageModel,
    (ai) =>
      LanguageModelRetry.make((prompt) =>
        limited(askedOf(ai, prompt), prompt.maxTokens).pipe(
          Effect.withTracerEnabled(false),
          Effect.mapError(failureOf),
          Effect.flatMap((parts) => replyOf(parts, model))
        ), { model, timeout })
  )

export const layer = (options: AiOptions): Layer.Layer<LanguageModel, never, Ai.LanguageModel> =>
  Layer.effect(LanguageModel, make(options))

type Part = Response.TextPart | Response.ResponseMetadataPart | Response.FinishPart

const isPart = (part: { readonly type: string }): part is Part =>
  part.type === "text" || part.type === "response-metadata" || part.type === "finish"

/** What the provider answers; of a structured reply all of it too, whether or not it is what was asked for. */
const askedOf = (ai: Ai.Service, prompt: ModelPrompt): Effect.Effect<ReadonlyArray<Part>, AiError.AiError> => {
  const turns = turnsOf(prompt, prompt.form !== undefined).map(({ content, role }) =>
    role === "system" ? { role, content } : { role, content: [{ type: "text" as const, text: content }] }
  )
  if (prompt.form === undefined) {
    return Effect.map(ai.generateText({ prompt: turns }), ({ content }) => content.filter(isPart))
  }
  const { name, schema } = prompt.form
  return Effect.suspend(() => {
    let seen: ReadonlyArray<Part> | undefined
    return ai.generateObject({ prompt: turns, objectName: name, schema: schemaOf(schema) }).pipe(
      Effect.provideService(AiTelemetry.CurrentSpanTransformer, ({ response }) => {
        seen = response.filter(isPart)
      }),
      Effect.map(({ content }): ReadonlyArray<Part> => content.filter(isPart)),
      Effect.catchTag("MalformedOutput", (error) => seen === undefined ? Effect.fail(error) : Effect.succeed(seen))
    )
  })
}

/** Any object, told to the provider as the given JSON Schema. */
const schemaOf = (jsonSchema: ReplyForm["schema"]): Schema.Schema<Record<string, unknown>> =>
  Schema.declare(
    (input): input is Record<string, unknown> => typeof input === "object" && input !== null && !Array.isArray(input),
    { jsonSchema }
  )

const replyOf = (parts: ReadonlyArray<Part>, model: string): Effect.Effect<ModelReply, LanguageModelFailure> => {
  const text = parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("")
  // A refusal comes as a text of no length.
  if (text === "") return Effect.fail(new LanguageModelFailure({ reason: "corrupt" }))
  const told = parts.find((part) => part.type === "response-metadata")
  const finish = parts.find((part) => part.type === "finish")
  return Effect.succeed({
    text,
    model: told === undefined ? model : Option.getOrElse(told.modelId, () => model),
    tokensIn: finish?.usage.inputTokens ?? null,
    tokensOut: finish?.usage.outputTokens ?? null,
    ...(finish === undefined ? {} : { truncated: finish.reason === "length" })
  })
}

const failureOf = (error: AiError.AiError): LanguageModelFailure => {
  switch (error._tag) {
    case "HttpRequestError":
      return new LanguageModelFailure({ reason: "transport" })
    case "HttpResponseError":
      return error.reason === "StatusCode"
        ? LanguageModelFailure.ofStatus(error.response.status, error.response.headers["retry-after"])
        : new LanguageModelFailure({ reason: "transport", status: error.response.status })
    case "MalformedInput":
      return new LanguageModelFailure({ reason: "refused" })
    case "MalformedOutput":
    case "UnknownError":
      return new LanguageModelFailure({ reason: "corrupt" })
  }
}
