/**
 * The port to whatever writes text: one prompt in, one text out. A server without a language model is whole; verbs that
 * can do without one ask `model` first, verbs that cannot pass on the refusal. Prompts and replies hold what people
 * stored, so neither is ever logged, traced or put into an error.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "../kernel/Identity.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { Overloaded, Refusal, Unavailable } from "../kernel/LoomError.ts"

/** What a model is asked for; budgets, counters and bills tell calls apart by it. */
export type ModelPurpose = "ask" | "extract" | "digest" | "consolidate" | "resolve"

/** The form that a reply must have, for servers that can hold a model to one. */
export interface ReplyForm {
  /** A name for the form: letters, digits and `_`. */
  readonly name: string
  /** A JSON Schema in which every property is required and none is added, as strict servers ask. */
  readonly schema: object
}

/**
 * How long a caller waits: somebody who asked is better served without a model than late; background work has nobody waiting
 * and loses more by giving up.
 */
export type Patience = "caller" | "worker"

/** A reply that could not be used, for the model to give another in its place. */
export interface Correction {
  /** What it said. */
  readonly said: string
  /** Why that cannot be used, and what is asked for, in words of our own. */
  readonly why: string
}

export interface ModelPrompt {
  readonly purpose: ModelPurpose
  /** The namespace whose material it holds, and whose budget it takes. */
  readonly scope: Scope
  /** The form of the reply; left out for a text. A server that cannot hold to it is asked in words alone. */
  readonly form?: ReplyForm
  /** The rules of the task; only text of our own belongs here. */
  readonly system: string
  /** The material and the question. */
  readonly user: string
  /** The longest reply, in tokens. */
  readonly maxTokens: number
  /** `caller` unless given. */
  readonly patience?: Patience
  /** Given when it is asked again. */
  readonly correction?: Correction
}

export interface ModelReply {
  readonly text: string
  /** The model that wrote it, as its server names it. */
  readonly model: string
  /** As the server counted; null where it did not say. */
  readonly tokensIn: number | null
  readonly tokensOut: number | null
  /** Whether the reply ended since it had become as long as it may; left out where the server does not say. */
  readonly truncated?: boolean
}

export type ModelError = Unavailable | Overloaded | Refusal

export class LanguageModel extends Context.Tag("loom/platform/LanguageModel")<LanguageModel, {
  /** The configured model; null when there is none. */
  readonly model: string | null
  /**
   * `Unavailable` when no reply came in time; `Overloaded` when the model's server asks for a longer pause than the caller
   * waits; a refusal `LANGUAGE_MODEL_REQUIRED` when there is no model, `MODEL_BUDGET_SPENT` when the namespace has no tokens
   * left today.
   */
  readonly generate: (prompt: ModelPrompt) => Effect.Effect<ModelReply, ModelError>
}>() {}

/** No language model. */
export const layerNone: Layer.Layer<LanguageModel> = Layer.succeed(LanguageModel, {
  model: null,
  generate: () => Effect.fail(refuse("LANGUAGE_MODEL_REQUIRED", "No language model is configured (LOOM_LLM_URL)"))
})
