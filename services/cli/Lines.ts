/** The lines of stdin one after another, as a person types them; none once it has ended. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Streams } from "./Streams.ts"

export interface Lines {
  /** The next line without its end; none at the end of stdin, or when it breaks. */
  readonly next: Effect.Effect<Option.Option<string>>
}

export const make: Effect.Effect<Lines> = Effect.map(Streams, ({ stdin }) => {
  const chunks = stdin[Symbol.asyncIterator]()
  const decoder = new TextDecoder()
  let held = ""
  let ended = false

  const line = (): Option.Option<string> => {
    const at = held.indexOf("\n")
    if (at < 0) return Option.none()
    const text = held.slice(0, at).replace(/\r$/, "")
    held = held.slice(at + 1)
    return Option.some(text)
  }

  const read = async (): Promise<Option.Option<string>> => {
    while (!ended) {
      const found = line()
      if (Option.isSome(found)) return found
      const { done, value } = await chunks.next()
      if (done === true) ended = true
      else held += decoder.decode(value, { stream: true })
    }
    const found = line()
    if (Option.isSome(found) || held === "") return found
    const rest = held
    held = ""
    return Option.some(rest)
  }

  return { next: Effect.orElseSucceed(Effect.tryPromise(read), () => Option.none()) }
})
