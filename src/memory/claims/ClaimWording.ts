/**
 * How far two texts agree letter by letter: one template filled with other things shares all but the filling, a claim told
 * anew shares little. Words as they stand, in their order; no dictionary is asked. A text is read once, for all that it is
 * held against.
 */

/** A text as it is worded. */
export interface Worded {
  readonly words: ReadonlyArray<string>
  /** It says that it adds something. */
  readonly adds: boolean
  /** It says that something is not as it was. */
  readonly changes: boolean
  /** The stages of life or day it speaks of, in one order. */
  readonly stages: string
}

export interface Wording {
  /** Share of both texts that is one common sequence of words, 0 to 1. */
  readonly like: number
  /** Share that is one common beginning and one common end. */
  readonly frame: number
  /** Places where both have words and other ones. */
  readonly filled: number
  /** Places where only one has words. */
  readonly added: number
  /** Words they share, of all words of both. */
  readonly shared: number
  readonly lengths: readonly [shorter: number, longer: number]
}

// Beyond this the texts are longer than a claim; the table is the product of both.
const mostWords = 48

const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}](?:[\p{L}\p{N}_.:/@+-]*[\p{L}\p{N}])?/gu) ?? []).slice(0, mostWords)

const adding = /\b(?:also|too|as well|another|additionally|in addition|besides|second|other|both)\b/i
const changing =
  /\b(?:no longer|any ?more|moved|switched|changed|replaced|instead|since|now|from now on|used to|until|formerly|previously|was|were|will)\b/i
const staging =
  /\b(?:as an? (?:child|kid|adult|boy|girl|student|teenager)|before|after|during|overnight|by day|by night|in winter|in summer)\b/gi

export const wordedOf = (text: string): Worded => ({
  words: wordsOf(text),
  adds: adding.test(text),
  changes: changing.test(text),
  stages: (text.match(staging) ?? []).map((word) => word.toLowerCase()).sort().join(" ")
})

export const wordingOf = ({ words: one }: Worded, { words: other }: Worded): Wording => {
  const both = Math.max(1, one.length + other.length)
  const lengths = [Math.min(one.length, other.length), Math.max(one.length, other.length)] as const
  let begin = 0
  while (begin < lengths[0] && one[begin] === other[begin]) begin++
  let end = 0
  while (end < lengths[0] - begin && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  const middle = [one.slice(begin, one.length - end), other.slice(begin, other.length - end)] as const
  const { added, common, filled } = gaps(...middle)
  const bag = new Set(one)
  return {
    like: 2 * (begin + common + end) / both,
    frame: 2 * (begin + end) / both,
    filled,
    added,
    shared: new Set(other.filter((word) => bag.has(word))).size / Math.max(1, new Set([...one, ...other]).size),
    lengths
  }
}

/** Both laid along their longest common sequence. */
const gaps = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) => {
  const width = other.length + 1
  const longest = new Uint8Array((one.length + 1) * width)
  for (let i = one.length - 1; i >= 0; i--) {
    for (let k = other.length - 1; k >= 0; k--) {
      longest[i * width + k] = one[i] === other[k]
        ? longest[(i + 1) * width + k + 1]! + 1
        : Math.max(longest[(i + 1) * width + k]!, longest[i * width + k + 1]!)
    }
  }
  let [i, k, filled, added] = [0, 0, 0, 0]
  while (i < one.length || k < other.length) {
    const [from, to] = [i, k]
    while ((i < one.length || k < other.length) && !(i < one.length && k < other.length && one[i] === other[k])) {
      const down = i < one.length && (k >= other.length || longest[(i + 1) * width + k]! >= longest[i * width + k + 1]!)
      if (down) i++
      else k++
    }
    if (i > from && k > to) filled++
    else if (i > from || k > to) added++
    while (i < one.length && k < other.length && one[i] === other[k]) [i, k] = [i + 1, k + 1]
  }
  return { common: longest[0]!, filled, added }
}
