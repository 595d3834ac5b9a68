/**
 * What an owner does that takes a namespace: it settles what those before it left undecided, intent by intent, completes the
 * mirrors and loads its state.
 */
import { after, flush, isCurrent, put, raise, stop } from "./FenceMoves.ts"
import type { Emit } from "./FenceMoves.ts"
import type { Rules, Scenario } from "./FenceRules.ts"
import {
  at,
  BEGUN,
  belief,
  DERIVED,
  DERIVED_AGAIN,
  doomAt,
  doomBase,
  doomContent,
  doomIn,
  DOOMS,
  EPOCH,
  freshVersion,
  get,
  headOf,
  HEADS,
  historyOf,
  Intent,
  isDerived,
  isLive,
  isThere,
  known,
  LAST,
  latest,
  local,
  mirrorBit,
  NO_HEAD,
  ownerName,
  ownerOf,
  REVISIONS,
  rowKeys,
  ROWS,
  SENT,
  slotIn,
  slotName,
  SLOTS,
  slotState,
  slotVersion,
  slotWrite,
  Stand,
  stand,
  toSettle
} from "./FenceWorld.ts"
import type { World } from "./FenceWorld.ts"

export const taking = (world: World, rules: Rules, emit: Emit): void => {
  for (const owner of [1, 2]) {
    if (get(world, stand(owner)) !== Stand.absent || get(world, EPOCH) !== owner) continue
    emit(
      `${ownerName(owner)} takes the namespace`,
      after(world, (next) => {
        flush(next)
        put(next, EPOCH, owner + 1)
        put(next, local(owner), get(world, LAST))
        const undecided = SLOTS.filter((slot) => {
          const state = get(world, slotState(slot))
          return ownerOf(slot) < owner && (state === Intent.open || state === Intent.doomed)
        })
        put(next, toSettle(owner), rules.settles ? undecided.reduce<number>((bits, slot) => bits | (1 << slot), 0) : 0)
        onward(next, owner)
      })
    )
  }
}

/** To the next intent that is to be settled, or to the repair behind them all. */
const onward = (world: World, owner: number): void => {
  const left = get(world, toSettle(owner))
  const slot = SLOTS.find((one) => (left & (1 << one)) !== 0)
  put(world, toSettle(owner), slot === undefined ? 0 : left & ~(1 << slot))
  put(world, at(owner), slot ?? 0)
  put(world, stand(owner), slot === undefined ? Stand.repairing : Stand.looking)
}

export const settling = (world: World, rules: Rules, scenario: Scenario, owner: number, emit: Emit): void => {
  const slot = get(world, at(owner))
  const [name, of] = [ownerName(owner), slotName(slot)]
  const doom = doomAt(owner, slot)
  const keys = rowKeys(world, scenario, slot)
  const decide = (what: string, change: (next: World) => void): void =>
    emit(
      isCurrent(world, owner) ? what : `${name} is refused and stops`,
      after(world, (next) => {
        if (!isCurrent(world, owner)) return stop(next, owner)
        flush(next)
        change(next)
      })
    )
  const bury = (): void =>
    decide(`${name} buries ${of}`, (next) => {
      put(next, slotState(slot), Intent.void)
      onward(next, owner)
    })
  switch (get(world, stand(owner))) {
    case Stand.looking: {
      const doomed = rules.doomBinds && get(world, slotState(slot)) === Intent.doomed
      const adopts = !doomed && isThere(world, scenario, slot)
      return emit(
        doomed
          ? `${name} finds ${of} doomed`
          : `${name} looks for the rows of ${of}: ${adopts ? "there" : "not there"}`,
        after(world, (next) => put(next, stand(owner), adopts ? Stand.adopting : Stand.dooming))
      )
    }
    case Stand.adopting:
      return decide(`${name} adopts ${of}`, (next) => {
        put(next, slotState(slot), Intent.done)
        onward(next, owner)
      })
    case Stand.dooming:
      return decide(`${name} dooms ${of}`, (next) => {
        const last = rules.doomReserves ? get(world, LAST) : get(world, local(owner))
        if (rules.doomMarks) put(next, slotState(slot), Intent.doomed)
        if (rules.doomReserves) put(next, LAST, last + keys.length)
        put(next, local(owner), last + keys.length)
        put(next, doomBase(doom), last + 1)
        raise(next, doomIn(doom), BEGUN)
        put(next, stand(owner), Stand.voiding)
      })
    case Stand.voiding: {
      if (rules.voidsFirst && (get(world, doomIn(doom)) & REVISIONS) === 0) return
      if (keys.length === 0) return bury()
      return emit(
        `${name} reads the heads as they were before ${of}`,
        after(world, (next) => {
          put(next, stand(owner), Stand.heading)
          if (!rules.freshHeads) return
          raise(next, doomIn(doom), SENT)
          for (const key of keys) {
            const before = rules.headsFromHistory
              ? latest(historyOf(world, rules, scenario, key, false))
              : headOf(world, scenario, key)
            put(next, doomContent(doom, key), before.content === 0 && !rules.voidHeads ? NO_HEAD : before.content)
          }
        })
      )
    }
    default: {
      const bits = get(world, doomIn(doom))
      if ((bits & REVISIONS) === 0 || (rules.freshHeads && (bits & HEADS) === 0)) return
      return bury()
    }
  }
}

/** What the history lacks of the heads; a merge may have left only the highest version of each key. */
const repair = (world: World, scenario: Scenario, merged: boolean): void => {
  for (const slot of SLOTS) {
    if ((get(world, slotIn(slot)) & ROWS) === 0) continue
    for (const key of rowKeys(world, scenario, slot)) {
      if (!merged || headOf(world, scenario, key).version === get(world, slotVersion(slot, key))) {
        raise(world, slotIn(slot), mirrorBit(key))
      }
    }
  }
  derive(world, scenario)
}

/** Derives from a head from which nothing is derived. */
const derive = (world: World, scenario: Scenario): void => {
  const { content, version } = headOf(world, scenario, 0)
  if (!isLive(world, scenario, content) || isDerived(world, content)) return
  for (const slot of SLOTS) if (get(world, slotVersion(slot, 0)) === version) raise(world, DERIVED, 1 << slot)
  for (const doom of DOOMS) {
    if (freshVersion(world, scenario, doom, 0) === version) raise(world, DERIVED_AGAIN, 1 << doom)
  }
}

export const repairing = (
  world: World,
  rules: Rules,
  scenario: Scenario,
  owner: number,
  to: number,
  emit: Emit
): void => {
  for (const merged of rules.repairs ? [false, true] : [false]) {
    emit(
      `${ownerName(owner)} ${rules.repairs ? `repairs${merged ? " after a merge" : ""}` : "goes on without a repair"}`,
      after(world, (next) => {
        if (rules.repairs) repair(next, scenario, merged)
        put(next, stand(owner), to)
      })
    )
  }
}

export const loading = (world: World, rules: Rules, scenario: Scenario, owner: number, emit: Emit): void =>
  emit(
    `${ownerName(owner)} loads its state and answers from here on`,
    after(world, (next) => {
      put(next, at(owner), 0)
      put(next, stand(owner), Stand.idle)
      for (const key of [0, 1]) {
        put(next, belief(owner, key), headOf(world, scenario, key).content)
        for (const { content } of historyOf(world, rules, scenario, key, false)) {
          const slot = SLOTS.find((one) => get(world, slotVersion(one, key)) === content)
          if (slot !== undefined) raise(next, known(owner), 1 << get(world, slotWrite(slot)))
        }
      }
    })
  )
