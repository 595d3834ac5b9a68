/**
 * Which names a question may hold: every run of a few of its words in the canonical form that entities are stored in, to
 * be looked up by key. Of those that exist the longest stand, and none overlaps another: "billing service" is not also
 * `billing`. Pure; the number of names is bounded whatever the text.
 */
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { stopWords } from "../platform/AnalyzerStopWords.ts"

/** A name that may stand in the question, and the part of the text, [start, end) in UTF-16 units, it was read from. */
export interface Mention {
  readonly entity: string
  readonly start: number
  readonly end: number
}

// "university of california los angeles" has five words; longer names are rare and hold a shorter one.
const LONGEST_NAME = 5
// In scripts without spaces a name is a run of letters: Han names have two to four, foreign ones spelt out up to eight.
const SHORTEST_RUN = 2
const LONGEST_RUN = 8
// Each is one look at the index of the entity table, some ten microseconds; a question of ten words has fifty.
const MOST_MENTIONS = 512
// Longer than people's and products' names by far; a longer run of words is a pasted text.
const MOST_LETTERS = 128

/** The names that may stand in a text, by where they begin, each once for each place. */
export const mentions = (text: string): ReadonlyArray<Mention> => {
  const found = new Map<string, Mention>()
  const add = (start: number, end: number): void => {
    if (end - start > MOST_LETTERS || found.size >= MOST_MENTIONS) return
    const entity = canonicalEntity(text.slice(start, end))
    if (entity !== "") found.set(`${start} ${end}`, { entity, start, end })
  }
  // Words as they are written, since signs may belong to a name (node.js, @effect/sql), and the parts signs cut them into.
  for (const words of [wordsOf(text, spaced), wordsOf(text, parted)]) {
    words.forEach(({ start }, first) => {
      words.slice(first, first + LONGEST_NAME).forEach(({ end }, more) => {
        if (more > 0 || !isPlain(text.slice(start, end), first === 0)) add(start, end)
      })
    })
  }
  for (const { end, start } of wordsOf(text, unspaced)) {
    for (let at = start; at < end; at++) {
      for (let length = SHORTEST_RUN; length <= LONGEST_RUN && at + length <= end; length++) add(at, at + length)
    }
  }
  return [...found.values()]
}

/** The entities a question names: of the mentions that exist the longest, then the earliest, none inside another. */
export const named = (all: ReadonlyArray<Mention>, exists: (entity: string) => boolean): ReadonlyArray<string> => {
  const longestFirst = all.filter(({ entity }) => exists(entity))
    .sort((a, b) => (b.end - b.start) - (a.end - a.start) || a.start - b.start)
  const kept: Array<Mention> = []
  for (const mention of longestFirst) {
    if (kept.every(({ end, start }) => mention.end <= start || end <= mention.start)) kept.push(mention)
  }
  return [...new Set(kept.map(({ entity }) => entity))]
}

const spaced = /\S+/gu
const parted = /[^\s\-_/\\:;,!?"“”()[\]{}<>|]+/gu
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu

const wordsOf = (text: string, words: RegExp): ReadonlyArray<{ readonly start: number; readonly end: number }> =>
  Array.from(text.matchAll(words), (match) => ({ start: match.index, end: match.index + match[0].length }))

/** A word that says nothing, unless it is written as a name: US and IT are, and Will within a sentence. */
const isPlain = (word: string, isFirst: boolean): boolean => {
  const bare = word.replace(/[^\p{L}\p{N}]+/gu, "")
  if (!stopWords.has(bare.toLowerCase())) return false
  const isUpper = bare.length > 1 && bare === bare.toUpperCase() && bare !== bare.toLowerCase()
  return !isUpper && (isFirst || bare.length < 2 || !/^\p{Lu}/u.test(bare))
}
