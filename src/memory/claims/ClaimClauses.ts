/**
 * Cuts the tokens of an English text into frames. The verb of a clause is found first: an auxiliary, or a form that can
 * be a verb where one can stand; what is before it is the subject, what follows is grouped by preposition. A clause that
 * continues another ("… and joined Bluefen") takes over its subject.
 */
import type { Frame, Item, Kind } from "./ClaimFrame.ts"
import { adjectiveLemma, formsOf, isKnown, nounLemma, verbLemma } from "./ClaimLexicon.ts"
import { denies, isSilent } from "./ClaimNegation.ts"
import { boundAt, quantifierOf } from "./ClaimQuantifiers.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { isVerbPhrase } from "./ClaimThesaurus.ts"
import type { Token } from "./ClaimTokens.ts"
import type { Value } from "./ClaimValue.ts"
import { valueAt } from "./ClaimValues.ts"
import { ceaseVerbs } from "./ClaimVerbs.ts"
import * as Words from "./ClaimWords.ts"

/** A token with its role, or several that are one value. */
interface Element {
  readonly token: Token
  readonly low: string
  readonly value?: Value
  readonly quantifier?: string
}

/** Phrases that may be left out of a claim about the present. */
const idlePhrases = [
  "at all",
  "each other",
  "one another",
  "as well",
  "right now",
  "from now on",
  "these days",
  "in general",
  "of course",
  "at the moment",
  "for now",
  "at present",
  "in total",
  "in fact"
].map((phrase) => phrase.split(" "))

const idleAt = (words: ReadonlyArray<string>, i: number): number =>
  // "version 2.1" is 2.1.
  /^(?:version|release|ver)$/.test(words[i]!) && /^v?\d/.test(words[i + 1] ?? "")
    ? 1
    : idlePhrases.find((phrase) => phrase.every((word, k) => words[i + k] === word))?.length ?? 0

const elementsOf = (tokens: ReadonlyArray<Token>): Array<Element> => {
  const out: Array<Element> = []
  const words = tokens.map(({ low }) => low)
  for (let i = 0; i < tokens.length;) {
    const bound = boundAt(words, i)
    if (bound !== undefined) {
      out.push({ token: tokens[i]!, low: words[i]!, quantifier: bound.name })
      i += bound.length
      continue
    }
    const idle = idleAt(words, i)
    if (idle > 0) {
      i += idle
      continue
    }
    const found = valueAt(tokens, i, "en")
    if (found !== undefined) {
      out.push({ token: tokens[i]!, low: words[i]!, value: found.value })
      i += found.length
      continue
    }
    out.push({ token: tokens[i]!, low: words[i]! })
    i++
  }
  return out
}

const isAuxiliary = (low: string) =>
  Words.beForms.has(low) || Words.haveForms.has(low) || Words.doForms.has(low) || Words.modals.has(low)

const isLittle = (low: string) =>
  Words.prepositions.has(low) || Words.determiners.has(low) || Words.pronouns.has(low) || Words.conjunctions.has(low) ||
  Words.possessives.has(low) || Words.fillers.has(low) || denies(low, "en") ||
  quantifierOf(low) !== undefined && !isAuxiliary(low)

const looksLikeName = ({ token }: Element) =>
  /^\p{Lu}/u.test(token.text) && (!token.first || !isKnown(token.low)) || /[\d_./\\@+#]/.test(token.text)

/** How much a form at `i` speaks for being the finite verb: 0 no, 1 may be, 2 surely. */
const finite = (elements: ReadonlyArray<Element>, i: number): number => {
  const { low, token, value } = elements[i]!
  if (value !== undefined || i === 0) return 0
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
    if (pronoun) return 2
    if (tags[0] === "NNS" && !tags.includes("VBZ") && formsOf(base).noun) return 1
    const beforeForms = formsOf(before.low)
    const onlyAdjective = beforeForms.adjective && !beforeForms.noun && !looksLikeName(before)
    return onlyAdjective ? 0 : formsOf(base).noun && !looksLikeName(before) && !adverb ? 1.5 : 2
  }
  if (low.endsWith("ing")) return 0
  if (base !== low || tags.includes("VBD")) return tags[0] === "JJ" || tags[0] === "NN" ? 1 : 2
  const plural = before.value === undefined && before.low.endsWith("s") && nounLemma(before.low) !== before.low
  const pair = elements.slice(0, i).some((element) => element.low === "and")
  if (pronoun && before.low !== "me" && before.low !== "us") return 2
  if (plural || pair || before.quantifier !== undefined) return tags[0]?.startsWith("VB") === true ? 1.8 : 1
  return adverb || before.low === "always" || before.low === "never" ? 1 : 0
}

