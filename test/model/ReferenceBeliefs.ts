/**
 * What the reference model believed, from its own log of moves: each claim that was ever stated under a memory, when it was
 * learned, when it was true, what took its place. ADR 0010 gives the rules; nothing here looks at stored versions.
 */
import { sameBytes } from "./ModelClaims.ts"
import type { Claim } from "./ModelClaims.ts"
import { isServed } from "./ReferenceRow.ts"
import type { ReferenceRow } from "./ReferenceRow.ts"

/** A claim stated anew, one put right in place, a row that goes back to how it stood before, or anything else. */
export type How = "stated" | "corrected" | "carried" | { readonly back: ReferenceRow; readonly rolled: boolean }

export interface Move {
  readonly at: number
  readonly row: ReferenceRow
  readonly how: How
}

export interface Belief {
  /** Its place among the beliefs of its memory, and among all moves. */
  readonly number: number
  readonly order: number
  readonly learned: number
  readonly era: number
  claim: Claim
  /** The memory as it last stood by this belief. */
  row: ReferenceRow
  /** Its status but for an expiry, which ends a row's service and not what was true. */
  status: ReferenceRow["status"]
  validAt: number | null
  validTo: number | null
  retired: { readonly at: number; readonly by: Belief | undefined } | null
  withdrawn: boolean
  /** When it was taken out of service, while it is. */
  leftAt: number | null
}

interface Book {
  readonly beliefs: Array<Belief>
  /** Which belief each state of the memory belonged to. */
  readonly of: Map<ReferenceRow, Belief>
  current: Belief
  head: ReferenceRow
  /** Whether its time was over when it left service; nothing was taken back by that. */
  ranOut: boolean
  /** The last return to an earlier belief by a rollback. */
  rolled: { readonly order: number; readonly to: Belief } | null
}

export type Books = ReadonlyMap<string, Book>

export const dateOf = ({ learned, validAt }: Belief): number => validAt ?? learned

/** All beliefs by memory, by what was known at a time. */
export const booksOf = (log: ReadonlyArray<Move>, known: number): Books => {
  const books = new Map<string, Book>()
  log.forEach((move, order) => {
    if (move.at <= known) record(books, move, order)
  })
  for (const { beliefs, current, head, ranOut, rolled } of books.values()) {
    for (const belief of beliefs) {
      belief.withdrawn = isOut({ head, ranOut }) || belief.era !== current.era ||
        (rolled !== null && belief.order < rolled.order && belief.number > rolled.to.number)
    }
  }
  return books
}

const record = (books: Map<string, Book>, { at, how, row }: Move, order: number): void => {
  const book = books.get(row.label)
  if (book === undefined || how === "stated") {
    // What is said after a claim was taken away begins anew.
    const era = book === undefined
      ? 0
      : Math.max(...book.beliefs.map((one) => one.era)) + Number(isOut(book))
    const number = book?.beliefs.length ?? 0
    const { claim, validAt, validTo } = row
    const belief: Belief = {
      number,
      order,
      learned: at,
      era,
      claim,
      row,
      status: row.status,
      validAt,
      validTo,
      retired: null,
      withdrawn: false,
      leftAt: null
    }
    const before = book?.current
    if (book === undefined) {
      books.set(row.label, {
        beliefs: [belief],
        of: new Map([[row, belief]]),
        current: belief,
        head: row,
        ranOut: false,
        rolled: null
      })
    } else {
      book.beliefs.push(belief)
      turn(book, belief, row, at)
    }
    if (row.status === "superseded") {
      belief.retired = { at, by: row.supersededBy === row.label ? before : successor(books, row) }
    }
    return
  }
  const { current, head } = book
  const target = typeof how === "object" ? returned(book, how) : current
  const returns = target !== current
  if (returns && typeof how === "object" && how.rolled) book.rolled = { order, to: target }
  target.claim = row.claim
  // Dates count where they change; what was only carried along says nothing.
  if (returns || row.validAt !== head.validAt) target.validAt = row.validAt
  if (returns || row.validTo !== head.validTo) target.validTo = row.validTo
  if (row.status === "superseded") {
    if (returns || current.status !== "superseded") target.retired = { at, by: successor(books, row) }
  } else if (!endsBy(book, row)) {
    target.retired = null
  }
  turn(book, target, row, at)
}

