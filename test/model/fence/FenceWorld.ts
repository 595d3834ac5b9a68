/**
 * One moment of the model, as a row of small numbers: what Postgres holds (epoch, last version, intents), what the store
 * holds (which rows, mirrors, void revisions and heads are in), and where each of three owners stands. `A` writes; `B`
 * takes the namespace from it at any moment, `C` from `B`. A crash is an owner that never moves again, and a pause one that
 * moves later, so neither needs a step of its own. Nor does sending: what may be sent may come in at any later moment, once
 * or again (the same row of the same version again changes nothing), or never.
 */
import { LINK } from "./FenceRules.ts"
import type { Rules, Scenario } from "./FenceRules.ts"

export type World = Buffer

/** States of an intent. */
export const Intent = { none: 0, open: 1, done: 2, doomed: 3, void: 4 } as const

/** Where an owner stands. */
export const Stand = {
  absent: 0,
  looking: 1,
  adopting: 2,
  dooming: 3,
  voiding: 4,
  heading: 5,
  repairing: 6,
  loading: 7,
  idle: 8,
  writing: 9,
  confirmed: 10,
  torn: 11,
  gone: 12
} as const

export const OWNERS = [0, 1, 2] as const
/** Intents: two batches of A, two of B, one of C. */
export const SLOTS = [0, 1, 2, 3, 4] as const
export const FIRST_SLOT = [0, 2, 4] as const
export const BATCHES = [2, 2, 1] as const
export const slotName = (slot: number): string => ["A1", "A2", "B1", "B2", "C1"][slot] ?? ""
export const ownerName = (owner: number): string => "ABC"[owner] ?? ""
export const ownerOf = (slot: number): number => slot >> 1

// Postgres, the writes that were answered, and what was not yet flushed.
export const EPOCH = 0
export const LAST = 1
export const UNFLUSHED = 2
export const CRASHED = 3
export const ANSWERED = 4
// What is derived from the memory under key 0: of which intents, and of which voidings.
export const DERIVED = 5
export const DERIVED_AGAIN = 6

// One intent, and what of it is in the store.
const SLOT = 7
const SLOT_SIZE = 6
export const slotState = (slot: number): number => SLOT + slot * SLOT_SIZE
export const slotWrite = (slot: number): number => SLOT + slot * SLOT_SIZE + 1
export const slotVersion = (slot: number, key: number): number => SLOT + slot * SLOT_SIZE + 2 + key
export const slotIn = (slot: number): number => SLOT + slot * SLOT_SIZE + 5
/** The rows are in the table of heads; for each key: it is in the history or journal. */
export const ROWS = 1
export const mirrorBit = (key: number): number => 2 << key
/** What was derived from the memory that it deletes is taken away. */
export const FORGOTTEN = 16

// One voiding of an intent by a taker: B may void what A left, C what A and B left.
export const DOOMS = [0, 1, 2, 3, 4, 5] as const
const DOOM = SLOT + SLOTS.length * SLOT_SIZE
const DOOM_SIZE = 4
export const doomAt = (taker: number, slot: number): number => taker === 1 ? slot : 2 + slot
export const doomedSlot = (doom: number): number => doom < 2 ? doom : doom - 2
export const doomTaker = (doom: number): number => doom < 2 ? 1 : 2
/** The fresh version of the first key; 0 when there is no such voiding. */
export const doomBase = (doom: number): number => DOOM + doom * DOOM_SIZE
export const doomIn = (doom: number): number => DOOM + doom * DOOM_SIZE + 1
/** No head is written again for a key. */
export const NO_HEAD = 255
/** The version whose content is written again, by key; 0 for a void head. */
export const doomContent = (doom: number, key: number): number => DOOM + doom * DOOM_SIZE + 2 + key
export const BEGUN = 1
export const REVISIONS = 2
export const SENT = 4
export const HEADS = 8

// One owner.
const OWNER = DOOM + DOOMS.length * DOOM_SIZE
const OWNER_SIZE = 8
export const stand = (owner: number): number => OWNER + owner * OWNER_SIZE
/** The highest version it knows to be handed out. */
export const local = (owner: number): number => OWNER + owner * OWNER_SIZE + 1
/** Bits of the intents it has to settle, and the one it is at. */
export const toSettle = (owner: number): number => OWNER + owner * OWNER_SIZE + 2
export const at = (owner: number): number => OWNER + owner * OWNER_SIZE + 3
/** The version whose content it believes to be the head of a key. */
export const belief = (owner: number, key: number): number => OWNER + owner * OWNER_SIZE + 4 + key
/** Bits of the writes it knows to be stored. */
export const known = (owner: number): number => OWNER + owner * OWNER_SIZE + 6
export const batch = (owner: number): number => OWNER + owner * OWNER_SIZE + 7

const SIZE = OWNER + OWNERS.length * OWNER_SIZE

export const get = (world: World, place: number): number => world[place] ?? 0

