/**
 * Reads a JSON text (RFC 8259) once, without building anything, and says what is wrong with it: where it is no JSON, and
 * what a JavaScript reader would swallow. It keeps its own stack, so no depth can end the process's; strings are passed
 * by one expression, so a value of a megabyte costs about as much as the engine's own reading of it.
 */

/** Why a text is not acceptable JSON: `syntax` is a 400, `value` a 422. `position` counts UTF-16 units from 0. */
export interface JsonFault {
  readonly kind: "syntax" | "value"
  readonly message: string
  readonly position?: number
}

// Deeper nesting than any claim needs; keeps every later recursive walk off the stack's end.
const MAX_DEPTH = 128

const space = /[ \t\n\r]*/y
const plain = /[^"\\\u0000-\u001f]*/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y

/** The end of what `pattern` matches at `at`; -1 when it does not. */
const past = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

const holdsExactly = (text: string): boolean => {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  // Up to 15 digits every integer is a double.
  if (/^-?\d{1,15}$/.test(text)) return true
  // A double's shortest spelling stands for it, though its digits may not be the exact ones.
  if (/^-?\d+$/.test(text)) return BigInt(text) === BigInt(value) || text === String(value)
  // A double keeps 17 significant decimal digits at most; beyond that the text says more than the value can.
  const digits = text.replace(/[eE].*$/, "").replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "")
  return digits.length <= 17 && (value !== 0 || digits === "")
}

/** The end of the string that begins at `at`, or minus one minus the place of its fault. */
const stringEnd = (text: string, at: number): number => {
  for (let i = at + 1;;) {
    i = past(plain, text, i)
    const char = text[i]
    if (char === "\"") return i + 1
    const next = char === "\\" ? past(escape, text, i) : -1
    if (next === -1) return -1 - i
    i = next
  }
}

const syntax = (position: number): JsonFault => ({
  kind: "syntax",
  message: `not JSON at position ${position}`,
  position
})

const value = (message: string): JsonFault => ({ kind: "value", message })

/** The first fault of the text, or undefined when every reader of JSON reads it alike. */
export const scan = (text: string): JsonFault | undefined => {
  // The keys seen so far in each open object; undefined for an open array.
  const open: Array<Set<string> | undefined> = []
  let i = past(space, text, 0)
  // What may stand at `i`: a value, a value or the end of an empty array, a key, a key or the end of an empty object.
  let next: "value" | "first item" | "key" | "first key" = "value"
  for (;;) {
    const char = text[i]
    let closed = false
    if (next === "key" || next === "first key") {
      if (next === "first key" && char === "}") {
        closed = true
        i++
      } else {
        if (char !== "\"") return syntax(i)
        const end = stringEnd(text, i)
        if (end < 0) return syntax(-1 - end)
        const raw = text.slice(i + 1, end - 1)
        const key: string = raw.includes("\\") ? JSON.parse(text.slice(i, end)) : raw
        const keys = open.at(-1)
        if (keys?.has(key) === true) {
          return value(`the key ${JSON.stringify(key.slice(0, 80))} stands twice in one object`)
        }
        keys?.add(key)
        i = past(space, text, end)
        if (text[i] !== ":") return syntax(i)
        i = past(space, text, i + 1)
        next = "value"
        continue
      }
    } else if (char === "{" || char === "[") {
      if (open.length === MAX_DEPTH) return value(`nests deeper than ${MAX_DEPTH} levels`)
      open.push(char === "{" ? new Set() : undefined)
      next = char === "{" ? "first key" : "first item"
      i = past(space, text, i + 1)
      continue
    } else if (char === "]" && next === "first item") {
      closed = true
      i++
    } else if (char === "\"") {
      const end = stringEnd(text, i)
      if (end < 0) return syntax(-1 - end)
      i = end
    } else {
      const digits = past(number, text, i)
      const end = digits === -1 ? past(word, text, i) : digits
      if (end === -1) return syntax(i)
      const token = text.slice(i, end)
      if (digits !== -1 && !holdsExactly(token)) return value(`the number ${token.slice(0, 40)} does not fit a double`)
      i = end
    }
    // A value has ended, and maybe what holds it, and what holds that.
    if (closed) open.pop()
    for (;;) {
      i = past(space, text, i)
      if (open.length === 0) return i === text.length ? undefined : syntax(i)
      const inObject = open.at(-1) !== undefined
      const after = text[i]
      if (after === ",") {
        next = inObject ? "key" : "value"
        i = past(space, text, i + 1)
        break
      }
      if (after !== (inObject ? "}" : "]")) return syntax(i)
      open.pop()
      i++
    }
  }
}
