/**
 * The port that keeps tokens. Of one id the state with the highest version counts; nothing is ever removed, so that a
 * revoked token stays known as such. Reads see every write that was acknowledged before they began.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type { StoreError, Unavailable } from "../kernel/LoomError.ts"
import type { Token } from "./TokenModel.ts"

/** A place in the list: tokens created before it, or at the same time with a smaller id, come after. */
export interface TokenPlace {
  readonly created_at: number
  readonly token_id: string
}

export interface TokenPage {
  /** Tokens of this org; null means of all orgs. */
  readonly org: string | null
  readonly revoked: boolean
  readonly after: TokenPlace | null
  readonly limit: number
}

export class TokenStore extends Context.Tag("loom/access/TokenStore")<TokenStore, {
  /** The tokens of these ids, in any order; an unknown id is left out. */
  readonly findMany: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Token>, StoreError>
  /** One page, newest first; with `revoked` also those that were revoked. */
  readonly list: (page: TokenPage) => Effect.Effect<ReadonlyArray<Token>, StoreError>
  /** Adds a token, or a newer state of it. */
  readonly put: (token: Token) => Effect.Effect<void, Unavailable>
}>() {}

const newestFirst = (left: TokenPlace, right: TokenPlace): number =>
  right.created_at - left.created_at ||
  (left.token_id === right.token_id ? 0 : left.token_id < right.token_id ? 1 : -1)

/** A real store for tests and for programs that keep nothing. */
export const layerMemory: Layer.Layer<TokenStore> = Layer.effect(
  TokenStore,
  Effect.map(Ref.make(new Map<string, Token>()), (ref) => ({
    findMany: (ids: ReadonlyArray<string>) =>
      Effect.map(Ref.get(ref), (all) =>
        [...new Set(ids)].flatMap((id) => {
          const token = all.get(id)
          return token === undefined ? [] : [token]
        })),
    list: ({ after, limit, org, revoked }: TokenPage) =>
      Effect.map(Ref.get(ref), (all) =>
        [...all.values()]
          .filter((token) => (org === null || token.org === org) && (revoked || token.revoked_at === null))
          .filter((token) => after === null || newestFirst(after, token) < 0)
          .sort(newestFirst)
          .slice(0, limit)),
    put: (token: Token) =>
      Ref.update(ref, (all) => {
        const known = all.get(token.token_id)
        return known !== undefined && known.version >= token.version ? all : new Map(all).set(token.token_id, token)
      })
  }))
)
