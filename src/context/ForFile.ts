/**
 * Which memories about a file are printed, and in which order; pure and the same for the same rows. Decisions and
 * constraints share a ceiling, the other rows a budget; a row that does not fit is left out whole while the ones after it
 * still get their turn. Every row is shown or counted, and none is shown whose newer one is not. A row from outside that
 * nobody vouched for stands behind all others and supersedes none of them.
 */
import * as Order from "effect/Order"
import type { CountTokens } from "../platform/Tokens.ts"
import * as Block from "./ForFileBlock.ts"
import type { FileMemory } from "./ForFileModel.ts"
import { idOf, isUnvouched, kindsOf, printsWhole } from "./ForFileModel.ts"

/**
 * What a coding-agent host passes from a hook to the model as it is, in UTF-16 units. A block stays below it whatever is
 * asked for.
 */
export const MOST_CHARACTERS = 10_000

export interface Limits {
  /** Tokens for the rows that do not print whole, and for the line that counts what was left out. */
  readonly budget: number
  /** Tokens for decisions and constraints together. */
  readonly ceiling: number
}

export type LeftReason = "budget" | "ceiling" | "superseded"

export interface LeftOut {
  readonly row: FileMemory
  /** `superseded`: a newer row that says otherwise was left out. */
  readonly reason: LeftReason
}

export interface Choice {
  readonly shown: ReadonlyArray<FileMemory>
  /** In the block's order. */
  readonly left: ReadonlyArray<LeftOut>
  readonly block: string
  /** Tokens of the block. */
  readonly tokens: number
}

// ---- what supersedes what -----------------------------------------------------------------------------------------

const isNewer = (row: FileMemory, other: FileMemory): boolean =>
  row.statedAt === other.statedAt ? row.memory_id > other.memory_id : row.statedAt > other.statedAt

/** Each decision key is a decision of its own. */
const isLink = (row: FileMemory, other: FileMemory): boolean =>
  row.memory_type === other.memory_type && row.memory_type !== "decision" && idOf(row) !== idOf(other)

interface Links {
  readonly newer: ReadonlyMap<string, ReadonlyArray<FileMemory>>
  readonly older: ReadonlyMap<string, ReadonlyArray<FileMemory>>
}

/**
 * Of two rows of one type that the conflict check linked, the newer one supersedes the older; but what nobody vouched for
 * supersedes no row of the house.
 */
export const linksOf = (rows: ReadonlyArray<FileMemory>): Links => {
  const byId = new Map(rows.map((row) => [idOf(row), row]))
  const newer = new Map<string, Array<FileMemory>>()
  const older = new Map<string, Array<FileMemory>>()
  const put = (all: Map<string, Array<FileMemory>>, key: string, row: FileMemory) => {
    const found = all.get(key) ?? []
    if (!found.includes(row)) all.set(key, [...found, row])
  }
  for (const row of rows) {
    for (const memory_id of row.conflict_with) {
      const other = byId.get(idOf({ namespace: row.namespace, memory_id }))
      if (other === undefined || !isLink(row, other)) continue
      const [late, early] = isNewer(row, other) ? [row, other] : [other, row]
      if (isUnvouched(late) && !isUnvouched(early)) continue
      put(newer, idOf(early), late)
      put(older, idOf(late), early)
    }
  }
  return { newer, older }
}

// ---- the order ----------------------------------------------------------------------------------------------------

const first = (is: (row: FileMemory) => boolean): Order.Order<FileMemory> =>
  Order.mapInput(Order.number, (row) => is(row) ? 0 : 1)

/** What nobody vouched for last; pinned rows, then those of a kind, then the caller's own before the team's, then the latest changed. */
const plainOrder: Order.Order<FileMemory> = Order.combineAll([
  first((row) => !isUnvouched(row)),
  first(({ pinned }) => pinned),
  first((row) => kindsOf(row).length > 0),
  first(({ isTeam }) => !isTeam),
  Order.mapInput(Order.reverse(Order.number), ({ updated_at }) => updated_at),
  Order.mapInput(Order.string, ({ namespace }) => namespace),
  Order.mapInput(Order.string, ({ memory_key }) => memory_key),
  Order.mapInput(Order.string, ({ memory_id }) => memory_id)
])

