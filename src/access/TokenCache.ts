/**
 * Tokens as this process knows them, never older than the promise that a revocation reaches every process within two
 * seconds. A known token is answered from memory and read again in the background while requests use it; one that is too
 * old or unknown waits for the store. One query at a time carries all ids that wait, so that neither many tokens nor a
 * flood of invented ones can press on the store.
 */
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type { StoreError } from "../kernel/LoomError.ts"
import type { Token } from "./TokenModel.ts"
import { TokenStore } from "./TokenStore.ts"

export class TokenCache extends Context.Tag("loom/access/TokenCache")<TokenCache, {
  /** The token of this id as the store had it at most 1.5 seconds ago; none when there is none. */
  readonly find: (id: string) => Effect.Effect<Option.Option<Token>, StoreError>
  /** Takes over a state that this process has just written, so that it counts here at once. */
  readonly remember: (token: Token) => Effect.Effect<void>
}>() {}

// Read again after half a second of use, wait for the store after one and a half: a revocation is missed for at most
// 1.5 s after the read that came before it, which leaves half a second for a slow query.
const REFRESH_NANOS = 500_000_000n
const FRESH_NANOS = 1_500_000_000n
// Ten thousand tokens are some 10 MB; beyond that the one added first is read anew when it comes.
const MAX_TOKENS = 10_000
// One query's list of ids stays far below the limit of a statement.
const MAX_BATCH = 500

interface Entry {
  readonly token: Token
  readonly readAt: bigint
  refreshing: boolean
}

interface Ask {
  readonly id: string
  readonly answer: Deferred.Deferred<Option.Option<Token>, StoreError>
}

const make = Effect.gen(function*() {
  const store = yield* TokenStore
  const entries = new Map<string, Entry>()
  const asked = yield* Queue.unbounded<Ask>()

  const keep = (token: Token, readAt: bigint) => {
    const known = entries.get(token.token_id)
    // A read that began before this process's own write must not undo it.
    const newest = known !== undefined && known.token.version > token.version ? known.token : token
    entries.delete(token.token_id)
    entries.set(token.token_id, { token: newest, readAt, refreshing: false })
    if (entries.size <= MAX_TOKENS) return
    for (const oldest of entries.keys()) {
      entries.delete(oldest)
      break
    }
  }

  const load = (asks: ReadonlyArray<Ask>) =>
    Effect.gen(function*() {
      const readAt = yield* Clock.currentTimeNanos
      const ids = [...new Set(asks.map(({ id }) => id))]
      const found = yield* Effect.exit(store.findMany(ids))
      if (Exit.isSuccess(found)) {
        for (const token of found.value) keep(token, readAt)
        const known = new Set(found.value.map((token) => token.token_id))
        for (const id of ids) if (!known.has(id)) entries.delete(id)
      } else {
        for (const id of ids) {
          const entry = entries.get(id)
          if (entry !== undefined) entry.refreshing = false
        }
      }
      for (const { answer, id } of asks) {
        yield* Deferred.done(answer, Exit.map(found, () => Option.fromNullable(entries.get(id)?.token)))
      }
    })

  yield* Queue.takeBetween(asked, 1, MAX_BATCH).pipe(
    Effect.flatMap((asks) => load(Chunk.toReadonlyArray(asks))),
    Effect.forever,
    Effect.forkScoped
  )

  const ask = (id: string) =>
    Effect.tap(Deferred.make<Option.Option<Token>, StoreError>(), (answer) => Queue.offer(asked, { id, answer }))

  return {
    find: (id: string) =>
      Effect.flatMap(Clock.currentTimeNanos, (now) => {
        const entry = entries.get(id)
        if (entry === undefined || now - entry.readAt >= FRESH_NANOS) return Effect.flatMap(ask(id), Deferred.await)
        if (now - entry.readAt < REFRESH_NANOS || entry.refreshing) return Effect.succeedSome(entry.token)
        entry.refreshing = true
        return Effect.as(ask(id), Option.some(entry.token))
      }),
    remember: (token: Token) => Effect.map(Clock.currentTimeNanos, (now) => keep(token, now))
  }
})

export const layer: Layer.Layer<TokenCache, never, TokenStore> = Layer.scoped(TokenCache, make)
