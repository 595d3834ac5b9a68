/**
 * Builds the frame of one English clause whose verb is known: one walk over its elements that sorts every word into
 * subject, verb, complement by preposition, denial, quantifier, or nothing.
 */
import { type Element, isAuxiliary } from "./ClaimElements.ts"
import type { Frame, Item } from "./ClaimFrame.ts"
import { graded, itemOf } from "./ClaimItems.ts"
import { formsOf, verbLemma } from "./ClaimLexicon.ts"
import { denies, isSilent } from "./ClaimNegation.ts"
import { current, type Draft, draft, settled } from "./ClaimPhrases.ts"
import { quantifierOf } from "./ClaimQuantifiers.ts"
import { conceptOf } from "./ClaimSynonyms.ts"
import { finite, isParticiple, particles, phrasal } from "./ClaimVerbFinder.ts"
import { ceaseVerbs } from "./ClaimVerbs.ts"
import * as Words from "./ClaimWords.ts"

export const frameOf = (elements: ReadonlyArray<Element>, verb: number, end: number): Frame => {
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
  let perfect = false
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
    // "At the store only managers …": what is counted there begins the subject.
    const counting = element.quantifier ?? quantifierOf(low)
    if (
      counting !== undefined && inSubject && group !== subject && current(group).length > 0 &&
      !/^(?:about|if)$/.test(counting)
    ) {
      group = subject
      side = ""
    }
    if (element.quantifier !== undefined) {
      quantifiers.push(element.quantifier)
      continue
    }
    if (element.value !== undefined) {
      // "Every night the backup runs": when, before what it is about.
      const temporal = /^(?:time|date|weekday|repeat)$/.test(element.value.dimension)
      if (inSubject && group === subject && temporal && current(subject).length === 0) open("at")
      if (inSubject && group !== subject && !temporal && token.broken && current(group).length > 0) {
        group = subject
        side = ""
      }
      push(itemOf(element))
      continue
    }
    if (i === verb && !isAuxiliary(low)) {
      verbItem = phrasal(elements, i, itemOf(element, true))
      const { tags } = formsOf(low)
      const base = verbLemma(low) === low
      const past = tags.length === 0 || tags.some((tag) => tag === "VBD" || tag === "VBN") || low.endsWith("ed")
      if (!base && !/(?:s|ing)$/.test(low) && past) tense = "past"
      // "She quit" is past, since it would be "quits".
      if (base && Words.unchanging.has(low) && isSingular(current(subject))) tense = "past"
      open("")
      continue
    }
    if ((particles.has(low) || low === "place") && verbItem?.lemma.endsWith(`_${low}`) === true) continue
    if (verb >= 0 && i >= verb && verbItem === undefined && isAuxiliary(low)) {
      const modal = quantifierOf(low)
      if (modal !== undefined) quantifiers.push(modal)
      if (auxiliary === "" && /^(?:was|were|had|did)$/.test(low)) tense = "past"
      if (/^(?:will|shall)$/.test(low)) tense = "future"
      if (auxiliary === "" && Words.haveForms.has(low)) perfect = true
      if (!Words.modals.has(low) && (auxiliary !== "be" || Words.beForms.has(low))) {
        auxiliary = Words.beForms.has(low) ? "be" : Words.haveForms.has(low) ? "have" : "do"
      }
      // A bare verb follows a modal one.
      if (Words.modals.has(low) && auxiliary === "") auxiliary = "do"
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
    // Only nurses may, or nurses may only there.
    if (quantifier === "only" && inSubject) quantifiers.push("only-who")
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
    if (verbItem !== undefined && Words.modals.has(low)) quantifiers.push(quantifierOf(low) ?? "later")
    // "The shed we built had a window": a second verb, of another time.
    if (/^(?:was|were|had|did)$/.test(low) && verb >= 0 && i > verb) quantifiers.push("then")
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
        // "The purchase of Velo by Orbis" keeps who did it.
        side = Words.directed.has(low) || low === "by" ? low : ""
        continue
      }
      if (low !== "to" || i > 1) open(low)
      continue
    }
    if (Words.possessives.has(low)) {
      definite = true
      // Behind the subject "his" points back to it; before, it says whose.
      const first = /^(?:my|our|mine|ours|your|yours)$/.test(low)
      if (first || (inSubject && group === subject && current(subject).length === 0)) {
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
    // "The oldest" is not "the old": the lemma alone would not show it.
    if (item.kind === "adjective" && item.lemma !== low && graded(low)) {
      quantifiers.push(low.endsWith("est") ? "superlative" : "comparative")
    }
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
    quantifiers: [...new Set(quantifiers)].filter((name) => name !== "comparative" || !compares(groups)).sort(),
    passive,
    tense,
    perfect: perfect && concept !== "have",
    command: verb >= 0 && settled(subject).length === 0
  }
}

const isSingular = (items: ReadonlyArray<Item>): boolean => {
  const head = items[items.length - 1]
  return head !== undefined && !items.some(({ listed }) => listed === true) &&
    (head.kind === "name" || head.kind === "noun" && head.lemma === head.text.toLowerCase() ||
      /^(?:he|she|it)$/.test(head.lemma))
}

/** What a comparison compares with stands beside it: the degree shows without its ending. */
const compares = (groups: ReadonlyArray<Draft>): boolean => groups.some(({ preposition }) => preposition === "than")

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
