/**
 * Whether two short claims say the same, contradict each other, or go together; no language model is asked. `same`
 * retires the written text as a duplicate, so it is answered only when every value, name, denial, quantifier and role
 * agrees and no word is left over. The embedding's cosine is evidence where words alone leave it open.
 */
import { against, answer, type Comparison } from "./ClaimComparison.ts"
import { doubtOf } from "./ClaimDoubt.ts"
import { compareFrames } from "./ClaimFrames.ts"
import { lastWord } from "./ClaimLastWord.ts"
import { type Claim, parseAs } from "./ClaimParse.ts"
import { compareRecords } from "./ClaimRecord.ts"
import { compareSequences } from "./ClaimSequences.ts"

export type { Comparison, Relation } from "./ClaimComparison.ts"
export { type Claim, parseClaim } from "./ClaimParse.ts"

/** `similarity`: cosine of the two claims' embeddings, -1 to 1. */
export const compareClaims = (stored: Claim, written: Claim, similarity: number): Comparison => {
  // The case of a field counts: `{"host":"a"}` and `{"host":"A"}` are two records, whatever their texts come to.
  if (stored.record !== undefined && written.record !== undefined) return records(stored, written)
  if (stored.canonical === written.canonical && stored.canonical !== "") {
    return answer("same", "canonical", "The two are equal apart from case, punctuation and white space.")
  }
  if (stored.record !== undefined || written.record !== undefined) return records(stored, written)
  const ruled = compareByRules(stored, written, similarity)
  return stored.frames.length > 0 && written.frames.length > 0 ? lastWord(stored, written, similarity, ruled) : ruled
}

/** What the rules of grammar make of two claims that are no records and not equal. */
export const compareByRules = (stored: Claim, written: Claim, similarity: number): Comparison => {
  const found = inOneLanguage(stored, written, similarity)
  // What lies behind the parsed beginning was not read.
  if (found.relation === "same" && stored.signs !== written.signs) {
    return answer(
      "unsure",
      "left-over",
      `They differ in signs: ${against(stored.signs || "none", written.signs || "none")}.`
    )
  }
  const doubt = found.relation === "same" ? doubtOf(stored.text, written.text) : undefined
  if (doubt !== undefined) return answer("unsure", "doubt", `They seem to say the same, but ${doubt}.`)
  return found.relation === "same" && (stored.long || written.long)
    ? answer("unsure", "left-over", "Their beginnings say the same; the texts are long and not equal.")
    : found
}

const inOneLanguage = (stored: Claim, written: Claim, similarity: number): Comparison => {
  if (stored.language === written.language) {
    if (stored.language === "en") return clauses(stored, written, similarity)
    return compareSequences(stored.sequence, written.sequence, stored.language === "zh" || stored.language === "ja")
  }
  // A short claim hardly shows its language: it is read again in that of the other.
  const [sure, doubtful] = stored.certainty >= written.certainty ? [stored, written] : [written, stored]
  if (doubtful.certainty >= 2) return answer("other", "language", "They are in two languages.")
  const again = parseAs(doubtful.text, sure.language)
  return stored === doubtful ? inOneLanguage(again, written, similarity) : inOneLanguage(stored, again, similarity)
}

const records = (stored: Claim, written: Claim): Comparison => {
  if (stored.record === undefined || written.record === undefined) {
    return answer("other", "other-attribute", "One is a record, the other is a text.")
  }
  const { differing, equal, lone } = compareRecords(stored.record, written.record)
  const first = differing[0]
  if (first !== undefined && equal > 0) {
    return answer(
      "differs",
      "field",
      `The records differ at ${first.path || "/"}: ${first.from.slice(0, 60)} against ${first.to.slice(0, 60)}.`
    )
  }
  if (first === undefined && lone === 0 && equal > 0 && !stored.record.cut && !written.record.cut) {
    return answer("same", "canonical", "Every field of the two records is equal.")
  }
  if (first !== undefined && stored.record.fields.size <= 2) {
    return answer("unsure", "field", `The records differ at ${first.path || "/"}.`)
  }
  return answer("other", "other-attribute", "The records have no field that contradicts another.")
}

// A claim is a sentence or two; of longer texts the first clauses are enough to see a contradiction.
const mostClauses = 6

const clauses = (stored: Claim, written: Claim, similarity: number): Comparison => {
  const ours = stored.frames.slice(0, mostClauses)
  const theirs = written.frames.slice(0, mostClauses)
  if (ours.length === 0 || theirs.length === 0) return answer("other", "other-subject", "One of them says nothing.")
  if (ours.length === 1 && theirs.length === 1) return compareFrames(ours[0]!, theirs[0]!, similarity)
  const all = ours.map((one) => theirs.map((other) => compareFrames(one, other, similarity)))
  const flat = all.flat()
  const contradiction = flat.find(({ relation }) => relation === "differs")
  if (contradiction !== undefined) return contradiction
  const pairs = all.map((row) => row.findIndex(({ relation }) => relation === "same"))
  const whole = stored.frames.length === written.frames.length && stored.frames.length <= mostClauses
  if (whole && pairs.every((at) => at >= 0) && new Set(pairs).size === pairs.length) {
    return answer("same", "same-words", "Every clause of one has its equal in the other.")
  }
  const close = flat.find(({ relation }) => relation === "unsure")
  if (close !== undefined) return close
  if (flat.some(({ relation }) => relation === "same")) {
    return answer("unsure", "left-over", "One says what the other says, and more.")
  }
  return flat[0]!
}
