/**
 * The secret of an engine server, in the file `engine.token` in its data folder, readable by the owner of the folder
 * alone. Made once; whoever may read the folder may use the engine.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The token file cannot be read or written. */
export class TokenUnreadable extends Schema.TaggedError<TokenUnreadable>()("TokenUnreadable", {
  path: Schema.String,
  message: Schema.String
}) {}

export const tokenFile = (path: string): string => join(path, "engine.token")

// As hard to guess as a 256-bit key.
const tokenBytes = 32

/** The token of the folder, or `TokenUnreadable` when there is none. */
export const read = (path: string): Effect.Effect<Redacted.Redacted, TokenUnreadable> =>
  Effect.try({
    try: () => Redacted.make(readFileSync(tokenFile(path), "utf8").trim()),
    catch: (cause) => new TokenUnreadable({ path: tokenFile(path), message: String(cause) })
  }).pipe(
    Effect.filterOrFail(
      (token) => Redacted.value(token) !== "",
      () => new TokenUnreadable({ path: tokenFile(path), message: "the file is empty" })
    )
  )

/** The token of the folder, made when there is none. */
export const readOrMake = (path: string): Effect.Effect<Redacted.Redacted, TokenUnreadable> =>
  Effect.orElse(read(path), () =>
    Effect.zipRight(
      Effect.try({
        try: () => {
          mkdirSync(path, { recursive: true })
          writeFileSync(tokenFile(path), `${randomBytes(tokenBytes).toString("base64url")}\n`, { mode: 0o600 })
        },
        catch: (cause) => new TokenUnreadable({ path: tokenFile(path), message: String(cause) })
      }),
      read(path)
    ))
