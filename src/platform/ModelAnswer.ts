/**
 * A model's reply in a form: the JSON object in it, decoded. What frames it (a thought, a fence, chatter) is left out; what
 * does not decode is no answer, and nothing is guessed.
 */
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { LoomError } from "../kernel/LoomError.ts"
import { Corrupt } from "../kernel/LoomError.ts"
import { LanguageModel } from "./LanguageModel.ts"
import type { ModelPrompt } from "./LanguageModel.ts"

/** The object that a reply holds, if it decodes. */
export const answerIn = <A, I>(schema: Schema.Schema<A, I>, reply: string): Option.Option<A> => {
  const plain = reply.replace(/<think>[\s\S]*?(?:<\/think>|$)/giu, "")
  const decode = Schema.decodeUnknownOption(Schema.parseJson(schema))
  const end = plain.lastIndexOf("}")
  for (let start = plain.indexOf("{"); start >= 0 && start < end; start = plain.indexOf("{", start + 1)) {
    const found = decode(plain.slice(start, end + 1))
    if (Option.isSome(found)) return found
  }
  return Option.none()
}

/** Asks for a reply in a form; one that does not have it is an error, and holds nothing of what was asked or said. */
export const answerOf = <A, I>(
  name: string,
  schema: Schema.Schema<A, I>,
  prompt: Omit<ModelPrompt, "form">
): Effect.Effect<A, LoomError, LanguageModel> =>
  Effect.gen(function*() {
    const model = yield* LanguageModel
    const { text } = yield* model.generate({ ...prompt, form: { name, schema: JSONSchema.make(schema) } })
    return yield* Option.match(answerIn(schema, text), {
      onNone: () => Effect.fail(new Corrupt({ operation: `LanguageModel.${name}` })),
      onSome: (answer) => Effect.succeed(answer)
    })
  })
