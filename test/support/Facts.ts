/**
 * Texts that say nothing of each other, for tests that are not about what a write meets: made of words that no two of
 * them share, so that none is near another. And one claim that contradicts itself from day to day.
 */
const syllables = ["ba", "do", "fi", "ga", "ho", "ju", "ke", "la", "mo", "nu", "pe", "ri", "so", "tu", "ve", "zi"]

const wordOf = (number: number): string => {
  let word = ""
  for (let rest = number + 16; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16] ?? ""
  return word
}

// Five words of its own for each.
const WORDS = 5

export const unrelated = (index: number): string =>
  Array.from({ length: WORDS }, (_, at) => wordOf(index * WORDS + at)).join(" ")

/** Another day is a contradiction, to the embedder near and to the judge sure. */
export const ships = (day: number): string =>
  `The Orion release of the payments team ships to every customer on ${day} October`
