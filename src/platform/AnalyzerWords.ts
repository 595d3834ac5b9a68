/**
 * Cuts text into words. A run of letters and digits is a word; runs joined by the signs that hold names together
 * (`checkout-api`, `a::b`, `27:10`) are given whole and in parts, so that a name matches itself and its parts match
 * plain words. Scripts without spaces go through Intl.Segmenter in short pieces, East Asian ones as pairs of letters
 * too. Every step looks at a bounded window, so the time is linear whatever the text.
 */
import { ascii, lowered } from "./AnalyzerFold.ts"
import { emitUnspaced, isUnspaced } from "./AnalyzerScripts.ts"

/** The words of a text in order, `lowered`; a repeated word is repeated, a joined name gives itself, then its parts. */
export const words = (text: string): Array<string> => {
  const clean = cleaned(text)
  const out: Array<string> = []
  let name: Array<Atom> = []
  let end = 0
  let touching = ""
  const close = () => {
    emitName(name, out)
    name = []
  }
  for (const match of clean.matchAll(runs)) {
    const run = match[0]
    const gap = match.index - end > longestJoiner ? " " : clean.slice(end, match.index)
    const before = gap === "" ? touching : ""
    end = match.index + run.length
    touching = ""
    if (isUnspaced(run)) {
      close()
      touching = emitUnspaced(run, before, out, (piece) => emitAtom({ joiner: "", glue: "", runs: [piece] }, out))
      continue
    }
    const last = name[name.length - 1]
    // The end of Alice's or we'll is no part of the name.
    if (last !== undefined && gap === "'" && clitics.has(lowered(run))) continue
    if (last !== undefined && glues(last, gap, run)) {
      last.glue = gap
      last.runs.push(run)
      continue
    }
    if (!joiners.has(gap)) close()
    const suffix = languageSuffix(clean, run, end)
    name.push({ joiner: name.length === 0 ? "" : gap, runs: [run + suffix], glue: "" })
    if (suffix !== "") close()
  }
  close()
  return out
}

/** One piece of a name: a run, a number with its dots (`v1.9.3`) or commas, or a word with its apostrophes. */
interface Atom {
  readonly joiner: string
  readonly runs: Array<string>
  glue: string
}

// Longer runs are cut here, so that a row of the index stays small, and so does what goes to ICU, whose dictionary
// search is worse than linear in the length of its input (128 letters are at most half a kilobyte).
const longestWord = 128

const runs = new RegExp(`[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}]{0,${longestWord - 1}}`, "gu")
const joiners: ReadonlySet<string> = new Set([..."-._/\\:@'+#&~=", "::", "://", "->"])
const longestJoiner = 3
const clitics: ReadonlySet<string> = new Set(["s", "ll", "re", "ve", "m", "d"])

/** Typed variants of joiners made plain; marks that show nothing (soft hyphen, direction, emoji variants) left out. */
const cleaned = (text: string): string =>
  ascii.test(text) ? text : text.normalize("NFKC").replace(/\u200b/g, " ").replace(/[\p{Cf}\ufe00-\ufe0f\u20e3]/gu, "")
    .replace(/[\u2018\u2019\u02bc]/g, "'").replace(/[\u2010\u2011]/g, "-")

/** Whether a run continues the atom before it rather than starting a part of its own. */
const glues = (atom: Atom, gap: string, run: string): boolean => {
  const first = atom.runs[0]!
  if (gap === ".") return /^v?\d+$/i.test(first) && /^\d/.test(run) && atom.glue !== ","
  if (gap === ",") return /^\d{1,3}$/.test(first) && /^\d{3}$/.test(run) && atom.glue !== "."
  return gap === "'" && atom.glue !== "." && atom.glue !== "," && !/\d/.test(first) && atom.runs.length < 4
}

/** The end of `C++` and `C#`, which no letter carries. */
const languageSuffix = (text: string, run: string, end: number): string => {
  if (text.startsWith("++", end)) return "++"
  return run.length === 1 && text[end] === "#" && !/[\p{L}\p{N}]/u.test(text.slice(end + 1, end + 3)) ? "#" : ""
}

const emitName = (name: ReadonlyArray<Atom>, out: Array<string>): void => {
  if (name.length > 1) {
    let whole = ""
    for (const atom of name) {
      whole += atom.joiner + atom.runs.join(atom.glue)
      if (whole.length > longestWord) break
    }
    if (whole.length <= longestWord) out.push(lowered(whole))
    if (name.length === 2 && name[1]!.joiner === "-") {
      // e-mail is also written email, follow-up followup.
      const [left, right] = [lowered(name[0]!.runs[0]!), lowered(name[1]!.runs[0]!)]
      if (Math.min(left.length, right.length) <= 2 && /^\p{L}+$/u.test(left + right)) out.push(left + right)
    }
  }
  for (const atom of name) emitAtom(atom, out)
}

const emitAtom = ({ glue, runs }: Atom, out: Array<string>): void => {
  const first = runs[0]!
  if (runs.length === 1) return emitRun(first, out)
  if (glue === ",") {
    out.push(runs.join(""))
  } else if (glue === ".") {
    const number = lowered(runs.join("."))
    out.push(number)
    if (number.startsWith("v")) out.push(number.slice(1))
  } else {
    // don't is dont, as people type it; O'Brien is obrien and brien.
    out.push(lowered(runs.join("")))
    if (lowered(runs[runs.length - 1]!) === "t") return
    for (const run of runs) if (lowered(run).length > 2) emitRun(run, out)
  }
}

/** A run, and what else it may be looked up by: 15GB also as 15 and gb, getUserName also as its humps. */
const emitRun = (run: string, out: Array<string>): void => {
  const low = lowered(run)
  out.push(low)
  const measure = /^(?:(\d+)(\p{L}+)|(\p{L}+)(\d+))$/u.exec(low)
  if (measure !== null && low.length > 2) {
    for (const part of measure.slice(1)) if (part !== undefined) out.push(part)
  } else if (/^[0-9a-f]{8,64}$/.test(low) && /[a-f]/.test(low) && /\d/.test(low)) {
    // A commit is also cited by the first seven digits of its hash.
    out.push(low.slice(0, 7))
  } else if (/\p{Ll}\p{Lu}/u.test(run)) {
    for (const hump of run.split(/(?<=\p{Ll})(?=\p{Lu})/u)) if (hump.length > 2) out.push(lowered(hump))
  }
}
