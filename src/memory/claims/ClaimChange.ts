/**
 * Claims about a change against claims about a state: "moved to Tromsø" against "lives in Bergen", "upgraded from 14 to
 * 16" against "runs on 14", "left Quintrex" against "works for Quintrex".
 */
import { against, answer, type Comparison } from "./ClaimComparison.ts"
import { complements, type Frame, type Item, textOf } from "./ClaimFrame.ts"
import { differingValues, matchItems } from "./ClaimMatch.ts"
import { changeVerbs, lightVerbs, questions } from "./ClaimVerbs.ts"

const under = (frame: Frame, ...prepositions: ReadonlyArray<string>) =>
  frame.groups.filter(({ preposition }) => prepositions.includes(preposition)).flatMap(({ items }) => items)

/** What changes: the object of who changes it, else the subject. */
const themeOf = (frame: Frame) => {
  const object = under(frame, "")
  return frame.passive || object.every(({ value }) => value !== undefined)
    ? frame.subject
    : object
}

const ending: ReadonlySet<string> = new Set(
  `sell lose quit leave cancel remove delete drop abandon retire discontinue cease stop close scrap uninstall
  decommission deprecate replace resign divorce finish break abolish revoke expire sunset`.split(/\s+/)
)
const holding: ReadonlySet<string> = new Set(
  `own have use keep drive work live play run employ hold support maintain marry be rent lease need take attend smoke
  subscribe wear study learn exist`.split(/\s+/)
)

/** The comparison of a change with a state, or undefined when neither is one of the other. */
export const compareChange = (one: Frame, other: Frame): Comparison | undefined =>
  changed(one, other) ?? changed(other, one) ?? ended(one, other) ?? ended(other, one)

const changed = (change: Frame, state: Frame): Comparison | undefined => {
  if (
    !changeVerbs.has(change.verb) || change.denials > 0 || changeVerbs.has(state.verb) && under(state, "to").length > 0
  ) return undefined
  const news = under(change, "to", "into", "until", "by")
  if (news.length === 0) return undefined
  const theme = themeOf(change)
  const about = matchItems(theme, state.subject)
  const same = about.shared > 0 && (about.left.length === 0 || about.right.length === 0) ||
    matchItems(theme, complements(state)).shared === theme.length
  if (!same && !/^(?:it|they|user|we)?$/.test(theme.map(({ lemma }) => lemma).join(" "))) return undefined
  if (!same) return undefined
  const held = complements(state)
  const text = (items: ReadonlyArray<{ readonly text: string }>) => items.map((item) => item.text).join(" ")
  const conflict = (from: string, to: string) =>
    answer("differs", "change", `It has changed: ${against(from, to)}.`, {
      subject: textOf(state.subject).toLowerCase(),
      predicate: state.verb
    })
  const fresh = matchItems(news, held)
  if (fresh.left.length === 0) return answer("unsure", "change", `The change to ${text(news)} is stated as a state.`)
  const pair = differingValues(fresh.left, held)
  if (pair !== undefined) return conflict(pair.from.text, pair.to.text)
  const old = under(change, "from")
  if (old.length > 0 && matchItems(old, held).shared > 0) return conflict(text(held), text(news))
  const question = questions.get(change.verb)
  if (question !== undefined && question === questions.get(state.verb)) return conflict(text(held), text(news))
  return lightVerbs.has(state.verb) || state.verb === "use" || state.verb === "prefer"
    ? conflict(text(held), text(news))
    : undefined
}

const ended = (end: Frame, state: Frame): Comparison | undefined => {
  if (!ending.has(end.verb) || ending.has(state.verb)) return undefined
  const holds = holding.has(state.verb)
  if ((end.denials + state.denials) % 2 === 1) return undefined
  const subjects = matchItems(end.subject, state.subject)
  if (subjects.shared === 0 && end.subject.length > 0) return undefined
  // "Called off the strike" against "is on strike", "ended the partnership" against "partners with".
  const told: ReadonlyArray<Item> = holds
    ? complements(state)
    : [...complements(state), { concept: state.verb, lemma: state.verb, text: state.verbText, kind: "verb" }]
  const objects = matchItems(complements(end), told)
  const thing = end.groups[0]
  if (
    !holds &&
    (thing?.preposition !== "" || matchItems(thing.items.filter(({ kind }) => kind === "noun"), told).shared === 0)
  ) {
    return undefined
  }
  if (objects.shared === 0 || (objects.left.length > 1 && objects.right.length > 1)) return undefined
  return answer("differs", "change", `It has ended: ${against(state.verbText, end.verbText)}.`)
}
