/** What an answer may rest on whatever the request asks: one choice for the whole server. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export interface Options {
  /** Whether `external` memories that nobody vouched for as they are stay out. */
  readonly excludeUnverifiedExternal: boolean
}

// Text copied from outside is what an attacker controls.
export const defaultOptions: Options = { excludeUnverifiedExternal: true }

export class AskOptions extends Context.Tag("loom/ask/AskOptions")<AskOptions, Options>() {}

export const layer = (options: Options = defaultOptions): Layer.Layer<AskOptions> => Layer.succeed(AskOptions, options)
