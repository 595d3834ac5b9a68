/** The two tables of wink-lexicon (WordNet's words, MIT) that `ClaimLexicon` reads; the package ships no types. */
declare module "wink-lexicon/src/lexicon.js" {
  /** An English form (inflected ones too) and its Penn Treebank tags, the most frequent first. */
  const lexicon: Record<string, ReadonlyArray<string>>
  export default lexicon
}
declare module "wink-lexicon/src/wn-words.js" {
  /** A base form and the number of its set of senses. */
  const words: Record<string, number>
  export default words
}
declare module "wink-lexicon/src/wn-word-senses.js" {
  /** A number of `wn-words` and the lexicographer's files its senses lie in, as WordNet 3 counts them. */
  const senses: Record<string, ReadonlyArray<number>>
  export default senses
}
