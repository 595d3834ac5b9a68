/**
 * Reads one JSON value out of a model's text, from the brace or bracket where it begins, with the slips that models make:
 * commas before an end, comments, escapes that JSON does not know, line breaks within strings, an end that is missing. A key
 * that comes twice and a number that a double cannot hold are faults, since either reading would be a guess.
 */

export type Scan =
  | { readonly _tag: "Value"; readonly value: unknown; readonly truncated: boolean; readonly next: number }
  /** `serious`: it began as JSON does, so it is no brace of the prose around it. `next`: where to look on. */
  | { readonly _tag: "Fault"; readonly message: string; readonly serious: boolean; readonly next: number }

/** What one look at the text gives: a value, the end of the text before one was whole, or a fault. */
type Step =
  | { readonly _tag: "Whole"; readonly value: unknown }
  /** `value` is what stands so far, of an object or a list; nothing else has a part that counts. */
  | { readonly _tag: "Open"; readonly value: unknown; readonly partial: boolean }
  | { readonly _tag: "Bad"; readonly message: string }

// As deep as a stored claim may be (`JsonScan`).
const MAX_DEPTH = 128

const blank = /(?:\s|\ufeff|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/y
const numeral = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y
const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([["true", true], ["false", false], ["null", null]])
const escapes: ReadonlyMap<string, string> = new Map([
  ["\"", "\""],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  // As in every language that quotes by it.
  ["'", "'"]
])

const bad = (message: string): Step => ({ _tag: "Bad", message })
const cut: Step = { _tag: "Open", value: undefined, partial: false }

class Scanner {
  /** Members and items met so far; none means that the brace may well be one of the prose. */
  read = 0
  constructor(readonly text: string, public at: number) {}

  skipBlank(): void {
    blank.lastIndex = this.at
    blank.test(this.text)
    this.at = blank.lastIndex
  }

  /** Whether the text ends here; a fence ends it too, and so does a comment that does not. */
  get ended(): boolean {
    return this.at >= this.text.length || this.text.startsWith("```", this.at) || this.text.startsWith("/*", this.at)
  }

  value(depth: number): Step {
    const sign = this.text[this.at]
    if (sign === "{") return this.object(depth)
    if (sign === "[") return this.list(depth)
    if (sign === "\"") return this.string()
    return this.scalar()
  }

  object(depth: number): Step {
    if (depth >= MAX_DEPTH) return this.tooDeep()
    const members = new Map<string, unknown>()
    const open = (): Step => ({ _tag: "Open", value: Object.fromEntries(members), partial: true })
    this.at++
    for (;;) {
      this.skipBlank()
      if (this.ended) return open()
      if (this.text[this.at] === "}") {
        this.at++
        return { _tag: "Whole", value: Object.fromEntries(members) }
      }
      if (this.text[this.at] !== "\"") return bad("a key is not in double quotes")
      const key = this.string()
      if (key._tag !== "Whole") return key._tag === "Open" ? open() : key
      if (members.has(String(key.value))) return bad("an object has the same key twice")
      this.skipBlank()
      if (this.ended) return open()
      if (this.text[this.at] !== ":") return bad("a colon is missing after a key")
      this.at++
      this.skipBlank()
      if (this.ended) return open()
      this.read++
      const value = this.value(depth + 1)
      if (value._tag === "Bad") return value
      // What is open within an object is closed with what it has; of a list these are whole items.
      if (value._tag === "Whole" || value.partial) members.set(String(key.value), value.value)
      if (value._tag === "Open") return open()
      const after = this.separated("}")
      if (after !== undefined) return after === "ended" ? open() : bad(after)
    }
  }

  list(depth: number): Step {
    if (depth >= MAX_DEPTH) return this.tooDeep()
    const items: Array<unknown> = []
    const open: Step = { _tag: "Open", value: items, partial: true }
    this.at++
    for (;;) {
      this.skipBlank()
      if (this.ended) return open
      if (this.text[this.at] === "]") {
        this.at++
        return { _tag: "Whole", value: items }
      }
      const value = this.value(depth + 1)
      if (value._tag === "Bad") return value
      // An item that broke off is left out as a whole.
      if (value._tag === "Open") return open
      this.read++
      items.push(value.value)
      const after = this.separated("]")
      if (after !== undefined) return after === "ended" ? open : bad(after)
    }
  }

  tooDeep(): Step {
    this.read++
    return bad(`it is nested deeper than ${MAX_DEPTH}`)
  }

  /** Passes a comma; leaves the end of the container to its loop. */
  separated(end: "}" | "]"): string | undefined {
    this.skipBlank()
    if (this.ended) return "ended"
    if (this.text[this.at] === ",") {
      this.at++
      return undefined
    }
    return this.text[this.at] === end ? undefined : "a comma is missing between two values"
  }

  string(): Step {
    let value = ""
    let from = ++this.at
    for (;; this.at++) {
      const sign = this.text[this.at]
      if (sign === undefined) return cut
      if (sign === "\"") {
        value += this.text.slice(from, this.at++)
        return { _tag: "Whole", value }
      }
      if (sign !== "\\") continue
      value += this.text.slice(from, this.at)
      const next = this.text[this.at + 1]
      if (next === undefined) return cut
      const hex = next === "u" ? /^[0-9a-fA-F]{4}/.exec(this.text.slice(this.at + 2, this.at + 6))?.[0] : undefined
      if (hex !== undefined) {
        value += String.fromCharCode(Number.parseInt(hex, 16))
        this.at += 5
      } else {
        // An escape that JSON does not know was meant as it stands: a path, a pattern.
        value += escapes.get(next) ?? `\\${next}`
        this.at++
      }
      from = this.at + 1
    }
  }

  /** A word or a number; one that the text ends behind may have had more digits. */
  scalar(): Step {
    word.lastIndex = this.at
    numeral.lastIndex = this.at
    const said = word.exec(this.text)?.[0] ?? numeral.exec(this.text)?.[0] ?? ""
    const after = this.text.slice(this.at + said.length, this.at + said.length + 1)
    if (/^[\w.+-]/.test(after)) {
      // "tru", "1." and "-" at the very end broke off.
      return /^[\w.+-]*$/.test(this.text.slice(this.at)) ? cut : bad("a value is neither JSON word nor number")
    }
    if (said === "") return bad("a value is neither JSON word nor number")
    this.at += said.length
    if (after === "") return cut
    if (words.has(said)) return { _tag: "Whole", value: words.get(said) }
    const value = Number(said)
    return isExact(said, value) ? { _tag: "Whole", value } : bad("a number has more digits than can be kept")
  }
}

const isExact = (said: string, value: number): boolean =>
  Number.isFinite(value) &&
  (Number.isSafeInteger(value) || !/^-?\d+$/.test(said) || said === String(value) || BigInt(said) === BigInt(value))

/** The value whose brace or bracket stands at `start`. */
export const scanFrom = (text: string, start: number): Scan => {
  const scanner = new Scanner(text, start)
  const step = scanner.value(0)
  if (step._tag === "Whole") return { _tag: "Value", value: step.value, truncated: false, next: scanner.at }
  const serious = scanner.read > 0
  if (step._tag === "Open") {
    return serious
      ? { _tag: "Value", value: step.value, truncated: true, next: scanner.at }
      : { _tag: "Fault", message: "it broke off before anything was whole", serious: true, next: text.length }
  }
  // What began as JSON is passed as a whole: a piece out of a value that cannot be read is not what was said.
  return { _tag: "Fault", message: step.message, serious, next: serious ? balancedEnd(text, start) : start + 1 }
}

/** Behind the end that belongs to the brace at `start`, or behind the text. */
const balancedEnd = (text: string, start: number): number => {
  const signs = /[{}[\]]|"(?:[^"\\]|\\[\s\S])*"/g
  signs.lastIndex = start
  let depth = 0
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    if (sign[0] === "{" || sign[0] === "[") depth++
    else if (sign[0] === "}" || sign[0] === "]") depth--
    if (depth === 0) return signs.lastIndex
  }
  return text.length
}
