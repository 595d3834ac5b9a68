/**
 * What of each section goes into a block of so many tokens. Every section that wants something has a share; what it does
 * not use goes to the sections after it, and what is left at the end to those that left something out, in their order. A
 * section with a budget of its own stays within it. The block, with everything that is no memory in it, never has more
 * tokens than the budget. Pure: the same sections, budgets and counter give the same block.
 */
import * as Order from "effect/Order"
import type { CountTokens } from "../platform/Tokens.ts"
import * as Block from "./PackBlock.ts"
import type { SectionName } from "./PackModel.ts"

/** What a section may show. */
export interface Item {
  readonly key: string
  /** Null when it can be shown in no line, and is named only. */
  readonly line: string | null
  /** What it is worth to the question; heeded by sections that fill by value. */
  readonly value: number
}

/** A section that has something to say. */
export interface Wanted<A extends Item> {
  readonly section: SectionName
  /** In the order in which they are shown. */
  readonly items: ReadonlyArray<A>
  /** `order`: as they stand, past those that do not fit. `value`: the first, then by value per token. */
  readonly fill: "order" | "value"
  /** Further ones that were not read. */
  readonly unread: number
  /** A line of its own ahead of the items. */
  readonly note: string | null
}

export interface Budgets {
  /** Tokens of the whole block. */
  readonly total: number
  /** Tokens of single sections, their titles included. */
  readonly bySection: { readonly [Name in SectionName]?: number | undefined }
}

export interface PlannedSection<A extends Item> {
  readonly section: SectionName
  readonly shown: ReadonlyArray<A>
  readonly left: ReadonlyArray<A>
  readonly leftCount: number
  /** Tokens of its lines and title, counted one by one. */
  readonly tokens: number
}

export interface Plan<A extends Item> {
  readonly block: string
  /** Tokens of the block. */
  readonly tokens: number
  readonly sections: ReadonlyArray<PlannedSection<A>>
}

/**
 * Parts of the budget. What was found for the question has the most, rules and decisions the next; the others are short by
 * nature and rarely use theirs.
 */
const WEIGHTS: Readonly<Record<SectionName, number>> = {
  working_memory: 2,
  session: 2,
  profile: 2,
  decisions: 3,
  procedures: 2,
  memories: 5,
  reflections: 2,
  knowledge: 3,
  conversations: 2,
  runs: 1
}

// The keys of what was left out are worth a tenth of a block, and in a large one no more than some lines.
const NAMING_SHARE = 0.1
const NAMING_MOST = 100
// How many keys a section names in the block, as far as there is room.
const NAMED = [5, 3, 2, 1]

/** The block for sections in their order. */
export const plan = <A extends Item>(
  wanted: ReadonlyArray<Wanted<A>>,
  budgets: Budgets,
  count: CountTokens
): Plan<A> => {
  const costs = new Map<string, { readonly tokens: number; readonly most: number }>()
  // A line is counted with its line break, with which a token may begin or end: so the counts of lines add up. Counting
  // stops above what there is room for, since it would hold up the process for lines that do not fit.
  const cost: Cost = (line, most = Infinity) => {
    const known = costs.get(line)
    if (known !== undefined && (known.tokens <= known.most || known.tokens > most)) return known.tokens
    const tokens = count(`${line}\n`, most)
    costs.set(line, { tokens, most })
    return tokens
  }

  const frame = cost(Block.HEADER) + cost(Block.FOOTER)
  // The line that counts what was left out, were it everything.
  const counting = cost(Block.leftLine(wanted.map(countedOf), 0) ?? "")
  let room = budgets.total - frame
  for (;;) {
    const all = fill(wanted, room, budgets.bySection, cost)
    const isAll = all.every(({ leftCount }) => leftCount === 0)
    const naming = isAll ? 0 : Math.max(counting, Math.min(NAMING_MOST, Math.ceil(budgets.total * NAMING_SHARE)))
    const sections = isAll ? all : fill(wanted, room - naming, budgets.bySection, cost)
    const block = closed(wanted, sections, budgets.total, count)
    const tokens = count(block)
    if (tokens <= budgets.total) return { block, tokens, sections }
    // Lines count as they do alone up to some tokens where they meet; so room is taken until the block is within.
    if (room <= 0) return { block: "", tokens: 0, sections: fill(wanted, 0, budgets.bySection, cost) }
    room -= tokens - budgets.total
  }
}

