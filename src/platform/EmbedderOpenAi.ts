/**
 * An embedder behind an OpenAI-compatible `POST {url}/embeddings`. Texts of all callers share requests; a request is
 * tried again with growing, jittered pauses where that may help, and one text the server refuses fails its own caller
 * alone. Neither key nor text is ever logged, and the server's words never reach our callers.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Unavailable } from "../kernel/LoomError.ts"
import { excerpt, isBlank } from "./Analyzer.ts"
import { Embedder, toUnit } from "./Embedder.ts"
import * as Batch from "./EmbedderBatch.ts"
import { remembering } from "./EmbedderMemory.ts"
import { adviceOf, plainUrl, shownOf } from "./EmbedderOpenAiAdvice.ts"
import { EmbeddingsFailure, retrying } from "./EmbedderOpenAiRetry.ts"

export interface OpenAiOptions {
  /** The base, for example `https://api.openai.com/v1`; `/embeddings` is added. */
  readonly url: string
  /** Sent as a bearer token; none for a server of one's own. */
  readonly key: Redacted.Redacted | undefined
  readonly model: string
  /** The length of the model's vectors; another length in an answer is a failure. */
  readonly dimensions: number
  /** Also ask for this length, which only some models can shorten to. */
  readonly sendDimensions?: boolean
}

export const make = (
  options: OpenAiOptions
): Effect.Effect<typeof Embedder.Service, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function*() {
    // Trace headers are for our own processes, not for a third party.
    const client = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
    const request = requestWith(client, options)

    /** The vectors of a batch; where the server refuses it, each half for itself, down to the text at fault. */
    const run = (
      texts: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyArray<Float32Array | Batch.EmbedFailure>, Batch.EmbedFailure> =>
      retrying(request(texts)).pipe(
        Effect.catchTag("EmbeddingsFailure", (failure) => {
          if (failure.reason === "refused" && texts.length > 1) {
            const half = texts.length >> 1
            return Effect.zipWith(run(texts.slice(0, half)), run(texts.slice(half)), (a, b) => [...a, ...b])
          }
          const shown = shownOf(failure, options)
          return Effect.logWarning(adviceOf(failure)).pipe(
            Effect.annotateLogs({
              url: plainUrl(options.url),
              reason: failure.reason,
              status: failure.status ?? "none",
              texts: texts.length,
              ...(failure.received === undefined
                ? {}
                : { expected_dimensions: options.dimensions, received_dimensions: failure.received })
            }),
            Effect.zipRight(texts.length > 1 ? Effect.fail(shown) : Effect.succeed([shown]))
          )
        })
      )

    const batched = yield* Batch.make({
      operation: "Embedder.embed",
      run,
      largest: 64,
      // Servers limit the tokens of a request, commonly to 300,000; this is at most a third of that.
      heaviest: 100_000,
      waiting: 4_096,
      parallel: 4,
      // A request of 64 texts takes about half a second, four run at once.
      millisPerText: 2
    })
    const remembered = remembering(rememberedTexts, batched)
    const embed = Effect.fn("Embedder.embed")((texts: ReadonlyArray<string>) => remembered(texts.map(prepared)))

    return {
      id: `openai:${options.model}/${options.dimensions}/v1`,
      dimensions: options.dimensions,
      embed,
      embedQuery: Effect.fn("Embedder.embedQuery")(function*(text: string) {
        const [vector] = yield* embed([text])
        return vector ?? (yield* new Unavailable({ operation: "Embedder.embedQuery" }))
      })
    }
  })

export const layer = (options: OpenAiOptions): Layer.Layer<Embedder, never, HttpClient.HttpClient> =>
  Layer.scoped(Embedder, make(options))

// At most 12 MB of the longest usual vectors (3,072 numbers).
const rememberedTexts = 1_000

// The usual model takes 8,191 tokens, and a character is at most about one: the rest could only be refused.
const longestText = 8_000

// The usual server refuses an empty text.
const prepared = (text: string): string => isBlank(text) ? " " : excerpt(text, longestText)

// Longer than a loaded server takes for 64 texts, short enough to try again within a caller's patience.
const longestRequest = "10 seconds"

const Answer = Schema.Struct({
  data: Schema.Array(Schema.Struct({
    // Some compatible servers leave it out and answer in order.
    index: Schema.optional(Schema.NonNegativeInt),
    embedding: Schema.Array(Schema.Number)
  }))
})

const requestWith = (client: HttpClient.HttpClient, options: OpenAiOptions) => {
  const base = HttpClientRequest.post(`${options.url.replace(/\/+$/, "")}/embeddings`).pipe(
    HttpClientRequest.acceptJson,
    options.key === undefined ? (request) => request : HttpClientRequest.bearerToken(options.key)
  )
  return (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Float32Array>, EmbeddingsFailure> =>
    Effect.gen(function*() {
      const response = yield* client.execute(HttpClientRequest.bodyUnsafeJson(base, {
        model: options.model,
        input: texts,
        encoding_format: "float",
        ...(options.sendDimensions === true ? { dimensions: options.dimensions } : {})
      }))
      const { headers, status } = response
      if (status < 200 || status > 299) {
        // The connection serves the next request only when this body is read.
        yield* Effect.ignore(response.text)
        return yield* EmbeddingsFailure.ofStatus(status, headers["retry-after"])
      }
      const { data } = yield* HttpClientResponse.schemaBodyJson(Answer)(response)
      const vectors = inOrder(data, texts.length, options.dimensions)
      if (vectors !== undefined) return vectors
      const received = data.map(({ embedding }) => embedding.length).find((length) => length !== options.dimensions)
      return yield* new EmbeddingsFailure({
        reason: "corrupt",
        status,
        ...(received === undefined ? {} : { received })
      })
    }).pipe(
      Effect.catchTags({
        RequestError: () => new EmbeddingsFailure({ reason: "transport" }),
        // A body that breaks off, or is no JSON: the connection's fault, so trying again may help.
        ResponseError: ({ response }) => new EmbeddingsFailure({ reason: "transport", status: response.status }),
        ParseError: () => new EmbeddingsFailure({ reason: "corrupt" })
      }),
      Effect.timeoutFail({
        duration: longestRequest,
        onTimeout: () => new EmbeddingsFailure({ reason: "transport" })
      })
    )
}

/** One unit vector per text, or nothing when the answer has another count, length or order, or a vector is void. */
const inOrder = (
  data: typeof Answer.Type["data"],
  count: number,
  dimensions: number
): ReadonlyArray<Float32Array> | undefined => {
  if (data.length !== count) return undefined
  const vectors = new Map<number, Float32Array>()
  for (const [i, { embedding, index }] of data.entries()) {
    const vector = embedding.length === dimensions ? toUnit(Float32Array.from(embedding)) : undefined
    if (vector !== undefined) vectors.set(index ?? i, vector)
  }
  const ordered = Array.from({ length: count }, (_, i) => vectors.get(i))
  return ordered.every((vector) => vector !== undefined) ? ordered : undefined
}
