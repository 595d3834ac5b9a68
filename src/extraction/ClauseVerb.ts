/**
 * The verb of a clause and how it is told in the third person: "do not eat" is "does not eat", "have been learning" is "has
 * been learning", "want to study" is "wants to study". Adverbs that a statement needs stay. English. Pure. Next: `Statement`.
 */
import lemmatizer from "wink-lemmatizer"
import { idle, telling } from "./ClauseWords.ts"

export interface ClauseVerb {
  /** The dictionary form; `be` for a copula. */
  readonly verb: string
  readonly tense: "state" | "event" | "ongoing"
  /** The words of the verb, of a subject in the singular. */
  readonly told: string
  /** What stands behind it. */
  readonly rest: string
  readonly isNegative: boolean
  /** "used to": a state that is over. */
  readonly isFormer: boolean
  /** "will", which is a promise or a forecast as often as a plan. */
  readonly isPromise: boolean
}

/** Verbs whose past looks like their present. */
const sameInPast: ReadonlySet<string> = new Set(["read", "quit", "set", "hurt", "put", "cut", "hit"])

const thirds: Readonly<Record<string, string>> = { have: "has", do: "does", go: "goes", be: "is" }

export const thirdOf = (verb: string): string =>
  Object.hasOwn(thirds, verb)
    ? thirds[verb] ?? verb
    : /(?:s|x|z|ch|sh)$/.test(verb)
    ? `${verb}es`
    : /[^aeiou]y$/.test(verb)
    ? `${verb.slice(0, -1)}ies`
    : `${verb}s`

export const lemma = (word: string): string => irregular.get(word) ?? lemmatizer.verb(word)
// Where the dictionary gives another verb first.
const irregular: ReadonlyMap<string, string> = new Map([
  ["left", "leave"],
  ["found", "find"],
  ["saw", "see"],
  ["founded", "found"],
  ["got", "get"],
  ["gotten", "get"],
  ["been", "be"],
  ["signed", "sign"],
  ["planned", "plan"],
  ["planning", "plan"],
  ["ran", "run"],
  ["running", "run"],
  ["enrolled", "enrol"],
  ["volunteering", "volunteer"]
])

export interface VerbOptions {
  /** Whether the subject is a third person, so that a present ends in -s. */
  readonly isThird: boolean
  readonly isPlural: boolean
}

