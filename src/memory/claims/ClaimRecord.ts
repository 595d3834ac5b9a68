/**
 * A value that is a JSON object or list, as flat fields. Two records are the same only when every field is, apart from
 * values in other clothes; one field that differs under an equal path is a difference, other paths are other facts.
 */
export interface Record {
  /** Path and value as JSON text, in order of the path. */
  readonly fields: ReadonlyMap<string, string>
  /** There were more fields than are kept. */
  readonly cut: boolean
}

// Larger documents are compared by their whole text.
const longestRecord = 20_000
const mostFields = 500

export const recordOf = (text: string): Record | undefined => {
  const start = text.trimStart()[0]
  if ((start !== "{" && start !== "[") || text.length > longestRecord) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const fields = new Map<string, string>()
  let cut = false
  const walk = (node: unknown, path: string, depth: number) => {
    if (fields.size >= mostFields || depth > 40) {
      cut = true
      return
    }
    if (Array.isArray(node)) {
      if (node.length === 0) fields.set(path, "[]")
      for (const [i, part] of node.entries()) walk(part, `${path}/${i}`, depth + 1)
    } else if (typeof node === "object" && node !== null) {
      const entries = Object.entries(node)
      if (entries.length === 0) fields.set(path, "{}")
      for (const [key, part] of entries) {
        walk(part, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1)
      }
    } else fields.set(path, JSON.stringify(node))
  }
  walk(value, "", 0)
  return { fields, cut }
}

/** How two records relate: their equal, differing and one-sided paths. */
export const compareRecords = (one: Record, other: Record) => {
  const differing: Array<{ readonly path: string; readonly from: string; readonly to: string }> = []
  let equal = 0
  let lone = 0
  for (const [path, from] of one.fields) {
    const to = other.fields.get(path)
    if (to === undefined) lone++
    else if (to === from) equal++
    else differing.push({ path, from, to })
  }
  for (const path of other.fields.keys()) if (!one.fields.has(path)) lone++
  return { differing, equal, lone }
}