/** The block with as many keys of what was left out as there is room for. */
const closed = <A extends Item>(
  wanted: ReadonlyArray<Wanted<A>>,
  sections: ReadonlyArray<PlannedSection<A>>,
  total: number,
  count: CountTokens
): string => {
  const lines = sections.map(({ section, shown, tokens }, at) => ({
    section,
    lines: tokens === 0 ? [] : [
      ...noteOf(wanted[at]),
      ...shown.flatMap(({ line }) => line === null ? [] : [line])
    ]
  }))
  const left = sections.map(({ left, leftCount, section }) => ({
    section,
    count: leftCount,
    keys: left.map(({ key }) => key)
  }))
  const counted = Block.blockOf(lines, Block.leftLine(left, 0))
  if (left.every(({ keys }) => keys.length === 0)) return counted
  const named = NAMED.map((named) => Block.blockOf(lines, Block.leftLine(left, named)))
  return named.find((block) => count(block, total) <= total) ?? counted
}

const countedOf = <A extends Item>({ items, section, unread }: Wanted<A>): Block.LeftOut => ({
  section,
  count: items.length + unread,
  keys: []
})

const noteOf = <A extends Item>(wanted: Wanted<A> | undefined): ReadonlyArray<string> =>
  wanted === undefined || wanted.note === null ? [] : [wanted.note]

/** The tokens of a line; a number above `most` once there are more than that. */
type Cost = (line: string, most?: number) => number

/** What is shown of each section when all lines and titles together may have `room` tokens. */
const fill = <A extends Item>(
  wanted: ReadonlyArray<Wanted<A>>,
  room: number,
  bySection: Budgets["bySection"],
  cost: Cost
): ReadonlyArray<PlannedSection<A>> => {
  const talking = wanted.filter(({ items, note }) => items.length > 0 || note !== null)
  const own = talking.reduce((sum, { section }) => sum + (bySection[section] ?? 0), 0)
  const weights = talking.reduce(
    (sum, { section }) => sum + (bySection[section] === undefined ? WEIGHTS[section] : 0),
    0
  )
  const shared = Math.max(0, room - own)

  let free = Math.max(0, room)
  let unused = 0
  const first = wanted.map((one): PlannedSection<A> => {
    const budget = bySection[one.section]
    const share = !talking.includes(one)
      ? 0
      : budget ?? Math.floor(shared * WEIGHTS[one.section] / Math.max(1, weights))
    const may = Math.min(free, budget ?? share + unused)
    const filled = filledTo(one, may, cost)
    free -= filled.tokens
    unused = Math.max(0, unused + share - filled.tokens)
    return filled
  })

  return first.map((before, at): PlannedSection<A> => {
    const one = wanted[at]
    if (one === undefined || before.left.length === 0 || free === 0) return before
    const filled = filledTo(one, Math.min(before.tokens + free, bySection[one.section] ?? Infinity), cost, before.shown)
    free -= filled.tokens - before.tokens
    return filled
  })
}

/** A section within so many tokens, with what it shows already. */
const filledTo = <A extends Item>(
  { fill, items, note, section, unread }: Wanted<A>,
  most: number,
  cost: Cost,
  kept: ReadonlyArray<A> = []
): PlannedSection<A> => {
  const title = cost(Block.titleOf(section)) + (note === null ? 0 : cost(note))
  const chosen = new Set(kept)
  let tokens = title + kept.reduce((sum, { line }) => sum + (line === null ? 0 : cost(line)), 0)
  for (const item of fill === "order" ? items : byWorth(items, most, cost)) {
    if (item.line === null || chosen.has(item)) continue
    const more = cost(item.line, most - tokens)
    if (tokens + more > most) continue
    chosen.add(item)
    tokens += more
  }
  const shown = items.filter((item) => chosen.has(item))
  const left = items.filter((item) => !chosen.has(item))
  const isTold = shown.length > 0 || (note !== null && title <= most)
  return { section, shown, left, leftCount: left.length + unread, tokens: isTold ? tokens : 0 }
}

/** The best one first, since it is what was asked for; then by what a token brings. */
const byWorth = <A extends Item>(items: ReadonlyArray<A>, most: number, cost: Cost): ReadonlyArray<A> => {
  const worth = (item: A): number => item.line === null ? 0 : item.value / Math.max(1, cost(item.line, most))
  const [best, ...others] = items
  return best === undefined ? [] : [best, ...others.sort(Order.mapInput(Order.reverse(Order.number), worth))]
}
