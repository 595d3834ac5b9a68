/**
 * What speaks against calling two claims the same once everything else says they are: small signs that carry the meaning
 * and that comparing words passes over. A doubt never makes claims differ; it only keeps one from standing for the other.
 */

const lowered = (text: string): string => text.normalize("NFC").toLowerCase()

const wordsOf = (text: string): ReadonlyArray<string> => lowered(text).match(/[\p{L}\p{N}_]+/gu) ?? []

// Names of protocols come in pairs of which one is secure; to a stemmer the second is a plural.
const protocols = new Set(
  "http https ftp ftps smtp smtps imap imaps ldap ldaps ws wss mqtt mqtts pop3 pop3s".split(" ")
)

// Words that shut something out; beside them the rest of a sentence means another thing.
const shuttingOut = new Set("but except excluding unless without save minus".split(" "))

// Which side of a thing: told by no other word.
const sides = new Set("inside outside beyond upstream downstream indoors outdoors upstairs downstairs".split(" "))

/** When and how surely something holds, as its verb says. */
const tenses = {
  present: new Set("is are am".split(" ")),
  past: new Set("was were had did".split(" ")),
  future: new Set("will shall".split(" ")),
  conditional: new Set("would should could might".split(" ")),
  permission: new Set("may must can cannot".split(" "))
} as const

// Signs that no word stands for: superscripts, fractions, comparisons, marks.
const signs =
  /[\u00b2\u00b3\u00b9\u2070-\u2079\u00bc-\u00be<>=^*~\u2713\u2714\u2717\u2718\u2605\u2606\u2264\u2265\u2260]/u
const signsAndNumbers = new RegExp(`${signs.source}|\\d+`, "gu")

const sameSequence = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left.length === right.length && left.every((item, at) => item === right[at])

const sorted = (items: ReadonlyArray<string>): ReadonlyArray<string> => [...items].sort()

const pick = (words: ReadonlyArray<string>, wanted: ReadonlySet<string>) => words.filter((word) => wanted.has(word))

// What may open a phrase that says when, where or how, and so may stand in front or behind.
const openings = new Set(
  "on in at by every each during since for from until before after within over under with per once twice usually always never currently today if when whenever unless while because"
    .split(" ")
)

const copulas = new Set("is are was were".split(" "))

/** Whether the second says "Y is X" where the first says "X is Y". */
const isInverted = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean => {
  const at = left.findIndex((word) => copulas.has(word))
  const verb = left[at]
  return verb !== undefined && sameSequence([...left.slice(at + 1), verb, ...left.slice(0, at)], right)
}

/** Whether one of the two begins with phrases of circumstance that the other ends with; what is left stands as it stood. */
const isFronted = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  endsAsBegins(left, right) || endsAsBegins(right, left)

const endsAsBegins = (plain: ReadonlyArray<string>, fronted: ReadonlyArray<string>): boolean => {
  if (!openings.has(fronted[0] ?? "")) return false
  for (let length = 1; length < plain.length; length++) {
    const isCore = sameSequence(plain.slice(0, length), fronted.slice(fronted.length - length))
    if (isCore && openings.has(plain[length] ?? "")) return true
  }
  return false
}

// Words that give the members of a list their order, or their partners.
const ordering = /\b(?:then|first|second|last|finally|before|after|respectively|rank|steps?|order|from|over)\b/i

/** "Russian and Estonian" for "Estonian and Russian": two neighbours of one "and" have changed places. */
const isTurnedList = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean => {
  const at = left.findIndex((word) => word === "and" || word === "or")
  if (at < 1 || left.some((word, i) => i !== at && (word === "and" || word === "or"))) return false
  const differing = left.flatMap((word, i) => word === right[i] ? [] : [i])
  const [start, end] = [differing[0] ?? 0, (differing[differing.length - 1] ?? 0) + 1]
  if (start >= at || end <= at + 1) return false
  return sameSequence([...left.slice(at + 1, end), left[at]!, ...left.slice(start, at)], right.slice(start, end))
}

const tensesIn = (words: ReadonlyArray<string>): string =>
  Object.entries(tenses).filter(([, marks]) => words.some((word) => marks.has(word))).map(([name]) => name).join()

const auxiliaries = new Set(Object.values(tenses).flatMap((marks) => [...marks]))

