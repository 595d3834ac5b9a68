/** The part of wink-lemmatizer (WordNet's Morphy rules, English) that `Analyzer` uses; the package ships no types. */
declare module "wink-lemmatizer" {
  const lemmatizer: {
    readonly noun: (word: string) => string
    readonly verb: (word: string) => string
    readonly adjective: (word: string) => string
  }
  export default lemmatizer
}
