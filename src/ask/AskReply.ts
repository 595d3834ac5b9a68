/**
 * A model's reply as sentences with the numbers they cite. What frames a reply (a thought, a fence) is left out; a
 * sentence that cites nothing, or a record that was not shown, is kept apart so that it can be counted.
 */
import { UNKNOWN } from "./AskPrompt.ts"
import { spansOf } from "./Sentences.ts"

export interface Stated {
  /** Without its citations. */
  readonly text: string
  /** Numbers of records, each once, in order. */
  readonly cited: ReadonlyArray<number>
}

// A reply is asked for in four sentences; what rambles on is not read.
const LONGEST_REPLY = 4_000
const citations = /\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g

export const statedIn = (reply: string): ReadonlyArray<Stated> => {
  const plain = reply.slice(0, LONGEST_REPLY)
    .replace(/<think>[\s\S]*?(?:<\/think>|$)/giu, "")
    .replace(/^```[^\n]*$/gmu, "")
    .trim()
  if (plain === "" || plain.replace(/[^A-Za-z]/g, "") === UNKNOWN) return []
  // Citations behind the point belong to the sentence before it.
  const joined = plain.replace(
    /([.!?…]{1,8}["'”’)]{0,4})\s{0,8}((?:\[\d[\d,; ]*\]\s*)+)/gu,
    (_, end: string, cited: string) => ` ${cited.trim()}${end} `
  )
  return spansOf(joined).flatMap(({ end, start }) => {
    const sentence = joined.slice(start, end)
    const cited = [...sentence.matchAll(citations)].flatMap(([, numbers = ""]) => numbers.split(/[,;]/).map(Number))
    const text = sentence.replace(citations, "").replace(/\s+([.!?…,])/gu, "$1").replace(/^[-*•]\s+/u, "").replace(
      /\s+/g,
      " "
    ).trim()
    return /[\p{L}\p{N}]/u.test(text) ? [{ text, cited: [...new Set(cited)] }] : []
  })
}
