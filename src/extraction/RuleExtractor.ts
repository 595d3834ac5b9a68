/**
 * Finds facts in a transcript without a language model: what a speaker plainly states of himself, of somebody who belongs to
 * him or of a name, in sentences of known shapes. It says nothing rather than something it is not sure of. Every fact cites
 * the turns that say it; assistants, systems and tools state nothing; the same transcript gives the same facts. Pure.
 * Next: `RuleTurn` (one turn), `Statement` (one clause), ADR 0024.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Turn } from "../conversation/TurnModel.ts"
import { languageOf } from "./DateWords.ts"
import { Extractor } from "./Extractor.ts"
import type { Extracted, Fact, ForgetRequest, RefusedFact, Transcript } from "./FactModel.ts"
import { USER } from "./KeyMint.ts"
import { readTurn } from "./RuleTurn.ts"
import type { DatedStatement, RefusalReason } from "./RuleTurn.ts"
import type { Teller } from "./Statement.ts"

export const NAME = "rules"

const reasons: Readonly<Record<RefusalReason, string>> = {
  ASSISTANT_TURN: "an assistant's words are no facts about anybody",
  SYSTEM_TURN: "instructions are no facts",
  TOOL_TURN: "rules read no facts from what a program brought in",
  QUOTED: "it stands in quoted text, a recalled memory or material handed over",
  QUESTION: "it is asked, not stated",
  HYPOTHETICAL: "it is a condition, a guess or a wish",
  REPORTED: "it is what somebody else said",
  JOKE: "its speaker calls it a joke"
}

export const extract = (transcript: Transcript): Extracted => {
  const facts = new Map<string, Fact>()
  const forgets: Array<ForgetRequest> = []
  const refused: Array<RefusedFact> = []
  const known = new Set(transcript.turns.map(({ speaker }) => speaker.toLowerCase()).filter((name) => name !== ""))
  for (const turn of transcript.turns) {
    // What is of high sensitivity is not among the turns; should it be, it is not read.
    if (turn.sensitivity === "high") continue
    const teller = tellerOf(turn, transcript.user)
    const said = readTurn(turn, { teller, at: turn.at ?? transcript.observed_at, known })
    for (const name of said.introduced) known.add(name)
    for (const statement of said.statements) {
      const fact = factOf(statement, turn, teller)
      const id = JSON.stringify([fact.subject, fact.attribute, fact.text])
      const before = facts.get(id)
      facts.set(
        id,
        before === undefined ? fact : { ...before, turn_ids: [...new Set([...before.turn_ids, turn.turn_id])] }
      )
    }
    for (const what of said.forgets) forgets.push({ what, turn_id: turn.turn_id })
    for (const code of said.refused) refused.push({ code, reason: reasons[code], turn_ids: [turn.turn_id] })
  }
  return { facts: [...facts.values()], forgets, refused, extractor: NAME, tokens_in: 0, tokens_out: 0, segments: 1 }
}

/** Who says "I": the user where no other name is given, else the speaker by his name. */
const tellerOf = ({ speaker }: Pick<Turn, "speaker">, user: string): Teller => {
  const name = speaker.trim()
  const isUser = name === "" || name.toLowerCase() === USER || same(name, user)
  const told = isUser ? user.trim() : name
  return {
    subject: isUser ? USER : name,
    name: told === "" ? "The user" : told,
    owner: told === "" ? "the user's" : /s$/iu.test(told) ? `${told}'` : `${told}'s`
  }
}

const same = (left: string, right: string): boolean => left.trim().toLowerCase() === right.trim().toLowerCase()

const factOf = (said: DatedStatement, turn: Turn, teller: Teller): Fact => ({
  subject: said.subject,
  attribute: said.attribute,
  text: said.sentence,
  about_other: said.isOther,
  memory_type: said.isPreference ? "preference" : "semantic",
  turn_ids: [turn.turn_id],
  anchor: said.anchor,
  confidence: Math.round(said.confidence * 100) / 100,
  entities: entitiesOf(said, teller)
})

// Words with a capital inside the sentence; the first word is the subject and is named by it.
const named = /(?<=[\p{L}\p{N},'"] ["“]?)\p{Lu}[\p{L}\p{N}&.'-]*(?: (?:\p{Lu}|\d)[\p{L}\p{N}&.'-]*)*/gu
const MOST_ENTITIES = 8

/** The names in a fact, its subject's first. */
const entitiesOf = (said: DatedStatement, teller: Teller): ReadonlyArray<string> => {
  const subject = said.subject === USER ? teller.name : said.subject
  // German writes every noun with a capital.
  const isRead = languageOf(said.text) !== "de" || /^(?:residence|employer|origin|name)$/.test(said.attribute)
  const names = (isRead ? [...said.text.matchAll(named)] : []).map(([name]) => name.replace(/'s$|[.']+$/gu, ""))
  const own = subject === "The user" || subject.startsWith("the user's ") ? [] : [subject.replace(/^the /, "")]
  return [...new Set([...own, ...names])].filter((name) => name !== "" && name !== "I" && name !== "Nutzer").slice(
    0,
    MOST_ENTITIES
  )
}

/** Rules are quick, ask nobody and never fail. */
export const layerRules: Layer.Layer<Extractor> = Layer.succeed(Extractor, {
  name: NAME,
  isModel: false,
  extract: (transcript) => Effect.sync(() => extract(transcript))
})
