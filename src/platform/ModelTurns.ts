/**
 * A prompt as the turns of a conversation, as every protocol of models takes them. Pure. A form stands in words where the
 * server cannot hold the model to it; a correction is the model's own turn and our answer to it.
 */
import type { ModelPrompt, ReplyForm } from "./LanguageModel.ts"

export interface Turn {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/** What a model is told of a form. */
export const formInWords = ({ schema }: ReplyForm): string =>
  `Reply with one JSON value that fits this JSON Schema, and with nothing else: no fence, no comment, no explanation.\n${
    JSON.stringify(schema)
  }`

/** `formHeld`: the server was given the form beside the turns. */
export const turnsOf = (
  { correction, form, system, user }: ModelPrompt,
  formHeld: boolean
): ReadonlyArray<Turn> => [
  { role: "system", content: form === undefined || formHeld ? system : `${system}\n\n${formInWords(form)}` },
  { role: "user", content: user },
  ...(correction === undefined ? [] : [
    { role: "assistant" as const, content: correction.said },
    { role: "user" as const, content: correction.why }
  ])
]
