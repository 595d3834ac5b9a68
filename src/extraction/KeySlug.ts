/**
 * A text as one segment of a memory key: the letters and digits of every script in one case, all else a hyphen, at most 64
 * long. What is cut keeps a short sum of the whole, so that two long texts do not become one. Pure; a slug's slug is itself.
 */
import { createHash } from "node:crypto"
import { lowered } from "../platform/Analyzer.ts"

// Ten words; names and attributes are shorter.
const LONGEST = 64
// Enough to tell apart what begins alike, and too short to be taken for a key made from a hash.
const SUM = 8

/** Empty only for a text without visible signs. */
export const slugOf = (text: string): string => {
  const folded = lowered(text).replace(/[\p{Cf}\p{Cc}\p{Variation_Selector}]/gu, "")
  const slug = folded.replace(/['’](?=\p{L})/gu, "").replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(
    /^[-\p{M}]+|-+$/gu,
    ""
  )
    .normalize("NFC")
  return bounded(slug === "" ? signs(folded) : slug)
}

/** A name of signs alone (`++`, an emoji) is told by their numbers. */
const signs = (text: string): string =>
  [...text.replace(/\s/gu, "")].slice(0, 8).map((sign) => `u${(sign.codePointAt(0) ?? 0).toString(16)}`).join("-")

const bounded = (slug: string): string => {
  if (slug.length <= LONGEST) return slug
  const sum = createHash("sha256").update(slug).digest("hex").slice(0, SUM)
  let head = ""
  for (const letter of slug) {
    if (head.length + letter.length > LONGEST - SUM - 1) break
    head += letter
  }
  return `${head.replace(/-+$/, "")}-${sum}`
}
