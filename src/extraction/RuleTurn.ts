/**
 * What one turn states, by rules: its sentences in their order, each clause as a statement with its date, and what looked
 * like a statement and is none, with the reason. Knows no other turn but the names that were introduced before. Pure.
 */
import type { Turn } from "../conversation/TurnModel.ts"
import { clausesOf } from "./ClauseSplit.ts"
import { withSubject } from "./ClauseSubject.ts"
import { toldOf } from "./DateSpan.ts"
import { languageOf } from "./DateWords.ts"
import { forgetOf } from "./ForgetRequests.ts"
import { statementAbroad } from "./PhrasesAbroad.ts"
import { datesIn } from "./RelativeDate.ts"
import type { SaidDate } from "./RelativeDate.ts"
import { spokenOf } from "./SpokenText.ts"
import type { Sentence } from "./SpokenText.ts"
import { isJoke, isUnsure, stanceOf } from "./Stance.ts"
import type { Stance } from "./Stance.ts"
import { statementOf } from "./Statement.ts"
import type { Statement, Teller } from "./Statement.ts"

/** Why a statement is no fact. */
export type RefusalReason =
  | "ASSISTANT_TURN"
  | "SYSTEM_TURN"
  | "TOOL_TURN"
  | "QUOTED"
  | "QUESTION"
  | "HYPOTHETICAL"
  | "REPORTED"
  | "JOKE"

export interface DatedStatement extends Statement {
  /** With its date, as a sentence. */
  readonly sentence: string
  readonly anchor: { readonly at: number; readonly confidence: number } | null
  /** Whether its clause is a guess or a condition. */
  readonly isUnsure: boolean
}

export interface TurnStatements {
  readonly statements: ReadonlyArray<DatedStatement>
  readonly refused: ReadonlyArray<RefusalReason>
  readonly forgets: ReadonlyArray<string>
  /** Names that the turn introduces, in lower case. */
  readonly introduced: ReadonlyArray<string>
}

export interface TurnContext {
  readonly teller: Teller
  /** When the turn was said, milliseconds; null when nobody knows. */
  readonly at: number | null
  /** Everybody who speaks, and names introduced before; lower case. */
  readonly known: ReadonlySet<string>
}

const refusalOf: Readonly<Record<Exclude<Stance, "stated">, RefusalReason>> = {
  question: "QUESTION",
  hypothetical: "HYPOTHETICAL",
  reported: "REPORTED",
  joke: "JOKE"
}

const ofRole: Readonly<Record<Exclude<Turn["role"], "user">, RefusalReason>> = {
  assistant: "ASSISTANT_TURN",
  system: "SYSTEM_TURN",
  tool: "TOOL_TURN"
}

export const readTurn = ({ content, role }: Pick<Turn, "content" | "role">, context: TurnContext): TurnStatements => {
  const { quoted, sentences } = spokenOf(content)
  const state = { known: new Set(context.known), last: null as Last | null }
  if (role !== "user") {
    const said = [...sentences, ...quoted].flatMap((sentence) => read(sentence, context, state))
    return { statements: [], refused: said.length > 0 ? [ofRole[role]] : [], forgets: [], introduced: [] }
  }
  const statements: Array<DatedStatement> = []
  const refused: Array<RefusalReason> = []
  const forgets: Array<string> = []
  const wholeJoke = isJoke(sentences)
  for (const sentence of sentences.flatMap(beforeQuestion)) {
    const forget = forgetOf(sentence)
    if (forget !== null) {
      forgets.push(forget)
      state.last = null
      continue
    }
    const stance = wholeJoke ? "joke" : stanceOf(sentence)
    const said = read(sentence, context, state)
    if (stance === "stated") {
      statements.push(...said.filter((one) => !one.isUnsure))
      if (said.some((one) => one.isUnsure)) refused.push("HYPOTHETICAL")
    } else if (said.length > 0) refused.push(refusalOf[stance])
  }
  if (quoted.some((sentence) => read(sentence, context, { known: new Set(context.known), last: null }).length > 0)) {
    refused.push("QUOTED")
  }
  return {
    statements,
    refused: [...new Set(refused)],
    forgets,
    introduced: statements.filter(({ isOther }) => isOther).map(({ subject }) => subject.toLowerCase())
  }
}

