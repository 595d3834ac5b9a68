/**
 * How one moment of the model becomes the next: a copy, changed. What several kinds of steps share is here.
 */
import { at, batch, belief, EPOCH, get, known, local, Stand, stand, toSettle, UNFLUSHED } from "./FenceWorld.ts"
import type { World } from "./FenceWorld.ts"

export type Emit = (what: string, next: World) => void

/** A later moment: a copy, changed. */
export const after = (world: World, change: (next: World) => void): World => {
  const next = Buffer.allocUnsafe(world.length)
  world.copy(next)
  change(next)
  return next
}

export const put = (world: World, place: number, value: number): void => {
  world[place] = value
}

export const raise = (world: World, place: number, bits: number): void => put(world, place, get(world, place) | bits)

export const flush = (world: World): void => put(world, UNFLUSHED, 0)

/** Whether Postgres takes the word of an owner. */
export const isCurrent = (world: World, owner: number): boolean => get(world, EPOCH) === owner + 1

/** An owner that stopped; what it believed plays no part any more. */
export const stop = (world: World, owner: number): void => {
  for (const place of [local(owner), toSettle(owner), at(owner), belief(owner, 0), belief(owner, 1), known(owner)]) {
    put(world, place, 0)
  }
  put(world, batch(owner), 0)
  put(world, stand(owner), Stand.gone)
}
