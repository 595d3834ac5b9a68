/**
 * Facts by a language model: segment after segment, each asked for in one form, and of each reply what the turns bear out
 * (`FactCheck`). A reply that broke off tells so. What fails fails for the whole transcript: it is asked again as a whole, so
 * that no half of it is taken for all.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { LanguageModel } from "../platform/LanguageModel.ts"
import type { Patience } from "../platform/LanguageModel.ts"
import { generateAs } from "../platform/ModelForm.ts"
import type { Extractor } from "./Extractor.ts"
import { materialOf, rules, segmentsOf } from "./ExtractPrompt.ts"
import type { Segment } from "./ExtractPrompt.ts"
import { ExtractReply } from "./ExtractReply.ts"
import { checkFact, checkForget } from "./FactCheck.ts"
import type { Fact, ForgetRequest, RefusedFact, Transcript } from "./FactModel.ts"

// Some thirty facts; a segment of twenty turns holds fewer.
const MAX_TOKENS = 2_000

export interface Options {
  readonly patience: Patience
  /** The longest reply, in tokens; 0 leaves it to us. */
  readonly maxTokens: number
}

export const make = (model: LanguageModel["Type"], { maxTokens, patience }: Options): Extractor["Type"] => {
  const ask = (transcript: Transcript, segment: Segment) =>
    generateAs(ExtractReply, {
      purpose: "extract",
      scope: transcript.scope,
      system: rules,
      user: materialOf(transcript, segment),
      maxTokens: maxTokens === 0 ? MAX_TOKENS : maxTokens,
      patience
    }).pipe(Effect.provideService(LanguageModel, model))

  return {
    name: model.model ?? "model",
    isModel: true,
    extract: (transcript) =>
      Effect.gen(function*() {
        const segments = segmentsOf(transcript)
        const facts: Array<Fact> = []
        const forgets: Array<ForgetRequest> = []
        const refused: Array<RefusedFact> = []
        const told = new Set<string>()
        let [tokens_in, tokens_out, extractor] = [0, 0, model.model ?? "model"]
        for (const segment of segments) {
          const reply = yield* ask(transcript, segment)
          extractor = reply.model
          tokens_in += reply.tokensIn ?? 0
          tokens_out += reply.tokensOut ?? 0
          if (reply.truncated) {
            const turn_ids = segment.records.map(({ turn }) => turn.turn_id)
            refused.push({
              code: "REPLY_BROKE_OFF",
              reason: "The model's reply broke off; there may be more.",
              turn_ids
            })
          }
          for (const found of reply.value.facts) {
            const checked = checkFact(transcript, segment, found)
            if (checked === undefined) continue
            if (Either.isLeft(checked)) {
              refused.push(checked.left)
              continue
            }
            const fact = checked.right
            const claim = JSON.stringify([fact.subject, fact.attribute, fact.text])
            if (!told.has(claim)) facts.push(fact)
            told.add(claim)
          }
          for (const asked of reply.value.forgets) {
            const checked = checkForget(segment, asked)
            if (checked === undefined) continue
            if (Either.isLeft(checked)) refused.push(checked.left)
            else forgets.push(checked.right)
          }
        }
        return { facts, forgets, refused, extractor, tokens_in, tokens_out, segments: segments.length }
      })
  }
}
