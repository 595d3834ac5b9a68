/**
 * Reads just enough of a SQL text to keep the pooled engine safe: the placeholders it needs, whether it leaves state on
 * its connection, and whether it is more than one statement. Literals, quoted names, comments and inline insert data are
 * skipped, so a brace or a semicolon inside them means nothing.
 */

export interface Scan {
  /** Names of the placeholders `{name: Type}`, each once. */
  readonly placeholders: ReadonlyArray<string>
  /** `SET`, `USE`, `CREATE TEMPORARY …`: what it does would be seen by the next query on the same connection. */
  readonly stateful: boolean
  /** Something follows a semicolon. */
  readonly multiple: boolean
  /** `INSERT … FORMAT x`: whatever follows is data. */
  readonly takesData: boolean
}

// One alternative per lexeme; unnamed alternatives are skipped. Sticky, so every character is read once.
const lexeme = new RegExp(
  [
    /\s+/,
    /--[^\n]*/,
    /#[! ][^\n]*/,
    /\/\*[^]*?(?:\*\/|$)/,
    /'(?:[^'\\]|\\[^]|'')*'?/,
    /"(?:[^"\\]|\\[^]|"")*"?/,
    /`(?:[^`\\]|\\[^]|``)*`?/,
    /(?<heredoc>\$\w*\$)/,
    /\{\s*(?<placeholder>[A-Za-z_]\w*)\s*:[^{}]*\}/,
    /(?<word>[A-Za-z_]\w*)/,
    /(?<end>;)/,
    /\d\w*/,
    /[^]/
  ].map((part) => part.source).join("|"),
  "gy"
)

const isSkipped = (text: string): boolean => /^(?:\s|--|#[! ]|\/\*)/.test(text)

const scanText = (sql: string): Scan => {
  const placeholders = new Set<string>()
  const words: Array<string> = []
  let ended = false
  let multiple = false
  let takesData = false
  lexeme.lastIndex = 0
  for (let match = lexeme.exec(sql); match !== null; match = lexeme.exec(sql)) {
    const [text] = match
    if (isSkipped(text)) continue
    const { end, heredoc, placeholder, word } = match.groups ?? {}
    if (end !== undefined) {
      ended = true
      continue
    }
    if (ended) {
      multiple = true
      break
    }
    if (placeholder !== undefined) placeholders.add(placeholder)
    if (heredoc !== undefined) {
      const close = sql.indexOf(heredoc, lexeme.lastIndex)
      lexeme.lastIndex = close === -1 ? sql.length : close + heredoc.length
    }
    if (word !== undefined) {
      words.push(word.toUpperCase())
      if (isInsertFormat(words) && formatName.test(sql.slice(lexeme.lastIndex, lexeme.lastIndex + 64))) {
        takesData = true
        break
      }
    }
  }
  return { placeholders: [...placeholders], stateful: isStateful(words), multiple, takesData }
}

const formatName = /^\s+[A-Za-z]/

// An `INSERT … SELECT` or `… VALUES` has no format clause, and may have a column of that name.
const isInsertFormat = (words: ReadonlyArray<string>): boolean =>
  words[0] === "INSERT" && words.at(-1) === "FORMAT" && !words.includes("SELECT") && !words.includes("VALUES")

const isStateful = ([first, second, , fourth]: ReadonlyArray<string>): boolean =>
  first === "SET" || first === "USE" ||
  (first === "CREATE" && (second === "TEMPORARY" || (second === "OR" && fourth === "TEMPORARY")))

// Statement texts repeat, since values travel as parameters. The bounds keep ad hoc and generated texts from piling up.
const cacheEntries = 500
const cacheTextLength = 16_384
const cache = new Map<string, Scan>()

export const scan = (sql: string): Scan => {
  const known = cache.get(sql)
  if (known !== undefined) return known
  const found = scanText(sql)
  if (sql.length <= cacheTextLength) {
    if (cache.size >= cacheEntries) cache.clear()
    cache.set(sql, found)
  }
  return found
}
