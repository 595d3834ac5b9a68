/**
 * Cuts a claim into tokens: words, numbers with what touches them, names with their signs (`eu-north`, `C++`,
 * `/etc/hosts`), currency signs, single letters of the scripts without spaces. Reads a bounded prefix, every pattern is
 * anchored to one short run, so the time is linear whatever the text.
 */

export interface Token {
  /** As written, without the punctuation around it. */
  readonly text: string
  readonly low: string
  /** The sentence it stands in, from 0. */
  readonly sentence: number
  readonly first: boolean
  /** A comma, colon, dash or bracket stands before it. */
  readonly broken: boolean
  /** It is the first part of `key = value` or `key: value`. */
  readonly assigned: boolean
  /** It belongs to whom or what comes next: the token ended in 's. */
  readonly possessive: boolean
}

// What a claim says stands in its first sentences; longer texts are told apart by their words as a whole.
export const longestParsed = 1_500
export const mostTokens = 320
const longestToken = 80

/** One spelling for quotes, dashes, widths and white space; case is kept, it tells names. */
export const dressed = (text: string): string =>
  text.normalize("NFKC").replace(/[\u2018\u2019\u02bc\u2032`´]/g, "'").replace(
    /[\u201c-\u201f\u00ab\u00bb\u2033]/g,
    "\""
  )
    .replace(/[\u2010\u2011\u2012\u2013\u2212]/g, "-").replace(/[\u2014\u2015]/g, " — ")
    .replace(/[\p{Cf}\p{Variation_Selector}\p{Cc}]/gu, (sign) => /\s/.test(sign) ? " " : "")

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u
const unspacedParts = /[0-9]+(?:[.:,][0-9]+)*|[a-zA-Z][\w.+#-]*|[\p{Script=Katakana}ー]+|./gu
const opening = /^["'([{<*_•·¿¡—-]+(?=[\p{L}\p{N}\p{Sc}"'([{])/u
const closing = /["'\])}>*_,;:!?.…—]+$/u
const quotesOnly = /^["'([{\])}>]+$/

export const tokensOf = (whole: string): Array<Token> => {
  const text = dressed(whole.slice(0, longestParsed))
  const out: Array<Token> = []
  let sentence = 0
  let first = true
  let broken = false
  const push = (piece: string, possessive: boolean, assigned = false) => {
    out.push({ text: piece, low: lowerOf(piece), sentence, first, broken, assigned, possessive })
    first = false
    broken = false
  }
  for (const spaced of compared(text).replace(/([\p{L}\p{N}_\])])\s*(?<![=<>!])=(?!=)\s*/u, "$1 = ").split(/\s+/)) {
    if (out.length >= mostTokens) break
    if (spaced === "" || quotesOnly.test(spaced)) continue
    if (/^[=:]$/.test(spaced) && out.length > 0) {
      const last = out.pop()!
      out.push({ ...last, assigned: true })
      broken = true
      continue
    }
    if (/^[—,;:|•*-]+$/.test(spaced)) {
      broken = true
      continue
    }
    if (unspaced.test(spaced)) {
      for (const [part] of spaced.matchAll(unspacedParts)) {
        if (/[。！？!?]/.test(part)) {
          sentence++
          first = true
        } else if (/^[\p{P}\s]$/u.test(part)) broken = true
        else push(part, false)
        if (out.length >= mostTokens) break
      }
      continue
    }
    if (spaced.length > longestToken) {
      // An address, a digest: one word, whole.
      push(spaced, false)
      continue
    }
    let run = spaced
    // A minus is part of a number, other signs before a word are dressing.
    const lead = opening.exec(run)
    if (lead !== null && !(lead[0] === "-" && /^-[\d.\p{Sc}]/u.test(run)) && !/^--?[a-z]/i.test(run)) {
      if (/[([{—-]/.test(lead[0])) broken = true
      run = run.slice(lead[0].length)
    }
    const tail = closing.exec(run)
    let end = tail === null ? "" : tail[0]
    // Abbreviated clock times keep their dots; C's plain punctuation names are kept by the signs rule below.
    if (/^[ap]\.m\.?$/i.test(run)) [run, end] = [run.replaceAll(".", ""), ""]
    else if (
      /^(?:e\.g|i\.e|etc|vs|ca|approx|no|mr|mrs|ms|dr|prof|st|sr|jr|appt|dept|tel|vol|fig|mgr|mt)\.$/i.test(run)
    ) [run, end] = [run.slice(0, -1), ""]
    else if (tail !== null) run = run.slice(0, -tail[0].length)
    if (run === "") {
      if (spaced.length <= 3 && !/[.!?,;:…]/.test(spaced)) push(spaced, false)
      else if (/[.!?…]/.test(spaced) && !first) {
        sentence++
        first = true
      } else broken = true
      continue
    }
    const possessive = /[^s]'s$|s's$/i.test(run) && !/^(?:it|he|she|that|there|what|who|let|here)'s$/i.test(run) ||
      spaced.replace(/[.,;:!?"]+$/, "").endsWith("s'")
    if (possessive) run = run.replace(/'s$/i, "")
    const colon = /:/.test(end) && sentence === 0
    for (const [index, part] of partsOf(run).entries()) {
      if (index > 0) broken = broken || /,/.test(run)
      push(part, possessive, colon)
    }
    if (/[.!?…]/.test(end)) {
      sentence++
      first = true
    } else if (end !== "" && /[,;:)\]—]/.test(end)) broken = true
  }
  return out
}

const comparisons: Readonly<Record<string, string>> = {
  "<": "less than",
  ">": "more than",
  "<=": "at most",
  ">=": "at least",
  "\u2264": "at most",
  "\u2265": "at least"
}

/** "<5 minutes" and "x > 5" in words. */
const compared = (text: string): string =>
  text.replace(/(?<![^\s(])([<>]=?|[\u2264\u2265])\s?(?=\d)/g, (_, sign: string) => `${comparisons[sign] ?? sign} `)

const lowerOf = (text: string) => text.toLowerCase().replace(/ς/g, "σ").normalize("NFC")

const contraction = /^(.+?)('(?:re|ve|ll|d|m)|n't)$/i

/** A run cut where two words touch: contractions, `tea,coffee`, `30-minute`, `9am-5pm`. */
const partsOf = (run: string): Array<string> => {
  if (/^(?:can't|cannot)$/i.test(run)) return ["can", "not"]
  if (/^won't$/i.test(run)) return ["will", "not"]
  if (/^(?:it|he|she|that|there|what|who|here)'s$/i.test(run)) return [run.slice(0, -2), "is"]
  const contracted = contraction.exec(run)
  if (contracted !== null) {
    const [, head = "", tail = ""] = contracted
    const full =
      { "n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am" }[tail.toLowerCase()]
    return [head, full ?? tail]
  }
  if (/^(?:l|d|j|n|s|t|m|c|qu|un|dell|nell|all|dall|sull)'\p{L}/iu.test(run)) {
    return [run.slice(0, run.indexOf("'")), run.slice(run.indexOf("'") + 1)]
  }
  if (/^[\p{L}]+(?:,[\p{L}]+)+$/u.test(run)) return run.split(",")
  if (/^\d+(?:\.\d+)?-[a-z]{2,}$/i.test(run)) return run.split("-")
  if (/^[a-z]{3,}-(?:minute|hour|day|week|month|year|person|bedroom|member|node|core)s?$/i.test(run)) {
    return run.split("-")
  }
  return [run]
}
