/**
 * The handlers of the token verbs. What a caller may not see is answered like what does not exist. A token's secret
 * leaves the process once, in the answer to its mint, and is written nowhere.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../kernel/Caller.ts"
import { canonical, sha256 } from "../kernel/Json.ts"
import { refuse } from "../kernel/LoomError.ts"
import type { BoundVerb } from "../kernel/Verb.ts"
import { bind } from "../kernel/Verb.ts"
import { Cursors } from "../platform/Cursors.ts"
import { PLATFORM_ORG, ROOT_SUBJECT } from "./RootToken.ts"
import { TokenCache } from "./TokenCache.ts"
import { actorOf, formatToken, hashSecret, newId, newSecret } from "./TokenModel.ts"
import type { Token } from "./TokenModel.ts"
import { covers, mintFault } from "./TokenPolicy.ts"
import type { TokenPlace } from "./TokenStore.ts"
import { TokenStore } from "./TokenStore.ts"
import { TokenList, TokenMint, TokenRevoke } from "./TokenVerbs.ts"

const time = (millis: number): string => new Date(millis).toISOString()
const timeOrNull = (millis: number | null): string | null => millis === null ? null : time(millis)

const view = (token: Token) => ({
  token_id: token.token_id,
  org: token.org,
  namespaces: token.namespaces,
  role: token.role,
  user_id: token.bound_user,
  kind: token.kind,
  subject: token.subject,
  actor: actorOf(token),
  description: token.description,
  created_at: time(token.created_at),
  created_by: token.created_by,
  expires_at: timeOrNull(token.expires_at),
  revoked_at: timeOrNull(token.revoked_at)
})

// Two mints under one idempotency key meet in one id, and the store keeps one of them.
const idFor = (caller: Caller, org: string, key: string | undefined): string =>
  key === undefined ? newId() : sha256(canonical([caller.actor, caller.org, org, key])).slice(0, 16)

const sameRequest = (stored: Token, wanted: Token): boolean =>
  canonical(identity(stored)) === canonical(identity(wanted))

const identity = (token: Token) => ({
  org: token.org,
  namespaces: token.namespaces,
  role: token.role,
  user: token.bound_user,
  kind: token.kind,
  subject: token.subject,
  description: token.description,
  lifetime: token.expires_at === null ? null : token.expires_at - token.created_at
})

const CursorPlace = Schema.Struct({ created_at: Schema.Int, token_id: Schema.String })

// Milliseconds of the clock as nanoseconds, and more than the last version even when the clock stood still.
const nextVersion = (now: number, last: bigint): bigint => {
  const fromClock = BigInt(now) * 1_000_000n
  return fromClock > last ? fromClock : last + 1n
}

const placeOf = ({ created_at, token_id }: TokenPlace) => ({ created_at, token_id })

const DEFAULT_LIMIT = 100

export const make: Effect.Effect<ReadonlyArray<BoundVerb>, never, TokenStore | TokenCache | Cursors> = Effect.gen(
  function*() {
    const store = yield* TokenStore
    const cache = yield* TokenCache
    const cursors = yield* Cursors

    const find = (id: string) => Effect.map(store.findMany([id]), (found) => found[0])

    const save = (token: Token) => Effect.zipRight(store.put(token), cache.remember(token))

    const mint = bind(TokenMint, (request, caller) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const org = request.org ?? caller.org
        if (org === PLATFORM_ORG) {
          return yield* refuse("INVALID_ARGUMENT", "`org` names the org the token is for", { field: "org" })
        }
        if (request.subject === ROOT_SUBJECT) {
          return yield* refuse("INVALID_ARGUMENT", "`subject` is reserved", { field: "subject" })
        }
        const secret = newSecret()
        const token: Token = {
          token_id: idFor(caller, org, request.idempotency_key),
          secret_sha256: hashSecret(secret),
          org,
          namespaces: [...new Set(request.namespaces)],
          role: request.role,
          bound_user: request.user_id ?? caller.boundUser,
          kind: request.kind,
          subject: request.subject,
          description: request.description ?? "",
          created_at: now,
          created_by: caller.actor,
          expires_at: request.ttl_seconds === undefined ? null : now + request.ttl_seconds * 1000,
          revoked_at: null,
          version: nextVersion(now, 0n)
        }
        const fault = mintFault(caller, token)
        if (fault !== undefined) return yield* fault
        const earlier = request.idempotency_key === undefined ? undefined : yield* find(token.token_id)
        if (earlier === undefined) yield* save(token)
        // Of two mints at the same time the store keeps one, and the other must not hand out a secret that opens nothing.
        const stored = request.idempotency_key === undefined ? token : earlier ?? (yield* find(token.token_id)) ?? token
        if (!sameRequest(stored, token)) {
          return yield* refuse("IDEMPOTENCY_CONFLICT", "The `idempotency_key` was used with another request")
        }
        const mine = stored.secret_sha256 === token.secret_sha256
        return { token: mine ? formatToken({ id: token.token_id, secret }) : null, ...view(stored) }
      }))

    const revoke = bind(TokenRevoke, (request, caller) =>
      Effect.gen(function*() {
        const token = yield* find(request.token_id)
        if (token === undefined || !covers(caller, token)) {
          return { found: false, revoked: false, token_id: request.token_id, revoked_at: null }
        }
        const now = yield* Clock.currentTimeMillis
        const revokedAt = token.revoked_at ?? now
        if (token.revoked_at === null) {
          yield* save({ ...token, revoked_at: revokedAt, version: nextVersion(now, token.version) })
        }
        return { found: true, revoked: true, token_id: token.token_id, revoked_at: time(revokedAt) }
      }))

    const list = bind(TokenList, (request, caller) =>
      Effect.gen(function*() {
        const org = request.org ?? (caller.platform === true ? null : caller.org)
        const revoked = request.include_revoked ?? false
        const listing = { verb: TokenList.tag, caller, filter: { org, revoked } }
        const after = request.cursor === undefined ? null : yield* cursors.take(listing, CursorPlace, request.cursor)
        const limit = request.limit ?? DEFAULT_LIMIT
        if (org !== caller.org && caller.platform !== true) return { tokens: [], next_cursor: null }
        const page = yield* store.list({ org, revoked, after, limit })
        const last = page.at(-1)
        return {
          tokens: page.filter((token) => covers(caller, token)).map(view),
          next_cursor: last === undefined || page.length < limit ? null : yield* cursors.give(listing, placeOf(last))
        }
      }))

    return [mint, revoke, list]
  }
)
