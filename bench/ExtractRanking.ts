/**
 * Which texts a question finds, by nearness of vectors and by words, as a search of turns or memories would: both rankings
 * are fused by their ranks. Pure; the vectors are given.
 */
import { indexTerms, queryTerms } from "../src/platform/Analyzer.ts"
import { B, K1, weight } from "../src/platform/Bm25.ts"

export interface Ranked {
  readonly text: string
  readonly vector: Float32Array
  /** The turns it stands for. */
  readonly turns: ReadonlySet<string>
}

// Ranks far down count little; the usual constant (Cormack, Clarke and Büttcher 2009).
const FUSION = 60

export interface Corpus {
  readonly texts: ReadonlyArray<Ranked>
  readonly terms: ReadonlyArray<ReadonlyArray<string>>
  readonly meanLength: number
}

export const corpusOf = (texts: ReadonlyArray<Ranked>): Corpus => {
  const terms = texts.map(({ text }) => indexTerms(text).stems)
  return { texts, terms, meanLength: terms.reduce((sum, { length }) => sum + length, 0) / Math.max(texts.length, 1) }
}

/** The turns of each text, the best text first. */
export const rank = (corpus: Corpus, question: string, vector: Float32Array): ReadonlyArray<ReadonlySet<string>> => {
  const asked = queryTerms(question).stems
  const holding = asked.map((stem) => corpus.terms.filter((terms) => terms.includes(stem)).length)
  const words = corpus.terms.map((terms) => {
    const norm = K1 * (1 - B + (B * terms.length) / Math.max(corpus.meanLength, 1))
    return asked.reduce((sum, stem, at) => {
      const count = terms.filter((term) => term === stem).length
      return count === 0 ? sum : sum + weight(corpus.terms.length, holding[at] ?? 0) * count * (K1 + 1) / (count + norm)
    }, 0)
  })
  const near = corpus.texts.map((text) => text.vector.reduce((sum, x, at) => sum + x * (vector[at] ?? 0), 0))
  const score = new Map<number, number>()
  for (const by of [words, near]) {
    const order = by.map((_, at) => at).sort((left, right) => (by[right] ?? 0) - (by[left] ?? 0) || left - right)
    order.forEach((text, place) => {
      if ((by[text] ?? 0) > 0) score.set(text, (score.get(text) ?? 0) + 1 / (FUSION + place + 1))
    })
  }
  return [...score].sort((left, right) => right[1] - left[1] || left[0] - right[0])
    .map(([text]) => corpus.texts[text]?.turns ?? new Set<string>())
}
