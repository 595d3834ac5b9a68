/**
 * Everything that can happen next in a moment of the model: to the store (something comes in), to Postgres (it crashes and
 * loses what was not flushed) and to each owner (its next step, or it is taken from).
 */
import { LINK } from "./FenceRules.ts"
import type { Rules, Scenario } from "./FenceRules.ts"
import {
  allKeys,
  ANSWERED,
  at,
  batch,
  BATCHES,
  BEGUN,
  belief,
  CRASHED,
  DERIVED,
  DERIVED_AGAIN,
  doomAt,
  doomBase,
  doomContent,
  doomedSlot,
  doomIn,
  DOOMS,
  doomTaker,
  EPOCH,
  FIRST_SLOT,
  FORGOTTEN,
  freshVersion,
  get,
  headOf,
  HEADS,
  historyOf,
  Intent,
  isDerived,
  isIn,
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
  OWNERS,
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
  toSettle,
  UNFLUSHED
} from "./FenceWorld.ts"
import type { World } from "./FenceWorld.ts"

export type Emit = (what: string, next: World) => void

/** A later moment: a copy, changed. */
const after = (world: World, change: (next: World) => void): World => {
  const next = Buffer.allocUnsafe(world.length)
  world.copy(next)
  change(next)
  return next
}

const put = (world: World, place: number, value: number): void => {
  world[place] = value
}

const raise = (world: World, place: number, bits: number): void => put(world, place, get(world, place) | bits)

/** Takes away what was derived under versions up to that of a delete. */
const forget = (world: World, rules: Rules, scenario: Scenario, slot: number): void => {
  const upTo = rules.forgetsBounded ? get(world, slotVersion(slot, 0)) : 255
  raise(world, slotIn(slot), FORGOTTEN)
  for (const one of SLOTS) {
    if (get(world, slotVersion(one, 0)) <= upTo) put(world, DERIVED, get(world, DERIVED) & ~(1 << one))
  }
  for (const doom of DOOMS) {
    if (freshVersion(world, scenario, doom, 0) > upTo) continue
    put(world, DERIVED_AGAIN, get(world, DERIVED_AGAIN) & ~(1 << doom))
  }
}

const comingIn = (world: World, rules: Rules, scenario: Scenario, emit: Emit): void => {
  for (const slot of SLOTS) {
    if (get(world, slotWrite(slot)) === 0) continue
    const bits = get(world, slotIn(slot))
    const keys = allKeys(world, scenario, slot)
    const mirrors = keys.reduce((all, key) => all | mirrorBit(key), 0)
    const deletes = get(world, slotWrite(slot)) === scenario.deletes
    if (deletes) {
      const next = after(world, (next) => forget(next, rules, scenario, slot))
      if (!next.equals(world)) emit(`the delete of ${slotName(slot)} takes away what was derived`, next)
    }
    if (!keys.includes(LINK) && (bits & ROWS) === 0) {
      if (deletes && (bits & FORGOTTEN) === 0) continue
      emit(
        `the rows of ${slotName(slot)} come in`,
        after(world, (next) => {
          raise(next, slotIn(slot), ROWS)
          if (!deletes && keys.includes(0)) raise(next, DERIVED, 1 << slot)
        })
      )
    } else if ((bits & mirrors) !== mirrors) {
      const what = keys.includes(LINK) ? "link" : "history"
      emit(`the ${what} of ${slotName(slot)} comes in`, after(world, (next) => raise(next, slotIn(slot), mirrors)))
    }
  }
  for (const doom of DOOMS) {
    const bits = get(world, doomIn(doom))
    const of = `${slotName(doomedSlot(doom))} by ${ownerName(doomTaker(doom))}`
    if ((bits & BEGUN) !== 0 && (bits & REVISIONS) === 0) {
      emit(`the void revisions of ${of} come in`, after(world, (next) => raise(next, doomIn(doom), REVISIONS)))
    }
    if ((bits & SENT) !== 0 && (bits & HEADS) === 0) {
      emit(
        `the heads again of ${of} come in`,
        after(world, (next) => {
          raise(next, doomIn(doom), HEADS)
          const hides = get(world, slotWrite(doomedSlot(doom))) === scenario.deletes
          if (rules.derivesAgain && hides && isLive(world, scenario, get(world, doomContent(doom, 0)))) {
            raise(next, DERIVED_AGAIN, 1 << doom)
          }
        })
      )
    }
  }
}

