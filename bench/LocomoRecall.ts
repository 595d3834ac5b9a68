/**
 * Evidence recall on LoCoMo questions: of the turns that hold the evidence of a question, how many are among the first k
 * memories found. The mean is over questions, each counting alike. Ids that the data set misspells are read where only
 * one reading exists; the rest is left out and counted. Pure.
 */
import type { LocomoConversation, Question } from "../services/cli/Locomo.ts"

/** The category of questions whose answer is not in the conversation; they have no evidence to find. */
export const ADVERSARIAL = 5

export const categoryNames: Readonly<Record<string, string>> = {
  1: "multi-hop",
  2: "temporal",
  3: "open-domain",
  4: "single-hop"
}

/** The turns that evidence ids name: `D8:6; D9:17` is two, `D:11:26` is D11:26, `D30:05` is D30:5. */
export const readEvidence = (id: string): ReadonlyArray<string> =>
  id.split(/[;,\s]+/).filter((part) => part !== "").map((part) => {
    const [, session, turn] = /^D:?(\d+):(\d+)$/.exec(part) ?? []
    return session === undefined || turn === undefined ? part : `D${Number(session)}:${Number(turn)}`
  })

export interface EvalQuestion {
  readonly conversation: LocomoConversation
  readonly question: Question
  readonly gold: ReadonlySet<string>
}

export interface EvalSet {
  readonly questions: ReadonlyArray<EvalQuestion>
  readonly skipped: {
    /** Questions none of whose evidence is usable; adversarial ones are not counted, they are not asked by design. */
    readonly questions: number
    /** Evidence ids that name no turn of the conversation. */
    readonly evidence: number
  }
  /** Evidence ids that had to be read differently than they stand. */
  readonly cleaned: number
}

/** The questions to ask. */
export const questionsOf = (conversations: ReadonlyArray<LocomoConversation>): EvalSet => {
  const questions: Array<EvalQuestion> = []
  const count = { questions: 0, evidence: 0, cleaned: 0 }
  for (const conversation of conversations) {
    const turns = new Set(conversation.sessions.flatMap((session) => session.turns.map(({ dia_id }) => dia_id)))
    for (const question of conversation.questions) {
      if (question.category === ADVERSARIAL) continue
      const gold = new Set<string>()
      for (const id of question.evidence) {
        const read = readEvidence(id)
        const known = read.filter((one) => turns.has(one))
        count.evidence += read.length - known.length
        if (known.length > 0 && (read.length !== 1 || read[0] !== id)) count.cleaned++
        for (const one of known) gold.add(one)
      }
      if (gold.size === 0) count.questions++
      else questions.push({ conversation, question, gold })
    }
  }
  return { questions, skipped: { questions: count.questions, evidence: count.evidence }, cleaned: count.cleaned }
}

/** The share of the gold turns that the first k results stand for; a result may stand for several turns. */
export const recallAt = (k: number, gold: ReadonlySet<string>, results: ReadonlyArray<ReadonlySet<string>>): number => {
  const found = [...gold].filter((turn) => results.slice(0, k).some((turns) => turns.has(turn)))
  return gold.size === 0 ? 0 : found.length / gold.size
}

export interface Scored {
  readonly category: number
  /** Recall by k. */
  readonly recall: ReadonlyMap<number, number>
}

export type RecallByK = { readonly [k: string]: number }

// Four digits: a question in a thousand changes the third.
const round = (value: number): number => Math.round(value * 10_000) / 10_000

const mean = (scored: ReadonlyArray<Scored>, ks: ReadonlyArray<number>): RecallByK =>
  Object.fromEntries(ks.map((k) => [
    String(k),
    scored.length === 0 ? 0 : round(scored.reduce((sum, { recall }) => sum + (recall.get(k) ?? 0), 0) / scored.length)
  ]))

export interface CategoryReport {
  readonly name: string
  readonly questions: number
  readonly recall: RecallByK
}

export interface RecallReport {
  readonly recall: RecallByK
  readonly by_category: { readonly [category: string]: CategoryReport }
  readonly questions: number
}

export const report = (scored: ReadonlyArray<Scored>, ks: ReadonlyArray<number>): RecallReport => {
  const categories = [...new Set(scored.map(({ category }) => category))].sort((left, right) => left - right)
  return {
    recall: mean(scored, ks),
    by_category: Object.fromEntries(categories.map((category) => {
      const own = scored.filter((one) => one.category === category)
      const name = categoryNames[category] ?? String(category)
      return [String(category), { name, questions: own.length, recall: mean(own, ks) }]
    })),
    questions: scored.length
  }
}

export interface Judged {
  readonly relevance: number
  readonly gold: boolean
}

const BINS = 10

/**
 * Expected calibration error (Naeini et al. 2015): hits in ten equal bins of their relevance, the distance between mean
 * relevance and share of gold in each, weighted by its hits. Null when there are none.
 */
export const calibrationError = (hits: ReadonlyArray<Judged>): number | null => {
  if (hits.length === 0) return null
  const bins = Array.from({ length: BINS }, () => ({ relevance: 0, gold: 0 }))
  for (const { gold, relevance } of hits) {
    const bin = bins[Math.max(0, Math.min(BINS - 1, Math.floor(relevance * BINS)))]
    if (bin === undefined) continue
    bin.relevance += relevance
    bin.gold += gold ? 1 : 0
  }
  return round(bins.reduce((sum, { gold, relevance }) => sum + Math.abs(relevance - gold), 0) / hits.length)
}

/** The share that holds; null of none. */
export const shareOf = (all: ReadonlyArray<boolean>): number | null =>
  all.length === 0 ? null : round(all.filter((one) => one).length / all.length)

/** The sets of legs of an ablation: all, each left out, each alone; every set once. */
export const ablations = <Leg extends string>(legs: ReadonlyArray<Leg>): ReadonlyArray<ReadonlyArray<Leg>> => {
  const sets = [legs, ...legs.map((leg) => legs.filter((other) => other !== leg)), ...legs.map((leg) => [leg])]
  return [...new Map(sets.filter((set) => set.length > 0).map((set) => [set.join(), set])).values()]
}
