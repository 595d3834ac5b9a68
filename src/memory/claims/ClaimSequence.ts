/**
 * A claim as the plain sequence of its content words and values, for languages without a grammar here and as the
 * measure of last resort for all. Little words of the language and denials are left out of the sequence, the denials
 * are counted.
 */
import { folded } from "../../platform/Analyzer.ts"
import { droppable, type Language } from "./ClaimLanguage.ts"
import { denies, deniesWithin, isSilent } from "./ClaimNegation.ts"
import type { Token } from "./ClaimTokens.ts"
import type { Value } from "./ClaimValue.ts"
import { valueAt } from "./ClaimValues.ts"
import { wordConcept } from "./ClaimWordsAbroad.ts"

export interface Part {
  readonly concept: string
  readonly text: string
  readonly value?: Value
  /** A topic or subject particle, or a copula, stands behind it. */
  readonly topic: boolean
}

export interface Sequence {
  readonly parts: ReadonlyArray<Part>
  readonly denials: number
}

const topicMarks: ReadonlySet<string> = new Set(["は", "が", "是", "も", "在", "对", "對", "的", "の", "叫", "有"])

export const sequenceOf = (tokens: ReadonlyArray<Token>, language: Language, text: string): Sequence => {
  const parts: Array<Part> = []
  let denials = 0
  for (let i = 0; i < tokens.length;) {
    const token = tokens[i]!
    const found = valueAt(tokens, i, language)
    if (found !== undefined) {
      parts.push({ concept: found.value.key, text: found.value.text, value: found.value, topic: false })
      i += found.length
      continue
    }
    i++
    // "80석이다", "14.00'te": a number and what is written onto it.
    const grown = language === "en" ? null : /^(\d+)(?:[.:](\d{2}))?'?(\p{L}+)$/u.exec(token.low)
    if (grown !== null) {
      const key = grown[2] === undefined
        ? `number:${Number(grown[1])}`
        : `time:${grown[1]!.padStart(2, "0")}:${grown[2]}`
      const dimension = key.slice(0, key.indexOf(":"))
      parts.push({ concept: key, text: token.text, value: { dimension, key, text: token.text }, topic: false })
      parts.push({ concept: wordConcept(folded(grown[3]!), language), text: grown[3]!, topic: false })
      continue
    }
    if (language === "en" ? /^(?:not|never|no)$/.test(token.low) : denies(token.low, language)) {
      denials++
      continue
    }
    if (language !== "en" && isSilent(token.low, language)) continue
    if (topicMarks.has(token.low) && parts.length > 0 && (language === "zh" || language === "ja")) {
      const last = parts.pop()!
      parts.push({ ...last, topic: true })
    }
    const plain = folded(token.low)
    // A particle at the end belongs to its verb: "ist an", "staat uit".
    const particle = (language === "de" || language === "nl" || language === "sv") && i === tokens.length
    // "Quai A" is no article.
    const letter = /^\p{Lu}$/u.test(token.text) && !token.first
    if (droppable[language].has(plain) && !particle && !letter) continue
    parts.push({ concept: wordConcept(plain, language), text: token.text, topic: false })
  }
  if (deniesWithin(text, language)) denials = denials === 0 ? 1 : denials
  return { parts, denials }
}
