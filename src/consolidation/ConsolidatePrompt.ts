/**
 * What a language model is asked for a group: one paragraph of what its memories say. What is stored stands between markers
 * as data, and no memory of high sensitivity is ever among it (`isFragment`).
 */
import * as Schema from "effect/Schema"
import type { Scope } from "../kernel/Identity.ts"
import type { FormPrompt } from "../platform/ModelForm.ts"
import { DATA_RULE, fenced } from "../platform/PromptData.ts"
import type { Group } from "./ConsolidationGroups.ts"
import { LONGEST } from "./ConsolidationText.ts"

export const ConsolidateReply = Schema.Struct({ text: Schema.String })

// A paragraph of the longest length, in the object around it.
const MAX_TOKENS = 400

const rules = `You merge stored memories about one subject into one short paragraph.
The user message holds numbered records between two marker lines. ${DATA_RULE}
Rules:
- Say what the records say, once, in at most ${LONGEST} characters of plain sentences in the records' own language.
- Use only the records: no knowledge of your own, no guesses, no advice. Keep names, numbers and dates as the records have them.
- Where a record says when something was true, keep the date.
- Reply with one JSON object and nothing else: {"text": "<the paragraph>"}.`

const dateOf = (millis: number | null): string | null => millis === null ? null : new Date(millis).toISOString()

export const promptFor = (scope: Scope, { members }: Group): FormPrompt => ({
  purpose: "consolidate",
  scope,
  system: rules,
  user: fenced(members.map(({ memory_key, valid_at, value }, at) => ({
    id: at + 1,
    key: memory_key,
    ...(valid_at === null ? {} : { date: dateOf(valid_at) }),
    text: value
  }))),
  maxTokens: MAX_TOKENS
})
