/**
 * The named things that a text mentions, by rules alone and pure: what is marked as a name (backticks, titles in quotes,
 * handles), what is written as one (identifiers, acronyms, runs of words with a capital) and names of scripts without case
 * as far as their writing is certain. A name that is missed costs little and a wrong one ties what has nothing to do with
 * each other, so whatever is doubtful is left out: numbers, dates, versions, paths, sentences, words that only join others.
 * Next: `NamedThingsSpaced` and `NamedThingsUnspaced` (how each kind is found), `kernel/NamedThing` (the form of a name).
 */
import { canonicalEntity } from "../kernel/NamedThing.ts"
import { dates, isSmall, shouted } from "./NamedThingsLexicon.ts"
import { spacedNames } from "./NamedThingsSpaced.ts"
import { unspacedNames } from "./NamedThingsUnspaced.ts"

/** What of a text is read: a memory of one claim is far shorter, and a document's things are named at its beginning. */
const MOST_TEXT = 20_000
/** A row that names more things is about none of them. */
export const MOST_NAMES = 16
// Every further mention counts half of the surest kind's lead over the next.
const REPEATED = 0.5
const MOST_REPEATS = 4
const LONGEST_NAME = 64
const MOST_WORDS = 7

/** The names in canonical form, at most `MOST_NAMES`, best first. */
export const namedThings = (text: string): ReadonlyArray<string> => {
  const read = masked(text.slice(0, MOST_TEXT))
  const found = new Map<string, { weight: number; count: number; at: number }>()
  for (const { at, text, weight } of [...spacedNames(read), ...unspacedNames(read)]) {
    const name = canonicalEntity(text)
    if (!isName(name)) continue
    const known = found.get(name)
    found.set(name, {
      weight: Math.max(known?.weight ?? 0, weight),
      count: (known?.count ?? 0) + 1,
      at: Math.min(known?.at ?? at, at)
    })
  }
  const worth = ({ count, weight }: { readonly count: number; readonly weight: number }) =>
    weight + REPEATED * Math.min(count - 1, MOST_REPEATS)
  return [...found].sort(([, left], [, right]) => worth(right) - worth(left) || left.at - right.at)
    .slice(0, MOST_NAMES).map(([name]) => name)
}

/** What a memory says, as text: of a JSON value its texts, one a line. */
export const textOfValue = ({ value, value_kind }: { readonly value: string; readonly value_kind: string }): string =>
  value_kind !== "json" ? value : textsIn(JSON.parse(value)).join("\n")

const textsIn = (json: unknown): ReadonlyArray<string> =>
  typeof json === "string"
    ? [json]
    : Array.isArray(json)
    ? json.flatMap(textsIn)
    : typeof json === "object" && json !== null
    ? Object.values(json).flatMap(textsIn)
    : []

// Code in fences, addresses of the web and of people, and the date a turn of a talk begins with: as many spaces.
const unnamed = [
  /```[\s\S]*?(?:```|$)/gu,
  /\b[a-z][a-z0-9+.-]{1,15}:\/\/\S+/giu,
  /\bwww\.\S+/giu,
  /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu,
  /\[\d[^\]\n]{0,40}\]/gu
]

const masked = (text: string): string =>
  unnamed.reduce((left, pattern) => left.replace(pattern, (found) => " ".repeat(found.length)), text)

const version = /^v?\d+(?:[.\-_ ]\w+)*$/
const hash = /^(?=.*\d)[0-9a-f]{7,64}$|^[0-9a-f]{8}(?: [0-9a-f]{4}){3} [0-9a-f]{12}$/

/** Whether a canonical form can be the name of a thing. */
const isName = (name: string): boolean => {
  if (name.length > LONGEST_NAME || Array.from(name).length < 2 || !/\p{L}/u.test(name)) return false
  if (version.test(name) || hash.test(name)) return false
  const words = name.split(" ")
  if (words.length > MOST_WORDS || words.every((word) => /^\p{N}+$/u.test(word) || dates.has(word))) return false
  // `us` and `it` come through as acronyms, whose words a list names.
  return words.some((word) => !isSmall(word) && !shouted.has(word)) || name === "us" || name === "it"
}
