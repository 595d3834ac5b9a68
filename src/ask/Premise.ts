/**
 * What a question takes for granted, held against what is stored: "Why did Nadia stop eating peanuts?" takes for granted
 * that she eats none. A false alarm misleads more than a silent miss, so a conflict is told only where a plain question
 * names its subject as the stored sentence does, the two cannot both hold by denial or by opposite words, the memory is
 * undisputed, and nothing kept says what the question says.
 */
import type { ClaimCache } from "../memory/claims/ClaimCache.ts"
import { lemmas, words } from "../platform/Analyzer.ts"
import { stopWords } from "../platform/AnalyzerStopWords.ts"
import type { Evidence, Sentence } from "./EvidenceModel.ts"
import { isInstruction } from "./Instructions.ts"
import { bodyOf, sentencesOf, speakerOf } from "./Sentences.ts"

/** What a question takes for granted, cut before its verb: "the staging database" + "is" + "open". */
export interface Premise {
  readonly auxiliary: string
  readonly denied: boolean
  /** The words behind the auxiliary: the subject, then what is said of it. */
  readonly words: ReadonlyArray<string>
  /** Whether it speaks of the past alone, which no statement about the present contradicts. */
  readonly isPast: boolean
  /** Whether a reason is asked for: then all that is said is taken for granted, and not the time, place or way asked for. */
  readonly isWhy: boolean
}

export interface Found {
  /** The presupposition as a statement. */
  readonly statement: string
  readonly sentence: Sentence
  readonly relation: "contradicted" | "supported"
  /** The rule that decided. */
  readonly rule: string
}

const asked =
  /^(?:(?:so|and|but|well|ok|okay|hey)[, ]+)?(why|how come|when|where|how)\s+(do|does|did|is|are|was|were|has|have|had)(n['’]?t|\s+not)?\s+(.+?)\s*[?.!]*$/iu

// A question in one plain sentence is shorter.
const LONGEST_QUESTION = 200

// They end or begin something: after it the present is another.
const turns = /^(?:stop|stopped|quit|cease|give\s+up|start|begin)$/iu

/** What a question takes for granted; null when it is of another form, or of several parts. */
export const premiseOf = (question: string): Premise | null => {
  if (question.length > LONGEST_QUESTION) return null
  const match = asked.exec(question.trim())
  if (match === null) return null
  const [, word = "", auxiliary = "", negation, rest = ""] = match
  // A condition, a choice or a second question takes less for granted.
  if (/[?,;:]|\b(?:if|or|whether|would|could|might|ever)\b/iu.test(rest)) return null
  const parts = rest.split(/\s+/)
  if (parts.length < 2 || parts.length > 14) return null
  const low = auxiliary.toLowerCase()
  const inner = parts.findIndex((word, at) => at > 0 && /^not$/iu.test(word))
  const words = parts.filter((_, at) => at !== inner)
  const isTurn = words.some((word) => turns.test(word))
  return {
    auxiliary: low,
    denied: negation !== undefined || inner >= 0,
    words,
    isWhy: /^why|come$/iu.test(word),
    isPast: !isTurn && (low === "did" || low === "was" || low === "were" || low === "had")
  }
}

const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}'’-]/gu, "").replace(/['’]s$/u, "")

/** The statement that a question makes of the subject a sentence begins with; null when that speaks of another subject. */
export const statementFor = (premise: Premise, sentence: string): string | null => {
  const told = sentence.split(/\s+/).map(plain)
  const ours = premise.words.map(plain)
  let length = 0
  while (length < ours.length - 1 && length < told.length && ours[length] === told[length]) length++
  const subject = premise.words.slice(0, length).join(" ")
  // "The" or "my" alone is no subject.
  if (length === 0 || /^(?:the|a|an|my|our|your|his|her|its|their|this|that)$/iu.test(subject)) return null
  const rest = premise.words.slice(length).join(" ")
  const { auxiliary, denied } = premise
  const negation = denied ? " not" : ""
  return `${subject} ${auxiliary}${negation} ${rest}`
}

