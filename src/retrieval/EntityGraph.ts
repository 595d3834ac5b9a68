/**
 * What naming an entity is worth. An entity says the more the fewer memories name it, and nothing once it is named by a
 * thousand or by half of them. A memory's score is the share it holds of what the question's entities say, or a part of
 * that for the entities one step away. Pure: the counts come from the rows a caller may find and from no others.
 */
import type { EntityWeights } from "./SearchModel.ts"

/** An entity that so many memories name is a hub: it leads everywhere, so it tells nothing apart. */
export const HUB = 1_000
// Half of a few rows is soon reached: below this many, a share says nothing of an entity.
const LEAST_HUB = 32
// More served rows than this no longer move where a hub begins, which is half of them.
export const COUNTED_ROWS = 2 * HUB

/** Memories from which the walk starts. A step from the thirtieth best leads away from the question. */
export const WALK_FROM = 30
/** Entities the walk reaches. The ninth and later stand beside less than a tenth of what it started from, mostly. */
export const WALK_TO = 8
// What stands beside an entity is at most half as telling as the entity: one step is a guess.
const STEP = 0.5

/** How telling an entity is that `naming` of `rows` memories name: 1 for one alone, falling by logarithm to 0 at a hub. */
export const telling = (naming: number, rows: number): number => {
  const hub = Math.min(HUB, Math.max(LEAST_HUB, rows / 2))
  return naming >= hub ? 0 : 1 - Math.log(Math.max(naming, 1)) / Math.log(hub)
}

/** The weights of entities by how many of `rows` memories name each; a hub has none. */
export const weights = (
  entities: Iterable<string>,
  naming: ReadonlyMap<string, number>,
  rows: number
): ReadonlyMap<string, number> =>
  new Map([...entities].flatMap((entity): ReadonlyArray<readonly [string, number]> => {
    const count = naming.get(entity) ?? 0
    const weight = count === 0 ? 0 : telling(count, rows)
    return weight > 0 ? [[entity, weight]] : []
  }))

/**
 * The entity score of a memory, 0 to 1. Held directly: the share of the weight asked for that the memory holds, each
 * entity counted at its own weight, so that holding all of what is asked is worth their weighted mean and a hub alone
 * next to nothing. By the walk: the worth of the best entity one step away. The better of both.
 */
export const share = ({ beside, named }: EntityWeights, entities: ReadonlyArray<string>): number => {
  let asked = 0
  for (const weight of named.values()) asked += weight
  let held = 0
  let near = 0
  for (const entity of new Set(entities)) {
    held += (named.get(entity) ?? 0) ** 2
    near = Math.max(near, beside.get(entity) ?? 0)
  }
  return Math.max(asked === 0 ? 0 : held / asked, near)
}

/**
 * The entities that stand beside the named ones, with their reach: the share of the score of the memories the walk
 * starts from that names them. The furthest reaching first, at most `WALK_TO`.
 */
export const step = (
  weights: EntityWeights,
  from: ReadonlyArray<{ readonly entities: ReadonlyArray<string> }>
): ReadonlyMap<string, number> => {
  const reached = new Map<string, number>()
  let total = 0
  for (const { entities } of from.slice(0, WALK_FROM)) {
    const score = share(weights, entities)
    if (score === 0) continue
    total += score
    for (const entity of new Set(entities)) {
      if (!weights.named.has(entity)) reached.set(entity, (reached.get(entity) ?? 0) + score)
    }
  }
  return new Map(
    [...reached].map(([entity, score]) => [entity, Math.min(score / total, 1)] as const)
      .sort(([a, of], [b, other]) => other - of || (a < b ? -1 : 1))
      .slice(0, WALK_TO)
  )
}

/** What an entity one step away is worth: its reach times how telling it is, and at most half. */
export const worth = (
  reach: ReadonlyMap<string, number>,
  weights: ReadonlyMap<string, number>
): ReadonlyMap<string, number> =>
  new Map([...weights].map(([entity, weight]) => [entity, STEP * weight * (reach.get(entity) ?? 0)] as const))