/** The order of the block: a row that supersedes another stands above it, wherever that one stands. */
export const inOrder = (rows: ReadonlyArray<FileMemory>): ReadonlyArray<FileMemory> => {
  const { newer } = linksOf(rows)
  const sorted = [...rows].sort(plainOrder)
  const placed = new Set<string>()
  const order: Array<FileMemory> = []
  const waiting = [...sorted].reverse()
  // A stack of its own: a chain of revisions may be longer than the calls a stack holds.
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    const id = idOf(row)
    if (placed.has(id)) continue
    const above = (newer.get(id) ?? []).filter((other) => !placed.has(idOf(other)))
    if (above.length === 0) {
      placed.add(id)
      order.push(row)
    } else {
      waiting.push(row, ...[...above].sort(Order.reverse(plainOrder)))
    }
  }
  return order
}

// ---- the choice ---------------------------------------------------------------------------------------------------

interface Room extends Limits {
  readonly characters: number
}

interface Fitted {
  readonly shown: ReadonlyArray<{ readonly row: FileMemory; readonly line: string }>
  readonly left: ReadonlyArray<LeftOut>
}

interface Asked {
  readonly file: string
  /** In any order. */
  readonly rows: ReadonlyArray<FileMemory>
  /** How many rows there are that were not read at all. */
  readonly unread: number
  readonly limits: Limits
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The block for a file, below `MOST_CHARACTERS`. */
export const choose = ({ file, limits, now, rows, unread }: Asked, count: CountTokens): Choice => {
  const ordered = inOrder(rows)
  const { newer, older } = linksOf(ordered)
  const costs = new Map<string, { readonly tokens: number; readonly most: number }>()
  // A line is counted with its line break, with which a token may begin or end: so the counts of lines add up.
  const cost = (line: string, most: number): number => {
    const known = costs.get(line)
    if (known !== undefined && (known.tokens <= known.most || known.tokens > most)) return known.tokens
    const tokens = count(`${line}\n`, most)
    costs.set(line, { tokens, most })
    return tokens
  }

  const fit = ({ budget, ceiling, characters }: Room): Fitted => {
    const shown: Array<Fitted["shown"][number]> = []
    const left: Array<LeftOut> = []
    const gone = new Set<string>()
    let room = { whole: ceiling, other: budget, characters }
    const leave = (row: FileMemory, reason: LeftReason) => {
      gone.add(idOf(row))
      left.push({ row, reason })
    }
    for (const row of ordered) {
      const whole = printsWhole(row)
      const pool = whole ? "whole" : "other"
      const line = row.text === null || (whole && row.isCut) ? null : lines.get(idOf(row)) ?? null
      if ((newer.get(idOf(row)) ?? []).some((other) => gone.has(idOf(other)))) leave(row, "superseded")
      else if (line === null || line.length + 1 > room.characters) leave(row, whole ? "ceiling" : "budget")
      else {
        const tokens = cost(line, room[pool])
        if (tokens > room[pool]) leave(row, whole ? "ceiling" : "budget")
        else {
          shown.push({ row, line })
          room = { ...room, [pool]: room[pool] - tokens, characters: room.characters - line.length - 1 }
        }
      }
    }
    return { shown, left }
  }

  const lines = new Map(ordered.map((row) => [idOf(row), Block.lineOf(row, older.get(idOf(row)) ?? [], now)]))

  const render = ({ left, shown }: Fitted): string => {
    const above = left.filter(({ reason }) => reason === "ceiling").map(({ row }) => row)
    const more = left.length - above.length + unread
    return Block.blockOf({
      header: Block.headerOf(file),
      lines: shown.map(({ line }) => line),
      ceiling: above.length === 0 ? null : Block.ceilingLine(above, above.length),
      more: more === 0 ? null : Block.moreLine(more)
    })
  }

  const needsMore = ({ left }: Fitted): boolean => unread > 0 || left.some(({ reason }) => reason !== "ceiling")
  const reserve = count(`${Block.moreLine(rows.length + unread)}\n`)

  let characters = MOST_CHARACTERS
  for (;;) {
    const all = fit({ ...limits, characters })
    const fitted = needsMore(all) ? fit({ ...limits, budget: limits.budget - reserve, characters }) : all
    const block = render(fitted)
    const over = block.length - (MOST_CHARACTERS - 1)
    // With no rows at all the header, the closing lines and the footer fit, since paths and keys are bounded.
    if (over <= 0 || fitted.shown.length === 0) {
      return { shown: fitted.shown.map(({ row }) => row), left: fitted.left, block, tokens: count(block) }
    }
    characters = fitted.shown.reduce((used, { line }) => used + line.length + 1, 0) - over
  }
}
