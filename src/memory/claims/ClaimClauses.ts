/**
 * Cuts the tokens of an English text into frames, one a clause. A clause that continues another ("… and joined Bluefen")
 * takes over its subject; `key = value` is a frame whose subject is the key.
 */
import { type Element, elementsOf, isAuxiliary, looksLikeName, preferring } from "./ClaimElements.ts"
import { complements, type Frame } from "./ClaimFrame.ts"
import { frameOf } from "./ClaimFrameBuild.ts"
import { itemOf } from "./ClaimItems.ts"
import { denies } from "./ClaimNegation.ts"
import { rephrased } from "./ClaimPhrasing.ts"
import type { Token } from "./ClaimTokens.ts"
import { isPastOrThird, startsSubject, verbIndex } from "./ClaimVerbFinder.ts"
import * as Words from "./ClaimWords.ts"

/** The frames of a text's tokens. */
export const framesOf = (given: ReadonlyArray<Token>): ReadonlyArray<Frame> => {
  const tokens = rephrased(given)
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

/** "It was in Lyon that she studied", "it is Anna who leads": the sentence without its stage. */
const uncleft = (elements: ReadonlyArray<Element>): ReadonlyArray<Element> => {
  if (elements[0]?.low !== "it" || !/^(?:is|was)$/.test(elements[1]?.low ?? "")) return elements
  const at = elements.findIndex(({ low }, i) => i > 2 && i < 10 && (low === "that" || low === "who"))
  const staged = elements[2]
  if (at < 0 || staged === undefined || at > elements.length - 2) return elements
  // "It is a tool that formats code" describes.
  const who = elements[at]!.low === "who"
  if (!who && !Words.prepositions.has(staged.low) || who && !looksLikeName(staged)) return elements
  return [...elements.slice(2, at), ...elements.slice(at + 1)]
}

const fronting: ReadonlySet<string> = new Set(
  `in on at for from since until during with without before after if when whenever unless while because under per within
  inside outside near to as by`.split(/\s+/)
)

/** "In the kiln repo, indent with tabs": what stands before its clause stands behind it, where it is said as often. */
const unfronted = (elements: ReadonlyArray<Element>): ReadonlyArray<Element> => {
  const first = elements[0]
  if (first === undefined || !fronting.has(first.low)) return elements
  const conditional = /^(?:if|when|whenever|unless|while|because|before|after|as|since|until)$/.test(first.low)
  const at = elements.findIndex(({ low, token }, i) =>
    i > 1 && (token.broken || !conditional && /^(?:i|we|you|they|he|she|it)$/.test(low))
  )
  if (at < 0 || at > 14 || at >= elements.length - 1) return elements
  const [front, rest] = [elements.slice(0, at), elements.slice(at)]
  if (!conditional && front.some(({ low }) => Words.relatives.has(low))) return elements
  const verb = verbIndex(rest)
  // A comma before the verb of what is left is one of a list.
  if (verb < 0 || rest.slice(1, verb + 1).some(({ token }) => token.broken)) return elements
  const opened = rest.map((element, i) =>
    i === 0 ? { ...element, token: { ...element.token, broken: false } } : element
  )
  return [...opened, ...front]
}

const clausesOf = (given: ReadonlyArray<Element>): ReadonlyArray<Frame> => {
  const elements = unfronted(preferring(uncleft(given)))
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
    const pointing = /^(?:that|this|which)$/.test(next.low) && own === 1
    if (direct || own > 0 && !Words.prepositions.has(elements[i - 1]!.low) && (startsSubject(next) || pointing)) {
      const first = frameOf(elements, verb, i)
      const rest = elements.slice(i + 1)
      return direct
        ? [first, ...clausesOf([...elements.slice(0, verb), ...rest])]
        : [first, ...clausesOf(rest)]
    }
  }
  return [frameOf(elements, verb, elements.length)]
}

/** `key = value`, `key: value`: the key is what it is about, whole. */
const assignment = (elements: ReadonlyArray<Element>, at: number): Frame => {
  const frame = frameOf(elements.slice(at + 1), -1, elements.length - at - 1)
  const key = elements.slice(0, at + 1)
  // "Captain of the ferry" is the ferry's captain.
  const possessed = key.some(({ low }, i) => low === "of" && i > 0)
  const subject = possessed ? complements(frameOf(key, -1, key.length)) : key.flatMap((element) => {
    if (element.value !== undefined) return [itemOf(element)]
    return Words.determiners.has(element.low) || Words.prepositions.has(element.low) ? [] : [itemOf(element)]
  })
  const denials = elements.slice(0, at + 1).filter(({ low }) => denies(low, "en")).length
  return {
    ...frame,
    subject,
    subjectDefinite: true,
    verb: "be",
    verbText: "is",
    denials: frame.denials + denials,
    assigned: true
  }
}
