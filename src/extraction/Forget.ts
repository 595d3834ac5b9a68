/**
 * Which stored memories a request to forget is about, pure. Only what is certain: the request names the attribute that a key
 * stands for ("my address"), or says nearly all that a memory says ("that I live in Berlin"). A request that might mean
 * something else as well finds nothing, and says so. What became true after the request, or stands pinned, is not meant.
 */
import type { MemoryRow } from "../memory/MemoryModel.ts"
import { queryTerms, stems, words } from "../platform/Analyzer.ts"
import { stopWords } from "../platform/AnalyzerStopWords.ts"
import { mintKey, USER } from "./KeyMint.ts"

export interface Request {
  readonly what: string
  /** When it was said (milliseconds); null when nobody knows. */
  readonly at: number | null
  /** The user's own name; empty when nobody said it. */
  readonly user: string
}

// Of a memory's telling words, as many as this must be in the request: what it says beyond them may be another's.
const LEAST_SHARE = 0.66
// A request that fits more is about none of them in particular.
const MOST_MEMORIES = 20

// Words of the request itself.
const asking = new Set(
  ("forget delete remove erase please anymore everything anything all about what said told say tell ever again fact facts " +
    "memory memories stored remember remembered saved note info information details part thing things").split(" ")
)

// What stands before the attribute: "what I said about my address", "that my address".
const lead = /^(?:(?:please|forget|delete|that|about|everything|all|what|i|said|told|you|of|my|mine|our)\b[\s,:]*)+/iu

/** The attribute that a request names, as a fact would call it: "where I live" is where somebody lives. */
const attributeIn = (what: string): string => what.replace(lead, "").trim().replace(/^where i (\p{L}+)$/iu, "where $1s")

/** The telling stems of a text. */
const telling = (text: string, leftOut: ReadonlySet<string>): ReadonlySet<string> => {
  const kept = words(text).filter((word) => !leftOut.has(word) && !stopWords.has(word))
  return kept.length === 0 ? new Set() : new Set(queryTerms(kept.join(" ")).stems)
}

const isWithin = (part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean =>
  [...part].every((stem) => whole.has(stem))

/** The words by which a memory tells of the user; they say nothing about him. */
const userWords = (user: string): ReadonlySet<string> => new Set(["user", "speaker", ...words(user)])

export type Found =
  | { readonly _tag: "certain"; readonly rows: ReadonlyArray<MemoryRow> }
  | { readonly _tag: "unclear" | "none" }

/** The rows that are meant; all are of the user, and served. */
export const meant = ({ at, user, what }: Request, rows: ReadonlyArray<MemoryRow>): Found => {
  const asked = telling(what, new Set([...asking, ...userWords(user)]))
  if (asked.size === 0) return { _tag: "none" }
  const isFirstPerson = /\b(?:i|my|me|mine|i['’]m|i['’]ve|mein\w*|ich|mon|ma|mes|je|mi|mis|yo)\b/iu.test(what)
  const candidates = rows.filter(({ memory_key, valid_at }) =>
    (valid_at === null || at === null || valid_at <= at) && (!isFirstPerson || memory_key.startsWith("user/"))
  )
  const key = mintKey({ subject: USER, attribute: attributeIn(what) }, user)
  const certain = candidates.filter((row) =>
    (isFirstPerson && row.memory_key === key) || namesAttribute(asked, row) || saysTheSame(asked, row, user)
  )
  if (certain.length === 0) return { _tag: "none" }
  return certain.length > MOST_MEMORIES ? { _tag: "unclear" } : { _tag: "certain", rows: certain }
}

/** The request is the attribute that the key stands for, no more and no less. */
const namesAttribute = (asked: ReadonlySet<string>, { memory_key }: MemoryRow): boolean => {
  const attribute = new Set(stems((memory_key.split("/").at(-1) ?? "").replace(/[_.:-]+/g, " ")))
  return attribute.size === asked.size && isWithin(asked, attribute)
}

/** The memory holds every telling word of the request, and hardly any other. One word alone is a topic, not a claim. */
const saysTheSame = (
  asked: ReadonlySet<string>,
  { sensitivity, value, value_kind }: MemoryRow,
  user: string
): boolean => {
  if (asked.size < 2 || sensitivity === "high" || value_kind !== "string") return false
  const said = telling(value, userWords(user))
  return isWithin(asked, said) && asked.size >= said.size * LEAST_SHARE
}