// Asked of what was said before: "I live in Oslo - right?"
const tag =
  /^(?:right|no|yes|yeah|ok|okay|huh|eh|correct|true|remember|isn't it|don't i|didn't i|am i|do i|really|or)\b/i

/** "I finished a vase - want to see it?" states something and asks something else. */
const beforeQuestion = (sentence: Sentence): ReadonlyArray<Sentence> => {
  const at = sentence.text.search(/\s[–—-]{1,2}\s[^–—]*$|\s?[–—][^–—]*$/u)
  if (sentence.end !== "?" || at < 0) return [sentence]
  const asked = sentence.text.slice(at).replace(/^[\s–—-]+/, "")
  return tag.test(asked) ? [sentence] : [{ text: sentence.text.slice(0, at), end: "." }, { text: asked, end: "?" }]
}

/** Whom the sentence before was about, if another person alone. */
interface Last {
  readonly subject: string
  readonly pronoun: Statement["pronoun"]
}

interface State {
  readonly known: Set<string>
  last: Last | null
}

const read = (sentence: Sentence, context: TurnContext, state: State): ReadonlyArray<DatedStatement> => {
  const language = languageOf(sentence.text)
  if (language !== "en") {
    state.last = null
    return sentence.text.split(/[;:–—]|\s-\s|,\s+(?=(?:ich|je|j'|yo)\b)|\s(?:und|et|y)\s+(?=(?:ich|je|j'|yo)\b)/iu)
      .flatMap((clause) => {
        const { bare, date } = withoutDates(clause, context.at)
        const said = statementAbroad(bare.trim(), language, context.teller)
        return said === null
          ? []
          : dated(said, date, context.at).map((one) => ({ ...one, isUnsure: isUnsure(sentence.text) }))
      })
  }
  const found: Array<DatedStatement> = []
  const names = state.known
  for (const [at, { heard, text }] of clausesOf(withPronoun(sentence.text, state.last), names).entries()) {
    const { bare, date } = withoutDates(text, context.at)
    // Behind a sentence about somebody else the one left out may be he.
    // Behind a sentence about somebody else the one left out may be he.
    const whole = at === 0 && state.last === null ? withSubject(bare) : bare
    const said = isBirth.test(text)
      ? statementOf(text, context.teller, names, false)
      : statementOf(whole, context.teller, names, date !== null)
    if (said === null) continue
    found.push(
      ...dated(said, isBirth.test(text) ? null : date, context.at).map((one) => ({ ...one, isUnsure: isUnsure(heard) }))
    )
    if (said.isOther) names.add(said.subject.toLowerCase())
  }
  const others = found.filter(({ isOther }) => isOther)
  const [other] = others
  state.last =
    other !== undefined && others.length === found.length && others.every(({ subject }) => subject === other.subject)
      ? { subject: other.subject, pronoun: other.pronoun }
      : null
  return found
}

// Of these the day is the value, and often has no year.
const isBirth = /\bborn\b|\b(?:birthday|anniversary) is\b/iu

/** "He works at Alder" behind "My colleague Jonas hates football" is about Jonas: nobody else was named between. */
const withPronoun = (text: string, last: Last | null): string => {
  if (last === null || /^the /i.test(last.subject) || /'s? /u.test(last.subject)) return text
  return text.replace(
    /^(He|She) (?=\p{Ll})/u,
    (whole: string, pronoun: string) =>
      last.pronoun === "any" || last.pronoun === pronoun.toLowerCase() ? `${last.subject} ` : whole
  )
}

interface Dated {
  readonly bare: string
  readonly date: SaidDate & { readonly phrase: string } | null
}

/** A clause without its dates, and the surest of them. */
const withoutDates = (clause: string, at: number | null): Dated => {
  const dates = datesIn(clause, at)
  let bare = clause
  for (const { from, to } of [...dates].reverse()) bare = `${bare.slice(0, from)} ${bare.slice(to)}`
  if (at === null) bare = bare.replace(relative, " ")
  bare = bare.replace(/\s+/g, " ").replace(/^[\s,]+/, "").replace(/ ,/g, ",").trim()
  const best = dates.reduce<SaidDate | null>(
    (one, date) => one === null || date.confidence > one.confidence ? date : one,
    null
  )
  return { bare, date: best === null ? null : { ...best, phrase: clause.slice(best.from, best.to).toLowerCase() } }
}

// Without the time of the turn "last week" would be told as if it were now.
const relative =
  /(?<!\p{L})(?:(?:the day before )?yesterday|tomorrow|today|tonight|last (?:night|week|weekend|month|year|\p{L}+day)|next (?:week|month|year|\p{L}+day)|this (?:morning|week|month|year|weekend)|\p{L}+ (?:days?|weeks?|months?|years?) ago|the other day|gestern|heute|letzte[nrs]? \p{L}+|hier|ayer)(?!\p{L})/giu

const dated = (said: Statement, date: Dated["date"], at: number | null): ReadonlyArray<DatedStatement> => {
  // What was and what comes lie on their side of the turn; a date on the other side belongs to something else.
  const fits = date !== null &&
    (at === null || (said.tense === "event" ? date.at <= at : said.needsDate ? date.span.end > at : true))
  if (said.needsDate && !fits) return []
  const text = said.text.replace(/\s+/g, " ").trim()
  if (text.length > LONGEST) return []
  if (date === null || !fits) return [{ ...said, sentence: `${text}.`, anchor: null, isUnsure: false }]
  const told = /^(?:since|seit|depuis|desde)\b/.test(date.phrase)
    ? `since ${new Date(date.at).toISOString().slice(0, 10)}`
    : toldOf(date.span)
  return [{
    ...said,
    sentence: `${text} ${told}.`,
    anchor: { at: date.at, confidence: date.confidence },
    isUnsure: false
  }]
}

// A short sentence.
const LONGEST = 240