/** The verb that a clause begins with behind its subject; null when this does not read it. */
export const verbOf = (text: string, { isPlural, isThird }: VerbOptions): ClauseVerb | null => {
  const words = text.split(" ")
  const kept: Array<string> = []
  let at = 0
  const word = (): string => (words[at] ?? "").toLowerCase()
  const adverbs = (): void => {
    while (idle.has(word()) || telling.has(word())) {
      if (telling.has(word())) kept.push(word())
      at++
    }
  }
  const denied = (): boolean => {
    if (word() !== "not") return false
    at++
    return true
  }
  const answer = (
    verb: string,
    tense: ClauseVerb["tense"],
    told: string,
    fields: Partial<ClauseVerb> = {}
  ): ClauseVerb => ({
    verb,
    tense,
    told: told.replace(/ {2,}/g, " ").trim(),
    rest: words.slice(at).join(" "),
    isNegative: fields.isNegative === true || kept.includes("never"),
    isFormer: fields.isFormer === true,
    isPromise: fields.isPromise === true
  })
  const [is, has, does] = isPlural ? ["are", "have", "do"] : ["is", "has", "does"]
  const base = (verb: string): string => isPlural ? verb : thirdOf(verb)
  /** Takes the next word. */
  const take = (): string => {
    adverbs()
    return (words[at++] ?? "").toLowerCase()
  }
  const isIng = (one: string): boolean => /.{2}ing$/.test(one) && lemma(one) !== one
  const adverb = (): string => kept.join(" ")

  const first = take()
  switch (first) {
    case "am":
    case "are":
    case "is": {
      if (first === "am" ? isThird : first === "are" ? !isPlural : !isThird || isPlural) return null
      adverbs()
      const isNegative = denied()
      const not = isNegative ? "not" : ""
      adverbs()
      if (!isIng(word())) return answer("be", "state", `${is} ${not} ${adverb()}`, { isNegative })
      const ing = take()
      if (ing === "going" && word() === "to" && /^\p{Ll}+$/u.test(words[at + 1] ?? "") && isBase(words[at + 1] ?? "")) {
        at++
        const verb = take()
        return isNegative ? null : answer(verb, "ongoing", `${is} going to ${adverb()} ${verb}`)
      }
      return isNegative ? null : answer(lemma(ing), "ongoing", `${is} ${adverb()} ${ing}`)
    }
    case "was":
    case "were": {
      adverbs()
      return word() === "not" || isIng(word()) ? null : answer("be", "event", isPlural ? "were" : "was")
    }
    case "have":
    case "has": {
      if (isThird && !isPlural && first === "have") return null
      adverbs()
      const isNegative = denied()
      const not = isNegative ? "not" : ""
      adverbs()
      if (word() === "been") {
        at++
        adverbs()
        if (isIng(word())) {
          const ing = take()
          return isNegative ? null : answer(lemma(ing), "ongoing", `${has} ${adverb()} been ${ing}`)
        }
        if (word() === "to") return answer("go", "event", `${has} ${not} ${adverb()} been`, { isNegative })
        return isNegative ? null : answer("be", "state", `${has} been`)
      }
      const next = word()
      if (next === "had" || next === "to") return null
      const found = lemma(next)
      if (next === "got") {
        at++
        return answer("have", "state", has)
      }
      if (
        found !== next && !next.endsWith("s") && !isIng(next) || sameInPast.has(next) || next === "become" ||
        next === "run"
      ) {
        at++
        // "I have always loved tea" says what is, not what was.
        const tense = kept.includes("always") ? "state" : "event"
        return answer(found, tense, `${has} ${not} ${adverb()} ${next}`, { isNegative })
      }
      return isNegative ? null : answer("have", "state", `${adverb()} ${has}`)
    }
    case "do":
    case "does": {
      const isNegative = denied()
      const verb = take()
      if (!isBase(verb)) return null
      if (verb === "have" && word() === "to") return null
      return isNegative
        ? answer(verb, "state", `${does} not ${adverb()} ${verb}`, { isNegative })
        : answer(verb, "state", `${adverb()} ${base(verb)}`)
    }
    case "will": {
      adverbs()
      const isFuture = word() === "be" && isIng((words[at + 1] ?? "").toLowerCase())
      if (isFuture) {
        at++
        const ing = take()
        return answer(lemma(ing), "ongoing", `will be ${ing}`, { isPromise: true })
      }
      const verb = take()
      return verb === "not" || !isBase(verb) ? null : answer(verb, "ongoing", `will ${verb}`, { isPromise: true })
    }
    case "can": {
      const isNegative = denied()
      const verb = take()
      if (isNegative && /^(?:stand|bear|tolerate)$/.test(verb)) {
        return answer("dislike", "state", `cannot ${verb}`, { isNegative })
      }
      if (isNegative && /^(?:eat|drink|have)$/.test(verb)) {
        return answer("eat", "state", `cannot ${verb}`, { isNegative })
      }
      return /^(?:speak|play)$/.test(verb)
        ? answer(verb, "state", `${isNegative ? "cannot" : "can"} ${verb}`, { isNegative })
        : null
    }
    case "used": {
      if (word() !== "to") break
      at++
      const verb = take()
      return isBase(verb) && verb !== "be"
        ? answer(verb, "state", `used to ${adverb()} ${verb}`, { isFormer: true })
        : null
    }
    default:
      break
  }
  const verb = lemma(first)
  if (!/^\p{Ll}+$/u.test(first) || isIng(first)) return null
  if (sameInPast.has(first) && !isThird) return answer(first, "event", `${adverb()} ${first}`)
  if (first === verb) return isThird && !isPlural ? null : answer(verb, "state", `${adverb()} ${base(verb)}`)
  if (first === thirdOf(verb)) return isThird ? answer(verb, "state", `${adverb()} ${first}`) : null
  return answer(verb, "event", `${adverb()} ${first}`)
}

const isBase = (word: string): boolean => /^\p{Ll}+$/u.test(word) && lemma(word) === word
