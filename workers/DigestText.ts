/**
 * The text of a digest, pure: the sentences of memories that together say most, within bounds, in the order of the memories;
 * and whether a text that a model wrote names nothing which they do not say.
 */
import { textOfValue } from "../src/memory/NamedThings.ts"
import { isSmall } from "../src/memory/NamedThingsLexicon.ts"
import { lowered, queryTerms, words } from "../src/platform/Analyzer.ts"
import type { SessionMemory } from "../src/retrieval/DigestSessions.ts"
import { unitsOf } from "../src/retrieval/ExcerptPieces.ts"

/** As much as is embedded of a memory. */
export const MOST_TEXT = 1_200
// A longer piece would leave no room for a second memory's.
const LONGEST_PIECE = 400
// The beginning of a long value says what it is about.
const PIECES_OF_ONE = 12

export interface DigestText {
  readonly text: string
  /** The memories whose sentences stand in it, in order. */
  readonly used: ReadonlyArray<SessionMemory>
}

interface Piece {
  readonly member: number
  readonly place: number
  readonly text: string
  readonly terms: ReadonlyArray<string>
}

const piecesOf = (memory: SessionMemory, member: number): ReadonlyArray<Piece> =>
  unitsOf([{ start: 0, text: textOfValue(memory) }], LONGEST_PIECE)
    .flatMap(({ label, pieces }) => pieces.map(({ text }, at) => `${at === 0 ? label?.text ?? "" : ""}${text}`.trim()))
    .filter((text) => text !== "")
    .slice(0, PIECES_OF_ONE)
    .map((text, place) => ({ member, place, text, terms: queryTerms(text).stems }))

/**
 * Takes the sentence that adds most words not yet said, each the more worth the fewer memories say it, and first of all one of
 * each memory; as long as there is room.
 */
export const digestOf = (memories: ReadonlyArray<SessionMemory>): DigestText => {
  const all = memories.flatMap(piecesOf)
  const holding = new Map<string, Set<number>>()
  for (const { member, terms } of all) {
    for (const term of terms) holding.set(term, (holding.get(term) ?? new Set()).add(member))
  }
  const worth = (term: string) => Math.log(1 + memories.length / (holding.get(term)?.size ?? 1))
  const said = new Set<string>()
  const taken: Array<Piece> = []
  const members = new Set<number>()
  let left = MOST_TEXT
  for (;;) {
    let best: Piece | undefined
    let most = 0
    for (const piece of all) {
      if (taken.includes(piece) || piece.text.length > left) continue
      const gain = piece.terms.reduce((sum, term) => sum + (said.has(term) ? 0 : worth(term)), 0)
      // Of two that add as much the shorter says it better.
      const score = gain / Math.sqrt(piece.text.length) + (gain > 0 && !members.has(piece.member) ? FIRST : 0)
      if (score > most) [best, most] = [piece, score]
    }
    if (best === undefined) break
    taken.push(best)
    members.add(best.member)
    left -= best.text.length + 1
    for (const term of best.terms) said.add(term)
  }
  const ordered = [...taken].sort((a, b) => a.member - b.member || a.place - b.place)
  return {
    text: ordered.map(({ text }) => text).join("\n"),
    used: memories.filter((_, member) => members.has(member))
  }
}

// More than any sentence of that length adds: what no sentence stands for goes before what some does.
const FIRST = 100

const LONGEST_REPLY = 3

/** A reply as a digest's text; null when it is none: too long, or with a number or name that the memories do not hold. */
export const faithful = (reply: string, memories: ReadonlyArray<SessionMemory>): string | null => {
  const text = reply.trim()
  if (text === "" || text.length > MOST_TEXT || sentences(text) > LONGEST_REPLY) return null
  const held = new Set(memories.flatMap((memory) => [...words(textOfValue(memory)), ...partsOf(textOfValue(memory))]))
  const isHeld = (word: string) => partsOf(word).every((part) => held.has(part))
  return named(text).every(isHeld) ? text : null
}

const sentences = (text: string): number => text.match(/[.!?。！？]+(?=\s|$)/gu)?.length ?? 1

const partsOf = (text: string): ReadonlyArray<string> => lowered(text).match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []

const token = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_.,:/@#-]*/gu
const begins = /(?:^|[.!?。！？:]\s+|["“(]\s*)$/u

/** The words of a text that may name something or count: with a digit or a capital, or in a script without case. */
const named = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(token)).flatMap(({ 0: word, index }) => {
    if (/\p{N}/u.test(word)) return [word]
    if (/\p{Lo}/u.test(word)) return [word]
    if (!/\p{Lu}/u.test(word)) return []
    const low = lowered(word).replace(/[^\p{L}\p{M}]+$/u, "")
    // Any other word there may be a name: Grace, Will.
    return begins.test(text.slice(0, index)) && isSmall(low) ? [] : [word]
  })
