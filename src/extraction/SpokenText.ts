/**
 * What of a turn its speaker says himself, as sentences. Quoted lines, code, blocks of a program (a recalled memory above all)
 * and pasted dialogue are somebody else's words and are kept apart; a long quotation inside a sentence is taken out of it.
 * Pure, linear in the length of the turn.
 */

export interface Sentence {
  readonly text: string
  /** The sign it ends with: `.`, `!`, `?`, or empty. */
  readonly end: string
}

export interface Spoken {
  readonly sentences: ReadonlyArray<Sentence>
  /** Sentences that stand in the turn and are not the speaker's own. */
  readonly quoted: ReadonlyArray<Sentence>
}

// A turn is a few paragraphs; of a longer one (a pasted document) the beginning is read.
const LONGEST = 20_000

/** What programs put around text of their own: fences and tags with a line to themselves. */
const fence = /^\s*(?:```|~~~)/
const opening = /^\s*<([a-z][\w-]*)(?:\s[^<>]*)?>/i
const heading = /^\s*(?:#{1,6}\s|={3,}|-{3,})/

/** The first line of a list of memories, as this house and others print them. */
const listHead =
  /^\s*(?:memories about .{1,200}:|(?:relevant |recalled |stored |retrieved |saved |long-term |past |previous )*(?:memory|memories|context|notes|facts|knowledge)(?: about .{1,80}| of .{1,80}| from .{1,80})?:?\s*$|stored notes, quoted as data)/i
const bullet = /^\s*(?:[-*•‣]|\d{1,3}[.)])\s+\S/
/** Lines that a program began: a mark in brackets, a log level, a key, a role of a dialogue. */
const prefixed =
  /^\s*(?:>|\[[^\]]{1,80}\]|\(memory\)|(?:memory|memories|recalled|recall|context|system|note to self|info|debug|warn(?:ing)?|error|assistant|ai|bot|chatgpt|claude|user|human|tool|output|result)\s*(?:\([^)]*\))?\s*[:>]|[\w.-]+(?:\/[\w.-]+)+\s*[:=]|\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2})/i
const listItem = /^\s*[-*•]\s+(?:\[|\(pinned\)|(?:decision|team rule)\b)/i

/** What a user hands over to be worked on is not said of himself: what stands behind the colon is material. */
const material =
  /\b(?:translate|rewrite|rephrase|proofread|summari[sz]e|correct|edit|review|analy[sz]e|continue|complete|write|draft|generate|roleplay|role-play|role play|pretend|story|poem|lyrics|essay|novel|character|persona|example|sample|übersetze|traduis|traduce)\b[^.?!\n]{0,120}:\s*(?:$|\n|["“„«]|\S)/i

/** The sentences of a turn. */
export const spokenOf = (content: string): Spoken => {
  const text = content.slice(0, LONGEST).replace(/[‘’]/g, "'").replace(/\r\n?/g, "\n").replace(/\u00a0/g, " ")
  const handedOver = material.exec(text)
  const own = handedOver === null ? text : text.slice(0, handedOver.index)
  const rest = handedOver === null ? "" : text.slice(handedOver.index)
  const kept: Array<string> = []
  const apart: Array<string> = [rest]
  let closing: string | null = null
  let inList = false
  for (const line of own.split("\n")) {
    if (closing !== null) {
      apart.push(line)
      if (closing === "`" ? fence.test(line) : line.toLowerCase().includes(closing)) closing = null
      continue
    }
    const tag = opening.exec(line)?.[1]?.toLowerCase()
    if (fence.test(line) || tag !== undefined) {
      apart.push(line)
      const close = tag === undefined ? "`" : `</${tag}`
      const isClosed = tag !== undefined && line.toLowerCase().includes(close)
      closing = isClosed || (tag !== undefined && !own.toLowerCase().includes(close)) ? null : close
      continue
    }
    if (listHead.test(line)) inList = true
    else if (inList && !bullet.test(line) && !heading.test(line) && line.trim() !== "") inList = false
    const isQuoted = inList || prefixed.test(line) || heading.test(line) || listItem.test(line)
    ;(isQuoted ? apart : kept).push(line)
  }
  return { sentences: sentencesOf(kept.join("\n")), quoted: apart.flatMap((line) => sentencesOf(line)) }
}

// A title or a name in quotes has a few words; what is longer is what somebody said.
const LONGEST_TITLE = 6
const quotes = /"([^"\n]*)"|“([^”\n]*)”|„([^“”\n]*)[“”]|«([^»\n]*)»/g

/** Quotations go, titles stay. */
const withoutQuotes = (text: string): string =>
  text.replace(quotes, (whole: string, ...parts: ReadonlyArray<string | undefined>) => {
    const inner = parts.find((part) => typeof part === "string") ?? ""
    return inner.trim().split(/\s+/).length > LONGEST_TITLE || /[.!?;]/.test(inner) || /^\s*I\b/.test(inner)
      ? "\u0000"
      : whole
  })

const abbreviation =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|e\.g|i\.e|approx|no|dept|inc|ltd|co|u\.s|a\.m|p\.m|z\.b|bzw|[a-z])\.$/i
const pictures = /[\p{Extended_Pictographic}\u200d\ufe0f\u{1f3fb}-\u{1f3ff}]/gu

/** Cuts where a sentence ends: a sign with a space behind it, or the end of a line. */
export const sentencesOf = (text: string): ReadonlyArray<Sentence> => {
  const found: Array<Sentence> = []
  for (const line of withoutQuotes(text).replace(pictures, ".").split("\n")) {
    let from = 0
    for (const match of line.matchAll(/[.!?…]+["')\]]*(?=\s|$)/g)) {
      const to = match.index + match[0].length
      const piece = line.slice(from, to)
      if (/^\.$/.test(match[0]) && abbreviation.test(piece)) continue
      found.push(sentence(piece.slice(0, match.index - from), match[0]))
      from = to
    }
    found.push(sentence(line.slice(from), ""))
  }
  return found.filter(({ text: one }) => /\p{L}/u.test(one))
}

const sentence = (text: string, sign: string): Sentence => ({
  text: text.replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, "").replace(/\s+/g, " ").replace(/^[\s.,;:–—-]+/, "")
    .trim(),
  end: sign.includes("?") ? "?" : sign.slice(0, 1)
})
