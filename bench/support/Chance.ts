/**
 * Chance that is the same in every run: a small generator started from a seed and any words that tell one draw from
 * another, so that fact 7 is fact 7 whether or not fact 6 was made before it.
 */

/** One stream of draws; equal words give equal streams. */
export class Chance {
  private state: number

  constructor(...words: ReadonlyArray<string | number>) {
    this.state = hashOf(words.join("\u0000"))
  }

  /** From 0, below 1 (mulberry32, public domain). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0, below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  pick<A>(from: readonly [A, ...Array<A>] | ReadonlyArray<A>): A {
    const found = from[this.below(from.length)]
    if (found === undefined) throw new RangeError("There is nothing to pick from")
    return found
  }

  /** About normal with mean 0 and deviation 1: three uniform draws (each of variance 1/12), scaled by 2. */
  bell(): number {
    return (this.next() + this.next() + this.next() - 1.5) * 2
  }
}

/** FNV-1a over UTF-16 units: short, and spread well enough to start a stream. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
