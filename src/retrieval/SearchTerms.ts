/**
 * A question as the lexical legs look it up: one group of equal words each (the stem, and the dictionary forms, so that
 * "went" finds "go"), without the words that carry no meaning. Identifiers (`v1.9`, `ERR_7731`, a hash) are marked: a
 * row that holds one is meant, however far its vector is. So are the words that are written as names.
 */
import { lemmas, queryTerms, spelledWords, stems, words } from "../platform/Analyzer.ts"
import { rarity } from "../platform/WordRarity.ts"

/** Words that count as one: a text holds the group when it holds its stem or one of its lemmas. */
export interface TermGroup {
  readonly stem: string
  readonly lemmas: ReadonlyArray<string>
  readonly identifier: boolean
  /** Written with a capital within a sentence. */
  readonly name: boolean
  /** How rare the word is in general, 0 to 1; see `WordRarity`. */
  readonly rarity: number
  /** The Korean or Katakana words of the question that this pair of letters is cut from; see `countsOfWords`. */
  readonly of?: ReadonlyArray<PartOfWord>
}

/** A pair begins the word, is within it, or reaches into the particle after it. */
interface PartOfWord {
  readonly word: string
  readonly place: "start" | "within" | "ending"
}

// Every group is one more pass over the words of each row. A question has ten; the longest texts that people paste are
// still told apart by this many of their words.
const mostGroups = 32

// A digit beside a letter or a joiner: v1.9, err_7731, 2fb91ac. Not a bare number, and not 7pm, 2nd or 10k.
const identifier = /(?=.*\d)(?=.*[\p{L}._:/@#-])/u
const measure = /^\d+(?:am|pm|st|nd|rd|th|s|k|m|h|d|g|kg|km|cm|mm|ml|gb|mb|tb|kb|ms|min|hrs?)$|^\d+(?:[.:-]\d+)*$/

const isIdentifier = (word: string): boolean =>
  (identifier.test(word) && !measure.test(word)) || (word.includes("_") && word.length > 2)

// Not at the start of a text or a sentence, where every word has a capital.
const nameWord = /(?<=[\p{L}\p{N},;:)"'’]\s+["'(]?)\p{Lu}[\p{L}\p{N}]+/gu

/** The groups of a question in its order; empty when it has no words. The most telling ones when it is long. */
export const termGroups = (text: string): ReadonlyArray<TermGroup> => {
  const telling = new Set(queryTerms(text).stems)
  const names = new Set(Array.from(text.matchAll(nameWord), ([name]) => stems(name)).flat())
  const groups = new Map<string, TermGroup>()
  const spelled = partsOfWords(text)
  for (const word of words(text)) {
    const stem = stems(word)[0] ?? word
    if (telling.has(stem) && !groups.has(stem)) {
      groups.set(stem, {
        stem,
        // A joined name gives its parts too, which are words of their own: ERR_7732 is not held where ERR is.
        lemmas: words(word).length > 1 ? lemmas(word).slice(0, 1) : lemmas(word),
        identifier: isIdentifier(word),
        name: names.has(stem),
        rarity: rarity(word),
        ...(spelled.has(word) ? { of: spelled.get(word) ?? [] } : {})
      })
    }
  }
  const all = [...groups.values()]
  if (all.length <= mostGroups) return all
  // Long words and identifiers are the rare ones; which words are rare among the rows is not known yet.
  const weight = ({ identifier, stem }: TermGroup) => stem.length + (identifier ? 100 : 0)
  const kept = new Set([...all].sort((a, b) => weight(b) - weight(a)).slice(0, mostGroups))
  return all.filter((group) => kept.has(group))
}

/** By the pair of letters. */
const partsOfWords = (text: string): ReadonlyMap<string, ReadonlyArray<PartOfWord>> => {
  const parts = new Map<string, Array<PartOfWord>>()
  for (const { endings, pairs, word } of spelledWords(text)) {
    const places = [
      ...pairs.map((pair, at) => ({ pair, place: at === 0 ? "start" as const : "within" as const })),
      ...endings.map((pair) => ({ pair, place: "ending" as const }))
    ]
    for (const { pair, place } of places) {
      const known = parts.get(pair) ?? []
      if (!known.some((part) => part.word === word)) parts.set(pair, [...known, { word, place }])
    }
  }
  return parts
}

/**
 * The counts of a text in which a pair of letters counts only as a part of a word that stands there: of a Korean or
 * Katakana word of the question its beginning must, and more than half of it (비행기 is not 비행장). Other groups count as
 * they are.
 */
export const countsOfWords = (
  terms: ReadonlyArray<TermGroup>,
  counts: ReadonlyArray<number>
): ReadonlyArray<number> => {
  if (terms.every(({ of }) => of === undefined)) return counts
  const words = new Map<string, { held: number; pairs: number; begins: boolean }>()
  for (const [at, { of = [] }] of terms.entries()) {
    for (const { place, word } of of) {
      const seen = words.get(word) ?? { held: 0, pairs: 0, begins: true }
      if (place !== "ending") {
        const isHeld = (counts[at] ?? 0) > 0
        words.set(word, {
          held: seen.held + (isHeld ? 1 : 0),
          pairs: seen.pairs + 1,
          begins: seen.begins && (isHeld || place !== "start")
        })
      }
    }
  }
  const stands = ({ word }: PartOfWord): boolean => {
    const seen = words.get(word)
    return seen !== undefined && seen.begins && seen.held * 2 > seen.pairs
  }
  return counts.map((count, at) => terms[at]?.of?.some(stands) === false ? 0 : count)
}
