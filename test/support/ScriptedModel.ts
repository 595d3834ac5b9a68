/** A language model that says what a test tells it to, and keeps what it was asked. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Refusal, Unavailable } from "../../src/kernel/LoomError.ts"
import { LanguageModel } from "../../src/platform/LanguageModel.ts"
import type { ModelPrompt } from "../../src/platform/LanguageModel.ts"

type Script = (prompt: ModelPrompt) => Effect.Effect<string, Unavailable | Refusal>

export class ScriptedModel extends Context.Tag("loom/test/support/ScriptedModel")<ScriptedModel, {
  /** How it answers from now on; forgets what it was asked. */
  readonly script: (script: Script) => void
  readonly asked: () => ReadonlyArray<ModelPrompt>
}>() {}

/** The records between the markers of a prompt. */
export const recordsIn = ({ user }: Pick<ModelPrompt, "user">): ReadonlyArray<Record<string, unknown>> =>
  user.split("\n").filter((line) => line.startsWith("{")).map((line) => ({ ...Object(JSON.parse(line)) }))

export const layer: Layer.Layer<ScriptedModel | LanguageModel> = Layer.suspend(() => {
  let current: Script = () => Effect.succeed("{}")
  let asked: Array<ModelPrompt> = []
  return Layer.merge(
    Layer.succeed(ScriptedModel, {
      script: (script) => {
        asked = []
        current = script
      },
      asked: () => asked
    }),
    Layer.succeed(LanguageModel, {
      model: "scripted",
      generate: (prompt) =>
        Effect.suspend(() => {
          asked.push(prompt)
          return Effect.map(current(prompt), (text) => ({ text, model: "scripted", tokensIn: null, tokensOut: null }))
        })
    })
  )
})
