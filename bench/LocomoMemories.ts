/**
 * What of a LoCoMo conversation is imported, by mode, and which units of evidence each memory stands for: a turn is its
 * own id, a fact the turns it was read from, and a session, imported as one long text, itself. Pure.
 */
import type { ImportItem } from "../services/cli/ImportItem.ts"
import * as Locomo from "../services/cli/Locomo.ts"
import { stems } from "../src/platform/Analyzer.ts"
import { readEvidence } from "./LocomoRecall.ts"

export const MODES = ["turns", "facts", "sessions"] as const
export type Mode = typeof MODES[number]

export interface EvalMemory {
  readonly item: ImportItem
  readonly namespace: string
  readonly memory_key: string
  readonly value: string
  readonly units: ReadonlySet<string>
}

/** The unit of evidence that a turn belongs to. */
export const unitOf = (mode: Mode, dia_id: string): string =>
  mode === "sessions" ? dia_id.slice(0, dia_id.indexOf(":")) : dia_id

const timeOf = (session: Locomo.LocomoSession | undefined) =>
  session === undefined || session.time === null ? {} : { valid_at: new Date(session.time).toISOString() }

export const memoriesOf = (
  mode: Mode,
  prefix: string,
  conversation: Locomo.LocomoConversation
): ReadonlyArray<EvalMemory> => {
  const namespace = Locomo.namespaceOf(prefix, conversation)
  const memory = (memory_key: string, value: string, units: Iterable<string>, fields: ImportItem["fields"]) => ({
    item: {
      id: `${conversation.id} ${memory_key}`,
      scope: { namespace },
      fields: { memory_key, value, source_class: "imported", ...fields },
      alone: false
    },
    namespace,
    memory_key,
    value,
    units: new Set(units)
  })
  switch (mode) {
    case "turns":
      return conversation.sessions.flatMap((session) =>
        session.turns.map((turn) =>
          memory(
            Locomo.turnKey(conversation.id, session.number, turn.dia_id),
            Locomo.turnText(session, turn),
            [turn.dia_id],
            { tags: [`speaker:${turn.speaker}`], session_id: `session-${session.number}`, ...timeOf(session) }
          )
        )
      )
    case "facts":
      return conversation.facts.map(({ evidence, session: number, text }, at) =>
        memory(`conversation/${conversation.id}/session-${number}/fact-${at}`, text, evidence.flatMap(readEvidence), {
          session_id: `session-${number}`,
          ...timeOf(conversation.sessions.find((session) => session.number === number))
        })
      )
    case "sessions":
      return conversation.sessions.filter(({ turns }) => turns.length > 0).map((session) =>
        memory(
          `conversation/${conversation.id}/session-${session.number}`,
          session.turns.map((turn) => Locomo.turnText(session, turn)).join("\n"),
          session.turns.map(({ dia_id }) => unitOf(mode, dia_id)),
          { session_id: `session-${session.number}`, ...timeOf(session) }
        )
      )
  }
}

/** The sentence of a turn that shares most words with the question and its answer; the first of equal ones. */
export const evidenceSentence = (turn: string, { answer, question }: Locomo.Question): string => {
  const asked = new Set(stems(`${question} ${answer ?? ""}`))
  let best = { text: "", shared: -1 }
  for (const text of plain(turn).split(/(?<=[.!?…])\s+/)) {
    const shared = new Set(stems(text).filter((stem) => asked.has(stem))).size
    if (shared > best.shared) best = { text, shared }
  }
  return best.text
}

const plain = (text: string): string => text.trim().replace(/\s+/g, " ")

/** Whether an excerpt holds a text whole; blanks and line ends are all one. */
export const holds = (excerpt: string, text: string): boolean => plain(excerpt).includes(plain(text))

/** One conversation in two each, so that what is tuned on one half is seen on the other. */
export const inFold = <A>(conversations: ReadonlyArray<A>, fold: number | undefined): ReadonlyArray<A> =>
  fold === undefined ? conversations : conversations.filter((_, at) => at % 2 === fold)
