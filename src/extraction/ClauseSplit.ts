/**
 * A sentence as the clauses that stand on their own, each beginning with whoever it is about: contractions written out,
 * greetings and fillers left out, coordinated clauses and verbs apart. English. Pure. Next: `ClauseSubject`.
 */
import lemmatizer from "wink-lemmatizer"

const contractions: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bgonna\b/gi, "going to"],
  [/\bwanna\b/gi, "want to"],
  [/(?<!\p{L})'?(?:cause|cuz|coz)\b(?= )/giu, "because"],
  [/(?<!\p{L})'em\b/giu, "them"],
  [/(?<=\p{L})in'(?=\s|$)/gu, "ing"],
  [/\bI'm\b|\bIm\b/g, "I am"],
  [/\b(I|we|they)'ve\b|\bI(?=ve\b)ve\b/gi, "$1 have"],
  [/\b(I|we|he|she|it|they)'ll\b/gi, "$1 will"],
  [/\b(we|they)'re\b/gi, "$1 are"],
  [/\b(he|she)'s (?=\p{L}+ing\b|a\b|an\b|not\b|in\b|from\b|allergic\b)/giu, "$1 is "],
  [/\bcan't\b|\bcannot\b/gi, "can not"],
  [/\bwon't\b/gi, "will not"],
  [/\b(do|does|did|is|are|was|were|has|have|had)n't\b/gi, "$1 not"],
  [/\b(name|birthday|favou?rite \p{L}+)'s\b(?= \p{L})/giu, "$1 is"]
]

const fillers =
  `well|oh|ah|hey|hi|hello|yeah|yea|yes|yep|yup|nope|no|nah|ok|okay|sure|thanks|thank you|thx|wow|whoa|cool|great|nice
  |awesome|amazing|btw|by the way|fyi|actually|honestly|frankly|anyways?|also|and|but|so|plus|then|besides|unfortunately|sadly|luckily
  |fortunately|thankfully|finally|recently|lately|currently|nowadays|these days|personally|basically|in fact|as for me|for me
  |to be honest|tbh|good news|bad news|guess what|haha|lol|hmm+|um+|uh|aw+|gosh|man|dude|right|true|exactly|absolutely|definitely
  |totally|of course|congrats|congratulations|same here|me too|speaking of which|turns out|it turns out|after that|later|update
  |quick update|big news|remember|please remember|remember that|please remember that|note that|please note that|for the record|yay
  |as you know|since then|long story short|believe it or not|to answer your question|one more thing|another thing|first of all|in my free time
  |in my spare time|at the moment|right now|nothing much|not much|same|likewise|hola|hallo|ja|nein|also ich|oui|non|salut|sí`
    .replace(/\s*\n\s*/g, "")
const filler = new RegExp(
  `^(?:${fillers})(?: (?:so much|a lot|a bunch|everyone|everybody|guys|all|there|again|too|buddy|friend|bro|mate|for asking|\\p{L}+(?=[,!.:])))*(?:[,!:;.…]+ ?| (?=(?:i|my|we|last|yesterday|this|today)\\b))`,
  "iu"
)

// Greetings, a name and two fillers in a row; what has more says little.
const MOST_FILLERS = 5

/** A clause without what stands before its subject; `names` are people who are spoken to. */
const withoutFillers = (clause: string, names: ReadonlySet<string>): string => {
  let rest = clause.replace(/^[\s,.;:!–—-]+/, "")
  for (let pass = 0; pass < MOST_FILLERS; pass++) {
    const before = rest
    rest = rest.replace(filler, "").replace(
      /^(\p{Lu}\p{L}+)[,!] ?(?=\P{Lu}|I\b|My\b)/u,
      (whole: string, name: string) => names.has(name.toLowerCase()) ? "" : whole
    )
    if (rest === before) break
  }
  return rest.trim()
}

// "and I", "but my sister"; a subject of its own begins a clause of its own. A date in front stays with its clause.
const joins =
  /(?:,|;|\s)\s*(?:and|but|so|then|plus|yet|& )\s+(?:(?:now|then|also|yes)\s+)?(?=(?:I|my|we)\b)|(?<!(?:^|[,!] )[^,]{0,30}(?<!\p{L})(?:yesterday|today|tonight|week|weekend|month|year|night|morning|afternoon|evening|\p{L}*day|ago|spring|summer|fall|autumn|winter|\d{4})),\s+(?=(?:I|my|we|We|My)\b)|;\s+|\s+[–—-]{1,2}\s+|(?<=\p{L})[—–](?=\p{L})|(?<=\p{L}):\s+/gu

// Behind these a clause depends on another.
const dependent =
  /^(?:because|when|while|where|whenever|after|before|until|till|as|although|though|since (?:i|we|my|he|she|they)|which|who|whose|that|what|how|why|than|like i|even though|now that|so that|to|except|by|without|not only)\b/i

/** A clause, and all that its sentence said before and in it; what follows its main part is not heard yet. */
export interface Clause {
  readonly text: string
  readonly heard: string
}

// Where the main part of a clause ends.
const tail = /\s*,?\s+(?:because|which|who|where|so|but|since (?:i|it|we)|and (?:it|that|this|they|you|he|she))\s.*$/iu

/** The clauses of a sentence that state something by themselves. */
export const clausesOf = (sentence: string, names: ReadonlySet<string>): ReadonlyArray<Clause> => {
  let text = sentence.replace(/\([^)]*\)/g, " ").replace(/, (?:who|which) [^,]{2,80}, (?=\p{Ll})/gu, " ")
  for (const [pattern, by] of contractions) text = text.replace(pattern, by)
  text = text.replace(/\s+/g, " ")
  const found: Array<Clause> = []
  let from = 0
  for (const joint of [...text.matchAll(joins), null]) {
    const to = joint === null ? text.length : joint.index
    const piece = withoutFillers(text.slice(from, to), names)
    const before = text.slice(0, from)
    if (piece !== "" && !dependent.test(piece)) {
      found.push(...byVerbs(piece).map((one) => ({ text: one, heard: `${before}${one.replace(tail, "")}` })))
    }
    if (joint !== null) from = joint.index + joint[0].length
  }
  return found
}

const isPast = (word: string): boolean =>
  lemmatizer.verb(word) !== word && !/(?:ing|s)$/.test(word) && (word.endsWith("ed") || irregular.has(word))
const irregular: ReadonlySet<string> = new Set(
  "went got took made came ran won met saw wrote built bought found left gave began taught learnt sold became flew drove drew"
    .split(" ")
)

/** "I moved to Berlin and started a job" is two statements of one subject; only a past verb continues a past one. */
const byVerbs = (clause: string): ReadonlyArray<string> => {
  const subject = /^(I|We|we)\b/.exec(clause)?.[1]
  const first = subject === undefined
    ? undefined
    : clause.slice(subject.length + 1).split(" ").find((word) => isPast(word))
  if (subject === undefined || first === undefined) return [clause]
  const parts: Array<string> = []
  let rest = clause
  for (const match of clause.matchAll(/,? and (?:then |also |finally |even |just )*(\p{Ll}+)(?= )/gu)) {
    const verb = match[1] ?? ""
    if (!isPast(verb) || match.index < clause.length - rest.length) continue
    const from = clause.length - rest.length
    parts.push(clause.slice(from, match.index))
    rest = clause.slice(match.index + match[0].length - verb.length)
  }
  return [...parts, rest].map((part, at) => at === 0 ? part : `${subject} ${part}`)
}