/** The index of the finite verb, -1 for none; 0 for a command. */
const verbIndex = (elements: ReadonlyArray<Element>): number => {
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
    const bare = first.value === undefined && !isLittle(first.low) && forms.verb && verbLemma(first.low) === first.low &&
      !first.token.possessive
    const sure = head > 0 || forms.tags[0] === "VB" || forms.tags[0] === "VBP" || !forms.noun
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

const kindOf = (element: Element, asVerb: boolean): Kind => {
  if (element.value !== undefined) return "value"
  if (asVerb) return "verb"
  if (Words.pronouns.has(element.low) || Words.possessives.has(element.low)) return "pronoun"
  if (looksLikeName(element)) return "name"
  const { adjective, adverb, noun, tags, verb } = formsOf(element.low)
  const first = tags[0] ?? ""
  if (first.startsWith("JJ")) return "adjective"
  if (first.startsWith("RB")) return "adverb"
  if (first.startsWith("VB")) return noun && first !== "VBD" && first !== "VBN" && first !== "VBG" ? "noun" : "verb"
  if (noun) return "noun"
  if (adjective) return "adjective"
  return adverb ? "adverb" : verb ? "verb" : "name"
}

const nationalities = /(?:ese|ish|ian|ean|ch|man)$/

export const itemOf = (
  element: { readonly token: Token; readonly low: string; readonly value?: Value },
  asVerb = false
): Item => {
  const { low, token, value } = element
  if (value !== undefined) return { concept: value.key, lemma: value.key, text: value.text, kind: "value", value }
  const kind = kindOf(element, asVerb)
  const joined = low.replace(/(?<=\p{L})-(?=\p{L})/gu, "").replace(/'/g, "")
  let lemma = joined
  if (kind === "verb") lemma = verbLemma(joined)
  else if (kind === "noun" || kind === "name") {
    lemma = kind === "name" && nationalities.test(joined)
      ? joined
      : nounLemma(joined)
  } else if (kind === "adjective" || kind === "adverb") {
    const adjective = adjectiveLemma(joined)
    lemma = adjective !== joined && isKnown(adjective) ? adjective : joined
  }
  // I and "the user" are one person in what an agent keeps.
  if (low === "born") lemma = "born"
  if (/^(?:i|me|my|mine|myself)$/.test(low)) lemma = "user"
  else if (/^(?:we|us|our|ours|ourselves)$/.test(low)) lemma = "we"
  else if (/^(?:your|yours|yourself)$/.test(low)) lemma = "you"
  else if (/^(?:his|him|himself)$/.test(low)) lemma = "he"
  else if (/^(?:her|hers|herself)$/.test(low)) lemma = "she"
  else if (/^(?:their|theirs|them|themselves)$/.test(low)) lemma = "they"
  else if (low === "its" || low === "itself") lemma = "it"
  const verbal = kind === "noun" || kind === "adjective" ? conceptOf(lemma) : undefined
  // "written", "planned": a participle is its verb.
  const concept = verbal !== undefined && verbal === lemma && kind === "adjective" && formsOf(lemma).verb
    ? conceptOf(verbLemma(lemma))
    : conceptOf(lemma)
  return { concept, lemma, text: token.text, kind }
}

/** A group while it grows. `X of Y` is kept as two phrases and read as `Y X`, the order of "Y's X". */
interface Draft {
  readonly phrases: Array<Array<Item>>
  readonly preposition: string
  definite: boolean
}

const draft = (preposition: string): Draft => ({ phrases: [[]], preposition, definite: false })
const current = ({ phrases }: Draft): Array<Item> => phrases[phrases.length - 1]!

/** The items in the order of "Y's X", each later phrase possessing the head of the one before it. */
const settled = ({ phrases }: Draft): ReadonlyArray<Item> => {
  const filled = phrases.filter((phrase) => phrase.length > 0)
  return filled.reduceRight<ReadonlyArray<Item>>((after, phrase) => {
    const head = phrase[phrase.length - 1]!
    // "4 GB of RAM" is "4 GB RAM".
    if (head.value !== undefined) return [...phrase, ...after]
    const owners = after.map((item) =>
      item.value === undefined ? { ...item, possesses: item.possesses ?? head.concept } : item
    )
    return [...phrase.slice(0, -1), ...owners, head]
  }, [])
}

/** The frames of a text's tokens. */
export const framesOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<Frame> => {
  const frames: Array<Frame> = []
  let start = 0
  while (start < tokens.length) {
    let end = start + 1
    while (end < tokens.length && tokens[end]!.sentence === tokens[start]!.sentence) end++
    for (const frame of clausesOf(elementsOf(tokens.slice(start, end)))) frames.push(frame)
    start = end
  }
  return frames
}

const liking = /^(?:likes?|liked|loves?|loved|enjoys?)$/

/** "the food Priya likes most" is "Priya's favourite food"; "likes X better" is "prefers X". */
const preferring = (elements: ReadonlyArray<Element>): ReadonlyArray<Element> => {
  const at = elements.findIndex(({ low }) => /^(?:most|best|better|more)$/.test(low))
  const verb = at < 0 ? -1 : elements.findLastIndex(({ low }, i) => i < at && liking.test(low))
  if (verb < 1) return elements
  const adverb = elements[at]!
  const whole = at === verb + 1 && /^(?:most|best)$/.test(adverb.low)
  const start = elements.findLastIndex(({ low }, i) => i < verb && Words.determiners.has(low) && low !== "a")
  if (whole && start >= 0 && verb - start >= 3 && verb - start <= 5) {
    const owner = elements[verb - 1]!
    const noun = elements.slice(start + 1, verb - 1).filter(({ low }) => !Words.relatives.has(low))
    const favourite: Element = { token: { ...adverb.token, text: "favourite", low: "favourite" }, low: "favourite" }
    const possessive: Element = owner.low === "i"
      ? { ...owner, low: "my" }
      : { ...owner, token: { ...owner.token, possessive: true } }
    return [...elements.slice(0, start), possessive, favourite, ...noun, ...elements.slice(at + 1)]
  }
  if (at > verb + 1 && at === elements.length - 1) {
    const prefers: Element = { token: { ...elements[verb]!.token, text: "prefers", low: "prefers" }, low: "prefers" }
    return [...elements.slice(0, verb), prefers, ...elements.slice(verb + 1, at)]
  }
  return elements
}

const clausesOf = (given: ReadonlyArray<Element>): ReadonlyArray<Frame> => {
  const elements = preferring(given)
  const assigned = elements.findIndex(({ token }) => token.assigned)
  if (assigned >= 0 && assigned < elements.length - 1) return [assignment(elements, assigned)]
  const verb = verbIndex(elements)
  if (verb < 0) return [frameOf(elements, -1, elements.length)]
  // A second finite verb after "and", "but" or "then" starts a clause with the same subject.
  for (let i = verb + 2; i < elements.length - 1; i++) {
    if (!Words.conjunctions.has(elements[i]!.low) || elements[i]!.low === "or") continue
    const next = elements[i + 1]!
    const own = verbIndex(elements.slice(i + 1))
    const direct = isAuxiliary(next.low) || isPastOrThird(next)
    if (direct || own > 0 && !Words.prepositions.has(elements[i - 1]!.low) && startsSubject(next)) {
      const first = frameOf(elements, verb, i)
      const rest = elements.slice(i + 1)
      return direct
        ? [first, ...clausesOf([...elements.slice(0, verb), ...rest])]
        : [first, ...clausesOf(rest)]
    }
  }
  return [frameOf(elements, verb, elements.length)]
}

const startsSubject = ({ low }: Element) => Words.pronouns.has(low) || low === "the" || Words.possessives.has(low)

const isPastOrThird = (element: Element): boolean => {
  if (element.value !== undefined || looksLikeName(element)) return false
  const { tags, verb } = formsOf(element.low)
  if (!verb || verbLemma(element.low) === element.low) return false
  return tags[0] === "VBD" || tags[0] === "VBZ" || tags[0] === "VBN" ||
    (tags.length === 0 && /(?:ed|es)$/.test(element.low))
}

/** `key = value`, `key: value`: the key is what it is about, whole. */
const assignment = (elements: ReadonlyArray<Element>, at: number): Frame => {
  const frame = frameOf(elements.slice(at + 1), -1, elements.length - at - 1)
  const subject = elements.slice(0, at + 1).flatMap((element) => {
    if (element.value !== undefined) return [itemOf(element)]
    return Words.determiners.has(element.low) || Words.prepositions.has(element.low) ? [] : [itemOf(element)]
  })
  return { ...frame, subject, subjectDefinite: true, verb: "be", verbText: "is" }
}

const frameOf = (elements: ReadonlyArray<Element>, verb: number, end: number): Frame => {
  const subject = draft("")
  const groups: Array<Draft> = []
  const quantifiers: Array<string> = []
  let group = subject
  let denials = 0
  let verbItem: Item | undefined
  let auxiliary = ""
  let passive = false
  let ended = false
  let definite = false
  let side = ""
  let existential = false
  let listed = false
  let tense: Frame["tense"] = ""
  const open = (preposition: string) => {
    group = draft(preposition)
    groups.push(group)
    side = Words.directed.has(preposition) ? preposition : ""
  }
  const push = (item: Item) => {
    if (definite && current(group).length === 0) group.definite = true
    definite = false
    current(group).push({ ...item, ...(side === "" ? {} : { side }), ...(listed ? { listed } : {}) })
    listed = false
  }
  if (verb <= 0) open("")
  for (let i = 0; i < end; i++) {
    const element = elements[i]!
    const { low, token } = element
    const inSubject = verb > 0 && i < verb
    if (token.broken) listed = true
    if (element.quantifier !== undefined) {
      quantifiers.push(element.quantifier)
      continue
    }
    if (element.value !== undefined) {
      // "Every night the backup runs": when, before what it is about.
      const temporal = /^(?:time|date|weekday|repeat)$/.test(element.value.dimension)
      if (inSubject && group === subject && temporal && current(subject).length === 0) open("at")
      push(itemOf(element))
      continue
    }
    if (i === verb && !isAuxiliary(low)) {
      verbItem = phrasal(elements, i, itemOf(element, true))
      const { tags } = formsOf(low)
      const base = verbLemma(low) === low
      if (!base && !low.endsWith("s") && (tags.includes("VBD") || low.endsWith("ed"))) tense = "past"
      open("")
      continue
    }
    if ((particles.has(low) || low === "place") && verbItem?.lemma.endsWith(`_${low}`) === true) continue
    if (verb >= 0 && i >= verb && verbItem === undefined && isAuxiliary(low)) {
      const modal = quantifierOf(low)
      if (modal !== undefined) quantifiers.push(modal)
      if (auxiliary === "" && /^(?:was|were|had|did)$/.test(low)) tense = "past"
      if (/^(?:will|shall)$/.test(low)) tense = "future"
      if (!Words.modals.has(low) && (auxiliary !== "be" || Words.beForms.has(low))) {
        auxiliary = Words.beForms.has(low) ? "be" : Words.haveForms.has(low) ? "have" : "do"
      }
      if (group === subject) open("")
      continue
    }
    if (denies(low, "en") && !token.possessive) {
      denials++
      const scope = quantifierOf(elements[i + 1]?.low ?? "")
      if (low === "not" && (scope === "all" || scope === "only")) quantifiers.push("not-all")
      if (low === "without") open("with")
      if (/^(?:never|none|nobody|nothing)$/.test(low)) quantifiers.push("none")
      continue
    }
    if (isSilent(low, "en")) continue
    const quantifier = quantifierOf(low)
    const bounding = !/^(?:about|around)$/.test(low) || elements[i + 1]?.value !== undefined
    if (quantifier !== undefined && bounding) {
      quantifiers.push(quantifier)
      continue
    }
    if (low === "used" && elements[i + 1]?.low === "to" && auxiliary === "") {
      ended = true
      i++
      continue
    }
    if (Words.determiners.has(low)) {
      definite = low !== "a" && low !== "an"
      continue
    }
    if (low === "there" && i === 0) existential = true
    if (Words.conjunctions.has(low)) {
      listed = true
      if (low === "or") quantifiers.push("or")
      continue
    }
    if (Words.relatives.has(low) || isAuxiliary(low)) continue
    const afterAuxiliary = verb >= 0 && i > verb && verbItem === undefined && auxiliary !== "" &&
      group.preposition === "" && current(group).length === 0
    if (afterAuxiliary && isParticiple(element, auxiliary)) {
      passive = auxiliary === "be" && !low.endsWith("ing")
      verbItem = phrasal(elements, i, itemOf(element, true))
      continue
    }
    if (Words.fillers.has(low)) continue
    if (low === "of" && Words.prepositions.has(elements[i - 1]?.low ?? "")) continue
    if (low === "of" && current(group).length > 0) {
      group.phrases.push([])
      continue
    }
    if (Words.states.has(low) && i > verb && verb >= 0 && endsClause(elements, i, end)) {
      if (verbItem === undefined) open("")
      push({ ...itemOf(element), kind: "adjective", concept: low, lemma: low })
      continue
    }
    if (Words.prepositions.has(low)) {
      // A phrase before the verb belongs to the subject, one before the subject ("On Mondays the …") is its own.
      if (inSubject && current(subject).length > 0) {
        if (low === "for") group.phrases.push([])
        side = Words.directed.has(low) ? low : ""
        continue
      }
      if (low !== "to" || i > 1) open(low)
      continue
    }
    if (Words.possessives.has(low)) {
      definite = true
      // Behind the subject "his" points back to it; before, it says whose.
      const first = /^(?:my|our|mine|ours|your|yours)$/.test(low)
      if (first || (inSubject && current(subject).length === 0)) {
        push({ ...itemOf(element), possesses: ownedBy(elements, i, end) })
      }
      definite = true
      continue
    }
    if (inSubject && group !== subject && startsNounPhrase(elements, i)) {
      group = subject
      side = ""
    }
    const item = itemOf(element)
    if (token.possessive) definite = true
    push(token.possessive ? { ...item, possesses: ownedBy(elements, i, end) } : item)
  }
  let concept = verbItem?.concept ?? auxiliary
  let verbText = verbItem?.text ?? auxiliary
  // "stopped smoking": the complement has ended.
  if (verbItem !== undefined && ceaseVerbs.has(concept) && !passive) {
    const complement = groups.map(current).find((items) => items.length > 0)
    const ending = complement?.[0]
    if (complement !== undefined && ending !== undefined && ending.text.endsWith("ing")) {
      complement.shift()
      concept = conceptOf(verbLemma(ending.text.toLowerCase()))
      verbText = ending.text
      ended = true
    }
  }
  // "can't stand": hates.
  if (/^(?:stand|bear)$/.test(concept) && denials > 0 && quantifiers.includes("can")) {
    concept = conceptOf("hate")
    denials--
    quantifiers.splice(quantifiers.indexOf("can"), 1)
  }
  if (verb > 0 && settled(subject).length === 0 && !existential) {
    // "Monday is a holiday": when there is nothing else, the time is what it is about.
    const front = groups.findIndex(({ preposition }) => preposition === "at")
    if (front === 0) subject.phrases.push([...settled(groups.shift()!)])
  }
  if (existential && concept === "be") {
    // "There are four bedrooms in the house": the house has them.
    const place = groups.find(({ preposition }) => Words.placing.has(preposition))
    if (place !== undefined) {
      groups.splice(groups.indexOf(place), 1)
      subject.phrases.push([...settled(place)])
      concept = "have"
      verbText = "have"
    }
  }
  return {
    subject: settled(subject),
    subjectDefinite: subject.definite,
    verb: concept,
    verbText,
    groups: groups.map((each) => ({
      preposition: each.preposition,
      items: concept === "be" && each.preposition === ""
        ? settled(each).map((item) => ({ ...item, predicate: true }))
        : settled(each),
      definite: each.definite
    }))
      .filter(({ items }) => items.length > 0),
    denials: denials + (ended ? 1 : 0),
    quantifiers: [...new Set(quantifiers)].sort(),
    passive,
    tense,
    command: verb >= 0 && settled(subject).length === 0
  }
}

const particles: ReadonlySet<string> = new Set(["up", "down", "off", "out", "away", "back", "over", "ahead", "on"])
const turning: ReadonlySet<string> = new Set(["turn", "switch", "put", "carry", "log", "sign", "go"])

/** Where the particle of a verb at `i` stands: next to it, or at the end of its clause ("turn the cache off"). */
const particleAt = (elements: ReadonlyArray<Element>, i: number): number => {
  if (particles.has(elements[i + 1]?.low ?? "")) return i + 1
  const last = elements.length - 1
  return last > i + 1 && last < i + 7 && particles.has(elements[last]!.low) ? last : -1
}

/** "turned down", "call off": a verb and its particle are one verb where WordNet has them as one. */
const phrasal = (elements: ReadonlyArray<Element>, i: number, verb: Item): Item => {
  if (verb.lemma === "take" && elements[i + 1]?.low === "place") {
    return { ...verb, lemma: "happen_place", concept: "happen", text: `${verb.text} place` }
  }
  const at = particleAt(elements, i)
  if (at < 0) return verb
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
  return particle !== "on" && isVerbPhrase(lemma)
    ? { ...verb, lemma, concept: lemma, text: `${verb.text} ${particle}` }
    : verb
}

/** Nothing that a preposition at `i` could govern follows. */
const endsClause = (elements: ReadonlyArray<Element>, i: number, end: number): boolean => {
  const next = elements[i + 1]
  return i + 1 >= end || next === undefined || next.token.broken || Words.conjunctions.has(next.low) ||
    (Words.prepositions.has(next.low) && next.low !== "of") || Words.fillers.has(next.low) && i + 2 >= end
}

/** Whether the subject starts at `i` behind a phrase that stood before it: a determiner or a comma stands before. */
const startsNounPhrase = (elements: ReadonlyArray<Element>, i: number): boolean => {
  const before = elements[i - 1]
  if (before === undefined) return true
  return elements[i]!.token.broken || before.token.broken || (before.value !== undefined) ||
    ((Words.determiners.has(before.low) || Words.possessives.has(before.low)) && elements[i - 2] !== undefined &&
      !Words.prepositions.has(elements[i - 2]!.low))
}

/** The concept of the noun a possessor owns: the last noun of the phrase after it. */
const ownedBy = (elements: ReadonlyArray<Element>, i: number, end: number): string => {
  let owned = ""
  for (let k = i + 1; k < end && k < i + 5; k++) {
    const { low, token, value } = elements[k]!
    if (value !== undefined || isAuxiliary(low) || Words.prepositions.has(low) || token.broken) break
    if (owned !== "" && finite(elements, k) >= 1.5) break
    owned = itemOf(elements[k]!).concept
  }
  return owned
}

const isParticiple = (element: Element, auxiliary: string): boolean => {
  const { low } = element
  if (looksLikeName(element) && /^\p{Lu}/u.test(element.token.text)) return false
  const { adjective, tags, verb } = formsOf(low)
  const base = verbLemma(low)
  if (!verb && !formsOf(base).verb) return false
  if (auxiliary === "do") return base === low
  if (low.endsWith("ing")) return tags.length === 0 || tags.some((tag) => tag === "VBG") || base !== low
  if (base === low && !tags.includes("VBN")) return false
  return !(adjective && tags[0] === "JJ" && !low.endsWith("ed"))
}
