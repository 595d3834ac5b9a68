/**
 * Names in scripts whose words are parted by spaces. A capital names something within a sentence; at its beginning every
 * word has one, so there a word counts when it stands elsewhere with a capital or is no common English word. In German
 * every noun has a capital: two such words in a row are a name, one is none. Pure, linear in the length of the text.
 */
import {
  acronyms,
  addresses,
  dates,
  heads,
  isCommon,
  isEveryday,
  isSmall,
  joins,
  shouted,
  tongueOf
} from "./NamedThingsLexicon.ts"
import type { Mention, Tongue } from "./NamedThingsLexicon.ts"

// How sure the writing makes it, surest first; what is as sure is told apart by what comes first.
const weights = { marked: 5, title: 4, run: 4, identifier: 3.5, handle: 3, acronym: 3, capital: 2.5, latin: 2 } as const

/** All mentions in a text. */
export const spacedNames = (text: string): ReadonlyArray<Mention> => {
  const marks = [...backticked(text), ...titled(text)]
  // What stands between backticks is no prose.
  const prose = text.replace(ticks, (found) => `\`${" ".repeat(found.length - 2)}\``)
  return [...marks, ...identifiers(prose), ...addressed(prose), ...capitals(prose)]
}

const ticks = /`[^`\n]{1,80}`/gu
// A call is named by what is called; flags, operators and paths name no thing.
const codeName = /^[\p{L}@#$_.][\p{L}\p{M}\p{N}$_.:#+*~-]*(?: [\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]*){0,2}$/u
const command = /^(?:npm|npx|yarn|pnpm|node|git|docker|kubectl|make|cd|curl|pip|cargo|go|sudo|ssh|cat|rm|ls)\s/u
const scoped = /^@[\w.-]+\/[\w.-]+$/

const backticked = (text: string): ReadonlyArray<Mention> =>
  Array.from(text.matchAll(ticks)).flatMap(({ 0: found, index }) => {
    const name = found.slice(1, -1).trim().replace(/\(.*\)$/u, "")
    return (codeName.test(name) && !command.test(name) && !isFile(name)) || scoped.test(name)
      ? [{ text: name, at: index, weight: weights.marked }]
      : []
  })

// "client.ts" is a file, which the column of files is for; "node.js" is a thing.
const isFile = (name: string): boolean =>
  /\.(?:tsx?|mjs|cjs|jsx|py|rs|go|java|rb|sql|md|txt|ya?ml|json|toml|csv|html?|css|sh|lock|log|pdf|png|jpe?g)$/iu.test(
    name
  )

const quotes = /["“„«]([^"“”„«»\n]{2,80})["”“»]/gu

/** Titles in quotes: words with capitals, and no sentence. */
const titled = (text: string): ReadonlyArray<Mention> =>
  Array.from(text.matchAll(quotes)).flatMap(({ 0: found, 1: inside = "", index }) => {
    const words = inside.trim().split(/\s+/)
    const first = words[0] ?? ""
    // A comma inside belongs to the sentence around it, as a point or a question mark does.
    const isTitle = words.length <= 6 && !/[.!?,;:…]/u.test(inside) && /^\p{Lu}/u.test(first) &&
      words.every((word) => /^[\p{Lu}\p{Lt}\p{N}&]/u.test(word) || isSmall(word.toLowerCase())) &&
      words.some((word) => !isSmall(word.toLowerCase()))
    // In guillemets stand the names of firms and ships, in small letters behind the first.
    const isNamed = found.startsWith("«") && words.length <= 3 && /^\p{Lu}/u.test(first) && !/[.!?,;:…]/u.test(inside)
    return (isTitle || isNamed) && !(words.length === 1 && isSmall(first.toLowerCase()))
      ? [{ text: inside.trim(), at: index + 1, weight: weights.title }]
      : []
  })

const token =
  /(?<![\p{L}\p{N}/\\@#.])[@#]?[\p{L}_$][\p{L}\p{M}\p{N}_$]*(?:[.\-’'][\p{L}\p{N}_$]+)*(?![\p{L}\p{N}/\\])/gu

const identifiers = (text: string): ReadonlyArray<Mention> => {
  const isLoud = loud(text)
  return Array.from(text.matchAll(token)).flatMap(({ 0: found, index }) => {
    const word = found.replace(/['’]s$/u, "")
    const kind = kindOf(word, isLoud)
    return kind === undefined ? [] : [{ text: word, at: index, weight: weights[kind] }]
  })
}

/** Whether a text is written in capitals throughout, so that they mark nothing. */
const loud = (text: string): boolean => {
  const letters = text.match(/\p{Lu}|\p{Ll}/gu) ?? []
  return letters.filter((letter) => /\p{Lu}/u.test(letter)).length * 2 > letters.length &&
    /\p{L}+\s+\p{L}+\s+\p{L}+/u.test(text)
}

const acronym = /^(?:\p{Lu}{2,6}s?|\p{Lu}{1,5}\p{N}{1,3}\p{Lu}{0,2}|\p{Lu}\p{Ll}?\p{N}\p{Ll})$/u
const measure = /^[hqv]\p{N}$|^\p{L}?\p{N}+[a-z]?$/iu

const kindOf = (word: string, isLoud: boolean): "identifier" | "handle" | "acronym" | undefined => {
  if (/^[@#]/.test(word)) return /^[@#]\p{L}[\p{L}\p{N}_.-]+$/u.test(word) ? "handle" : undefined
  const low = word.toLowerCase()
  if (isFile(word)) return undefined
  if (/[\p{L}\p{N}]_[\p{L}\p{N}]/u.test(word)) return "identifier"
  // A lower letter, then an upper one: fooBar, TypeScript. Not McDonald, which is a word with a capital.
  if (/\p{Ll}\p{Lu}/u.test(word) && !/[.\-’']/.test(word) && !/^(?:Mc|Mac|De|La|Le|Di|Van|Von)\p{Lu}/u.test(word)) {
    return "identifier"
  }
  if (/^[\p{L}\p{N}_$]+(?:\.[\p{L}\p{N}_$]+)+$/u.test(word)) return isDotted(word) ? "identifier" : undefined
  if (word.includes("-")) return isKebab(word) ? "identifier" : undefined
  if (!isLoud && acronym.test(word) && !shouted.has(low) && !dates.has(low) && !measure.test(word) && !isRoman(word)) {
    const plain = word.endsWith("s") ? low.slice(0, -1) : low
    return !/\p{N}/u.test(word) && !acronyms.has(low) && (isSmall(plain) || isCommon(plain)) ? undefined : "acronym"
  }
  return undefined
}

const isRoman = (word: string): boolean => /^[IVX]{2,5}$/.test(word)

/** `node.js` and `java.util.List`; not `e.g`, nor two sentences without a space between them. */
const isDotted = (word: string): boolean => {
  const parts = word.split(".")
  if (parts.some((part) => Array.from(part).length < 2)) return false
  return parts.length > 2 || !/^\p{Lu}\p{Ll}/u.test(parts[1] ?? "") || /^\p{Lu}/u.test(parts[0] ?? "")
}

/** `us-east-1`, `redis-cache`, `billing-service`; not `long-term`. */
const isKebab = (word: string): boolean => {
  const parts = word.toLowerCase().split("-")
  if (/['’.]/.test(word) || parts.some((part) => part === "")) return false
  if (/^\p{Lu}{2,}-\p{N}+$/u.test(word)) return !shouted.has(parts[0] ?? "")
  // A word with a capital and a hyphen is looked at among the words with capitals.
  if (!/^[a-z0-9-]+$/.test(word)) return false
  if (parts.some((part) => /[a-z]/.test(part) && /\d/.test(part))) return parts.length > 1
  if (/^[a-z]+(?:-[a-z]+)+-\d+$/.test(word)) return true
  const last = parts[parts.length - 1] ?? ""
  return heads.has(last) && !parts.slice(0, -1).some((part) => isSmall(part))
}

/** The word behind a form of address, in scripts that have no capitals. */
const respectful =
  /(?<![\p{L}\p{M}])(?:السيد|السيدة|الدكتور|الدكتورة|الأستاذ|الأستاذة|المهندس|श्री|श्रीमती|डॉ\.?|מר|גברת|ד"ר|פרופ')\s+([\p{L}\p{M}]{2,20})/gu

const addressed = (text: string): ReadonlyArray<Mention> =>
  Array.from(text.matchAll(respectful)).map(({ 1: name = "", index }) => ({
    text: name,
    at: index,
    weight: weights.capital
  }))

interface Word {
  readonly text: string
  readonly low: string
  readonly start: number
  readonly end: number
  readonly isCapital: boolean
  /** Whether it begins a sentence, a line, a quotation or what follows a colon. */
  readonly isFirst: boolean
  readonly isOwner: boolean
}

const wordPattern = /\p{L}[\p{L}\p{M}\p{N}_]*(?:[’'.-]\p{L}[\p{L}\p{M}\p{N}_]*)*/gu
// What comes between a sentence's end and the next one's first word: a mark, quotes and brackets; or a line's own mark.
const beginning = /(?:^|[\n\r]|[.!?…。！？:;]["”’)\]»]*\s|[•*>|-]\s|["“„«‘([{]\s?|["”»]\s?)[\s"“„«‘([{*_#>•-]*$/u
const unspacedBefore = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]\s?$/u
const abbreviated = /(?:^|[\s("'])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|cf|no|fig|inc|ltd|co|jr|sr|approx|\p{Lu})\.\s$/iu

const wordsIn = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(wordPattern), ({ 0: found, index }) => {
    const bare = found.replace(/['’]s?$/iu, "").replace(/['’]s$/iu, "")
    const before = text.slice(Math.max(0, index - 12), index)
    return {
      text: bare,
      low: bare.toLowerCase(),
      start: index,
      end: index + found.length,
      isCapital: /^\p{Lu}/u.test(bare),
      isFirst: index === 0 || (beginning.test(before) && !abbreviated.test(before)) ||
        (index <= 12 && beginning.test(`\n${before}`) && !/[\p{L}\p{N}]/u.test(before)),
      isOwner: bare !== found
    }
  })

/** Runs of words with capitals. */
const capitals = (text: string): ReadonlyArray<Mention> => {
  if (loud(text)) return []
  const words = wordsIn(text)
  const tongue = tongueOf(words.map(({ low }) => low))
  const inside = new Set(words.filter(({ isCapital, isFirst }) => isCapital && !isFirst).map(({ text }) => text))
  const headings = headingsIn(words, tongue)
  const mentions: Array<Mention> = []
  for (let at = 0; at < words.length;) {
    const run = runAt(text, words, at)
    if (run.length === 0) {
      const word = words[at]
      if (word !== undefined && isLatinAmongOthers(text, word)) {
        mentions.push({ text: word.text, at: word.start, weight: weights.latin })
      }
      at += 1
      continue
    }
    at += run.length
    const isHeading = run.some((word) => headings.has(word))
    const kept = trimmed(run, tongue, inside, isHeading)
    const [first, last] = [kept[0], kept[kept.length - 1]]
    if (first === undefined || last === undefined) continue
    const name = text.slice(first.start, last.start + last.text.length)
    if (isSure(text, kept, tongue, isHeading)) {
      mentions.push({ text: name, at: first.start, weight: kept.length > 1 ? weights.run : weights.capital })
    }
  }
  return mentions
}

// As many words with capitals in a row that nothing else stands between are written so for the look of it.
const HEADING = 4

/** The words of sentences that are written in capitals like headings, which says of none of them that it is a name. */
const headingsIn = (words: ReadonlyArray<Word>, tongue: Tongue): ReadonlySet<Word> => {
  const found = new Set<Word>()
  let sentence: Array<Word> = []
  const close = () => {
    const telling = sentence.filter(({ low }) => !isSmall(low, tongue))
    if (telling.length > HEADING && telling.every(({ isCapital }) => isCapital)) {
      for (const word of sentence) found.add(word)
    }
    sentence = []
  }
  for (const word of words) {
    if (word.isFirst) close()
    sentence.push(word)
  }
  close()
  return found
}

const MOST_IN_RUN = 6

/** The words with capitals from here on that belong together, with the small words that join them. */
const runAt = (text: string, words: ReadonlyArray<Word>, from: number): ReadonlyArray<Word> => {
  const run: Array<Word> = []
  for (let at = from; at < words.length && run.length < MOST_IN_RUN; at++) {
    const [word, before] = [words[at], words[at - 1]]
    if (word === undefined) break
    if (before !== undefined && run.length > 0) {
      // Only a space joins, and the point of an initial or a title.
      const gap = text.slice(before.end, word.start)
      const isInitial = gap === ". " && (Array.from(before.text).length === 1 || addresses.has(before.low))
      if ((gap !== " " && !isInitial) || before.isOwner || (word.isFirst && !isInitial)) break
    }
    if (word.isCapital && isRunWord(word)) {
      run.push(word)
      continue
    }
    const next = words[at + 1]
    const joinsOn = run.length > 0 && !word.isCapital && joins.has(word.low) && next !== undefined && next.isCapital &&
      text.slice(word.end, next.start) === " "
    if (!joinsOn) break
    run.push(word)
  }
  return run
}

/** Identifiers are found as such. */
const isRunWord = ({ text }: Word): boolean => !text.includes("_") && text.length <= 32

/** A run without what stands in front of a name or behind it and is none of it. */
const trimmed = (
  run: ReadonlyArray<Word>,
  tongue: Tongue,
  inside: ReadonlySet<string>,
  isHeading: boolean
): ReadonlyArray<Word> => {
  let kept = run
  // "Billing Service" is a name in whole where it begins a sentence, "Yesterday Ada" is not.
  const second = run[1]
  const isWhole = second !== undefined && second.isCapital && isEveryday(second.low)
  const drops = (word: Word, isLeading: boolean): boolean =>
    !word.isCapital || isSmall(word.low) || dates.has(word.low) || addresses.has(word.low) || shouted.has(word.low) ||
    (isLeading && word.isFirst && !inside.has(word.text) &&
      (tongue === "english" ? isCommon(word.low) && !isWhole : run.length === 1)) ||
    (isHeading && isCommon(word.low))
  while (kept[0] !== undefined && drops(kept[0], true)) kept = kept.slice(1)
  while (kept.length > 0) {
    const last = kept[kept.length - 1]
    if (last === undefined || !drops(last, false)) break
    kept = kept.slice(0, -1)
  }
  return kept
}

/** Whether what is left is a name for certain. */
const isSure = (text: string, kept: ReadonlyArray<Word>, tongue: Tongue, isHeading: boolean): boolean => {
  const [first] = kept
  if (first === undefined) return false
  if (kept.length > 1) return true
  if (Array.from(first.text).length < 2) return false
  // A word in capitals is an acronym or shouted; which of them, its own rule says.
  if (/^\p{Lu}+s?$/u.test(first.text) && first.text.length > 1) return false
  if (tongue === "german" && !unspacedBefore.test(text.slice(0, first.start))) return false
  return !(isHeading && isCommon(first.low))
}

const latin = /^[A-Za-z][A-Za-z0-9]+$/

/** A Latin word amid letters of a script without spaces: a name or a term, in whatever case. */
const isLatinAmongOthers = (text: string, { end, low, start, text: word }: Word): boolean =>
  latin.test(word) && !isSmall(low) && !isCommon(low) && !dates.has(low) &&
  (unspacedBefore.test(text.slice(Math.max(0, start - 2), start)) ||
    /^\s?[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text.slice(end, end + 2)))