/** Owner A holds the namespace, which is empty. */
export const beginning = (): World => {
  const world = Buffer.alloc(SIZE)
  world[EPOCH] = 1
  world[stand(0)] = Stand.idle
  return world
}

const none: ReadonlyArray<number> = []

/** The keys of rows that an intent writes. */
export const rowKeys = (world: World, { rows }: Scenario, slot: number): ReadonlyArray<number> =>
  rows[get(world, slotWrite(slot)) - 1] ?? none

export const allKeys = (world: World, { writes }: Scenario, slot: number): ReadonlyArray<number> =>
  writes[get(world, slotWrite(slot)) - 1] ?? none

/** The version under which a voiding writes the head of a key again. */
export const freshVersion = (world: World, scenario: Scenario, doom: number, key: number): number => {
  const place = rowKeys(world, scenario, doomedSlot(doom)).indexOf(key)
  return place < 0 ? 0 : get(world, doomBase(doom)) + place
}

/** A version, and the version of the write whose content it shows: itself, or the one that a voiding wrote again. */
export interface Shown {
  readonly version: number
  readonly content: number
}

const nothing: Shown = { version: 0, content: 0 }

/** What a read of the heads shows of a key: the highest version that is in. */
export const headOf = (world: World, scenario: Scenario, key: number): Shown => {
  let head = nothing
  for (const slot of SLOTS) {
    const version = get(world, slotVersion(slot, key))
    if ((get(world, slotIn(slot)) & ROWS) !== 0 && version > head.version) head = { version, content: version }
  }
  for (const doom of DOOMS) {
    if ((get(world, doomIn(doom)) & HEADS) === 0) continue
    const version = get(world, doomContent(doom, key)) === NO_HEAD ? 0 : freshVersion(world, scenario, doom, key)
    // Of two rows of one version the one that came last counts; here that is always the worse one.
    if (version > 0 && version >= head.version) head = { version, content: get(world, doomContent(doom, key)) }
  }
  return head
}

/** Whether a later revision lies over the versions of an intent. */
export const isVoided = (world: World, rules: Rules, slot: number): boolean =>
  rules.voidsVersions &&
  OWNERS.some((taker) => taker > ownerOf(slot) && (get(world, doomIn(doomAt(taker, slot))) & REVISIONS) !== 0)

/** What the history shows of a key. `whole`: with what a repair can still take from the heads. */
export const historyOf = (
  world: World,
  rules: Rules,
  scenario: Scenario,
  key: number,
  whole: boolean
): ReadonlyArray<Shown> => {
  const shown: Array<Shown> = []
  const head = whole && key !== LINK ? headOf(world, scenario, key).version : 0
  for (const slot of SLOTS) {
    const version = get(world, slotVersion(slot, key))
    if (version === 0 || isVoided(world, rules, slot)) continue
    const bits = get(world, slotIn(slot))
    // What a merge of the heads may have thrown away is not counted on.
    if ((bits & mirrorBit(key)) !== 0 || ((bits & ROWS) !== 0 && version === head)) {
      shown.push({ version, content: version })
    }
  }
  for (const doom of DOOMS) {
    const bits = get(world, doomIn(doom))
    if ((bits & HEADS) === 0 || (rules.voidsFresh && (bits & REVISIONS) !== 0)) continue
    const version = freshVersion(world, scenario, doom, key)
    const content = get(world, doomContent(doom, key))
    if (version > 0 && content > 0 && content !== NO_HEAD) shown.push({ version, content })
  }
  return shown
}

export const latest = (shown: ReadonlyArray<Shown>): Shown =>
  shown.reduce((best, one) => one.version > best.version ? one : best, nothing)

/** Whether a search can find the content of a version. */
export const isDerived = (world: World, content: number): boolean =>
  SLOTS.some((slot) => (get(world, DERIVED) & (1 << slot)) !== 0 && get(world, slotVersion(slot, 0)) === content) ||
  DOOMS.some((doom) => (get(world, DERIVED_AGAIN) & (1 << doom)) !== 0 && get(world, doomContent(doom, 0)) === content)

/** Whether the content of a version is a memory, and not that it was deleted. */
export const isLive = (world: World, { deletes }: Scenario, content: number): boolean =>
  content > 0 &&
  SLOTS.some((slot) => get(world, slotVersion(slot, 0)) === content && get(world, slotWrite(slot)) !== deletes)

/** Whether all rows of an intent are in the store. One without rows never shows that it is. */
export const isThere = (world: World, scenario: Scenario, slot: number): boolean =>
  (get(world, slotIn(slot)) & ROWS) !== 0 && rowKeys(world, scenario, slot).length > 0

/** Whether its owner was told that everything it sent is in. */
export const isIn = (world: World, scenario: Scenario, slot: number): boolean =>
  rowKeys(world, scenario, slot).length > 0
    ? isThere(world, scenario, slot)
    : (get(world, slotIn(slot)) & mirrorBit(LINK)) !== 0
