/**
 * Where two answers of a server differ first: the path and what stands there in each. Key order counts, as it does on the
 * wire.
 */

/** The first difference in words, or null when both are the same. */
export const difference = (then: unknown, now: unknown): string | null =>
  JSON.stringify(then) === JSON.stringify(now) ? null : first(then, now, "")

const first = (then: unknown, now: unknown, path: string): string => {
  if (isNode(then) && isNode(now) && Array.isArray(then) === Array.isArray(now)) {
    const [left, right] = [Object.entries(then), Object.entries(now)]
    for (const [at, [name, value]] of left.entries()) {
      const other = right[at]
      if (other === undefined || other[0] !== name) break
      if (JSON.stringify(value) !== JSON.stringify(other[1])) return first(value, other[1], `${path}/${name}`)
    }
  }
  return `${path === "" ? "/" : path} was ${shown(then)} and is ${shown(now)}`
}

const isNode = (value: unknown): value is object => typeof value === "object" && value !== null

// Enough to see what it is; the call can be made again.
const SHOWN = 160

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
