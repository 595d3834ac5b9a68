/**
 * One order out of several namespaces' orders. Each keeps its own, in which nothing of another namespace counts; of their
 * first ones the highest score goes first, and of equal scores that of the namespace named first. Pure.
 */

/** One of a list, with the place of its list among the lists. */
export interface Drawn<A> {
  readonly at: number
  readonly one: A
}

/** All of the lists, best first, at most `most` of them. */
export const merge = <A extends { readonly score: number }>(
  lists: ReadonlyArray<ReadonlyArray<A>>,
  most: number
): ReadonlyArray<Drawn<A>> => {
  const next = lists.map(() => 0)
  const drawn: Array<Drawn<A>> = []
  while (drawn.length < most) {
    let best: Drawn<A> | undefined
    for (const [at, list] of lists.entries()) {
      const one = list[next[at] ?? 0]
      if (one !== undefined && (best === undefined || one.score > best.one.score)) best = { at, one }
    }
    if (best === undefined) break
    next[best.at] = (next[best.at] ?? 0) + 1
    drawn.push(best)
  }
  return drawn
}

/** What an order holds of each list, in the order's order. */
export const split = <A>(order: ReadonlyArray<Drawn<A>>, lists: number): ReadonlyArray<ReadonlyArray<A>> => {
  const parts: ReadonlyArray<Array<A>> = Array.from({ length: lists }, () => [])
  for (const { at, one } of order) parts[at]?.push(one)
  return parts
}

/**
 * The same order with each one that names another moved to right behind that, where it stood before it. `nameOf` is what
 * one can be named by; of a ring nobody waits for the last.
 */
export const behind = <A>(
  order: ReadonlyArray<A>,
  nameOf: (one: A) => string | undefined,
  names: (one: A) => string | undefined
): ReadonlyArray<A> => {
  const there = new Set(order.flatMap((one) => nameOf(one) ?? []))
  const waiting = new Map<string, Array<A>>()
  const placed = new Set<A>()
  const place = (one: A): void => {
    if (placed.has(one)) return
    placed.add(one)
    const name = nameOf(one)
    if (name === undefined) return
    there.delete(name)
    for (const next of waiting.get(name) ?? []) place(next)
  }
  for (const one of order) {
    const after = names(one)
    if (after === undefined || !there.has(after)) place(one)
    else waiting.set(after, [...waiting.get(after) ?? [], one])
  }
  for (const one of order) place(one)
  return [...placed]
}
