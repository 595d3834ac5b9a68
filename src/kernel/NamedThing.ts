/**
 * The canonical form of a named thing, in which entities are stored and asked for: lower case, no article in front, no
 * possessives, joiners read as spaces, the head noun (the last word) in the singular. So "The Billing-Service's" and
 * BILLING_SERVICES are one entity, `billing service`; `billing` alone is another. The form of a form is itself.
 * Signs inside a name stay (`node.js`, `at&t`, `c++`, `@effect/sql`), and Chinese, Japanese and Korean names keep
 * every letter. English rules only: a name of another language is folded in case and otherwise left as it is.
 */
import lemmatizer from "wink-lemmatizer"

/** The canonical form of `text`; empty only for a blank text. Linear in its length. */
export const canonicalEntity = (text: string): string => {
  const plain = fold(text)
  if (unspaced.test(plain)) return plain
  const words = plain
    .replace(joiners, " ")
    .split(" ")
    .map(bare)
    .filter((word) => word !== "")
  let start = 0
  while (start < words.length - 1 && articles.has(words[start] ?? "")) start++
  const head = words[words.length - 1]
  // Signs that are the whole name are the name.
  if (head === undefined) return plain
  return [...words.slice(start, -1), singular(head)].join(" ")
}

const articles: ReadonlySet<string> = new Set(["the", "a", "an"])

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** One spelling of case, width, quotes and white space. Lower, upper, lower is a full case fold: ß becomes ss. */
const fold = (text: string): string =>
  text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC")
    .replace(/ς/g, "σ").replace(/i\u0307/g, "i")
    .replace(/[\u2018\u2019\u02bc]/g, "'").replace(/[\u2010\u2011]/g, "-")
    .replace(/[\p{Cf}\p{Cc}\s]+/gu, " ").trim()

// A hyphen after the word `a` belongs to the name (A-Team, a-frame): as a space it would leave an article.
const joiners = /(?<!(?:^| )an?)[-_]+/g

// What may stand in front of a name (.net, @scope, #channel) or behind it (c++, c#); all other punctuation there goes.
const leading = /^(?![.@#][\p{L}\p{N}])[^\p{L}\p{N}\p{S}]+/u
const trailing = /(?<=(\p{L}?))[^\p{L}\p{M}\p{N}\p{S}]+$/u
const sharp = (run: string, letter: string): string => letter !== "" && run.startsWith("#") ? "#" : ""

/** A word without its possessive, without punctuation around it and without apostrophes inside: `(o'brien's)` is obrien. */
const bare = (word: string): string => {
  let inner = word
  // Each pass drops an edge or a possessive; a word built to need more keeps the rest.
  for (let pass = 0; pass < 4; pass++) inner = inner.replace(leading, "").replace(trailing, sharp).replace(/'s?$/, "")
  return inner.replace(/(?<=[\p{L}\p{N}])'(?=[\p{L}\p{N}])/gu, "").replace(
    /^(?:\p{L}\.)+\p{L}$/u,
    (letters) => letters.replaceAll(".", "")
  )
}

// Shorter words are abbreviations more often than plurals (dns, aws, gps).
const english = /^[a-z]{4,32}$/
const lookPlural = /(?:ss|us)$/

/** The singular of an English noun; a word that is none, or that only looks plural, stays. */
const singular = (word: string): string => {
  const known = irregular[word]
  if (known !== undefined) return known
  if (!english.test(word) || asTheyAre.has(word) || lookPlural.test(word)) return word
  const whole = lemmatizer.noun(word)
  if (whole !== word) return singularOnce(whole, word)
  if (!word.endsWith("s")) return word
  // A compound the dictionary lacks (webhooks, microservices) is a word in front of a plural it has.
  for (let at = 2; at <= word.length - 5; at++) {
    const tail = word.slice(at)
    const lemma = lemmatizer.noun(tail)
    if (lemma !== tail && !asTheyAre.has(tail) && !lookPlural.test(tail)) {
      return singularOnce(word.slice(0, at) + lemma, word)
    }
  }
  return word
}

/** The singular that was found, unless it would itself be taken for a plural: then the word stays. */
const singularOnce = (found: string, word: string): string =>
  found.length >= 3 && singular(found) === found ? found : word

/** Plurals that the dictionary lacks or gets wrong. */
const irregular: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  apis: "api",
  apps: "app",
  bots: "bot",
  chatbots: "chatbot",
  configs: "config",
  ids: "id",
  lenses: "lens",
  llms: "llm",
  plugins: "plugin",
  prs: "pr",
  repos: "repo",
  vms: "vm"
})

/** Names and mass nouns that end like a plural, or whose singular is another thing. */
const asTheyAre: ReadonlySet<string> = new Set(
  `https windows pandas keras rails mars wales laos kansas philippines alps himalayas elias judas levis
  adams peters roberts edwards brooks williams stevens rogers daniels phillips andrews matthews
  data media physics dynamics graphics metrics goods means news corps series species pants jeans trousers glasses
  stairs premises vegas starbucks`.split(/\s+/)
)
