/** How much a block about a file may hold whatever the request asks: one number for the whole server. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export interface Options {
  /** Tokens that the decisions and constraints of one block share. */
  readonly wholeTokens: number
}

// About 6,000 characters, which with the default budget and the closing lines keeps a block below what hosts pass on.
export const defaultOptions: Options = { wholeTokens: 1_500 }

export class ForFileOptions extends Context.Tag("loom/context/ForFileOptions")<ForFileOptions, Options>() {}

export const layer = (options: Options = defaultOptions): Layer.Layer<ForFileOptions> =>
  Layer.succeed(ForFileOptions, options)
