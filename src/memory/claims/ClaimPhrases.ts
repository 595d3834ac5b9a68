/** A noun phrase while it grows, and the one order in which "the price of the ticket" and "the ticket's price" end. */
import type { Item } from "./ClaimFrame.ts"

/** A group while it grows. `X of Y` is kept as two phrases and read as `Y X`, the order of "Y's X". */
export interface Draft {
  readonly phrases: Array<Array<Item>>
  readonly preposition: string
  definite: boolean
}

export const draft = (preposition: string): Draft => ({ phrases: [[]], preposition, definite: false })

export const current = ({ phrases }: Draft): Array<Item> => phrases[phrases.length - 1]!

/** The items in the order of "Y's X", each later phrase possessing the head of the one before it. */
export const settled = ({ phrases }: Draft): ReadonlyArray<Item> => {
  const filled = phrases.filter((phrase) => phrase.length > 0)
  return filled.reduceRight<ReadonlyArray<Item>>((after, phrase) => {
    const head = phrase[phrase.length - 1]!
    // "4 GB of RAM" is "4 GB RAM".
    if (head.value !== undefined) return [...phrase, ...after]
    const owners = after.map((item) =>
      item.value === undefined ? { ...item, possesses: item.possesses ?? head.concept } : item
    )
    return [...phrase.slice(0, -1), ...owners, head]
  }, [])
}
