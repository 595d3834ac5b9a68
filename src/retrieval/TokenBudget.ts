/**
 * Which excerpts an answer of so many tokens shows. Whole ones, those first that say most of what was asked for each token
 * they cost; one that does not fit lets a later one pass. Where the single most relevant one is worth more than all that
 * would be shown in its place, it is shown instead. Pure.
 */

export interface Body {
  /** What showing it is worth: its relevance, 0 to 1; 0 for a hit that the gate would not answer with. */
  readonly value: number
  readonly tokens: number
}

/** For each body whether it is shown; together these have at most `budget` tokens. */
export const pack = (bodies: ReadonlyArray<Body>, budget: number): ReadonlyArray<boolean> => {
  const order = bodies.map((body, at) => ({ ...body, at })).sort((a, b) => density(b) - density(a) || a.at - b.at)
  const dense = fitting(order, budget)
  // Many small ones may leave no room for the one that answers.
  const [best] = order.filter(({ tokens }) => tokens <= budget).sort((a, b) => b.value - a.value || a.at - b.at)
  const chosen = best === undefined || valueOf(dense) >= best.value
    ? dense
    : fitting([best, ...order.filter(({ at }) => at !== best.at)], budget)
  const shown = new Set(chosen.map(({ at }) => at))
  return bodies.map((_, at) => shown.has(at))
}

interface Placed extends Body {
  readonly at: number
}

// What costs nothing is always shown.
const density = ({ tokens, value }: Body): number => tokens === 0 ? Number.MAX_VALUE : value / tokens

const fitting = (order: ReadonlyArray<Placed>, budget: number): ReadonlyArray<Placed> => {
  let left = budget
  return order.filter(({ tokens }) => {
    if (tokens > left) return false
    left -= tokens
    return true
  })
}

const valueOf = (bodies: ReadonlyArray<Body>): number => bodies.reduce((sum, { value }) => sum + value, 0)