const crashing = (world: World, emit: Emit): void => {
  const unflushed = get(world, UNFLUSHED)
  if (unflushed === 0 || get(world, CRASHED) === 1) return
  emit(
    "Postgres crashes and comes back without what was not flushed",
    after(world, (next) => {
      put(next, CRASHED, 1)
      put(next, UNFLUSHED, 0)
      for (const slot of SLOTS) {
        if ((unflushed & (1 << slot)) === 0) continue
        const state = get(world, slotState(slot))
        put(next, slotState(slot), state === Intent.done ? Intent.open : Intent.none)
      }
    })
  )
}

const flush = (world: World): void => put(world, UNFLUSHED, 0)

/** Whether Postgres takes the word of an owner. */
const isCurrent = (world: World, owner: number): boolean => get(world, EPOCH) === owner + 1

/** An owner that stopped; what it believed plays no part any more. */
const stop = (world: World, owner: number): void => {
  for (const place of [local(owner), toSettle(owner), at(owner), belief(owner, 0), belief(owner, 1), known(owner)]) {
    put(world, place, 0)
  }
  put(world, batch(owner), 0)
  put(world, stand(owner), Stand.gone)
}

const taking = (world: World, rules: Rules, emit: Emit): void => {
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
        put(next, toSettle(owner), rules.settles ? undecided.reduce((bits, slot) => bits | (1 << slot), 0) : 0)
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

const settling = (world: World, rules: Rules, scenario: Scenario, owner: number, emit: Emit): void => {
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
        doomed ? `${name} finds ${of} doomed` : `${name} looks for the rows of ${of}: ${adopts ? "there" : "not there"}`,
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
  for (const doom of DOOMS) if (freshVersion(world, scenario, doom, 0) === version) raise(world, DERIVED_AGAIN, 1 << doom)
}

const repairing = (world: World, rules: Rules, scenario: Scenario, owner: number, to: number, emit: Emit): void => {
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

const loading = (world: World, rules: Rules, scenario: Scenario, owner: number, emit: Emit): void =>
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

const reserving = (
  world: World,
  rules: Rules,
  scenario: Scenario,
  owner: number,
  slot: number,
  write: number,
  emit: Emit
): void => {
  if (rules.reserveChecks && !isCurrent(world, owner)) {
    return emit(`${ownerName(owner)} may not reserve and stops`, after(world, (next) => stop(next, owner)))
  }
  const first = get(world, local(owner)) + 1
  const keys = scenario.writes[write - 1] ?? []
  emit(
    `${ownerName(owner)} reserves ${slotName(slot)}: write ${write} as version ${keys.map((_, index) => first + index)}`,
    after(world, (next) => {
      if (rules.reserveEndures) flush(next)
      else raise(next, UNFLUSHED, 1 << slot)
      put(next, slotState(slot), Intent.open)
      put(next, slotWrite(slot), write)
      keys.forEach((key, index) => put(next, slotVersion(slot, key), first + index))
      put(next, local(owner), first + keys.length - 1)
      put(next, LAST, Math.max(get(world, LAST), first + keys.length - 1))
      if (get(world, stand(owner)) === Stand.idle) put(next, stand(owner), Stand.writing)
    })
  )
}

const idling = (world: World, rules: Rules, scenario: Scenario, owner: number, emit: Emit): void => {
  const count = get(world, batch(owner))
  if (count === BATCHES[owner]) return
  const slot = (FIRST_SLOT[owner] ?? 0) + count
  // It was reserved while the one before it was under way.
  if (get(world, slotWrite(slot)) !== 0) {
    return emit(
      `${ownerName(owner)} turns to ${slotName(slot)}`,
      after(world, (next) => put(next, stand(owner), Stand.writing))
    )
  }
  if (owner === 0) return reserving(world, rules, scenario, owner, slot, count + 1, emit)
  for (let write = 1; write <= scenario.writes.length; write++) {
    if ((get(world, ANSWERED) & (1 << write)) !== 0) continue
    if ((get(world, known(owner)) & (1 << write)) === 0) {
      reserving(world, rules, scenario, owner, slot, write, emit)
    } else {
      emit(
        `${ownerName(owner)} answers write ${write}, which it finds stored`,
        after(world, (next) => raise(next, ANSWERED, 1 << write))
      )
    }
  }
}

const confirming = (world: World, rules: Rules, scenario: Scenario, owner: number, emit: Emit): void => {
  const slot = (FIRST_SLOT[owner] ?? 0) + get(world, batch(owner))
  const write = get(world, slotWrite(slot))
  if (!rules.oneAtATime && owner === 0 && slot === 0 && get(world, slotWrite(1)) === 0) {
    reserving(world, rules, scenario, owner, 1, 2, emit)
  }
  if (!isIn(world, scenario, slot)) return
  const state = get(world, slotState(slot))
  const accepted = isCurrent(world, owner) && (state === Intent.open || state === Intent.done)
  if (rules.confirms && rules.confirmChecks && !accepted) {
    return emit(`${ownerName(owner)} may not confirm and stops`, after(world, (next) => stop(next, owner)))
  }
  emit(
    `${ownerName(owner)} ${rules.confirms ? "confirms" : "does not confirm"} ${slotName(slot)}`,
    after(world, (next) => {
      if (rules.confirms) {
        put(next, slotState(slot), Intent.done)
        if (rules.rowlessConfirmEndures && rowKeys(world, scenario, slot).length === 0) flush(next)
        else raise(next, UNFLUSHED, 1 << slot)
      }
      for (const key of rowKeys(world, scenario, slot)) put(next, belief(owner, key), get(world, slotVersion(slot, key)))
      raise(next, known(owner), 1 << write)
      put(next, stand(owner), Stand.confirmed)
    })
  )
}

const answering = (world: World, scenario: Scenario, owner: number, emit: Emit): void => {
  const slot = (FIRST_SLOT[owner] ?? 0) + get(world, batch(owner))
  const write = get(world, slotWrite(slot))
  const torn = rowKeys(world, scenario, slot).some((key) => (get(world, slotIn(slot)) & mirrorBit(key)) === 0)
  emit(
    `${ownerName(owner)} answers write ${write}`,
    after(world, (next) => {
      raise(next, ANSWERED, 1 << write)
      put(next, batch(owner), get(world, batch(owner)) + 1)
      put(next, stand(owner), torn ? Stand.torn : Stand.idle)
    })
  )
}

/** Every next moment, with what happens on the way to it. */
export const steps = (world: World, rules: Rules, scenario: Scenario, emit: Emit): void => {
  comingIn(world, rules, scenario, emit)
  crashing(world, emit)
  taking(world, rules, emit)
  for (const owner of OWNERS) {
    const where = get(world, stand(owner))
    if (where === Stand.idle) idling(world, rules, scenario, owner, emit)
    else if (where === Stand.writing) confirming(world, rules, scenario, owner, emit)
    else if (where === Stand.confirmed) answering(world, scenario, owner, emit)
    else if (where === Stand.torn) repairing(world, rules, scenario, owner, Stand.idle, emit)
    else if (where === Stand.repairing) repairing(world, rules, scenario, owner, Stand.loading, emit)
    else if (where === Stand.loading) loading(world, rules, scenario, owner, emit)
    else if (where !== Stand.absent && where !== Stand.gone) settling(world, rules, scenario, owner, emit)
  }
}
