/**
 * Quantifiers, bounds and degrees of certainty in English claims. "All", "some" and "none" of one thing are different
 * claims; so are "at least 5" and "at most 5", "must" and "may", "only" and without it.
 */
const classes = new Map<string, string>()
for (
  const [name, words] of [
    ["all", "all every each both everyone everybody everything always everywhere entire whole"],
    ["some", "some several certain sometimes occasionally somebody someone something partly partially"],
    ["most", "most mostly usually generally typically normally mainly majority largely often frequently"],
    ["few", "few rarely seldom little"],
    ["many", "many much lots"],
    ["none", "none nobody nothing never nowhere"],
    ["only", "only sole solely exclusively just merely alone"],
    ["half", "half"],
    ["about", "about around roughly approximately approx circa ca almost nearly ~ estimated"],
    ["exactly", "exactly precisely"],
    ["must", "must"],
    ["should", "should ought"],
    ["may", "may might could"],
    ["can", "can"],
    ["perhaps", "maybe perhaps possibly probably likely presumably allegedly"],
    ["except", "except unless excluding besides but-not"],
    ["if", "if whenever provided"]
  ] as const
) for (const word of words.split(" ")) classes.set(word, name)

/** The class of a quantifying word, or undefined. */
export const quantifierOf = (low: string): string | undefined => classes.get(low)

/** Bounds of several words, by their words; longest first. */
const bounds: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = ([
  ["up to", "at-most"],
  ["at most", "at-most"],
  ["no more than", "at-most"],
  ["not more than", "at-most"],
  ["a maximum of", "at-most"],
  ["at least", "at-least"],
  ["no less than", "at-least"],
  ["no fewer than", "at-least"],
  ["a minimum of", "at-least"],
  ["more than", "more-than"],
  ["fewer than", "less-than"],
  ["less than", "less-than"],
  ["have to", "must"],
  ["has to", "must"],
  ["had to", "had-to"],
  ["need to", "must"],
  ["needs to", "must"],
  ["a lot of", "many"],
  ["lots of", "many"],
  ["a few", "few"]
] as const).map(([words, name]) => [words.split(" "), name] as const)

/** The bound that starts at `words[i]`, with its length in words. */
export const boundAt = (
  words: ReadonlyArray<string>,
  i: number
): { readonly name: string; readonly length: number } | undefined => {
  for (const [phrase, name] of bounds) {
    if (phrase.every((word, k) => words[i + k] === word)) return { name, length: phrase.length }
  }
  return undefined
}

const opposed = new Set(
  [
    "all none",
    "all some",
    "all few",
    "all most",
    "some none",
    "most none",
    "most few",
    "many few",
    "many none",
    "at-least at-most",
    "more-than less-than",
    "at-least less-than",
    "at-most more-than",
    "must may",
    "must can",
    "most some"
  ]
)

/** Whether two classes cannot both hold of one thing. */
export const quantifiersOppose = (one: string, other: string): boolean =>
  opposed.has(`${one} ${other}`) || opposed.has(`${other} ${one}`)
