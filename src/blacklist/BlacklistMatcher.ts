/**
 * Holds texts against patterns as their reader sees them: nothing invisible parts a word, and signs of many shapes are one
 * sign. Substrings are looked for in the folded text; regexes in the text as it is and as it is seen. They are RE2, which
 * takes time linear in the text (at worst some 40 ns per character and instruction, hence the limits on instructions), and several of one
 * place are run as one automaton in one pass.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { RE2JS, RE2Set } from "re2js"
import { folded as foldedText, isBlank, seen } from "../platform/Analyzer.ts"
import type { BlacklistHit, BlacklistPattern, PatternType } from "./BlacklistModel.ts"

export interface Matcher {
  /** The first pattern, by place and then by age, that the text matches. */
  readonly match: (text: string) => BlacklistHit | undefined
}

type Judged = Pick<BlacklistPattern, "pattern_id" | "scope" | "reason" | "pattern" | "pattern_type">

// A secret's shape or a phrase; longer is a text, and its hash would be the thing to compare.
export const MAX_PATTERN = 512
// The regexes for the tokens of the large providers have 30 to 130 instructions.
const MAX_INSTRUCTIONS = 400
/** Instructions of all regexes of one place; about fifty large ones. */
export const MAX_PLACE_INSTRUCTIONS = 5_000
/** Patterns of one place. */
export const MAX_PLACE_PATTERNS = 500

export const nothing: Matcher = { match: () => undefined }

/** RE2's own description of what is wrong with a pattern, with the part of it that is meant. */
const syntaxFault = (cause: unknown): string => {
  const description = Predicate.hasProperty(cause, "error") ? String(cause.error) : "it does not compile"
  const part = Predicate.hasProperty(cause, "input") && typeof cause.input === "string" ? cause.input : ""
  return `is no RE2 pattern: ${description}${part === "" ? "" : ` at \`${part.slice(0, 80)}\``}`
}

const compiled = (pattern: string): Either.Either<RE2JS, string> =>
  Either.try({ try: () => RE2JS.compile(pattern), catch: syntaxFault })

// What no sensible pattern matches all of.
const anything = ["a", "Z", "7", "-", "日"]
const letters = [..."abcdefghijklmnopqrstuvwxyz"]

/** Whether a regex is content with one letter wherever it stands, as nearly every text has it. */
const takesALetter = (regex: RE2JS): boolean =>
  letters.some((letter) => regex.test(`Q${letter}Q`) && regex.test(`9${letter}9`))

/** What substrings are looked for in: case, accents and how much white space there is do not count. */
const folded = (text: string): string => foldedText(seen(text)).replace(/\s+/g, " ")

const ONE_CHARACTER = "is a single character, so it would refuse nearly every write"

const visibleCount = (pattern: string): number => [...seen(pattern).replace(/\s/g, "")].length

/** What is wrong with a pattern, in words; undefined when it can be used. */
export const patternFault = (type: PatternType, pattern: string): string | undefined => {
  if (pattern.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`
  if (type === "substring") {
    if (isBlank(folded(pattern))) return "is blank, so it would refuse nearly every write"
    return visibleCount(pattern) < 2 ? ONE_CHARACTER : undefined
  }
  return Either.match(compiled(pattern), {
    onLeft: (fault) => fault,
    onRight: (regex) =>
      regex.programSize() > MAX_INSTRUCTIONS
        ? `is too large: ${regex.programSize()} instructions, at most ${MAX_INSTRUCTIONS}`
        : regex.test("") || anything.every((text) => regex.test(text))
        ? "matches any text, so it would refuse every write"
        : regex.test(" ")
        ? "matches a single space, so it would refuse nearly every write"
        : visibleCount(pattern) < 2
        ? ONE_CHARACTER
        : takesALetter(regex)
        ? "matches a single letter, so it would refuse nearly every write"
        : undefined
  })
}

/** The instructions of a pattern, by which a place's limit is counted; a substring has none. */
export const instructionsOf = ({ pattern, pattern_type }: Pick<Judged, "pattern" | "pattern_type">): number =>
  pattern_type === "substring"
    ? 0
    : Either.match(compiled(pattern), { onLeft: () => 0, onRight: (regex) => regex.programSize() })

/** Tests which of the regexes, by their place in the list, is the first that a text matches. */
const firstOf = (regexes: ReadonlyArray<string>): (text: string) => number => {
  const [only, ...more] = regexes
  if (only === undefined) return () => -1
  if (more.length === 0) {
    const regex = RE2JS.compile(only)
    return (text) => regex.test(text) ? 0 : -1
  }
  const set = new RE2Set()
  for (const regex of regexes) set.add(regex)
  set.compile()
  return (text) => {
    const found = set.match(text)
    return found.length === 0 ? -1 : Math.min(...found)
  }
}

/**
 * A matcher of the patterns of one place, oldest first. Throws when a stored regex does not compile; `patternFault`
 * keeps such a pattern from being stored.
 */
export const matcherOf = (patterns: ReadonlyArray<Judged>): Matcher => {
  if (patterns.length === 0) return nothing
  const substrings = patterns.flatMap((one, order) =>
    one.pattern_type === "substring" ? [{ order, part: folded(one.pattern) }] : []
  )
  const regexes = patterns.flatMap((one, order) => one.pattern_type === "regex" ? [{ order, text: one.pattern }] : [])
  const firstRegex = firstOf(regexes.map(({ text }) => text))
  return {
    match: (text) => {
      const one = substrings.length === 0 ? "" : folded(text)
      const substring = substrings.find(({ part }) => one.includes(part))?.order ?? patterns.length
      const shown = regexes.length === 0 ? text : seen(text)
      const regex = regexes[firstRegex(text)]?.order ?? patterns.length
      const regexSeen = shown === text ? patterns.length : regexes[firstRegex(shown)]?.order ?? patterns.length
      const hit = patterns[Math.min(substring, regex, regexSeen)]
      return hit === undefined
        ? undefined
        : { pattern_id: hit.pattern_id, scope: hit.scope, reason: hit.reason }
    }
  }
}

/** Asks one matcher after the other. */
export const inOrder = (matchers: ReadonlyArray<Matcher>): Matcher => {
  const [first = nothing, ...more] = matchers.filter((one) => one !== nothing)
  if (more.length === 0) return first
  const all = [first, ...more]
  return {
    match: (text) => {
      for (const one of all) {
        const hit = one.match(text)
        if (hit !== undefined) return hit
      }
      return undefined
    }
  }
}
