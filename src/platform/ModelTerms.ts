/** What an operator allows language models to take and what it costs: budget, prices, and whether answers are kept. */
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export interface Terms {
  /** Tokens, in and out, that a namespace may take in a day of UTC; null for as many as it likes. */
  readonly tokensPerDay: number | null
  /** Currency units for a million tokens; null where no price is known. */
  readonly priceIn: number | null
  readonly priceOut: number | null
  /** Whether the answer to the same prompt is kept and given again. */
  readonly keepAnswers: boolean
}

export class ModelTerms extends Context.Tag("loom/platform/ModelTerms")<ModelTerms, Terms>() {}

/** No budget, no price, nothing kept. */
export const free: Terms = { tokensPerDay: null, priceIn: null, priceOut: null, keepAnswers: false }

/** What the tokens cost; null where no price is known. */
export const costOf = (
  { priceIn, priceOut }: Pick<Terms, "priceIn" | "priceOut">,
  { tokensIn, tokensOut }: { readonly tokensIn: number; readonly tokensOut: number }
): number | null =>
  priceIn === null && priceOut === null
    ? null
    : (tokensIn * (priceIn ?? 0) + tokensOut * (priceOut ?? 0)) / 1_000_000

const price = (given: Config.Config<number>) =>
  given.pipe(
    Config.validate({ message: "expected 0 or more", validation: (value) => Number.isFinite(value) && value >= 0 }),
    Config.option,
    Config.map(Option.getOrNull)
  )

export const config: Config.Config<Terms> = Config.nested(
  Config.all({
    tokensPerDay: Config.integer("LLM_TOKENS_PER_DAY").pipe(
      Config.validate({ message: "expected 1 or more", validation: (tokens) => tokens >= 1 }),
      Config.option,
      Config.map(Option.getOrNull)
    ),
    priceIn: price(Config.number("LLM_PRICE_IN")),
    priceOut: price(Config.number("LLM_PRICE_OUT")),
    keepAnswers: Config.withDefault(Config.boolean("LLM_CACHE"), false)
  }),
  "LOOM"
)

export const layer = (terms: Terms): Layer.Layer<ModelTerms> => Layer.succeed(ModelTerms, terms)

export const layerConfig: Layer.Layer<ModelTerms, ConfigError> = Layer.effect(ModelTerms, config)