/**
 * The belief that a state goes back to. A rollback names a state, and of the statements of one content the last one is
 * meant (ADR 0010).
 */
const returned = ({ current, head, of }: Book, { back, rolled }: Exclude<How, string>): Belief => {
  if (!rolled) return of.get(back) ?? current
  if (sameBytes(back.claim, head.claim)) return current
  return [...of].filter(([row]) => sameBytes(row.claim, back.claim)).at(-1)?.[1] ?? current
}

const isOut = ({ head, ranOut }: Pick<Book, "head" | "ranOut">): boolean =>
  head.status === "rejected" || (head.status === "tombstoned" && !ranOut)

/** Whether a memory that is gone by now left since its time was over; going back to that changes nothing. */
const endsBy = ({ head, ranOut }: Book, row: ReferenceRow): boolean =>
  row.status === "tombstoned" && (head.status === "tombstoned" ? ranOut : row.ranOut)

const turn = (book: Book, belief: Belief, row: ReferenceRow, at: number): void => {
  const isGone = row.status === "tombstoned" || row.status === "rejected"
  belief.leftAt = isGone ? at : null
  book.ranOut = endsBy(book, row)
  book.current = belief
  book.head = row
  belief.row = row
  if (!book.ranOut) belief.status = row.status
  book.of.set(row, belief)
}

/** What the row says that took another's place, at the time when it did. */
const successor = (books: Books, { supersededBy }: ReferenceRow): Belief | undefined =>
  supersededBy === null ? undefined : books.get(supersededBy)?.current

/** When a belief gave way to what took its place. */
export const gaveWay = ({ retired }: Belief): number | null =>
  retired === null ? null : retired.by === undefined ? retired.at : dateOf(retired.by)

/** A claim on trial has no place among the others, nor has one that was taken away. */
export const takesPart = ({ status, withdrawn }: Belief): boolean => !withdrawn && status !== "proposed"

/** By date; of one date, as they were stated. */
export const inOrder = (left: Belief, right: Belief): number => dateOf(left) - dateOf(right) || left.order - right.order

/** What was true at a time. */
export const trueAt = (books: Books, at: number): ReadonlyArray<Belief> =>
  [...books.values()].flatMap(({ beliefs }) => {
    const last = beliefs.filter((one) => takesPart(one) && dateOf(one) <= at).sort(inOrder).at(-1)
    // Its canonical row answers for a duplicate.
    if (last === undefined || last.status === "duplicate") return []
    const gone = [last.validTo, gaveWay(last)].some((end) => end !== null && end <= at)
    return gone ? [] : [last]
  })

/** What was served at a time, by what was known then. */
export const servedAt = (books: Books, at: number): ReadonlyArray<ReferenceRow> =>
  [...books.values()].map(({ head }) => head).filter((row) => isServed(row, at))

export interface Interval {
  readonly belief: Belief
  readonly from: number
  readonly until: number | null
  readonly derived: boolean
  readonly status: ReferenceRow["status"]
  /** The memory that took its place: another, or its own with a later statement. */
  readonly by: string | null
  readonly retired: number | null
}

/** The beliefs under a key as intervals, earliest first. */
export const intervalsOf = (books: Books, key: string): ReadonlyArray<Interval> =>
  [...books.values()].filter(({ head }) => head.key === key).flatMap(({ beliefs, current }) => {
    const line = beliefs.filter(takesPart).sort(inOrder)
    return beliefs.map((belief): Interval => {
      const from = dateOf(belief)
      const next = takesPart(belief) ? line[line.indexOf(belief) + 1] : undefined
      const ends = [next === undefined ? null : dateOf(next), gaveWay(belief)].filter((end) => end !== null)
      const derived = ends.length === 0 ? null : Math.max(from, Math.min(...ends))
      // What the memory says by now was replaced by nothing.
      const later = belief === current ? undefined : beliefs[belief.number + 1]
      const { leftAt, retired, row } = belief
      const served = row.status === "active" || row.status === "conflicted"
      return {
        belief,
        from,
        until: belief.validTo ?? derived,
        derived: belief.validTo === null && derived !== null,
        status: served && later !== undefined ? "superseded" : row.status,
        by: retired?.by?.row.label ?? later?.row.label ?? null,
        retired: retired?.at ?? leftAt ?? later?.learned ?? null
      }
    })
  }).sort((left, right) => inOrder(left.belief, right.belief))
