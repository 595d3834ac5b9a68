/**
 * Pieces of long texts, always verbatim and always cut between whole characters: the excerpt that is indexed beside a
 * row, and the overlapping chunks that cover a value longer than that. Both look back over a bounded window for a
 * good place to cut, so the time is linear.
 */

/** A verbatim piece: `text` is `source.slice(start, end)`, offsets in UTF-16 code units. */
export interface Chunk {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The beginning of a text in at most `max` code units, not inside a character and, where it can be, not in a word. */
export const excerpt = (text: string, max = 1200): string => {
  if (text.length <= max) return text
  const end = wholeCharacter(text, max, 0)
  if (!inWord(text, end)) return text.slice(0, end)
  for (let i = end; i > Math.max(0, end - longestWord); i--) if (!inWord(text, i)) return text.slice(0, i)
  return text.slice(0, end)
}

/**
 * The text as pieces of at most `size` code units that cover it whole and in order; each starts about `overlap` units
 * before the end of the last one, so that a sentence on a border is whole in one of them. An empty text has no pieces.
 */
export const chunks = (
  text: string,
  { overlap = 100, size = 1000 }: { readonly size?: number; readonly overlap?: number } = {}
): Array<Chunk> => {
  // Below 16 a piece could be all one character's marks, and the next would not start further on.
  const limit = Math.max(16, Math.floor(size))
  // At most a quarter of a piece, so that even the shortest one (half of the limit) leads past the last start.
  const back = Math.min(Math.max(0, Math.floor(overlap)), limit >> 2)
  const out: Array<Chunk> = []
  let start = 0
  while (start < text.length) {
    const end = text.length - start <= limit ? text.length : cut(text, start + (limit >> 1), start + limit)
    out.push({ start, end, text: text.slice(start, end) })
    if (end === text.length) break
    start = back === 0 ? end : resume(text, end - back, end, start)
  }
  return out
}

// No word that a reader would miss is longer, and looking further back would lose more text than it saves.
const longestWord = 100

const paragraph = /\n\s*\n/g
const sentence = /[.!?…]["')\]]*\s|[。！？]|\n/g
const space = /\s/g

/** The best end in (from, to]: after a paragraph, else a sentence or line, else a space, else between characters. */
const cut = (text: string, from: number, to: number): number => {
  const window = text.slice(from, to)
  for (const boundary of [paragraph, sentence, space]) {
    let last = 0
    for (const match of window.matchAll(boundary)) last = match.index + match[0].length
    if (last > 0) return wholeCharacter(text, from + last, from)
  }
  return wholeCharacter(text, to, from)
}

/** The first start of a word in [from, end), or the nearest whole character after `floor`. */
const resume = (text: string, from: number, end: number, floor: number): number => {
  for (let i = from; i < end; i++) if (isSpace(text, i - 1) && !isSpace(text, i)) return i
  return wholeCharacter(text, from, floor + 1)
}

/** The nearest index in [floor, index] that takes no mark from its letter; never one inside a surrogate pair. */
const wholeCharacter = (text: string, index: number, floor: number): number => {
  let i = index
  // Real letters carry a few marks; a longer pile is noise and may be cut.
  while (i > floor && index - i < 16 && /^[\p{M}\u200d]/u.test(text.slice(i, i + 2))) i--
  return i > 0 && isLow(text, i) && isHigh(text, i - 1) ? i - 1 : i
}

const isSpace = (text: string, i: number) => /\s/.test(text.charAt(i))
const inWord = (text: string, i: number) => i > 0 && i < text.length && !isSpace(text, i - 1) && !isSpace(text, i)
const isHigh = (text: string, i: number) => (text.charCodeAt(i) & 0xfc00) === 0xd800
const isLow = (text: string, i: number) => (text.charCodeAt(i) & 0xfc00) === 0xdc00
