/**
 * What must hold in every moment of the model. Each finds one kind of harm and says it in a line.
 */
import type { Rules, Scenario } from "./FenceRules.ts"
import { LINK } from "./FenceRules.ts"
import {
  allKeys,
  ANSWERED,
  batch,
  belief,
  doomBase,
  doomedSlot,
  DOOMS,
  EPOCH,
  FIRST_SLOT,
  freshVersion,
  get,
  headOf,
  historyOf,
  Intent,
  isDerived,
  isLive,
  latest,
  ownerName,
  ownerOf,
  OWNERS,
  rowKeys,
  slotName,
  SLOTS,
  slotState,
  slotVersion,
  slotWrite,
  Stand,
  stand
} from "./FenceWorld.ts"
import type { Shown, World } from "./FenceWorld.ts"

const ROW_KEYS = [0, 1]

/** No version is handed out twice, and what is decided to be in rises by key. */
const versions = (world: World, scenario: Scenario): string | null => {
  const seen = new Set<number>()
  const highest = [0, 0, 0]
  for (const slot of SLOTS) {
    for (const key of allKeys(world, scenario, slot)) {
      const version = get(world, slotVersion(slot, key))
      if (seen.has(version)) return `version ${version} is handed out twice`
      seen.add(version)
      if (get(world, slotState(slot)) !== Intent.done) continue
      if (version <= (highest[key] ?? 0)) return `version ${version} of a key is confirmed behind a higher one`
      highest[key] = version
    }
  }
  for (const doom of DOOMS) {
    if (get(world, doomBase(doom)) === 0) continue
    for (const key of rowKeys(world, scenario, doomedSlot(doom))) {
      const version = freshVersion(world, scenario, doom, key)
      if (seen.has(version)) return `version ${version} is handed out twice`
      seen.add(version)
    }
  }
  return null
}

/** A write is applied at most once, and one that was answered once and for ever. */
const writes = (world: World, scenario: Scenario, histories: ReadonlyArray<ReadonlyArray<Shown>>): string | null => {
  for (const [index, keys] of scenario.writes.entries()) {
    const write = index + 1
    const answered = (get(world, ANSWERED) & (1 << write)) !== 0
    for (const key of keys) {
      const times = (histories[key] ?? []).filter(({ content }) =>
        SLOTS.some((slot) =>
          get(world, slotWrite(slot)) === write && get(world, slotVersion(slot, key)) === content
        )
      ).length
      // An audited read that is asked for again happened again.
      if (times > 1 && key !== LINK) return `write ${write} is ${times} times in the history`
      if (times === 0 && answered) return `write ${write} was answered and is not in the history`
    }
  }
  return null
}

/** Once an intent is voided, nothing shows any of it. */
const voided = (world: World, scenario: Scenario, histories: ReadonlyArray<ReadonlyArray<Shown>>): string | null => {
  for (const slot of SLOTS) {
    if (get(world, slotState(slot)) !== Intent.void) continue
    for (const key of allKeys(world, scenario, slot)) {
      const version = get(world, slotVersion(slot, key))
      if (histories[key]?.some(({ content }) => content === version)) {
        return `${slotName(slot)} was voided and is in the history`
      }
      if (key !== LINK && headOf(world, scenario, key).content === version) {
        return `${slotName(slot)} was voided and is a head`
      }
    }
  }
  return null
}

/** No head is behind a version that was decided to be in. */
const stale = (world: World, scenario: Scenario): string | null => {
  for (const slot of SLOTS) {
    if (get(world, slotState(slot)) !== Intent.done) continue
    for (const key of rowKeys(world, scenario, slot)) {
      const [version, { content }] = [get(world, slotVersion(slot, key)), headOf(world, scenario, key)]
      if (content < version) {
        return `the head of key ${key} shows version ${content}, and ${slotName(slot)} was ${version}`
      }
    }
  }
  return null
}

/** What the owner of now believes is what the heads and the history show, whatever comes in late. */
const beliefs = (world: World, rules: Rules, scenario: Scenario): string | null => {
  for (const owner of OWNERS) {
    const where = get(world, stand(owner))
    if (get(world, EPOCH) !== owner + 1 || where < Stand.idle || where === Stand.gone) continue
    const from = (FIRST_SLOT[owner] ?? 0) + get(world, batch(owner)) + (where === Stand.confirmed ? 1 : 0)
    for (const key of ROW_KEYS) {
      const expected = get(world, belief(owner, key))
      // What it has under way may be in or not.
      const under = SLOTS.filter((slot) => slot >= from && ownerOf(slot) === owner)
        .map((slot) => get(world, slotVersion(slot, key))).filter((version) => version > 0)
      const head = headOf(world, scenario, key).content
      if (where === Stand.idle && key === 0 && isLive(world, scenario, head) && !isDerived(world, head)) {
        return `version ${head} is the head of key 0, and no search finds it`
      }
      if (head !== expected && !under.includes(head)) {
        return `the head of key ${key} shows version ${head}, and ${ownerName(owner)} answered by ${expected}`
      }
      const mirrored = where === Stand.idle
      const past = latest(historyOf(world, rules, scenario, key, !mirrored)).content
      if (past !== expected && !under.includes(past)) {
        return `the history of key ${key} ends with version ${past}, and ${ownerName(owner)} answered by ${expected}`
      }
    }
  }
  return null
}

/**
 * What is left undone in a moment from which nothing can follow: the last owner must be at rest, and all be decided that
 * owners before it left.
 */
export const leftIn = (world: World): string | null => {
  const last = get(world, EPOCH) - 1
  if (get(world, stand(last)) !== Stand.idle) return `${ownerName(last)} never comes to rest`
  const open = SLOTS.find((slot) => {
    const state = get(world, slotState(slot))
    return ownerOf(slot) < last && (state === Intent.open || state === Intent.doomed)
  })
  return open === undefined ? null : `${slotName(open)} is never decided`
}

/** The first harm that is done in a moment; null when all is well. */
export const harmIn = (world: World, rules: Rules, scenario: Scenario): string | null => {
  const histories = [...ROW_KEYS, LINK].map((key) => historyOf(world, rules, scenario, key, true))
  return versions(world, scenario) ?? writes(world, scenario, histories) ?? voided(world, scenario, histories) ??
    stale(world, scenario) ?? beliefs(world, rules, scenario)
}
