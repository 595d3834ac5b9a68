/**
 * The operator's own token, in a file of the data folder that only its owner may read: whoever may read the folder may
 * mint the first tokens. It is a platform admin that opens no namespace, so it can administer and never read a memory.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Caller } from "../kernel/Caller.ts"

/** The org of the root token: no token can be minted for it, and no namespace of it opens. */
export const PLATFORM_ORG = "-"

/** The subject of the root token, which no minted token may take. */
export const ROOT_SUBJECT = "loom-root"

export const rootCaller: Caller = {
  actor: `process:${ROOT_SUBJECT}`,
  org: PLATFORM_ORG,
  namespaces: [],
  defaultNamespace: null,
  role: "admin",
  boundUser: null,
  platform: true
}

/** The root token's file cannot be made or read: check the folder's owner and mode. */
export class RootTokenUnreadable extends Schema.TaggedError<RootTokenUnreadable>()("RootTokenUnreadable", {
  path: Schema.String,
  message: Schema.String
}) {}

export class RootToken extends Context.Tag("loom/access/RootToken")<RootToken, {
  /** Whether a presented token is the root token; takes the same time for every text. */
  readonly matches: (token: string) => boolean
}>() {}

const rootText = /^loom_root_[0-9a-f]{64}$/

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

const attempt = <A>(path: string, action: () => A): Effect.Effect<A, RootTokenUnreadable> =>
  Effect.try({ try: action, catch: (cause) => new RootTokenUnreadable({ path, message: String(cause) }) })

/** The text of the root token in `path`, for a program that runs as the owner of the folder (`loom mint-token`). */
export const read = (path: string): Effect.Effect<string, RootTokenUnreadable> =>
  attempt(path, () => readFileSync(path, "utf8").trim()).pipe(
    Effect.filterOrFail(
      (text) => rootText.test(text),
      () => new RootTokenUnreadable({ path, message: "the file holds no root token" })
    )
  )

const write = (path: string) =>
  attempt(path, () => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `loom_root_${randomBytes(32).toString("hex")}\n`, { mode: 0o600 })
    // The mode above counts for a new file only.
    chmodSync(path, 0o600)
  })

// Group and others; a file system without modes shows none of them.
const isOpenToOthers = (path: string) => attempt(path, () => (statSync(path).mode & 0o077) !== 0)

/** The token of `path`: made when there is none, and made anew when others could read it. */
const readOrMake = (path: string) =>
  Effect.gen(function*() {
    if (yield* Effect.orElseSucceed(isOpenToOthers(path), () => false)) {
      yield* Effect.logWarning("Others could read the root token, so it is replaced").pipe(
        Effect.annotateLogs({ path })
      )
      yield* write(path)
    }
    return yield* Effect.orElse(read(path), () => Effect.zipRight(write(path), read(path)))
  })

const make = (token: string): typeof RootToken.Service => {
  const expected = digest(token)
  return { matches: (given) => timingSafeEqual(expected, digest(given)) }
}

/** The root token of a data folder, in the file `path`. */
export const layerFile = (path: string): Layer.Layer<RootToken, RootTokenUnreadable> =>
  Layer.effect(RootToken, Effect.map(readOrMake(path), make))

/** No root token: tokens are minted by other processes. */
export const layerNone: Layer.Layer<RootToken> = Layer.succeed(RootToken, { matches: () => false })
