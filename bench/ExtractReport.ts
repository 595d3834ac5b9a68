/** What extraction made of sessions, in figures: facts a session, how many are borne by their turns, what questions find. Pure. */
import type { Fact } from "../src/extraction/FactModel.ts"
import type { Fault } from "./ExtractEvidence.ts"

export interface JudgedSession {
  readonly conversation: string
  readonly session: number
  readonly turns: number
  readonly facts: ReadonlyArray<{ readonly fact: Fact; readonly faults: ReadonlyArray<Fault> }>
  readonly refused: ReadonlyArray<string>
}

export interface ExtractFigures {
  readonly sessions: number
  readonly turns: number
  readonly facts: number
  /** The mean. */
  readonly facts_per_session: number
  readonly sessions_without_facts: number
  /** The share of facts that their turns bear; null of none. */
  readonly evidence_right: number | null
  readonly faults: { readonly [fault: string]: number }
  readonly refused: { readonly [code: string]: number }
}

// A fact in a thousand changes the third digit.
const round = (value: number): number => Math.round(value * 10_000) / 10_000

const counted = (all: ReadonlyArray<string>): { readonly [name: string]: number } =>
  Object.fromEntries([...new Set(all)].sort().map((name) => [name, all.filter((one) => one === name).length]))

export const figuresOf = (sessions: ReadonlyArray<JudgedSession>): ExtractFigures => {
  const facts = sessions.flatMap((session) => session.facts)
  const right = facts.filter(({ faults }) => faults.length === 0).length
  return {
    sessions: sessions.length,
    turns: sessions.reduce((sum, { turns }) => sum + turns, 0),
    facts: facts.length,
    facts_per_session: sessions.length === 0 ? 0 : round(facts.length / sessions.length),
    sessions_without_facts: sessions.filter((session) => session.facts.length === 0).length,
    evidence_right: facts.length === 0 ? null : round(right / facts.length),
    faults: counted(facts.flatMap(({ faults }) => faults)),
    refused: counted(sessions.flatMap(({ refused }) => refused))
  }
}

/** Some of all, evenly spread and always the same. */
export const sampleOf = <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  const step = all.length / Math.min(count, Math.max(all.length, 1))
  return all.filter((_, at) => all.length <= count || Math.floor(at / step) !== Math.floor((at - 1) / step))
}
