/**
 * Everything that can happen next in a moment of the model: to the store (something comes in), to Postgres (it crashes and
 * loses what was not flushed) and to each owner (its next step, or it is taken from).
 */
import { after, flush, isCurrent, put, raise, stop } from "./FenceMoves.ts"
import type { Emit } from "./FenceMoves.ts"
import { LINK } from "./FenceRules.ts"
import type { Rules, Scenario } from "./FenceRules.ts"
import { loading, repairing, settling, taking } from "./FenceTaking.ts"
import {
  allKeys,
  ANSWERED,
  batch,
  BATCHES,
  BEGUN,
  belief,
  CRASHED,
  DERIVED,
  DERIVED_AGAIN,
  doomContent,
  doomedSlot,
  doomIn,
  DOOMS,
  doomTaker,
  FIRST_SLOT,
  FORGOTTEN,
  freshVersion,
  get,
  HEADS,
  Intent,
  isIn,
  isLive,
  known,
  LAST,
  local,
  mirrorBit,
  ownerName,
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
  UNFLUSHED
} from "./FenceWorld.ts"
import type { World } from "./FenceWorld.ts"

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
    `${ownerName(owner)} reserves ${slotName(slot)}: write ${write} as version ${
      keys.map((_, index) => first + index)
    }`,
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
      for (const key of rowKeys(world, scenario, slot)) {
        put(next, belief(owner, key), get(world, slotVersion(slot, key)))
      }
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