/** The words beside their auxiliary verbs, in any order. */
const bare = (words: ReadonlyArray<string>) => sorted(words.filter((word) => !auxiliaries.has(word)))

/** Whole numbers that begin with a zero, times and dates apart. */
const padded = (text: string): ReadonlyArray<string> =>
  sorted(text.match(/(?<![\d:.,/-])0\d{2,}(?![\d:.,/-]*\d)/g) ?? [])

// Beside these two names may change places.
const mutual = new Set(
  "married engaged divorced siblings cousins twins partners friends neighbours neighbors colleagues equals equal same adjacent compatible linked connected"
    .split(" ")
)

const condition = /\b(?:if|unless|when|whenever|because|while)\b[^,;.]*/i

const stems = (text: string): ReadonlyArray<string> =>
  wordsOf(text).filter((word) => word.length > 3).map((word) => word.replace(/(?:ing|ed|es|s)$/, ""))

/** What is asked for in one is what it is asked for in the other: deploy if tests pass, tests pass if deployed. */
const isTurnedCondition = (stored: string, written: string): boolean => {
  const [ours, theirs] = [condition.exec(stored)?.[0], condition.exec(written)?.[0]]
  if (ours === undefined || theirs === undefined) return false
  const common = (one: string, other: string) => {
    const words = stems(other)
    return stems(one).filter((word) => words.includes(word)).length
  }
  const within = common(ours, theirs)
  return common(ours, written.replace(theirs, " ")) > within || common(theirs, stored.replace(ours, " ")) > within
}

/** Why two claims that seem to say the same may not; undefined when nothing speaks against it. */
export const doubtOf = (stored: string, written: string): string | undefined => {
  const [ours, theirs] = [wordsOf(stored), wordsOf(written)]
  // Among signs a number has its place: a schedule, a formula.
  // The sign of `key = value` is a verb.
  const told = (text: string) => /=[^=]*=/.test(text) ? lowered(text) : lowered(text).replace(/(?<![<>!])=/, " ")
  const signed = (text: string) => signs.test(told(text)) ? told(text).match(signsAndNumbers) ?? [] : []
  if (!sameSequence(signed(stored), signed(written))) return "their signs are not the same, or stand in another order"
  if (!sameSequence(padded(stored), padded(written))) return "a number that begins with zero is a name, not a value"
  if (!sameSequence(pick(ours, protocols), pick(theirs, protocols))) return "they name other protocols"
  // "Nobody but" shuts out as "only" does.
  const shut = (text: string) =>
    sorted(
      pick(
        wordsOf(
          text.replace(/\b(?:no ?body|no one|nothing|none) (?:but|except)\b/gi, "only").replace(
            /\bfree (?:of|from)\b/gi,
            "without"
          )
        ),
        shuttingOut
      )
    )
  if (!sameSequence(shut(stored), shut(written))) {
    return "one of them shuts something out"
  }
  if (isTurnedCondition(stored, written)) return "what is the condition in one is none in the other"
  if (!sameSequence(sorted(pick(ours, sides)), sorted(pick(theirs, sides)))) return "they name other sides"
  if (/\babout to\b/.test(lowered(stored)) !== /\babout to\b/.test(lowered(written))) return "one has not happened yet"
  // In other words a tense is told otherwise (able to, can); in the same words another one is another claim.
  if (tensesIn(ours) !== tensesIn(theirs) && sameSequence(bare(ours), bare(theirs))) {
    return "their verbs stand in other tenses"
  }
  const isFew = (text: string) => /\bfew\b/.test(text) && !/\b(?:a|quite a) few\b/.test(text)
  if (isFew(lowered(stored)) !== isFew(lowered(written))) return "few are not a few"
  if (/\b(?:version|release|v\d)/i.test(stored)) {
    const decimals = (text: string) => sorted(text.match(/\d+(?:\.\d+)+/g) ?? [])
    if (!sameSequence(decimals(stored), decimals(written))) return "their versions are written in other digits"
  }
  const isReordered = sameSequence(sorted(ours), sorted(theirs)) && !sameSequence(ours, theirs)
  const isList = isReordered && !ordering.test(stored) && !/:/.test(stored) && isTurnedList(ours, theirs)
  if (
    isReordered && !isList && !ours.some((word) => mutual.has(word)) && !isFronted(ours, theirs) &&
    !isInverted(ours, theirs)
  ) {
    return "the same words stand in another order"
  }
  return undefined
}
