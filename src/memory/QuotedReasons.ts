/**
 * Where kept answers and causes quote values, pure: a reason names the words that differed, and so holds a piece of both
 * memories. What may no longer be told of one of them is taken out of every text that quotes it. Of an answer that tells of
 * several items each is looked at by itself; its verdicts, ids and advisories (which quote nothing) stay.
 */

const REDACTED = "redacted"

/** How `next` begins to quote a reason. */
export const OTHERWISE = "says otherwise ("

/** Whom a quoting text may be about. */
export interface Names {
  readonly ids: ReadonlySet<string>
  /** Keys that a text names where no id stands beside it. */
  readonly keys: ReadonlySet<string>
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (part: unknown): part is Fields => typeof part === "object" && part !== null && !Array.isArray(part)

const isQuote = (name: string, text: string, { code }: Fields): boolean => {
  switch (name) {
    case "reason":
    case "evidence":
      return text !== "" && text !== REDACTED
    case "next":
      return text.includes(OTHERWISE)
    case "message":
      return code === "PINNED_CONFLICT"
    default:
      return false
  }
}

/** The part with every quoting text put through `quote`. */
const rewritten = (part: unknown, quote: (text: string) => string): unknown => {
  if (Array.isArray(part)) return part.map((one) => rewritten(one, quote))
  if (!isFields(part)) return part
  return Object.fromEntries(
    Object.entries(part).map(([name, inner]) => [
      name,
      typeof inner === "string" && isQuote(name, inner, part) ? quote(inner) : rewritten(inner, quote)
    ])
  )
}

const idFields = new Set(["memory_id", "conflict_with", "duplicate_of", "superseded_by"])

const idsIn = (part: unknown): ReadonlyArray<string> => {
  if (Array.isArray(part)) return part.flatMap(idsIn)
  if (!isFields(part)) return []
  return Object.entries(part).flatMap(([name, inner]) =>
    !idFields.has(name)
      ? idsIn(inner)
      : (Array.isArray(inner) ? inner : [inner]).filter((id): id is string => typeof id === "string" && id !== "")
  )
}

const namesOf = (part: unknown): Names => {
  const quotes: Array<string> = []
  rewritten(part, (text) => {
    quotes.push(text)
    return text
  })
  return {
    ids: new Set(quotes.length === 0 ? [] : idsIn(part)),
    keys: new Set(quotes.flatMap((text) => [...text.matchAll(/`([^`]+)`/gu)].flatMap(([, key]) => key ?? [])))
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const several = (answer: unknown): ReadonlyArray<unknown> | undefined =>
  isFields(answer) && Array.isArray(answer["results"]) ? answer["results"] : undefined

/** Everybody that the quoting texts of a kept answer or a cause may be about; nobody where nothing is quoted. */
export const namesIn = (text: string): Names => {
  const answer = parsed(text)
  const all = (several(answer) ?? [answer]).map(namesOf)
  return {
    ids: new Set(all.flatMap(({ ids }) => [...ids])),
    keys: new Set(all.flatMap(({ keys }) => [...keys]))
  }
}

/** A kept answer or a cause without what it quotes of those that `isMeant` knows; the text itself when that is nothing. */
export const withoutQuotes = (text: string, isMeant: (names: Names) => boolean): string => {
  const answer = parsed(text)
  if (answer === undefined) return text
  let isChanged = false
  const strip = (part: unknown): unknown => {
    if (!isMeant(namesOf(part))) return part
    isChanged = true
    return rewritten(part, () => REDACTED)
  }
  const results = several(answer)
  const stripped = results === undefined ? strip(answer) : { ...Object(answer), results: results.map(strip) }
  return isChanged ? JSON.stringify(stripped) : text
}

/** Whether any of these memories is named. */
export const isAbout = (
  rows: ReadonlyArray<{ readonly memory_id: string; readonly memory_key: string }>
) =>
({ ids, keys }: Names): boolean => rows.some(({ memory_id, memory_key }) => ids.has(memory_id) || keys.has(memory_key))
