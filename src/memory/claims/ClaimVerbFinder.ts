/**
 * Finds the verb of an English clause: an auxiliary, or the form that is most likely finite where it stands, or the bare
 * form a command starts with; and what particle belongs to it.
 */
import { type Element, isAuxiliary, isLittle, looksLikeName } from "./ClaimElements.ts"
import type { Item } from "./ClaimFrame.ts"
import { formsOf, nounLemma, verbLemma } from "./ClaimLexicon.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { isVerbPhrase } from "./ClaimThesaurus.ts"
import * as Words from "./ClaimWords.ts"

/** How much a form at `i` speaks for being the finite verb: 0 no, 1 may be, 2 surely. */
export const finite = (elements: ReadonlyArray<Element>, i: number): number => {
  const { low, quantifier, token, value } = elements[i]!
  if (value !== undefined || quantifier !== undefined || i === 0) return 0
  if (token.possessive || !/^[a-z'-]+$/.test(low) || isLittle(low)) return 0
  const before = elements[i - 1]!
  if (before.token.possessive || Words.determiners.has(before.low) || Words.possessives.has(before.low)) return 0
  if (Words.prepositions.has(before.low) && before.value === undefined) return 0
  if (isAuxiliary(low)) return 2
  if (looksLikeName(elements[i]!) && /^\p{Lu}/u.test(token.text)) return 0
  const forms = formsOf(low)
  if (!forms.verb) return 0
  const base = verbLemma(low)
  const pronoun = Words.pronouns.has(before.low)
  const adverb = formsOf(before.low).adverb && before.low.endsWith("ly")
  const tags = forms.tags
  if (base !== low && low.endsWith("s")) {
    // "Holds 12 bottles".
    if (
      before.value?.dimension === "number" && formsOf(base).noun &&
      !(i > 1 && looksLikeName(elements[i - 2]!))
    ) return 0
    if (pronoun) return 2
    if (/^(?:wants|needs|prefers|likes|uses|owns|hates)$/.test(low)) return 2
    if (tags[0] === "NNS" && !tags.includes("VBZ") && formsOf(base).noun) return 1
    const beforeForms = formsOf(before.low)
    const onlyAdjective = beforeForms.adjective && !beforeForms.noun && !looksLikeName(before)
    // "Legal reviews every contract": a department, since what follows is an object.
    const next = elements[i + 1]
    if (
      onlyAdjective && i === 1 && next !== undefined && tags.includes("VBZ") &&
      /^(?:every|each|all|the)$/.test(next.low)
    ) {
      return 1.5
    }
    return onlyAdjective ? 0 : formsOf(base).noun && !looksLikeName(before) && !adverb ? 1.5 : 2
  }
  if (low.endsWith("ing")) return 0
  if (base !== low || tags.includes("VBD")) return tags[0] === "JJ" || tags[0] === "NN" ? 1 : 2
  const plural = before.value === undefined && before.low.endsWith("s") && nounLemma(before.low) !== before.low
  const pair = elements.slice(0, i).some((element) => element.low === "and")
  if (pronoun && before.low !== "me" && before.low !== "us") return 2
  if (plural || pair || before.quantifier !== undefined) return tags[0]?.startsWith("VB") === true ? 1.8 : 1
  // "Visitor badges for the lab expire": a form that is nothing but a verb, behind a plural.
  const pure = !forms.noun && !forms.adjective && tags[0]?.startsWith("VB") === true &&
    elements.slice(0, i).some(({ low: word }, k) => word.endsWith("s") && k < i - 1 && nounLemma(word) !== word)
  if (pure) return 1.7
  // "Night staff get 28 days": a noun of many, a bare verb, a measure.
  if (tags[0]?.startsWith("VB") === true && elements[i + 1]?.value !== undefined && formsOf(before.low).noun) return 1.2
  return adverb || before.low === "always" || before.low === "never" ? 1 : 0
}

/** The index of the finite verb, -1 for none; 0 for a command. */
export const verbIndex = (elements: ReadonlyArray<Element>): number => {
  let best = -1
  let most = 0.9
  for (let i = 1; i < elements.length; i++) {
    const low = elements[i]!.low
    // What follows a subordinator is another clause.
    if (
      most > 0.9 &&
      (Words.relatives.has(low) || Words.conjunctions.has(low) || /^(?:if|when|while|because|unless)$/.test(low))
    ) break
    const strength = finite(elements, i)
    if (strength > most) [best, most] = [i, strength]
    if (strength === 2) break
  }
  const head = elements.findIndex(({ low }) => !/^(?:please|always|never|do|not|just|don't|only)$/.test(low))
  if (head >= 0) {
    const first = elements[head]!
    const next = elements[head + 1]
    const forms = formsOf(first.low)
    const bare = first.value === undefined && !isLittle(first.low) && forms.verb &&
      verbLemma(first.low) === first.low &&
      !first.token.possessive
    const asked = next !== undefined && imperative.has(first.low) &&
      !/^(?:of|is|are|was|for|and|or|by|to)$/.test(next.low) &&
      next.value === undefined
    const sure = head > 0 || asked || forms.tags[0] === "VB" || forms.tags[0] === "VBP" || !forms.noun
    const followed = next !== undefined && (next.value !== undefined || Words.determiners.has(next.low) ||
      Words.possessives.has(next.low) || Words.prepositions.has(next.low) || next.low.endsWith("s"))
    const late = best < 0 || most < 1.6 ||
      elements.slice(head + 1, best).some(({ low, token }) =>
        token.broken || /^(?:if|when|while|because|unless|before|after|until|that|which|who)$/.test(low)
      )
    if (
      bare && next !== undefined && !isAuxiliary(first.low) && late && (sure || followed) &&
      !(best === head + 1 && most >= 1.5)
    ) {
      return head
    }
  }
  return best
}

/** Verbs commands begin with although they are nouns too. */
const imperative: ReadonlySet<string> = new Set(
  "use set call run write answer reply send ask keep store name put check".split(" ")
)

export const particles: ReadonlySet<string> = new Set([
  "up",
  "down",
  "off",
  "out",
  "away",
  "back",
  "over",
  "ahead",
  "on"
])

/** Verbs with a particle that WordNet lacks. */
const technical: ReadonlySet<string> = new Set(`time_out opt_out log_out sign_up log_off spin_up scale_up scale_down
  sign_off wind_down roll_over`.split(/\s+/))

const turning: ReadonlySet<string> = new Set(["turn", "switch", "put", "carry", "log", "sign", "go"])

/** Where the particle of a verb at `i` stands: next to it, or at the end of its clause ("turn the cache off"). */
const particleAt = (elements: ReadonlyArray<Element>, i: number): number => {
  const next = elements[i + 1]?.low ?? ""
  // "Signed on Monday".
  if (particles.has(next)) {
    return (next === "on" || next === "over") && elements[i + 2]?.value !== undefined
      ? -1
      : i + 1
  }
  const last = elements.length - 1
  return last > i + 1 && last < i + 7 && particles.has(elements[last]!.low) ? last : -1
}

/** "turned down", "call off": a verb and its particle are one verb where WordNet has them as one. */
export const phrasal = (elements: ReadonlyArray<Element>, i: number, verb: Item): Item => {
  if (verb.lemma === "take" && elements[i + 1]?.low === "place") {
    return { ...verb, lemma: "happen_place", concept: "happen", text: `${verb.text} place` }
  }
  const at = particleAt(elements, i)
  // "Hold up to 500": a bound is no part of the verb.
  if (at < 0 || elements[at]!.quantifier !== undefined) return verb
  const particle = elements[at]!.low
  const base = verbLemma(elements[i]!.low)
  if ((particle === "on" || particle === "off") && turning.has(base) && base !== "go") {
    // "turned off" and "is off" meet in the particle.
    const lemma = `${base}_${particle}`
    return {
      ...verb,
      lemma,
      concept: conceptOf(/^(?:turn|switch|put)$/.test(base) ? (particle === "on" ? "enable" : "disable") : lemma),
      text: `${verb.text} ${particle}`
    }
  }
  const lemma = `${base}_${particle}`
  return particle !== "on" && (isVerbPhrase(lemma) || technical.has(lemma))
    ? { ...verb, lemma, concept: conceptOf(lemma), text: `${verb.text} ${particle}` }
    : verb
}

export const isParticiple = (element: Element, auxiliary: string): boolean => {
  const { low } = element
  if (looksLikeName(element) && /^\p{Lu}/u.test(element.token.text)) return false
  const { adjective, tags, verb } = formsOf(low)
  const base = verbLemma(low)
  if (!verb && !formsOf(base).verb) return false
  if (auxiliary === "do") return base === low || low.endsWith("ing")
  if (low.endsWith("ing")) return tags.length === 0 || tags.some((tag) => tag === "VBG") || base !== low
  if (base === low && !tags.includes("VBN")) return false
  return !(adjective && tags[0] === "JJ" && !low.endsWith("ed"))
}

export const startsSubject = ({ low }: Element) =>
  Words.pronouns.has(low) || low === "the" || Words.possessives.has(low)

export const isPastOrThird = (element: Element): boolean => {
  if (element.value !== undefined || looksLikeName(element)) return false
  const { tags, verb } = formsOf(element.low)
  if (!verb || verbLemma(element.low) === element.low) return false
  return tags[0] === "VBD" || tags[0] === "VBZ" || tags[0] === "VBN" ||
    (tags.length === 0 && /(?:ed|es)$/.test(element.low))
}
