/**
 * Two bags of items matched one to one: equal concepts first, then what is left on either side, with differing values
 * of one dimension and opposite words paired up.
 */
import { alternatives, opposes } from "./ClaimAntonyms.ts"
import type { Item } from "./ClaimFrame.ts"
import { fillers } from "./ClaimWords.ts"

export interface Match {
  readonly shared: number
  readonly left: ReadonlyArray<Item>
  readonly right: ReadonlyArray<Item>
}

/** The items of each side that the other lacks. */
export const matchItems = (one: ReadonlyArray<Item>, other: ReadonlyArray<Item>): Match => {
  const rest = [...other]
  const left: Array<Item> = []
  let shared = 0
  for (const item of one) {
    const at = rest.findIndex(({ concept }) => concept === item.concept)
    if (at < 0) left.push(item)
    else {
      rest.splice(at, 1)
      shared++
    }
  }
  return { shared, left, right: rest }
}

export interface Pair {
  readonly from: Item
  readonly to: Item
}

const firstPair = (
  one: ReadonlyArray<Item>,
  other: ReadonlyArray<Item>,
  related: (from: Item, to: Item) => boolean
): Pair | undefined => {
  for (const from of one) {
    for (const to of other) if (related(from, to)) return { from, to }
  }
  return undefined
}

/** Two values of one dimension that differ. */
export const differingValues = (one: ReadonlyArray<Item>, other: ReadonlyArray<Item>): Pair | undefined =>
  firstPair(one, other, (from, to) =>
    from.value !== undefined && to.value !== undefined && from.concept !== to.concept &&
    sameDimension(from.value.dimension, to.value.dimension))

const families: Readonly<Record<string, string>> = { "money EUR": "money", months: "duration", version: "number", range: "number" }
const familyOf = (dimension: string) => dimension.startsWith("money") ? "money" : families[dimension] ?? dimension

/** Whether two dimensions answer one question: any two currencies, days and years, a version and a number. */
export const sameDimension = (one: string, other: string): boolean => familyOf(one) === familyOf(other)

/** Two words that are opposites or different members of a closed set. */
export const oppositeWords = (one: ReadonlyArray<Item>, other: ReadonlyArray<Item>): Pair | undefined =>
  firstPair(one, other, (from, to) =>
    from.value === undefined && to.value === undefined &&
    (opposes(from.concept, to.concept) || opposes(from.lemma, to.lemma) || alternatives(from.concept, to.concept)))

/** What may be left over without changing a claim. */
export const isFiller = (item: Item): boolean => fillers.has(item.lemma) || fillers.has(item.concept)