const denial = /\b(?:not|never|no|without|nobody|none|neither|cannot)\b|n['’]t\b|\bno longer\b/iu
const pastDenial = /\b(?:never|(?:did|was|were|had|has|have)(?:n['’]?t|\s+not))\b/iu

// A question has a few sentences close to it; each comparison takes a fraction of a millisecond.
const MOST_COMPARED = 40

/** The sentence that a question's premise meets, contradicting or supporting it; null when none does clearly. */
export const premiseFound = (
  question: string,
  evidence: ReadonlyArray<Evidence>,
  claims: Pick<ClaimCache, "compare">
): Found | null => {
  const premise = premiseOf(question)
  if (premise === null) return null
  let contradiction: Found | null = null
  let isOpen = false
  let compared = 0
  for (const one of evidence) {
    for (const sentence of sentencesOf(one)) {
      if (isInstruction(sentence.text) || compared >= MOST_COMPARED) continue
      const told = spoken(sentence)
      const statement = statementFor(premise, told)
      if (statement === null) continue
      compared++
      const { relation, rule } = claims.compare(told, statement, 0)
      if (relation === "same") return { statement, sentence, relation: "supported", rule }
      // It speaks of all that the question does and does not differ: then the store does not deny it.
      if (relation !== "differs" && holdsAll(told, statement)) isOpen = true
      const isDisputed = one.head.status === "superseded" || one.head.status === "conflicted" ||
        one.conflict_with.length > 0
      if (relation !== "differs" || isDisputed || !cannotBoth(premise, statement, told, rule)) continue
      contradiction ??= { statement, sentence, relation: "contradicted", rule }
    }
  }
  return isOpen ? null : contradiction
}

const holdsAll = (told: string, statement: string): boolean => {
  const ours = contentOf(told)
  return contentOf(statement).every((word) => turns.test(word) || sharesForm(word, ours))
}

/**
 * Whether a sentence that differs from a premise leaves no room for it. What is denied at one time or place, or was so
 * before, may hold beside it; another name or number may be that of another thing.
 */
const cannotBoth = (premise: Premise, statement: string, told: string, rule: string): boolean => {
  const more = contentOf(told).filter((word) => !sharesForm(word, contentOf(statement)))
  if (rule !== "negation") return (rule === "antonym" || rule === "exclusion") && premise.isWhy && more.length <= 1
  const isDenied = denial.test(told)
  if (isDenied && more.length > 0) return false
  if (premise.isPast) return !premise.denied && pastDenial.test(told)
  return isDenied || !isOfThePast(told, statement)
}

const contentOf = (text: string): ReadonlyArray<string> =>
  words(text).filter((word) =>
    !stopWords.has(word) && !denial.test(word) && !/^(?:dont|doesnt|didnt|isnt|arent|wasnt)$/.test(word)
  )

const sharesForm = (word: string, others: ReadonlyArray<string>): boolean => {
  const forms = new Set([word, ...lemmas(word)])
  return others.some((other) => forms.has(other) || lemmas(other).some((form) => forms.has(form)))
}

/** Whether the verb that both share stands in a past form: "ate", "used to eat". */
const isOfThePast = (told: string, statement: string): boolean => {
  const said = new Set(words(statement))
  return /\bused\s+to\b/iu.test(told) ||
    contentOf(told).some((word) =>
      !said.has(word) && !/(?:s|ing)$/.test(word) && sharesForm(word, [...said]) && !lemmas(word).includes(word)
    )
}

/** A sentence as a statement about who says it: "I eat peanuts", said by Nadia, begins with her name. */
const spoken = (sentence: Sentence): string => {
  const body = bodyOf(sentence.text)
  const speaker = speakerOf(sentence)
  return speaker !== null && /^I\b(?!['’])/u.test(body) ? `${speaker}${body.slice(1)}` : body
}
